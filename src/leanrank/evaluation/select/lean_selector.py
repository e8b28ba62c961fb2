"""LeanSelector: `select` as a scikit-learn estimator, in the manner of RFECV."""

from __future__ import annotations

import warnings
from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from leanrank._declared import declared
from leanrank.data.catalogue_file import read_catalogue
from leanrank.data.columns import id_column
from leanrank.data.door import in_memory, is_source
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import WEIGHTS
from leanrank.errors import DataError
from leanrank.evaluation.select.answers import ANSWERS, RECOMMENDED
from leanrank.evaluation.select.run import select
from leanrank.evaluation.select.selection import Selection
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.limits import Limits, catalogued
from leanrank.selectors.path import Path, Step


@declared
class LeanSelector(Selector):
    """The fewest features that a ranker needs, measured by cross-validation over queries: `select` as an estimator.

    It stands where scikit-learn's RFECV would: in a Pipeline before the ranker, or in a search. What `select` says
    beside the features is in `selection_`.

    Parameters
    ----------
    ranker : ranker, estimator, str or None
        The ranker the features are for; LightGBM where it is installed, RankSVM otherwise.
    n_features_to_select : int, float or None
        How many, or which share of all; None leaves it to the stop rule of `select`.
    metric : str or Metric
        What is measured on held-out queries.
    methods : str, selector or list of them
        Which methods take part, see `select`.
    answer : {"safe", "recommended", "certified"}
        Which answer the features are.
    max_loss : float, list of float or None
        The loss to certify, of several metrics one for all or one for each; 0.002 where None.
    effort : {"quick", "normal", "thorough"}
        How much is measured.
    catalogue : Catalogue, path, str, dict, frame or None
        Names, descriptions, families and costs of the features, see `select`.
    default_cost : float or None
        The cost of features that have none.
    limits : Limits or None
        Costs, groups, budget, families, and which features must or must not be taken.
    cv : int or str
        Folds, by query; "time" where the data say when queries were asked.
    random_state : int
        Seed of the folds, of the bootstrap and of the methods.
    n_jobs : int or None
        Threads that train rankers; every core where None.
    metrics : list of str or Metric, or None
        Several metrics instead of `metric`, none of which may lose more than `max_loss`.
    certify_slices : bool
        Whether what is certified must hold in every slice of the queries.
    collapse : bool
        Whether features that order every query alike become one before any method chooses, see `select`.

    Attributes
    ----------
    ranking_ : array of int64 of shape (n_features_in_,)
        As in RFECV: 1 for the features that are selected, 2 for the next of the path, and so on. `order_` is the whole
        path.
    scores_ : array
        In what share of the folds a feature was chosen.
    stands_for_ : dict of int to tuple of int
        Copies that are not selected, by the selected feature that stands for them.
    n_features_ : int
        How many features are selected.
    cv_results_ : dict of arrays
        The path at every size that was measured, the smallest first: `n_features`, `mean_test_score`,
        `std_test_score` and `split0_test_score`, ... of every fold. All features come last.
    selection_ : Selection
        All that `select` says: the three answers, the curve, the evidence, the report.

    See Also
    --------
    select : The same without scikit-learn's interface, with journals, engines and time limits.

    Examples
    --------
    >>> import leanrank
    >>> data, truth = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=0)
    >>> lean = leanrank.LeanSelector("ranksvm", n_features_to_select=3, methods=["gas", "mrmr"])
    >>> X = lean.fit_transform(data.X, data.y, qid=data.qid)
    >>> X.shape[1], lean.n_features_, lean.cv_results_["n_features"].tolist()
    (3, 3, [3, 12])
    """

    _keeps_categories = True
    _takes_weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # `select` refuses
    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: Any = None
    metric: Any = "ndcg@10"
    methods: Any = "auto"
    answer: str = RECOMMENDED
    max_loss: Any = None
    effort: str = "normal"
    limits: Limits | None = None
    catalogue: Any = None
    default_cost: float | None = None
    cv: int | str = 5
    random_state: int = 0
    n_jobs: int | None = None
    metrics: Any = None
    certify_slices: bool = False
    collapse: bool | None = True

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, regroup: bool = False, sample_weight: Any = None) -> Self:
        """Measure and choose.

        Parameters
        ----------
        X, y, qid, regroup
            As in every selector: documents by features, labels, the query of each row, whether to bring the rows of a
            query together. RankingData and sources carry labels and queries themselves. Missing values are let in, as
            by `select`.
        sample_weight : array of shape (n,), optional
            How much each query counts, the same in all of its rows: what is measured are means over queries. A
            RankingData carries its own.
        """
        source = self._source(X, y, qid, regroup=regroup, missing=True)
        if sample_weight is not None:
            source = _with_weights(source, X, qid, sample_weight)
        self._learn(self._fit(source))
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        self._require_one_of("answer", ANSWERS)

    def _bound_limits(self) -> ColumnLimits:
        """The limits with what the catalogue says."""
        self._require("limits", "a Limits or None", self.limits is None or isinstance(self.limits, Limits))
        known = None if self.catalogue is None else read_catalogue(self.catalogue)
        names, owner = self._names(), type(self).__name__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `select` says it once
            known = None if known is None else known.of(names)
        return catalogued(self.limits or Limits(), names, known, self.default_cost, owner=owner).bound(owner, names)

    def _fit(self, source: RankingSource) -> Path:
        own = set(LeanSelector._get_param_names()) - {"n_features_to_select", "limits"}
        asked = {name: getattr(self, name) for name in own}
        limits, size = vars(self.limits or Limits()), self._wanted(self.n_features_in_)
        self.selection_: Selection = select(in_memory(source), n_features=size, **asked, **limits, progress=False)
        place = {name: j for j, name in enumerate(self.selection_.feature_names)}
        standing = self.selection_.replaced
        self.stands_for_ = {place[name]: tuple(place[n] for n in others) for name, others in standing.items()}
        return _path_of(self.selection_, self._limits())

    def _copies(self) -> list[int]:
        place = {name: j for j, name in enumerate(self.selection_.feature_names)}
        return [place[name] for others in self.selection_.stands_for.values() for name in others]

    def _learn(self, path: Path) -> None:
        super()._learn(path)
        chosen = self.selection_.indices
        self.selected_ = np.array(chosen, dtype=np.int64)
        self.support_ = np.isin(np.arange(self.n_features_in_), self.selected_)
        self.cost_ = self.selection_.cost
        self.ranking_ = np.maximum(self.ranking_ - len(chosen) + 1, 1)
        self.n_features_ = len(chosen)
        self.cv_results_ = _cv_results(self.selection_)


