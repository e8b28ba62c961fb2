"""How a feature goes with the labels inside queries, document by document."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt


def correlation_within_queries(values, labels, query_ptr) -> float:
    """Pearson's correlation of a feature on [0, 1] inside each query with the labels, both less their means there."""
    product = of_feature = of_labels = 0.0
    for start, stop in pairwise(query_ptr):
        x, y = [float(v) for v in values[start:stop]], [float(v) for v in labels[start:stop]]
        low, high = min(x), max(x)
        x = [(v - low) / (high - low) if high > low else 0.0 for v in x]
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        product += sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        of_feature += sum((a - mean_x) ** 2 for a in x)
        of_labels += sum((b - mean_y) ** 2 for b in y)
    return product / sqrt(of_feature * of_labels) if of_feature and of_labels else 0.0
