"""Slow, obvious twins of the searches over feature sets, for a quality g(frozenset)."""

from __future__ import annotations


def forward(g, n, size=None, delta=None):
    chosen = []
    while len(chosen) < (n if size is None else size):
        left = [j for j in range(n) if j not in chosen]
        gains = {j: round(g(frozenset([*chosen, j])) - g(frozenset(chosen)), 12) for j in left}
        best = max(left, key=lambda j: (gains[j], -j))
        if chosen and delta is not None and gains[best] < delta:
            break
        chosen.append(best)
    return chosen


def backward(g, n, size=None, delta=None):
    """The features left, as a set, and those left out, in order."""
    kept, out = set(range(n)), []
    while len(kept) > (size or 1):
        loss = {j: round(g(frozenset(kept)) - g(frozenset(kept - {j})), 12) for j in kept}
        worst = min(kept, key=lambda j: (loss[j], -j))
        if delta is not None and loss[worst] > delta:
            break
        kept.remove(worst)
        out.append(worst)
    return kept, out


def floating_forward(g, n, size):
    """Pudil's sequential forward floating selection, from its description; returns the best quality of each size."""
    chosen, best = [], {}

    def note():
        if g(frozenset(chosen)) > best.get(len(chosen), float("-inf")):
            best[len(chosen)] = g(frozenset(chosen))

    while len(chosen) < size:
        left = [j for j in range(n) if j not in chosen]
        newest = max(left, key=lambda j: (round(g(frozenset([*chosen, j])), 12), -j))
        chosen.append(newest)
        note()
        while len(chosen) > 2:
            others = [j for j in chosen if j != newest]
            out = max(others, key=lambda j: (round(g(frozenset(chosen) - {j}), 12), j))
            if g(frozenset(chosen) - {out}) <= best[len(chosen) - 1]:
                break
            chosen.remove(out)
            note()
    return best


def floating_backward(g, n, size):
    """The same from the other end: leave out the worst, then take back what gives the best set of its size."""
    kept, out, best = set(range(n)), [], {n: g(frozenset(range(n)))}

    def note():
        if g(frozenset(kept)) > best.get(len(kept), float("-inf")):
            best[len(kept)] = g(frozenset(kept))

    while len(kept) > size:
        worst = max(kept, key=lambda j: (round(g(frozenset(kept - {j})), 12), j))
        kept.remove(worst)
        out.append(worst)
        note()
        while len(out) > 1:
            again = max(out[:-1], key=lambda j: round(g(frozenset(kept | {j})), 12))
            if g(frozenset(kept | {again})) <= best[len(kept) + 1]:
                break
            kept.add(again)
            out.remove(again)
            note()
    return best
