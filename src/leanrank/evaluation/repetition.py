"""How often features repeat across the sets selected in different folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from leanrank.errors import DataError


@dataclass(frozen=True)
class Repetition:
    """Feature sets of F folds, counted.

    Attributes
    ----------
    sizes : tuple of int
        Features in each set.
    counts : tuple of int
        ``counts[r - 1]``: features that are in exactly r sets. ``sum_r r counts[r - 1]`` is the sum of the sizes.
    most : tuple of (feature, times)
        All features, the most repeated first; of equals in the order given.
    """

    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    most: tuple[tuple[Any, int], ...]


def repetition(sets: Sequence[Iterable[Hashable]]) -> Repetition:
    """Count how often features repeat. Sets of several data sets may be counted together: their union is meant.

    References
    ----------
    M. Costa, M. J. Silva. A fast filter feature selection algorithm for ranking. Technical report, 2010: Tables 3 to 6.

    >>> repeated = repetition([["bm25"], ["tf", "bm25"], ["bm25"]])
    >>> repeated.sizes, repeated.counts, repeated.most
    ((1, 2, 1), (1, 0, 1), (('bm25', 3), ('tf', 1)))
    """
    if not sets:
        raise DataError("There are no feature sets to count.")
    chosen = [list(dict.fromkeys(members)) for members in sets]
    times = Counter(feature for members in chosen for feature in members)
    counts = tuple(sum(1 for n in times.values() if n == r) for r in range(1, len(chosen) + 1))
    most = tuple(sorted(times.items(), key=lambda item: -item[1]))
    return Repetition(tuple(len(members) for members in chosen), counts, most)
