"""Ranking metrics of one query, as their definitions read: plain Python, one ranked list at a time."""

from __future__ import annotations

from itertools import groupby, permutations, product
from math import log2, sqrt
from statistics import fmean


def rankings(labels, scores, ties):
    """The ranked lists of labels a tie policy looks at: one, or for "expected" every order of tied documents."""
    documents = sorted(range(len(labels)), key=lambda i: -scores[i])  # Python's sort is stable
    groups = [[labels[i] for i in group] for _, group in groupby(documents, key=lambda i: scores[i])]
    if ties == "input":
        return [[label for group in groups for label in group]]
    if ties in ("best", "worst"):
        return [[label for group in groups for label in sorted(group, reverse=ties == "best")]]
    orders = product(*(list(permutations(group)) for group in groups))
    return [[label for group in order for label in group] for order in orders]


def over_ties(measure, labels, scores, ties):
    return fmean(measure(ranked) for ranked in rankings(labels, scores, ties))


def gain_of(label, gain="exp2"):
    return 2.0**label - 1 if gain == "exp2" else float(label)


def discount_at(position, discount="log2"):
    if discount == "log2":
        return 1 / log2(1 + position)
    return 1.0 if position <= 2 else 1 / log2(position)


def dcg(ranked, k=None, gain="exp2", discount="log2"):
    return sum(gain_of(label, gain) * discount_at(p, discount) for p, label in enumerate(ranked[:k], 1))


def ndcg(ranked, k=None, gain="exp2", discount="log2"):
    return dcg(ranked, k, gain, discount) / dcg(sorted(ranked, reverse=True), k, gain, discount)


def mean_ndcg(ranked, gain="exp2", discount="log2"):
    return fmean(ndcg(ranked, k, gain, discount) for k in range(1, len(ranked) + 1))


def precision(ranked, k, threshold=1):
    return sum(label >= threshold for label in ranked[:k]) / k


def recall(ranked, k, threshold=1):
    return sum(label >= threshold for label in ranked[:k]) / sum(label >= threshold for label in ranked)


def average_precision(ranked, k=None, threshold=1):
    relevant = sum(label >= threshold for label in ranked)
    positions = [p for p, label in enumerate(ranked[:k], 1) if label >= threshold]
    return sum(precision(ranked, p, threshold) for p in positions) / relevant


def reciprocal_rank(ranked, k=None, threshold=1):
    return next((1 / p for p, label in enumerate(ranked[:k], 1) if label >= threshold), 0.0)


def expected_reciprocal_rank(ranked, k=None, max_label=4):
    total, reads_on = 0.0, 1.0
    for p, label in enumerate(ranked[:k], 1):
        satisfied = (2.0**label - 1) / 2.0**max_label
        total += reads_on * satisfied / p
        reads_on *= 1 - satisfied
    return total


def _sign(x):
    return (x > 0) - (x < 0)


def kendall_tau(labels, scores, variant="b"):
    pairs = [(i, j) for i in range(len(labels)) for j in range(i)]
    balance = sum(_sign(labels[i] - labels[j]) * _sign(scores[i] - scores[j]) for i, j in pairs)
    if variant == "a":
        return balance / len(pairs)
    over = sum(labels[i] != labels[j] for i, j in pairs) * sum(scores[i] != scores[j] for i, j in pairs)
    return balance / sqrt(over) if over else 0.0


def _mid_ranks(values):
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]


def spearman_rho(labels, scores):
    a, b = _mid_ranks(labels), _mid_ranks(scores)
    centre = (len(a) + 1) / 2
    products = sum((x - centre) * (y - centre) for x, y in zip(a, b, strict=True))
    over = sum((x - centre) ** 2 for x in a) * sum((y - centre) ** 2 for y in b)
    return products / sqrt(over) if over else 0.0
