"""PooledSelector: base of the selectors that see rows of all queries together, discretised, with the label as class."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.data.weights import WEIGHTS
from leanrank.engines.fold import fold
from leanrank.selectors._base import Selector
from leanrank.selectors.path import Path, Step
from leanrank.stats.constant import Constant
from leanrank.stats.discretize import Binning, as_discretizer
from leanrank.stats.exact_sum import weight_unit
from leanrank.stats.information import BinCounts, Counts, Score, symmetrical_uncertainty
from leanrank.stats.patterns import Inconsistency, PatternCounts
from leanrank.stats.uncertainty import pair_uncertainties
from leanrank.stats.value_counts import ValueCounts


@dataclass(frozen=True, eq=False)
class Pooled:
    """A data set after discretisation: its features that vary inside some query, their bins, their label counts.

    Where documents or queries have weights, counts of labels are of so many `unit`, and tables are sums of weights.
    """

    source: RankingSource
    engine: Any
    binning: Binning
    labels: NDArray[np.float64]
    label_counts: NDArray[np.int64]
    tables: list[Counts]
    unit: float | None = None

    @property
    def n_features(self) -> int:
        return len(self.tables)

    def relevance(self, score: Score = symmetrical_uncertainty) -> NDArray[np.float64]:
        """A score of each feature's table of (bin, label) counts."""
        return np.round([score(table) for table in self.tables], 12)

    def uncertainties(self, which: NDArray[Any]) -> NDArray[np.float64]:
        """SU of the pairs of these features, in one more fold (several where bins are many); 0 beside all others."""
        out = np.zeros((self.n_features, self.n_features))
        places = np.arange(self.n_features)[which]
        places = places[self.binning.n_bins[places] > 1]
        if len(places):
            binning = self.binning.subset(places)
            out[np.ix_(places, places)] = pair_uncertainties(binning, self.source, self.engine, unit=self.unit)
        return out

    def inconsistency(self) -> Inconsistency:
        """How inconsistent sets of these features are, after one more fold."""
        counted: Inconsistency = fold(PatternCounts(self.binning, self.labels, self.unit), self.source, self.engine)
        return counted


@declared
class PooledSelector(Selector):
    """Base of selectors on pooled, discretised rows. A subclass declares its parameters and writes `_path`.

    Parameters
    ----------
    discretizer : {"mdl", "equal_frequency", "equal_width"} or discretizer
        How values become bins.
    engine : Engine or None
        Where rows are counted.

    Attributes
    ----------
    cuts_ : dict
        Cut points by the index of the feature.
    """

    _takes_weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    discretizer: Any = "mdl"
    engine: Any = None

    def _check_parameters(self) -> None:
        as_discretizer(self.discretizer).check()

    def _fit(self, source: RankingSource) -> Path:
        discretizer, unit = as_discretizer(self.discretizer), weight_unit(source, self.engine)
        constant, values = fold([Constant(), ValueCounts(discretizer.max_values, unit)], source, self.engine)
        kept = self._begin(constant, source)
        tables = values.subset(kept)
        cuts = discretizer.cuts(tables)
        self.cuts_ = dict(zip(kept.tolist(), cuts, strict=True))
        binning = Binning(kept, cuts)
        counts = tables.binned(cuts)
        if counts is None:
            counts = fold(BinCounts(binning, values.labels, unit), source, self.engine)
        if unit is not None:
            counts = [table * unit for table in counts]
        pooled = Pooled(source, self.engine, binning, values.labels, values.label_counts, counts, unit)
        return self._path(pooled).lift(kept, len(constant))

    def _path(self, pooled: Pooled) -> Path:
        """The path, counted in the features of `pooled`."""
        raise NotImplementedError(f"{type(self).__name__} must define _path.")


@declared
class SetFilter(PooledSelector):
    """Base of those that choose a set by themselves, which may be empty.

    Parameters
    ----------
    min_features : int
        Where the set is smaller, fill up with the most relevant of the others. 0 may select none, with a warning.
    """

    min_features: int = 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_whole("min_features", 0)

    def _at_least(self, steps: list[Step], relevance: NDArray[np.float64], why_none: str) -> list[Step]:
        """Fill up to `min_features` with the most relevant other features, or say that there is none."""
        if not steps and self.min_features == 0:
            warnings.warn(
                f"{type(self).__name__} selected no feature: {why_none}. Pass min_features=1 to keep the best one.",
                UserWarning,
                stacklevel=5,
            )
        taken = {step.feature for step in steps}
        others = [int(j) for j in np.argsort(-relevance, kind="stable") if int(j) not in taken]
        missing = max(0, self.min_features - len(steps))
        return steps + [
            Step(j, float(relevance[j]), 0.0, f"min_features={self.min_features}") for j in others[:missing]
        ]
