"""cross_validate: what a selection is worth on queries that neither selection, tuning nor training has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.errors import ParameterError
from leanrank.evaluation.fold_run import Size, feature_sets, run_fold
from leanrank.evaluation.journal import Journal, Task
from leanrank.evaluation.protocol import SELECTOR_GRIDS, Protocol, points, rankers_of
from leanrank.evaluation.records import ALL_FEATURES, CrossValidation, FoldRecord
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.rankers.adapters import as_ranker
from leanrank.selectors import registry
from leanrank.selectors._base import Selector

#: Official folds or five parts, tuned for MAP, features as they are.
DEFAULT = Protocol()


def cross_validate(
    selector: Any,
    ranker: Any,
    data_or_folds: Any,
    metrics: str | Metric | Sequence[str | Metric] = ("ndcg@10", "map"),
    *,
    k: Size | Sequence[Size] = None,
    grid: Any = "default",
    ranker_grid: Any = None,
    protocol: Protocol = DEFAULT,
    n_jobs: int | None = None,
) -> CrossValidation:
    """Evaluate a selector with a ranker; everything is fitted and tuned inside each fold.

    In each fold the scaler and the selector are fitted on the training queries; every feature set of the selector (for
    each point of its grid, each of the sizes `k`) trains every ranker of the ranker's grid; the validation queries
    choose one; only that one sees the test queries.

    Parameters
    ----------
    selector : str, Selector or None
        By name, or as set up by you; None keeps all features.
    ranker : str, Ranker or estimator
        By name: tuned over its grid. An object: as you set it up.
    data_or_folds : RankingData, folder of a LETOR data set, or folds
        RankingData are cut as `protocol` says; a folder is taken by its official folds.
    metrics : str, Metric, or a sequence of them
        What to report: "ndcg@10", "map".
    k : int, float, None, or a sequence of them
        Sizes; of several, the validation queries choose. None: as the selector is set up, or where it stops.
    grid : dict, "default" or None
        Values of the selector's parameters to tune over; "default" are those of `SELECTOR_GRIDS`, without the
        parameters you set to something else than their default; None tunes nothing.
    ranker_grid : dict, optional
        The same for the ranker, beside what its name brings.
    protocol : Protocol
        What is tuned for, conventions of metrics, scaling, and how RankingData are cut into folds.
    n_jobs : int, optional
        Folds at a time, in threads, each on one core; every core if None. The result does not depend on it.

    Returns
    -------
    CrossValidation
        `mean`, `records` (one per fold), `stability`, `repetition`, `to_frame`, `to_json`, `write`.

    Notes
    -----
    A selector on the feature graph computes it once per fold, whatever its grid.

    Examples
    --------
    >>> from leanrank import Protocol, cross_validate, make_ranking
    >>> data, truth = make_ranking(n_queries=30, docs_per_query=20, random_state=0)
    >>> cross_validate("gas", "ranksvm", data, "ndcg@10", k=5, protocol=Protocol(n_splits=3))
    CrossValidation: GAS + RankSVM, 3 folds
      mean      ndcg@10 0...
      features  5 of ...
    """
    measures = protocol.metrics(metrics)
    method = as_selector(selector)
    tried = points(selector_grid(method) if grid == "default" else grid)
    given = rankers_of(ranker, protocol.by) if isinstance(ranker, str) else [as_ranker(ranker)]
    rankers = [clone(one).set_params(**point) for one in given for point in points(ranker_grid)]
    sizes: Sequence[Size] = list(k) if isinstance(k, (list, tuple, range)) else [k]  # type: ignore[list-item]
    if not sizes:
        raise ParameterError.of("cross_validate", "k", "at least one size", k)
    folds = protocol.folds(data_or_folds)

    def one(folds: Sequence[Fold], task: Task, _: None) -> dict[str, Any]:
        fold = protocol.prepared(folds[task["fold"]])
        name = ALL_FEATURES if method is None else type(method).__name__
        sets = feature_sets(method, fold.train, sizes, tried)
        return run_fold(fold, name, sets, rankers, measures, protocol.by).to_dict()

    with Journal(None, {}) as journal, Tasks(journal, n_jobs=n_jobs, owner="cross_validate") as tasks:
        records = tasks.run(one, folds, [{"fold": i} for i in range(len(folds))])
    return CrossValidation(
        tuple(FoldRecord.from_dict(record) for record in records),
        {name: repr(measure) for name, measure in measures.items()},
    )


def as_selector(selector: Any) -> Selector | None:
    """A selector from its name, from itself, or None for all features."""
    if selector is None or (isinstance(selector, str) and selector.lower() in ("all", ALL_FEATURES)):
        return None
    if isinstance(selector, str):
        named = registry.get(selector)
        # A ranker needs a feature: where a method would select none, its most relevant one is kept.
        return named.set_params(min_features=1) if "min_features" in named.get_params(deep=False) else named
    if not isinstance(selector, Selector):
        raise ParameterError.of("cross_validate", "selector", "a name, a Selector or None", selector)
    return selector


def selector_grid(selector: Selector | None) -> dict[str, Any]:
    """The default grid of a selector, less the parameters that were set to something of the user's own."""
    grid = SELECTOR_GRIDS.get(type(selector).__name__, {})
    if selector is None or not grid:
        return {}
    usual = type(selector)().get_params(deep=False)
    given = selector.get_params(deep=False)
    return {name: values for name, values in grid.items() if given[name] == usual[name]}
