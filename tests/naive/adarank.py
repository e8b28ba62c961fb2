"""AdaRank as its paper reads: average precision of lists, queries weighted anew after every round."""

from math import exp, log

import numpy as np


def precision(scores, labels):
    """Average precision; equal scores stand in the order of the file."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    seen, total = 0, 0.0
    for place, document in enumerate(order, start=1):
        if labels[document] >= 1:
            seen += 1
            total += seen / place
    return total / seen


def rounds(queries, n_rounds):
    """(feature, alpha) of each round up to the best; None where a feature is perfect. queries: (rows, labels)."""
    n_features = len(queries[0][0][0])
    worth = [[precision([row[k] for row in rows], y) for rows, y in queries] for k in range(n_features)]
    P = [1 / len(queries)] * len(queries)
    w, taken, reached = np.zeros(n_features), [], []
    for _ in range(n_rounds):
        weighed = [round(sum(p * e for p, e in zip(P, of, strict=True)), 12) for of in worth]
        k = weighed.index(max(weighed))
        short = sum(p * (1 - e) for p, e in zip(P, worth[k], strict=True))
        if short < 1e-12:
            return None
        alpha = 0.5 * log(sum(p * (1 + e) for p, e in zip(P, worth[k], strict=True)) / short)
        taken.append((k, alpha))
        w[k] += alpha
        now = [precision([float(np.dot(w, row)) for row in rows], y) for rows, y in queries]
        reached.append(round(float(np.mean(now)), 12))
        P = [exp(-e) for e in now]
        P = [p / sum(P) for p in P]
    return taken[: reached.index(max(reached)) + 1]
