"""The pair perceptron, pair by pair."""

import numpy as np


def epoch(X, better, worse, order, w, survived):
    """Returns w and its survivors at the end, and every hypothesis that fell: (weights, survivors)."""
    w, fallen, mistakes = w.copy(), [], np.zeros(len(better), dtype=np.int64)
    for pair in order:
        z = X[better[pair]] - X[worse[pair]]
        if sum(w * z) > 0:
            survived += 1
        else:
            fallen.append((w.copy(), survived))
            w = w + z
            mistakes[pair] += 1
            survived = 0
    return w, survived, fallen, mistakes
