"""Categories as numbers, for methods that know numbers only: the mean label of each, never with a row's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.categories import Categories
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import row_weights

Values = NDArray[np.float64]

#: Parts of queries: a row's category is averaged over the queries of the other parts.
N_PARTS = 5
#: So many documents of the overall mean are added to those of a category: the mean of a rare one is near the overall.
SMOOTHING = 10.0


@dataclass(frozen=True, eq=False)
class CategoryMeans:
    r"""The mean label of every category, smoothed, between 0 (the least label) and 1 (the greatest).

    .. math:: v_c = \frac{\sum_{i \in c} w_i y_i + m \bar y}{\sum_{i \in c} w_i + m}, \quad m = 10

    Documents that are learned from must not see their own labels in it, or a category with a text for every document
    would seem to know them all. Their queries are dealt to five parts by their ids (by their groups where they have
    any), and a document gets the means over the other four parts. New documents get those over all parts. A category
    that is missing, or was not there, gets the overall mean.

    Parameters
    ----------
    categories : mapping of str to tuple of str
        The texts of each category.
    means : mapping of str to array
        The value of every text, and that of none, which comes last.

    Examples
    --------
    >>> data = RankingData([[0.0], [1.0], [1.0]], [1, 0, 0], [0, 3], categories={"1": ("new", "old")})
    >>> CategoryMeans.of(data).means["1"].round(3)
    array([0.394, 0.278, 0.333])
    """

    categories: Categories
    means: Mapping[str, Values]

    @classmethod
    def of(cls, data: RankingData) -> CategoryMeans:
        """The means over all of these data."""
        sums = _Sums.of(data)
        return cls(data.categories, {name: sums.values(name) for name in data.categories})

    def numbered(self, data: RankingData) -> RankingData:
        """Data of the same categories with these means in place of the codes; no feature is a category then."""
        X = np.array(data.X)
        for j, name in zip(data.category_columns, data.categories, strict=True):
            X[:, j] = self.means[name][_codes(X[:, j], len(self.categories[name]))]
        return replace(data, X=X, categories={})


def cross_fitted(data: RankingData) -> RankingData:
    """The data with the means of the other parts in place of the codes of categories, as `CategoryMeans` has it.

    >>> X, y = [[0.0], [1.0], [0.0], [1.0]], [1, 0, 1, 0]
    >>> data = RankingData(X, y, [0, 2, 4], ["a", "b"], categories={"1": ("new", "old")})
    >>> cross_fitted(data).X.ravel().round(3)
    array([0.545, 0.455, 0.545, 0.455])
    """
    if not data.categories:
        return data
    sums, X = _Sums.of(data), np.array(data.X)
    part = np.repeat(sums.parts, data.query_sizes)
    for j, name in zip(data.category_columns, data.categories, strict=True):
        values = np.stack([sums.values(name, without=p) for p in range(N_PARTS)])
        X[:, j] = values[part, _codes(X[:, j], len(data.categories[name]))]
    return replace(data, X=X, categories={})


def without_categories(source: RankingSource) -> RankingSource:
    """What a method that knows numbers only computes with: the source, `cross_fitted` where it has categories."""
    return cross_fitted(source) if isinstance(source, RankingData) else source


@dataclass(frozen=True, eq=False)
class _Sums:
    """Labels and documents by part and category."""

    parts: NDArray[np.int64]
    low: float
    width: float
    labels: Values
    weights: Values
    by_text: Mapping[str, tuple[Values, Values]]

    @classmethod
    def of(cls, data: RankingData) -> _Sums:
        parts = _parts(data)
        part, given, X = np.repeat(parts, data.query_sizes), row_weights(data), data.X
        weight = np.ones(data.n_rows) if given is None else given
        y = data.y.astype(np.float64)
        low, high = float(y.min()), float(y.max())

        def summed(of: NDArray[np.int64], n: int, amounts: Values) -> Values:
            return np.asarray(np.bincount(part * n + of, amounts, N_PARTS * n).reshape(N_PARTS, n), dtype=np.float64)

        by_text = {}
        for j, (name, texts) in zip(data.category_columns, data.categories.items(), strict=True):
            n = len(texts) + 1
            codes = _codes(X[:, j], len(texts))
            by_text[name] = summed(codes, n, weight * (y - low))[:, :-1], summed(codes, n, weight)[:, :-1]
        every = np.zeros(len(part), dtype=np.int64)
        total, count = summed(every, 1, weight * (y - low))[:, 0], summed(every, 1, weight)[:, 0]
        return cls(parts, low, high - low, total, count, by_text)

    def values(self, name: str, without: int | None = None) -> Values:
        """The value of each text and of none, over all parts or all but one."""
        others = np.arange(N_PARTS) != without
        weights = float(self.weights[others].sum())
        if weights == 0 or self.width == 0:  # one part, or one label: nothing can be told
            return np.zeros(self.by_text[name][0].shape[1] + 1)
        overall = float(self.labels[others].sum()) / weights
        labels, counts = (sums[others].sum(axis=0) for sums in self.by_text[name])
        means = (labels + SMOOTHING * overall) / (counts + SMOOTHING)
        return np.round(np.append(means, overall) / self.width, 12)  # the order of rows makes no difference


def _parts(data: RankingData) -> NDArray[np.int64]:
    """The part of every query, by its id or group alone: whatever the order, and whoever else is there."""
    units = data.query_ids if data.beside.query_group is None else data.beside.query_group
    return np.array([blake2b(str(unit).encode(), digest_size=2).digest()[0] % N_PARTS for unit in units.tolist()])


def _codes(column: NDArray[Any], n_texts: int) -> NDArray[np.int64]:
    """The codes as whole numbers, `n_texts` for a missing one."""
    return np.where(np.isnan(column), n_texts, column).astype(np.int64)
