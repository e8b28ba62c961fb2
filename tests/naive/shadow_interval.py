"""The slow, obvious twin of `interval` without machine-made labels: one judged query at a time."""

from __future__ import annotations

from math import log

from scipy import stats


def shadow_interval(losses, probability, n_queries, level=0.95, cut=0.0, beyond=0.0):
    """The mean and both ends, where queries that nobody saw can lose or gain `cut`, and a few of them more."""
    mean = sum(d / p for d, p in zip(losses, probability, strict=True)) / n_queries
    uncertain = [(d, p) for d, p in zip(losses, probability, strict=True) if p < 1]
    m = len(uncertain)
    if m < 2:
        return mean, mean, mean
    lose, gain = sum(d > 0 for d, _ in uncertain), sum(d < 0 for d, _ in uncertain)
    below, above = arms(uncertain, lose, gain, level)
    share, told = m / sum(1 / p for _, p in uncertain), lose + gain
    missed = log((1 - level) / 2) / log(1 - share)  # so many queries of a kind are missed by all draws
    unseen = (missed * share * cut + beyond) * max(1 / 6, 2 / (2 + told))
    chance = (share + 1 / max(told, 1)) ** 0.5
    unseen_gains = unseen * min(1, max(0, gain - lose) / max(told, 1) + chance)
    unseen_losses = unseen * min(1, max(0, lose - gain) / max(told, 1) + chance)
    return mean, mean - max(below, unseen_gains) / n_queries, mean + max(above, unseen_losses) / n_queries


def arms(uncertain, lose, gain, level):
    """How far the sum of all losses may be below and above the estimate, by the spread of what was seen."""
    m = len(uncertain)
    centre = sum((1 - p) * d / p for d, p in uncertain) / sum(1 - p for _, p in uncertain)
    second = third = fourth = 0.0
    for d, p in uncertain:
        e = (1 - p) ** 0.5 * (d / p - centre)
        second += e**2
        third += abs(e) ** 3
        fourth += min(2 * p, 1.0) * e**4
    if second == 0:
        return 0.0, 0.0
    t = stats.t.ppf((1 + level) / 2, max(1, min(m - 1, 2 * second**2 / fourth)))
    skewness = (lose - gain) / max(lose + gain, 1) * third / second**1.5
    above = below = t
    if skewness > 0:
        above += (2 * t**2 + 1) / 6 * skewness + 5 * t * (4 * t**2 - 1) / 72 * skewness**2
    else:
        below += (2 * t**2 + 1) / 6 * -skewness + 5 * t * (4 * t**2 - 1) / 72 * skewness**2
    error = 1.03 * (m / (m - 1) * second) ** 0.5
    return below * error, above * error