def _with_weights(source: RankingSource, X: Any, qid: Any, sample_weight: Any) -> RankingData:
    """The data with weights of their queries, which were given for each row."""
    if is_source(X):
        raise DataError("Data carry their own weights: leave out sample_weight, or give X, y and qid.")
    data, ids, weight = in_memory(source), id_column(qid), np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (data.n_rows,):
        raise DataError(f"sample_weight needs one value for each row, {data.n_rows:,} in all. Got {weight.shape}.")
    known: dict[str, float] = {}
    for name, own in zip(ids.tolist(), weight.tolist(), strict=True):
        if known.setdefault(str(name), own) != own:
            raise DataError(
                f"The rows of query {name} have the sample_weight {known[str(name)]:g} and {own:g}: LeanSelector takes "
                "weights of queries, which are the same in all of their rows."
            )
    by_query = np.array([known[str(name)] for name in data.query_ids.tolist()])
    return replace(data, beside=replace(data.beside, query_weight=by_query))


def _path_of(selection: Selection, limits: ColumnLimits) -> Path:
    """The features that are kept, then the others, as on the path; without copies where something is scarce."""
    column_of = {name: j for j, name in enumerate(selection.feature_names)}
    kept, copies = set(selection.features), {name for others in selection.stands_for.values() for name in others}
    ranked = dict.fromkeys([*selection.path, *selection.features])
    order = [name for name in ranked if name in kept]
    order += [name for name in ranked if name not in kept and not (limits.is_scarce and name in copies)]
    share = selection.stability["frequency"]
    steps = [
        Step(column_of[name], share.get(name, 0.0), share.get(name, 0.0), _reason(name in kept, share.get(name, 0.0)))
        for name in order
    ]
    return Path.of(steps, len(selection.feature_names))


def _reason(kept: bool, share: float) -> str:
    return f"{'kept' if kept else 'not needed'}, chosen in {share:.0%} of the folds"


def _cv_results(selection: Selection) -> dict[str, Any]:
    """The points of the path as scikit-learn has them, the smallest first."""
    points = sorted((point for point in selection.curve if point.on_path), key=lambda point: point.k)
    scores = np.array([point.per_fold for point in points], dtype=np.float64)
    return {
        "n_features": np.array([point.k for point in points], dtype=np.int64),
        "mean_test_score": np.array([point.mean for point in points]),
        "std_test_score": scores.std(axis=1),
        **{f"split{fold}_test_score": scores[:, fold] for fold in range(scores.shape[1])},
    }
