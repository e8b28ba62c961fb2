"""Two orders of one list of documents, compared as the definitions say, with Python's own lists and sets."""

from __future__ import annotations

import math


def order(scores):
    """Rows, best first; equal scores in the order of the rows."""
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def list_changes(before, after, k, persistence):
    """The figures of one query from its scores: a dict by what they are."""
    old, new = order(before), order(after)
    n = len(old)
    place_old, place_new = {i: old.index(i) + 1 for i in old}, {i: new.index(i) + 1 for i in new}
    top = set(old[:k]) | set(new[:k])
    moved = [i for i in top if place_old[i] != place_new[i]]

    def discount(place):
        return 1 / math.log2(1 + place) if place <= k else 0.0

    change = [discount(place_old[i]) - discount(place_new[i]) for i in moved]
    overlap = sum(
        (1 - persistence) * persistence ** (d - 1) * len(set(old[:d]) & set(new[:d])) / d for d in range(1, n + 1)
    )
    return {
        "places": ([place_old[i] for i in range(n)], [place_new[i] for i in range(n)]),
        "shared": len(set(old[:k]) & set(new[:k])),
        "moved": len(moved),
        "first_moved": min((min(place_old[i], place_new[i]) for i in moved), default=0),
        "largest_move": max((abs(place_old[i] - place_new[i]) for i in top), default=0),
        "union": len(top),
        "total_move": sum(abs(place_old[i] - place_new[i]) for i in top),
        "overlap": overlap + persistence**n,
        "reach": max(sum(c for c in change if c > 0), -sum(c for c in change if c < 0), 0.0),
        "spread": math.sqrt(sum(c * c for c in change)),
    }
