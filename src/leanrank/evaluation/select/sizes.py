"""At which numbers of features `select` measures, on how many queries, and how often."""

from __future__ import annotations

#: Sizes at which curves are measured (those below the number of features).
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250, 300, 400, 500, 700, 1000)
#: Every so many of these are measured for all methods; the rest only for the best.
COARSE = 5
#: Methods that reach the second round.
FINALISTS = 3
#: The first round looks at no more queries than this.
SAMPLE_QUERIES = 1_500
#: On few queries the cross-validation is repeated with other folds: so often that this many queries are measured, ...
REPEATED_QUERIES = 400
#: ... but not more often than this, ...
REPEATS = 6
#: ... and only for so many candidates, of those that may still be chosen.
CONTENDERS = 8


def curve_sizes(least: int, n_features: int) -> tuple[list[int], list[int]]:
    """The sizes of the first round and those of the second, from `least` to below the number of features.

    >>> curve_sizes(1, 12)
    ([5], [1, 2, 3, 4, 5, 6, 8, 10])
    """
    fine = [k for k in sorted({*SIZES, least}) if least <= k < n_features] or [least]
    return fine[COARSE - 1 :: COARSE] or fine[-1:], fine


def n_repeats(n_queries: int) -> int:
    """How often the cross-validation of so many queries is done, with other folds each time."""
    return min(REPEATS, max(1, REPEATED_QUERIES // n_queries))
