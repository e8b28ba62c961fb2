"""Discretisation: Fayyad and Irani's description-length cuts, equal frequency, equal width."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from leanrank.data.ranking_data import RankingData
from leanrank.errors import UnknownNameError, is_whole, require
from leanrank.kernels.mdl import mdl_cuts
from leanrank.stats.value_counts import MAX_VALUES, ValueCounts, ValueTable, ValueTables, columns

Cuts = tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, eq=False)
class Binning:
    """Some features of a table and where each is cut; bin j is the interval (cut j-1, cut j]."""

    features: NDArray[np.int64]
    cuts: Cuts

    @property
    def n_bins(self) -> NDArray[np.int64]:
        return np.array([len(cuts) + 1 for cuts in self.cuts], dtype=np.int64)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each feature's bins begin when all bins are counted through; one more than there are features."""
        return np.concatenate(([0], np.cumsum(self.n_bins))).astype(np.int64)

    def codes(self, X: Any, *, counted_through: bool = False) -> NDArray[np.int32]:
        """The bin of every value of the chosen features: (rows, features)."""
        codes = np.empty((X.shape[0], len(self.features)), dtype=np.int32)
        for j, column in enumerate(columns(X, self.features)):
            codes[:, j] = np.searchsorted(self.cuts[j], column, side="left")
        return codes + self.offsets[:-1].astype(np.int32) if counted_through else codes

    def subset(self, which: NDArray[Any]) -> Binning:
        """Only the features at these places (numbers or a mask)."""
        places = np.arange(len(self.features))[which]
        return Binning(self.features[places], tuple(self.cuts[j] for j in places))


