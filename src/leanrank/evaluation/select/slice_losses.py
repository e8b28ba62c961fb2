"""What a set of features loses in each slice of the queries: one country, one device, one market."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.json_record import JsonRecord
from leanrank.evaluation.bootstrap import FEWEST_QUERIES, counted
from leanrank.evaluation.select.certify import loss_bounds

#: On fewer queries of a slice, or groups of them, nothing is certified in it: what one in ten loses, fewer often do not
#: show (the page on certified slices measures it).
FEWEST_CERTIFIED = 30
#: Resamples beyond a bound, so that its place is known; and the most that are drawn.
_BEYOND, _MOST = 10, 20_000

Values = NDArray[np.float64]


@dataclass(frozen=True)
class SliceLoss(JsonRecord):
    """A set against all features in one slice.

    Attributes
    ----------
    slice, value : str
        As "country" and "de".
    n_queries : int
        Judged queries.
    n_drawn : int
        What chance draws of them: as many queries, or the groups that they are in.
    mean : float or None
        Mean difference to all features; None without judged queries.
    low, high : float or None
        Its interval, which holds for all slices at once (Bonferroni); None where ten queries, or groups of queries,
        are not there.
    """

    slice: str
    value: str
    n_queries: int
    n_drawn: int
    mean: float | None
    low: float | None = None
    high: float | None = None

    @property
    def title(self) -> str:
        """As ``country=de``."""
        return f"{self.slice}={self.value}"

    @property
    def loses(self) -> bool:
        """Whether the queries show that it loses: the whole interval is below 0."""
        return self.high is not None and self.high < 0


def slice_masks(slices: Mapping[str, NDArray[Any]]) -> dict[tuple[str, str], NDArray[np.bool_]]:
    """The queries of each slice, by its name and value."""
    return {
        (name, str(value)): np.asarray(column == value)
        for name, column in slices.items()
        for value in np.unique(column)
    }


@dataclass(frozen=True, eq=False)
class SliceTable:
    """The differences of one slice, and what the worst and the best of all queries did.

    A slice is small: losses so rare that it shows none may be there all the same. So bounds are those of the slice and
    one query more, as bad as the worst of all queries; or as good as the best, for the other side. Where slices are
    large that is hardly anything.
    """

    own: Values  # (rows, drawn): differences to all features of what chance draws: queries, or groups of them
    shares: Values | None  # (drawn,): how much each counts; None where all count alike
    # (rows,): the extremes of all queries, or groups
    worst: Values
    best: Values

    @classmethod
    def of(
        cls,
        table: Values,
        mask: NDArray[np.bool_],
        weight: Values | None = None,
        group: NDArray[Any] | None = None,
    ) -> SliceTable:
        """That of the queries of a mask, of a table with a column for each query; NaN where the metric skips one."""
        whole, _ = counted(table, weight, group)
        here = np.flatnonzero(mask)
        columns = (None if column is None else column[here] for column in (weight, group))
        own, shares = counted(table[:, here], *columns)
        nothing = np.zeros(len(table))
        extremes = (whole.min(axis=1), whole.max(axis=1)) if whole.shape[1] else (nothing, nothing)
        return cls(own, shares, *extremes)

    @property
    def n_drawn(self) -> int:
        """Judged queries, or groups of them."""
        return int(self.own.shape[1])

    @property
    def mean(self) -> Values:
        if not self.own.size:
            return np.full(len(self.own), np.nan)
        return np.asarray(np.average(self.own, axis=1, weights=self.shares))

    def loss_bounds(self, level: float, n_resamples: int, random_state: int, sign: int = 1) -> Values:
        """The loss that each row exceeds only with probability 1 - `level`; the gain, where the sign is -1."""
        shares = None if self.shares is None else np.append(self.shares, self.shares.mean())
        one_more = np.hstack([sign * self.own, sign * (self.worst if sign > 0 else self.best)[:, None]])
        return loss_bounds(one_more, level=level, n_resamples=n_resamples, random_state=random_state, weight=shares)


def slice_losses(
    table: Values,
    masks: Mapping[tuple[str, str], NDArray[np.bool_]],
    *,
    level: float = 0.95,
    random_state: int = 0,
    weight: Values | None = None,
    group: NDArray[Any] | None = None,
) -> list[tuple[SliceLoss, ...]]:
    """The loss of each row in each slice, with intervals that hold for all slices of a row at once.

    Each of the S slices with enough queries has an interval of level ``1 - (1 - level) / S`` (Bonferroni: slices of one
    kind have no query in common, where nothing is sharper by much), by the bounds of `certified_losses` on both sides;
    see `SliceTable` for what keeps them where queries are few.

    Parameters
    ----------
    table : array of shape (rows, queries)
        Differences to all features; NaN where the metric skips a query.
    masks : dict
        The queries of each slice, see `slice_masks`.
    weight, group : array of shape (queries,), optional
        How much each query counts, and what queries have in common: chance draws groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> masks = slice_masks({"country": np.repeat(["de", "fr"], 200)})
    >>> table = np.where(masks["country", "fr"], -0.05, 0.0)[None] + 0.1 * rng.normal(size=(1, 400))
    >>> [one.title for one in slice_losses(table, masks)[0] if one.loses]
    ['country=fr']
    """
    tables = {key: SliceTable.of(table, mask, weight, group) for key, mask in masks.items()}
    judged = ~np.isnan(table).any(axis=0)
    enough = sum(own.n_drawn >= FEWEST_QUERIES for own in tables.values())
    alpha = (1 - level) / (2 * max(1, enough))
    n_resamples = min(_MOST, max(2_000, math.ceil(_BEYOND / alpha)))
    rows: list[list[SliceLoss]] = [[] for _ in table]
    for (name, value), own in tables.items():
        low = high = np.full(len(table), np.nan)
        if own.n_drawn >= FEWEST_QUERIES:
            low = -own.loss_bounds(1 - alpha, n_resamples, random_state)
            high = own.loss_bounds(1 - alpha, n_resamples, random_state, sign=-1)
        n_queries = int((masks[name, value] & judged).sum())
        for row, numbers in zip(rows, zip(own.mean, low, high, strict=True), strict=True):
            row.append(SliceLoss(name, value, n_queries, own.n_drawn, *map(_rounded, numbers)))
    return [tuple(row) for row in rows]


def certified_in_slice(own: SliceTable, *, level: float, random_state: int) -> Values:
    """For each set of a path (rows, the largest first), the smallest loss at which it is certified in a slice.

    As `certified_losses`; infinite where the slice has fewer than `FEWEST_CERTIFIED` queries, or groups of them.
    """
    if own.n_drawn < FEWEST_CERTIFIED:
        return np.full(len(own.own), np.inf)
    bounds = own.loss_bounds(level, 2_000, random_state)
    return np.asarray(np.maximum(np.maximum.accumulate(bounds), 0.0))


def worst_of(slices: Iterable[SliceLoss]) -> SliceLoss | None:
    """The slice that loses most, of those that are shown to lose; None where none is."""
    losing = [one for one in slices if one.loses and one.mean is not None]
    return min(losing, key=lambda one: one.mean or 0.0, default=None)


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
