"""The model confidence set of Hansen, Lunde and Nason (2011), resample by resample and pair by pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def confidence_set(values, level, n_resamples, random_state):
    judged = [q for q in range(values.shape[1]) if not np.isnan(values[:, q]).any()]
    n = len(judged)
    draws = np.random.default_rng(random_state).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    left = list(range(len(values)))
    while len(left) > 1:
        chance = np.zeros(n_resamples)
        seen = {}
        for i, j in combinations(left, 2):
            difference = np.array([values[i, q] - values[j, q] for q in judged])
            mean, error = difference.mean(), difference.std(ddof=1) / np.sqrt(n)
            if error == 0:
                seen[i, j] = np.inf * np.sign(mean) if mean else 0.0
                continue
            seen[i, j] = mean / error
            for r, times in enumerate(draws):
                sample = np.repeat(difference, times)
                own = sample.std() / np.sqrt(n - 1)
                chance[r] = max(chance[r], abs(sample.mean() - mean) / max(own, 0.5 * error))
        i, j = max(seen, key=lambda pair: abs(seen[pair]))
        if abs(seen[i, j]) <= np.quantile(chance, level):
            break
        left.remove(j if seen[i, j] > 0 else i)
    return left
