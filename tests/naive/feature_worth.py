"""How good a feature is alone, by enumeration: the mean over every order of equal values; counts of bins and labels."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product


def orders(values):
    """Every order of the documents by falling value, equal ones in any order."""
    groups = [[d for d, v in enumerate(values) if v == value] for value in sorted(set(values), reverse=True)]
    for parts in product(*(list(permutations(group)) for group in groups)):
        yield [d for part in parts for d in part]


def precision(order, relevant):
    hits, total = 0, 0.0
    for place, d in enumerate(order, start=1):
        if relevant[d]:
            hits += 1
            total += hits / place
    return total / hits


def mean_average_precision(columns_of_queries, labels):
    """Mean over the queries with a relevant document of the mean over orders."""
    values = []
    for column, y in zip(columns_of_queries, labels, strict=True):
        relevant = [label >= 1 for label in y]
        if any(relevant):
            each = [precision(order, relevant) for order in orders(column)]
            values.append(sum(each) / len(each))
    return sum(values) / len(values)


def pair_error(columns_of_queries, labels):
    """1 less the share of pairs put in the wrong order, ties a half, mean over the queries that have pairs."""
    values = []
    for column, y in zip(columns_of_queries, labels, strict=True):
        pairs = [(s, t) if y[s] > y[t] else (t, s) for s, t in combinations(range(len(y)), 2) if y[s] != y[t]]
        if pairs:
            wrong = sum(0.5 if column[s] == column[t] else float(column[s] < column[t]) for s, t in pairs)
            values.append(1 - wrong / len(pairs))
    return sum(values) / len(values)


def information_gain(bins, labels):
    def entropy(of):
        return -sum(of.count(v) / len(of) * math.log2(of.count(v) / len(of)) for v in set(of))

    inside = ([y for b, y in zip(bins, labels, strict=True) if b == value] for value in set(bins))
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in inside)


def chi_squared(bins, labels):
    total = 0.0
    for b, y in product(sorted(set(bins)), sorted(set(labels))):
        seen = sum(x == b and z == y for x, z in zip(bins, labels, strict=True))
        expected = bins.count(b) * labels.count(y) / len(labels)
        total += (seen - expected) ** 2 / expected
    return total if len(set(bins)) > 1 else 0.0
