"""Protocol: how an evaluation is done, apart from what is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leanrank.data.folds import Fold
from leanrank.errors import ParameterError
from leanrank.evaluation.folds import folds_of
from leanrank.evaluation.training import scaled
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric as parse_metric


@dataclass(frozen=True)
class Protocol:
    """What is tuned for, how metrics are read, how features are scaled and how data are cut into folds.

    Parameters
    ----------
    validation : str or Metric, default="map"
        What is tuned for on the validation queries. Of equals, fewer features win.
    convention : str, default="standard"
        Convention of metrics given by name: "standard", "letor3", "letor4", ...
    scaler : transformer, optional
        Applied to the data of each fold, fitted on the training part: `QueryMinMaxScaler()`. By default rankers get
        the features as they are.
    n_splits : int or str, default=5
        Parts that RankingData are cut into, at least 3: whole queries, and whole groups of queries. Part i is tested in
        fold i, the part before it is for validation, the others are learned from. "time", or "time:4", for folds that
        test what is later than what they learn from. Folds that are given, or those of a folder, stay as they are.
    random_state : int or None, default=0
        Seed by which queries are dealt to parts; None takes them in their order.

    Examples
    --------
    >>> Protocol(convention="letor3").metrics(["ndcg@10", "map"])["map"].convention
    'letor3'
    """

    validation: str | Metric = "map"
    convention: str = "standard"
    scaler: Any = None
    n_splits: int | str = 5
    random_state: int | None = 0

    @cached_property
    def by(self) -> Metric:
        """The metric that is tuned for."""
        return self._metric(self.validation)

    def metrics(self, metrics: str | Metric | Sequence[str | Metric]) -> dict[str, Metric]:
        """Metrics by their names."""
        wanted = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
        if not wanted:
            raise ParameterError.of("cross_validate", "metrics", "at least one metric", metrics)
        return {measure.name: measure for measure in map(self._metric, wanted)}

    def folds(self, data_or_folds: Any) -> Sequence[Fold]:
        """The folds of RankingData, of the folder of a LETOR data set, or as they are given."""
        return folds_of(data_or_folds, self.n_splits, random_state=self.random_state)

    def prepared(self, fold: Fold) -> Fold:
        """The fold with its features scaled by a scaler fitted on the training queries, if there is one."""
        if self.scaler is None:
            return fold
        return Fold(fold.name, *scaled(self.scaler, fold.train, fold.valid, fold.test))

    def _metric(self, given: str | Metric) -> Metric:
        return given if isinstance(given, Metric) else parse_metric(given, convention=self.convention)
