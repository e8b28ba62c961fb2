"""The slow, obvious twin of `interval` without machine-made labels: one judged query at a time."""

from __future__ import annotations

from scipy import stats


def shadow_interval(losses, probability, n_queries, level=0.95):
    """The mean and both ends, where no bound on the losses is known."""
    mean = sum(d / p for d, p in zip(losses, probability, strict=True)) / n_queries
    uncertain = [(d, p) for d, p in zip(losses, probability, strict=True) if p < 1]
    m = len(uncertain)
    if m < 2:
        return mean, mean, mean
    centre = sum((1 - p) * d / p for d, p in uncertain) / sum(1 - p for _, p in uncertain)
    second = third = fourth = 0.0
    for d, p in uncertain:
        e = (1 - p) ** 0.5 * (d / p - centre)
        second += e**2
        third += abs(e) ** 3
        fourth += min(2 * p, 1.0) * e**4
    if second == 0:
        return mean, mean, mean
    t = stats.t.ppf((1 + level) / 2, max(1, min(m - 1, 2 * second**2 / fourth)))
    lose, gain = sum(d > 0 for d, _ in uncertain), sum(d < 0 for d, _ in uncertain)
    skewness = (lose - gain) / max(lose + gain, 1) * third / second**1.5
    above = below = t
    if skewness > 0:
        above += (2 * t**2 + 1) / 6 * skewness + 5 * t * (4 * t**2 - 1) / 72 * skewness**2
    else:
        below += (2 * t**2 + 1) / 6 * -skewness + 5 * t * (4 * t**2 - 1) / 72 * skewness**2
    standard_error = 1.03 * (m / (m - 1) * second) ** 0.5 / n_queries
    return mean, mean - below * standard_error, mean + above * standard_error
