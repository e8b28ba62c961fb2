"""Fayyad and Irani's discretisation, written as the paper reads: recursion on sorted rows."""

from __future__ import annotations

import math
from collections import Counter


def entropy(labels):
    n = len(labels)
    return -sum(c / n * math.log2(c / n) for c in Counter(labels).values()) if n else 0.0


def mdl_cuts(values, labels, *, better_encoding=False):
    rows = sorted(zip(values, labels, strict=True))
    return sorted(_cuts(rows, better_encoding))


def _cuts(rows, better_encoding):
    n = len(rows)
    labels = [label for _, label in rows]
    whole = entropy(labels)
    best = None
    n_candidates = 0
    for i in range(1, n):
        if rows[i - 1][0] == rows[i][0]:
            continue
        n_candidates += 1
        left, right = labels[:i], labels[i:]
        split = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if split < whole - 1e-12 and (best is None or split < best[0] - 1e-12):
            best = (split, i)
    if best is None:
        return []
    split, i = best
    left, right = labels[:i], labels[i:]
    k, k1, k2 = (len(set(part)) for part in (labels, left, right))
    delta = math.log2(3**k - 2) - (k * whole - k1 * entropy(left) - k2 * entropy(right))
    price = (math.log2(n_candidates if better_encoding else n - 1) + delta) / n
    if not whole - split > price:
        return []
    cut = (rows[i - 1][0] + rows[i][0]) / 2
    return [cut, *_cuts(rows[:i], better_encoding), *_cuts(rows[i:], better_encoding)]
