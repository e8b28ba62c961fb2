"""RankerSelector: base of the selectors that train rankers, and how a trained ranker weighs its features."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Tags

from leanrank.data.arrangement import Arrangement
from leanrank.data.categories import marked
from leanrank.data.door import in_memory
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import WEIGHTS, query_weights
from leanrank.engines.fold import fold
from leanrank.errors import ParameterError
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric as parse_metric
from leanrank.rankers._base import LinearRanker, NothingToLearnWarning, Ranker
from leanrank.rankers._early_stopping import eval_data
from leanrank.rankers.adapters import as_ranker
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.limited_copies import limited_copies
from leanrank.selectors.path import Path
from leanrank.stats.constant import Constant
from leanrank.stats.copies import Copies, groups_of_copies

KINDS = ("auto", "coef", "gain", "split", "shap", "permutation", "loss")


def importances(
    ranker: Ranker, kind: str, data: RankingData, *, metric: Any = "ndcg@10", n_repeats: int = 5, random_state: Any = 0
) -> NDArray[np.float64]:
    """One importance per feature of a fitted ranker, to 12 significant digits.

    "coef": absolute weights of a linear ranker. They compare only where features have one scale.
    "gain", "split", "shap": a booster's own; SHAP values are those of `data`.
    "permutation": loss of `metric` on `data` when a feature is shuffled within each query.
    "loss": loss of `metric` on `data` when a feature is held at its mean within each query, a category at missing: no
    random numbers.
    "auto": "coef" of a linear ranker, "gain" of a booster, "permutation" of any other.
    """
    if kind == "auto":
        kind = _natural(ranker)
    if kind == "coef":
        if not hasattr(ranker, "coef_"):
            raise ParameterError(
                f"{type(ranker).__name__} has no coefficients, so its features cannot be ranked by 'coef'. "
                "Use 'permutation', 'loss' or, of a booster, 'gain', 'split' or 'shap'."
            )
        weight = np.abs(np.asarray(ranker.coef_, dtype=np.float64))
    elif kind == "loss":
        weight = _held_at_mean(ranker, data, metric)
    else:
        weight = ranker.importances(kind, data=data, metric=metric, n_repeats=n_repeats, random_state=random_state)
    largest = float(np.abs(weight).max(initial=0.0))
    return weight if largest == 0 else np.asarray(np.round(weight / largest, 12) * largest)


def _natural(ranker: Ranker) -> str:
    if hasattr(ranker, "coef_"):
        return "coef"
    try:
        ranker.importances("gain")
    except ParameterError:
        return "permutation"
    return "gain"


def _held_at_mean(ranker: Ranker, data: RankingData, metric: Any) -> NDArray[np.float64]:
    measure = parse_metric(metric) if isinstance(metric, str) else metric

    weight = query_weights(data, "The loss of a feature")

    def quality(X: Any) -> float:
        return float(mean(measure.per_query(data.y, ranker._scores(X, data.query_ptr), data.query_ptr), weight))

    data = ranker._readied(data)
    X = data.dense().copy()
    whole, kinds = quality(X), data.category_columns
    lost = np.zeros(data.n_features)
    for j in range(data.n_features):
        column = X[:, j].copy()
        if j in kinds:
            X[:, j] = np.nan
            lost[j] = whole - quality(X)
            X[:, j] = column
            continue
        means = np.add.reduceat(column.astype(np.float64), data.query_ptr[:-1]) / data.query_sizes
        X[:, j] = np.repeat(means, data.query_sizes)
        lost[j] = whole - quality(X)
        X[:, j] = column
    return lost


@dataclass(frozen=True)
class Bench:
    """Where a selector trains: arranged data without constant features, held-out data, the ranker."""

    ranker: Ranker  # unfitted; every training is of a clone
    arrangement: Arrangement  # the data of the features that take part, which have indices of their own here
    valid: RankingData | None  # held-out data of the same features, arranged alike
    kept: NDArray[np.int64]  # the columns of the whole table that the features are
    n_features_in: int  # columns of the whole table

    @property
    def data(self) -> RankingData:
        return self.arrangement.data

    @property
    def n_features(self) -> int:
        return len(self.kept)

    def train(
        self, features: Iterable[int], data: RankingData | None = None, valid: RankingData | None = None
    ) -> tuple[Ranker, list[int]]:
        """A ranker trained on these features of `data` (all training data if not given), and their order in it.

        `valid` is cut to the same features, for early stopping.
        """
        columns = self.arrangement.columns(features)
        ranker = self.ranker.for_columns([int(self.kept[j]) for j in columns], self.n_features_in)
        held_out = None if valid is None else valid.subset(columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingToLearnWarning)  # said once, of all data, in fit
            return ranker.fit((self.data if data is None else data).subset(columns), eval_set=held_out), columns

    def importances(self, features: Iterable[int], kind: str, metric: Any, random_state: Any) -> NDArray[np.float64]:
        """Importance of each feature to a ranker trained on these, NaN for the others.

        Measured, where the kind needs data, on the held-out data if there are any.
        """
        ranker, columns = self.train(features, valid=self.valid)
        judged = (self.data if self.valid is None else self.valid).subset(columns)
        out = np.full(self.n_features, np.nan)
        out[columns] = importances(ranker, kind, judged, metric=metric, random_state=random_state)
        return out


class RankerSelector(Selector):
    """Base of selectors that train rankers. A subclass declares its parameters and writes `_search`.

    The order of queries makes no difference, nor does that of rows, unless a metric in use lets it decide between equal
    scores, as those of LETOR do.

    Parameters
    ----------
    metric : str or Metric
        For "permutation" and "loss".
    random_state : int
        For "permutation".
    """

    _keeps_categories = True
    _takes_weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # the ranker refuses
    ranker: Any

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, eval_set: Any = None, regroup: bool = False) -> Self:
        """Learn the order of the features.

        Parameters
        ----------
        X, y, qid, regroup
            As in every selector: documents by features, labels, the query of each row, whether to bring the rows of a
            query together. RankingData and sources carry labels and queries themselves.
        eval_set : RankingData or tuple (X, y, qid), default=None
            Held-out data with the same features: a ranker that stops early stops by them, and what is measured on data
            is measured on them. Their columns are cut together with those of `X`.
        """
        ranker = self._new_ranker()
        source = self._source(X, y, qid, regroup=regroup, missing=ranker.takes_missing)
        self._learn(self._fit_held_out(source, ranker, self._held_out(eval_set, ranker, regroup=regroup)))
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._new_ranker().takes_missing
        return tags

    def _search(self, bench: Bench) -> Path:
        """The path over the features of the bench."""
        raise NotImplementedError(f"{type(self).__name__} must define _search.")

    def _judge(self) -> Any:
        """The metric that choices are made by, if any are."""
        return getattr(self, "metric", None)

    def _new_ranker(self) -> Ranker:
        """An unfitted ranker; RankSVM where none is given."""
        ranker: Ranker = clone(as_ranker("ranksvm" if self.ranker is None else self.ranker))
        return ranker

    def _fit_held_out(self, source: RankingSource, ranker: Ranker, valid: RankingData | None) -> Path:
        data = in_memory(source)
        starts = data.query_ptr[:-1]
        if (np.maximum.reduceat(data.y, starts) == np.minimum.reduceat(data.y, starts)).all():
            warnings.warn(
                f"{type(self).__name__}: no query has two documents with different labels, so no feature can be told "
                "from another.",
                NothingToLearnWarning,
                stacklevel=3,
            )
        useless = useless_to(ranker, data)
        kept = self._begin(useless, data)
        metrics = (self._judge(), getattr(ranker, "eval_metric", None))
        by_order = any(getattr(metric, "ties", None) == "input" for metric in metrics)
        arrangement = Arrangement.of(data.subset(kept), sort_rows=not by_order)
        held_out = None if valid is None else arrangement.like(valid.subset(kept))
        bench = Bench(ranker, arrangement, held_out, kept, data.n_features)
        return self._search(bench).lift(kept, data.n_features)

    def _held_out(self, eval_set: Any, ranker: Ranker, *, regroup: bool) -> RankingData | None:
        if eval_set is None:
            return None
        owner = type(self).__name__
        return eval_data(eval_set, self, owner=owner, regroup=regroup, missing=ranker.takes_missing)


def copies_of(data: RankingData, limits: ColumnLimits) -> Copies:
    """Features that order every query as another one does; the cheapest stays, or the first.

    A ranker need not come out the same without them: see `idle_copies`.
    """
    return limited_copies(limits, groups_of_copies(data, "order"))


def idle_copies(ranker: Ranker, data: RankingData, limits: ColumnLimits) -> Copies:
    """Features without which this ranker learns the very same: copies of equal values, if it ignores these.

    Increasing functions are cut between documents at other places, so trees score others than those they were trained
    on differently; and a weight that two copies share is punished less.
    """
    return limited_copies(limits, groups_of_copies(data, "values") if ranker.ignores_copies else [])


def useless_to(ranker: Ranker, data: RankingData, *, scaled: bool = False) -> NDArray[np.bool_]:
    """Features that tell nothing to this ranker, of data as it takes them, missing values filled where it needs that.

    What a query's documents have in common cannot rank them where scores are sums over features, and is the same for
    all queries where features are `scaled` within each, if the ranker wants that; a tree may use it to tell kinds of
    queries apart, so other rankers lose only what is the same in all rows.
    """
    if isinstance(ranker, LinearRanker) or (scaled and ranker.wants_scaling):
        constant: NDArray[np.bool_] = fold(Constant(), marked(data))
        return constant
    first, same = next(data.blocks(1)).dense()[0], np.ones(data.n_features, dtype=bool)
    for block in data.blocks():
        X = block.dense()
        same &= ((first == X) | (np.isnan(X) & np.isnan(first))).all(axis=0)
    return same
