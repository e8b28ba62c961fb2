"""What a method does in each slice of the queries, beside all features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.bootstrap import FEWEST_QUERIES
from leanrank.evaluation.records import CrossValidation
from leanrank.evaluation.significance import PairedTest, paired_t_test

#: How sure all intervals of a method are together.
LEVEL = 0.95


@dataclass(frozen=True)
class Row:
    """A method at a size (None: with all features) with a ranker: what every table of a comparison has a row for."""

    ranker: str
    k: int | None
    method: str


@dataclass(frozen=True)
class SliceRow(Row):
    """A method against all features in one slice.

    Attributes
    ----------
    title : str
        As ``country=de``.
    n_queries : int
        Queries that were judged, or groups of them.
    difference : float
        Mean over them; NaN without any.
    low, high : float
        Its interval, which holds for all slices of the method at once; NaN for fewer than ten queries.
    """

    title: str
    n_queries: int
    difference: float
    low: float
    high: float


def slice_changes(
    values: NDArray[np.float64], reference: NDArray[np.float64], run: CrossValidation
) -> Iterator[tuple[str, int, float, float, float]]:
    """Title, queries, difference and interval of each slice of a run's queries, by Student's t with Bonferroni."""
    masks = {
        f"{name}={value}": column == value for name, column in run.query_slices.items() for value in np.unique(column)
    }
    sizes = {title: _test(values, reference, run, mask, LEVEL).n for title, mask in masks.items()}
    enough = sum(size >= FEWEST_QUERIES for size in sizes.values())
    for title, mask in masks.items():
        test = _test(values, reference, run, mask, 1 - (1 - LEVEL) / max(1, enough))
        known = (test.low, test.high) if sizes[title] >= FEWEST_QUERIES else (np.nan, np.nan)
        yield title, sizes[title], test.difference, *known


def _test(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    run: CrossValidation,
    mask: NDArray[np.bool_],
    confidence: float,
) -> PairedTest:
    weight, group = (None if own is None else own[mask] for own in (run.query_weights, run.query_groups))
    return paired_t_test(values[mask], reference[mask], confidence=confidence, weight=weight, group=group)
