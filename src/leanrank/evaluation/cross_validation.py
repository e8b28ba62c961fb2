"""cross_validate: what a selection is worth on queries that neither selection, tuning nor training has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.errors import ParameterError
from leanrank.evaluation import grids
from leanrank.evaluation.compare.fold_run import Candidate, Size, candidates, run_fold
from leanrank.evaluation.compare.protocol import folds_of
from leanrank.evaluation.journal import Journal, Task
from leanrank.evaluation.records import CrossValidation, FoldRecord
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._base import Ranker
from leanrank.selectors._base import Selector

ALL_FEATURES = "all features"


def cross_validate(
    selector: Any,
    ranker: Any,
    data_or_folds: Any,
    metrics: str | Metric | Sequence[str | Metric] = ("ndcg@10", "map"),
    *,
    k: Size | Sequence[Size] = None,
    grid: Any = "default",
    ranker_grid: Any = None,
    validation: str | Metric = "map",
    convention: str = "standard",
    scaler: Any = None,
    n_splits: int = 5,
    random_state: int | None = 0,
    n_jobs: int = 1,
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
        See `n_splits`; a folder is taken by its official folds.
    metrics : str, Metric, or a sequence of them
        What to report: "ndcg@10", "map".
    k : int, float, None, or a sequence of them
        Sizes; of several, the validation queries choose. None: as the selector is set up, or where it stops.
    grid : dict, "default" or None
        Values of the selector's parameters to tune over; "default" are those of `grids.SELECTOR_GRIDS`, without the
        parameters you set to something else than their default; None tunes nothing.
    ranker_grid : dict, optional
        The same for the ranker, beside what its name brings.
    validation : str or Metric
        What is tuned for. Of equals, fewer features win.
    convention : str
        Of metrics given by name: "standard", "letor3", "letor4", ...
    scaler : transformer, optional
        Applied to the data of each fold, fitted on the training part: `QueryMinMaxScaler()`.
    n_splits, random_state : int
        How RankingData are cut into folds: whole queries, dealt by this seed (None: in their order). One part is
        for testing, the one before it for validation.
    n_jobs : int
        Folds at a time, in threads.

    Returns
    -------
    CrossValidation
        `mean`, `records` (one per fold), `stability`, `repetition`, `to_frame`, `to_json`, `write`.

    Notes
    -----
    A selector on the feature graph computes it once per fold, whatever its grid.

    Examples
    --------
    >>> from leanrank import cross_validate, make_ranking
    >>> data, truth = make_ranking(n_queries=30, docs_per_query=20, random_state=0)
    >>> cross_validate("gas", "ranksvm", data, "ndcg@10", k=5, n_splits=3)
    CrossValidation: GAS + RankSVM, 3 folds
      mean      ndcg@10 0...
      features  5 of ...
    """
    measures = named_metrics(metrics, convention)
    by = _as_metric(validation, convention)
    method = as_selector(selector)
    points = grids.points(selector_grid(method) if grid == "default" else grid)
    learners = _as_rankers(ranker, by, ranker_grid)
    sizes: Sequence[Size] = list(k) if isinstance(k, (list, tuple, range)) else [k]  # type: ignore[list-item]
    if not sizes:
        raise ParameterError.of("cross_validate", "k", "at least one size", k)
    folds = folds_of(data_or_folds, n_splits, random_state=random_state)

    def one(folds: Sequence[Fold], task: Task, _: None) -> dict[str, Any]:
        fold = folds[task["fold"]] if scaler is None else scaled(folds[task["fold"]], scaler)
        choice: list[Candidate] = candidates(method, fold.train, sizes, points)
        name = ALL_FEATURES if method is None else type(method).__name__
        return run_fold(fold, name, choice, learners, measures, by).to_dict()

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
        from leanrank.selectors import registry

        found = registry.get(selector)
        # A ranker needs a feature: where a method would select none, its most relevant one is kept.
        return found.set_params(min_features=1) if "min_features" in found.get_params(deep=False) else found
    if not isinstance(selector, Selector):
        raise ParameterError.of("cross_validate", "selector", "a name, a Selector or None", selector)
    return selector


def selector_grid(selector: Selector | None) -> dict[str, Any]:
    """The default grid of a selector, less the parameters that were set to something of the user's own."""
    grid = grids.SELECTOR_GRIDS.get(type(selector).__name__, {})
    if selector is None or not grid:
        return {}
    usual = type(selector)().get_params(deep=False)
    given = selector.get_params(deep=False)
    return {name: values for name, values in grid.items() if given[name] == usual[name]}


def named_metrics(metrics: str | Metric | Sequence[str | Metric], convention: str) -> dict[str, Metric]:
    """Metrics by their names."""
    wanted = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    if not wanted:
        raise ParameterError.of("cross_validate", "metrics", "at least one metric", metrics)
    return {measure.name: measure for measure in (_as_metric(m, convention) for m in wanted)}


def scaled(fold: Fold, scaler: Any) -> Fold:
    """The fold with its features scaled by a scaler fitted on the training queries."""
    fitted = clone(scaler).fit(fold.train)
    return Fold(fold.name, *(fitted.transform(part) for part in (fold.train, fold.valid, fold.test)))


def _as_metric(given: str | Metric, convention: str) -> Metric:
    return given if isinstance(given, Metric) else parse_metric(given, convention=convention)


def _as_rankers(ranker: Any, validation: Metric, grid: Any) -> list[Ranker]:
    if isinstance(ranker, str):
        found = grids.rankers_of(ranker, validation)
    elif isinstance(ranker, Ranker):
        found = [ranker]
    else:
        from leanrank.rankers.adapters import as_ranker

        found = [as_ranker(ranker)]
    return [clone(one).set_params(**point) for one in found for point in grids.points(grid)]