def _between(table: ValueTable, after: NDArray[np.int64]) -> NDArray[np.float64]:
    """Midpoints between a distinct value and the next one."""
    below = table.highest[after]
    return np.asarray(below + (table.values[after + 1] - below) / 2.0)


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the three share: a subclass says how one feature's values are cut."""

    needs_labels: ClassVar[bool] = False
    #: Values of a feature that have to be told apart.
    max_values: int = MAX_VALUES

    @abstractmethod
    def cuts_of(self, table: ValueTable) -> NDArray[np.float64]:
        """Ascending cut points of a feature, given its distinct values and their label counts."""

    def check(self) -> None:
        """Refuse parameters that cannot be."""
        require(self, "max_values", "a whole number >= 2", is_whole(self.max_values, 2))

    def cuts(self, tables: ValueTables) -> Cuts:
        """Cut points of every feature."""
        return tuple(self.cuts_of(table) for table in tables.tables)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cut points of each column of X (dense or sparse), pooled over all rows."""
        if self.needs_labels:
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
            y = None
        classes = np.zeros(X.shape[0]) if y is None else np.unique(y, return_inverse=True)[1]
        self.check()
        query_ptr = np.array([0, X.shape[0]])
        statistic = ValueCounts(self.max_values)
        whole = RankingData(X, classes.astype(np.float32), query_ptr)
        self.cuts_ = self.cuts(statistic.finish(statistic.of(whole)))
        return self

    def transform(self, X: Any) -> NDArray[np.int32]:
        """The bin number of every value, counted from 0."""
        check_is_fitted(self, "cuts_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return Binning(np.arange(X.shape[1]), self.cuts_).codes(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.needs_labels
        tags.transformer_tags.preserves_dtype = []
        return tags


class MDLDiscretizer(Discretizer):
    r"""Cut each feature where the label's entropy falls most, as long as the cut pays for its own description.

    A set of n rows with entropy H and k classes is cut in two (entropies H1, H2; classes k1, k2) at the first
    midpoint between distinct neighbours with the least :math:`e = (n_1 H_1 + n_2 H_2) / n`, if

    .. math:: H - e > \frac{\log_2 N_c + \log_2(3^k - 2) - (k H - k_1 H_1 - k_2 H_2)}{n}

    and each part again; :math:`N_c = n - 1`. A feature without an accepted cut becomes constant.

    Parameters
    ----------
    better_encoding : bool
        Take for :math:`N_c` the number of candidate cuts: a stricter or laxer test where values tie.
    max_values : int
        Values of a feature told apart. Of more, neighbours that agree in their leading bits are taken together, and
        cuts lie between such neighbours: memory stays bounded however many rows there are. Up to this many values the
        cuts are exact.

    Attributes
    ----------
    cuts_ : tuple of arrays
        The cut points of each feature, ascending; bin j holds the interval (cut j-1, cut j].

    Notes
    -----
    Cost: a sort of each column, then O(distinct values x classes) per level of cuts.

    References
    ----------
    U. Fayyad, K. Irani. Multi-interval discretization of continuous-valued attributes. IJCAI 1993.

    Examples
    --------
    >>> disc = MDLDiscretizer().fit([[0.9], [0.8], [0.2], [0.1]], [1, 1, 0, 0])
    >>> disc.cuts_[0].tolist(), disc.transform([[0.4], [0.7]]).ravel().tolist()
    ([0.5], [0, 1])
    """

    needs_labels = True

    def __init__(self, *, better_encoding: bool = False, max_values: int = MAX_VALUES) -> None:
        self.better_encoding = better_encoding
        self.max_values = max_values

    def cuts_of(self, table: ValueTable) -> NDArray[np.float64]:
        return mdl_cuts(table.values, table.highest, table.counts, table.unit, bool(self.better_encoding))


class EqualFrequencyDiscretizer(Discretizer):
    """Cut each feature into bins of about equal numbers of rows; equal values are never parted.

    Cut b of B lies after the first value at which b/B of the rows are reached.

    Parameters
    ----------
    n_bins : int
        Bins asked for; ties may leave fewer.
    max_values : int
        As in `MDLDiscretizer`: of a feature with more values, a cut may be off by one of so many groups of neighbours.

    Examples
    --------
    >>> EqualFrequencyDiscretizer(n_bins=2).fit([[1.0], [2.0], [3.0], [9.0]]).cuts_[0].tolist()
    [2.5]
    """

    def __init__(self, n_bins: int = 10, *, max_values: int = MAX_VALUES) -> None:
        self.n_bins = n_bins
        self.max_values = max_values

    def check(self) -> None:
        super().check()
        require(self, "n_bins", "a whole number >= 2", is_whole(self.n_bins, 2))

    def cuts_of(self, table: ValueTable) -> NDArray[np.float64]:
        reached = np.cumsum(table.counts.sum(axis=1))
        # the least whole number from b/B of all on: no rounding decides
        wanted = [-(-b * int(reached[-1]) // self.n_bins) for b in range(1, self.n_bins)]
        after = np.unique(np.searchsorted(reached, wanted))
        return _between(table, after[after < len(table.values) - 1])


class EqualWidthDiscretizer(Discretizer):
    """Cut each feature's range into intervals of equal width.

    Parameters
    ----------
    n_bins : int
        Number of intervals; a constant feature has one.

    Examples
    --------
    >>> EqualWidthDiscretizer(n_bins=4).fit([[0.0], [1.0], [8.0]]).cuts_[0].tolist()
    [2.0, 4.0, 6.0]
    """

    max_values = 2  # only the ends are looked at

    def __init__(self, n_bins: int = 10) -> None:
        self.n_bins = n_bins

    def check(self) -> None:
        require(self, "n_bins", "a whole number >= 2", is_whole(self.n_bins, 2))

    def cuts_of(self, table: ValueTable) -> NDArray[np.float64]:
        low, high = table.values[0], table.highest[-1]
        if low == high:
            return np.empty(0)
        return np.asarray(low + np.arange(1, self.n_bins) * ((high - low) / self.n_bins), dtype=np.float64)


_BY_NAME: dict[str, type[Discretizer]] = {
    "mdl": MDLDiscretizer,
    "equal_frequency": EqualFrequencyDiscretizer,
    "equal_width": EqualWidthDiscretizer,
}


def as_discretizer(discretizer: str | Discretizer) -> Discretizer:
    """A discretizer by name ("mdl", "equal_frequency", "equal_width"), or the one given."""
    if isinstance(discretizer, Discretizer):
        return discretizer
    if discretizer not in _BY_NAME:
        raise UnknownNameError.of("discretizer", discretizer, _BY_NAME)
    return _BY_NAME[discretizer]()
