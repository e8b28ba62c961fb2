"""SVM-MAP's most violated ranking by trying every permutation."""

from itertools import permutations

import numpy as np


def average_precision(relevance):
    found, total = 0, 0.0
    for position, relevant in enumerate(relevance, 1):
        if relevant:
            found += 1
            total += found / position
    return total / found


def joint(scores, relevant, order):
    """w.Psi(ranking): order lists documents best first."""
    place = {document: position for position, document in enumerate(order)}
    good, bad = np.flatnonzero(relevant), np.flatnonzero(~relevant)
    total = sum((1 if place[i] < place[j] else -1) * (scores[i] - scores[j]) for i in good for j in bad)
    return total / (len(good) * len(bad))


def objective(scores, relevant, order):
    """1 - AP(ranking) + w.Psi(ranking)."""
    return 1 - average_precision(relevant[list(order)]) + joint(scores, relevant, order)


def most_violated(scores, relevant):
    """The largest objective over all rankings."""
    return max(objective(scores, relevant, order) for order in permutations(range(len(scores))))
