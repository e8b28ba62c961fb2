"""What a set of features loses in each slice of the queries: one country, one device, one market."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.bootstrap import FEWEST_QUERIES, counted, weighed
from leanrank.evaluation.select.certify import loss_bounds

#: Resamples beyond a bound, so that its place is known; and the most that are drawn.
_BEYOND, _MOST = 10, 20_000

Values = NDArray[np.float64]


@dataclass(frozen=True)
class SliceLoss:
    """A set against all features in one slice.

    Attributes
    ----------
    slice, value : str
        As "country" and "de".
    n_queries : int
        Judged queries.
    mean : float or None
        Mean difference to all features; None without judged queries.
    low, high : float or None
        Its interval, which holds for all slices at once (Bonferroni); None where ten queries, or groups of queries,
        are not there.
    """

    slice: str
    value: str
    n_queries: int
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

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_dict(cls, record: Mapping[str, Any]) -> SliceLoss:
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})


def slice_masks(slices: Mapping[str, NDArray[Any]]) -> dict[tuple[str, str], NDArray[np.bool_]]:
    """The queries of each slice, by its name and value."""
    return {
        (name, str(value)): np.asarray(column == value)
        for name, column in slices.items()
        for value in np.unique(column)
    }


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
    kind have no query in common, where nothing is sharper by much), by the bounds of `certified_losses` on both sides.

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
    judged = ~np.isnan(table).any(axis=0)
    here = {key: np.flatnonzero(mask & judged) for key, mask in masks.items()}
    tables = {
        key: counted(table[:, queries], *(None if column is None else column[queries] for column in (weight, group)))
        for key, queries in here.items()
    }
    enough = [key for key, (own, _) in tables.items() if own.shape[1] >= FEWEST_QUERIES]
    alpha = (1 - level) / (2 * max(1, len(enough)))
    n_resamples = min(_MOST, max(2_000, math.ceil(_BEYOND / alpha)))
    rows: list[list[SliceLoss]] = [[] for _ in table]
    for (name, value), (own, shares) in tables.items():
        mean = weighed(own, shares)[0] if own.shape[1] > 1 else own.sum(axis=1) if own.size else _nothing(table)
        if (name, value) in enough:
            both = np.vstack([own, -own])
            bounds = loss_bounds(
                both, level=1 - alpha, n_resamples=n_resamples, random_state=random_state, weight=shares
            )
            low, high = -bounds[: len(own)], bounds[len(own) :]
        else:
            low = high = _nothing(table)
        for row, numbers in zip(rows, zip(mean, low, high, strict=True), strict=True):
            row.append(SliceLoss(name, value, len(here[name, value]), *map(_rounded, numbers)))
    return [tuple(row) for row in rows]


def worst_of(slices: Iterable[SliceLoss]) -> SliceLoss | None:
    """The slice that loses most, of those that are shown to lose; None where none is."""
    losing = [one for one in slices if one.loses and one.mean is not None]
    return min(losing, key=lambda one: one.mean or 0.0, default=None)


def _nothing(table: Values) -> Values:
    return np.full(len(table), np.nan)


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
