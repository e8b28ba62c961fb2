"""The slow, obvious twin of `certified_losses`: one set and one resample at a time."""

from __future__ import annotations

import numpy as np
from scipy import stats


def certified_losses(values, reference, level, n_resamples, seed):
    n = len(reference)
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    losses = []
    for row in values:
        difference = [float(a - b) for a, b in zip(row, reference, strict=True)]
        mean = sum(difference) / n
        error = (sum((d - mean) ** 2 for d in difference) / (n - 1) / n) ** 0.5
        if error <= 1e-12:
            losses.append(-mean)
            continue
        studentised = []
        for count in counts:
            again = sum(c * d for c, d in zip(count, difference, strict=True)) / n
            spread = sum(c * (d - again) ** 2 for c, d in zip(count, difference, strict=True)) / n
            own = (spread / (n - 1)) ** 0.5
            studentised.append((again - mean) / max(own, 0.5 * error * (n / (n - 1)) ** 0.5))
        critical = max(float(np.quantile(studentised, level)), float(stats.t.isf(1 - level, n - 1)))
        losses.append(critical * (1 + 1 / n**0.5) * error - mean)
    # a set is certified at a loss only where all larger ones are
    return [max(0.0, *losses[: i + 1]) for i in range(len(losses))]
