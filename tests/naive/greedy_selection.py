"""Slow, obvious twins of the greedy selectors: the whole criterion again for every candidate at every step."""

from __future__ import annotations

import numpy as np


def gas_objective(chosen, w, e, c):
    """sum w_i - c sum_{i != j} e_ij over the chosen set, ordered pairs."""
    return sum(w[i] for i in chosen) - c * sum(e[i, j] for i in chosen for j in chosen if i != j)


def gas(w, e, c):
    chosen = []
    while len(chosen) < len(w):
        left = [j for j in range(len(w)) if j not in chosen]
        gains = [gas_objective([*chosen, j], w, e, c) - gas_objective(chosen, w, e, c) for j in left]
        chosen.append(left[int(np.argmax(np.round(gains, 10)))])
    return chosen


def _by_criterion(m, criterion):
    chosen = []
    while len(chosen) < m:
        left = [j for j in range(m) if j not in chosen]
        chosen.append(max(left, key=lambda j: (round(criterion(j, chosen), 10), -j)))
    return chosen


def mmr(r, s, lam, aggregate=max):
    def criterion(i, chosen):
        return r[i] if not chosen else (1 - lam) * r[i] - lam * aggregate([s[i, j] for j in chosen])

    return _by_criterion(len(r), criterion)


def mpt(r, sigma, s, b):
    def p(j):
        return 1 if j == 1 else 1 / np.log2(1 + j)

    def criterion(i, chosen):
        covariance = sum(p(n) * sigma[j] * s[i, j] for n, j in enumerate(chosen, start=1))
        return r[i] - b * p(len(chosen) + 1) * sigma[i] ** 2 - 2 * b * sigma[i] * covariance

    return _by_criterion(len(r), criterion)


def mrmr(r, e, form, offset):
    def criterion(i, chosen):
        if not chosen:
            return r[i]
        redundancy = np.mean([e[i, j] for j in chosen])
        return r[i] / max(offset + redundancy, 1e-3) if form == "quotient" else r[i] - redundancy

    return _by_criterion(len(r), criterion)


def msd(r, s, lam, size):
    left, chosen = list(range(len(r))), []
    for _ in range(size // 2):
        pairs = [(i, j) for i in left for j in left if i < j]
        i, j = max(
            pairs, key=lambda p: (round((1 - lam) * (r[p[0]] + r[p[1]]) + 2 * lam * (1 - s[p]), 10), -p[0], -p[1])
        )
        chosen += [i, j] if r[i] >= r[j] else [j, i]
        left = [f for f in left if f not in (i, j)]
    if size % 2:
        chosen.append(max(left, key=lambda f: (r[f], -f)))
    return chosen


def ngas(r, s):
    current = max(range(len(r)), key=lambda f: (r[f], -f))
    chosen, pool = [current], [f for f in range(len(r)) if f != current]
    while pool:
        f_min = min(pool, key=lambda f: (s[current, f], f))
        others = [f for f in pool if f != f_min]
        current = f_min
        if others:
            f_max = max(others, key=lambda f: (s[f_min, f], -f))
            current = f_min if r[f_min] >= r[f_max] else f_max
        chosen.append(current)
        pool.remove(current)
    return chosen


def xgas(r, s, p):
    current = max(range(len(r)), key=lambda f: (r[f], -f))
    chosen, pool = [current], [f for f in range(len(r)) if f != current]
    while pool:
        size = max(1, int(p * len(pool) + 0.5))
        candidates = sorted(pool, key=lambda f: (s[current, f], f))[:size]
        current = max(candidates, key=lambda f: (r[f], -f))
        chosen.append(current)
        pool.remove(current)
    return chosen
