"""FCBF, CFS, Consistency and INTERACT on columns of whole numbers, as their descriptions read."""

from __future__ import annotations

import math
from collections import Counter, defaultdict


def entropy(values):
    n = len(values)
    return -sum(c / n * math.log2(c / n) for c in Counter(values).values())


def su(a, b):
    of_a, of_b = entropy(a), entropy(b)
    if of_a == 0 or of_b == 0:
        return 0.0
    return round(2 * (of_a + of_b - entropy(list(zip(a, b, strict=True)))) / (of_a + of_b), 12)


def fcbf(columns, y, delta=0.0):
    relevance = [su(column, y) for column in columns]
    order = sorted((j for j in range(len(columns)) if relevance[j] > delta), key=lambda j: (-relevance[j], j))
    removed = set()
    for place, p in enumerate(order):
        if p in removed:
            continue
        for q in order[place + 1 :]:
            if su(columns[p], columns[q]) >= relevance[q]:
                removed.add(q)
    return [j for j in order if j not in removed]


def merit(group, columns, y):
    if not group:
        return 0.0
    among = sum(su(columns[i], columns[j]) for i in group for j in group if i < j)
    return round(sum(su(columns[j], y) for j in group) / math.sqrt(len(group) + 2 * among), 12)


def cfs(columns, y, max_stale=5):
    """Best-first, then the locally predictive features, in order of addition."""
    m = len(columns)
    waiting = [(0.0, [])]
    best, best_merit, stale = [], 0.0, 0
    while waiting and stale < max_stale:
        _, group = waiting.pop(0)
        improved = False
        for i in range(m):
            if i in group:
                continue
            new = [*group, i]
            value = merit(new, columns, y)
            if len(waiting) < max_stale or value > waiting[-1][0]:
                waiting = waiting[: max_stale - 1] if len(waiting) == max_stale else waiting
                waiting.append((value, new))
                waiting.sort(key=lambda item: -item[0])  # stable: after equal ones
            if value - best_merit > 1e-5:
                best, best_merit, improved, stale = new, value, True, 0
        if not improved:
            stale += 1
    chosen = list(best)
    relevance = [su(column, y) for column in columns]
    for j in sorted(range(m), key=lambda j: (-relevance[j], j)):
        told = [su(columns[j], columns[g]) for g in chosen]
        if j not in chosen and relevance[j] > 0 and all(t <= relevance[j] for t in told):
            chosen.append(j)
    return chosen


def inconsistency(group, columns, y):
    labels_of = defaultdict(Counter)
    for row, label in enumerate(y):
        labels_of[tuple(columns[j][row] for j in group)][label] += 1
    return sum(c.total() - max(c.values()) for c in labels_of.values()) / len(y)


def consistency(columns, y):
    left = [j for j in range(len(columns)) if len(set(columns[j])) > 1]
    allowed = inconsistency(left, columns, y)
    while left:
        after = {j: inconsistency([i for i in left if i != j], columns, y) for j in left}
        smallest = min(after.values())
        if smallest > allowed + 1e-12:
            break
        left.remove(max(j for j in left if after[j] == smallest))
    return left


def interact(columns, y, delta=1e-4):
    current = list(range(len(columns)))
    trace = []
    for f in sorted(current, key=lambda j: (su(columns[j], y), -j)):
        without = [j for j in current if j != f]
        contribution = inconsistency(without, columns, y) - inconsistency(current, columns, y)
        trace.append((f, contribution))
        if contribution <= delta + 1e-12:
            current = without
    return current, trace
