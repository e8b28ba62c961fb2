"""How an evaluation is done, apart from what is evaluated; and the values that methods are tuned over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from leanrank.data.folds import Fold
from leanrank.errors import ParameterError
from leanrank.evaluation.folds import folds_of
from leanrank.evaluation.training import scaled
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers import registry
from leanrank.rankers._base import Ranker


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


Grid = Mapping[str, Sequence[Any]]

#: By class name. A method that is not here has nothing to tune but its size.
SELECTOR_GRIDS: Mapping[str, Grid] = {
    "BestGain": {"delta": (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)},
    "FSMRank": {"lambda1": (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0), "lambda2": (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)},
    "GAS": {"c": (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)},
    "MMR": {"lam": (0.1, 0.3, 0.5, 0.7, 0.9)},
    "MPT": {"b": (0.1, 0.5, 1.0, 2.0, 5.0)},
    "MSD": {"lam": (0.1, 0.3, 0.5, 0.7, 0.9)},
    "XGAS": {"p": (0.05, 0.1, 0.2)},
}

#: By registry name. Values of "C" are one candidate: these rankers choose among them themselves, along a path.
RANKER_GRIDS: Mapping[str, Grid] = {
    "kernelranksvm": {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)},
    "listnet": {"learning_rate": (1e-4, 1e-3, 1e-2)},
    "ranknet": {"learning_rate": (0.01, 0.1, 1.0)},
    "ranksvm": {"C": ((1e-2, 1e-1, 1.0, 1e1, 1e2),)},
    "svmmap": {"C": ((1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4),)},
}


def points(grid: Grid | None) -> list[dict[str, Any]]:
    """All combinations of a grid's values, the last name varying fastest; one empty combination for no grid.

    >>> points({"c": [0.1, 0.5], "importance": ["map"]})
    [{'c': 0.1, 'importance': 'map'}, {'c': 0.5, 'importance': 'map'}]
    """
    names = list(grid or {})
    return [dict(zip(names, values, strict=True)) for values in product(*((grid or {})[name] for name in names))]


def rankers_of(name: str, validation: Any, given: Mapping[str, Any] | None = None) -> list[Ranker]:
    """The rankers of this name over its grid; those that tune themselves do so by the metric `validation`.

    What is `given` of their parameters is not tuned.
    """
    chosen = dict(given or {})
    cls = registry.ranker_class(name)
    settings: dict[str, Any] = {}
    known = cls._get_param_names()
    own = "estimator" not in known  # boosters watch held-out data by a metric of their own
    if own and "eval_metric" in known:
        settings["eval_metric"] = validation
    grid = {key: values for key, values in RANKER_GRIDS.get(cls._name, {}).items() if key not in chosen}
    return [registry.get(name, **{**settings, **point, **chosen}) for point in points(grid)]
