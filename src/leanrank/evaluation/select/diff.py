"""diff: how two selections or two models differ: in which features, on which queries, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.arrangement import Arrangement
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.errors import DataError
from leanrank.evaluation.bootstrap import FEWEST_QUERIES
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.select import request as asked
from leanrank.evaluation.select.choice import mean
from leanrank.evaluation.select.diff_sides import Side
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.evaluation.select.judged import check_judged, metric_of
from leanrank.evaluation.select.run import default_ranker
from leanrank.evaluation.significance import paired_bootstrap
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.rankers.registry import name_of_class
from leanrank.selectors.features_file import plain
from leanrank.stats.copies import Copies

#: Queries that gain and lose most, of each so many.
QUERIES = 5

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Quality:
    """What the second is worth beside the first, on the same queries.

    `difference` is the mean over queries of b less a, `low` and `high` its 95% interval and `p` its p-value, by a
    bootstrap over queries. `queries` are those that gain and lose most: `query`, `a` and `b`, the most lost first.
    """

    metric: str
    how: str
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    n_queries: int
    better: int
    worse: int
    same: int
    queries: tuple[dict[str, Any], ...]

    def sentence(self) -> str:
        """Which is better, and how sure that is."""
        figures = f"{self.difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}] over {self.n_queries:,} queries"
        if self.n_queries < FEWEST_QUERIES:
            return f"{self.metric} of b less a is {self.difference:+.4f}: {self.n_queries} queries say nothing for sure"
        if self.low > 0 or self.high < 0:
            return f"b ranks {'better' if self.low > 0 else 'worse'} than a by {self.metric}: {figures}"
        if self.low == self.high == 0:
            return f"a and b rank alike by {self.metric}: no query of {self.n_queries:,} differs"
        told = max(-self.low, self.high)
        return f"no difference of {self.metric} is shown: {figures}; one of more than {told:.4f} is unlikely"


@dataclass(frozen=True)
class Diff:
    """How b differs from a.

    Attributes
    ----------
    a, b : str
        What was compared.
    both, only_a, only_b : tuple of str
        Features that both have, and those that one has alone.
    copies : dict
        Of features that one has alone those that the other has a copy of, as either says, and that copy.
    costs : dict
        What each feature that one has alone costs by itself, where `select` knew costs.
    cost_a, cost_b : float or None
        What each costs together.
    quality : Quality or None
        What they do to queries, where there are data.
    notes : tuple of str
        What to bear in mind.
    """

    a: str
    b: str
    both: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    copies: dict[str, str]
    costs: dict[str, float]
    cost_a: float | None
    cost_b: float | None
    quality: Quality | None
    notes: tuple[str, ...]

    def sentence(self) -> str:
        """The difference in one sentence."""
        n_a, n_b = (len(self.both) + len(alone) for alone in (self.only_a, self.only_b))
        said = f"{n_a} features in a, {n_b} in b, {len(self.both)} in both"
        return said if self.quality is None else f"{said}; {self.quality.sentence()}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        record: dict[str, Any] = plain({"sentence": self.sentence(), **asdict(self)})
        return record

    def __repr__(self) -> str:
        lines = [f"Diff: {self.sentence()}"]
        lines += [f"  only a  {', '.join(self.only_a) or 'none'}", f"  only b  {', '.join(self.only_b) or 'none'}"]
        lines += [f"  copies  {name} is a copy of {other}" for name, other in self.copies.items()]
        return "\n".join([*lines, *(f"  note    {note}" for note in self.notes)])


def diff(
    a: Any,
    b: Any,
    data: RankingData | None = None,
    *,
    ranker: Any = None,
    metric: Any = None,
    cv: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diff:
    """Compare two selections or two models.

    Parameters
    ----------
    a, b : path, Selection, fitted selector or fitted ranker
        Two selections (features.json of `select` or `order`), or two models.
    data : RankingData, default=None
        Judged data. Models score them as they are: take queries that neither has seen. The features of selections are
        tried by cross-validation: the ranker is trained on both sets in the same folds.
    ranker : ranker, estimator or str, default=None
        What is trained on the features of selections; the kind that `a` was made with if not given.
    metric : str or metric, default=None
        That of `a`, or NDCG@10, if not given.
    cv : int, default=5
        Folds, by query.
    random_state : int, default=0
        Seed of folds and bootstrap.
    n_jobs : int, default=None
        Threads that train rankers, every core if None.
    progress : bool, default=False
        A progress bar, where a terminal is watching.

    Returns
    -------
    Diff

    Examples
    --------
    >>> import leanrank
    >>> data, _ = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=0)
    >>> few, many = leanrank.GAS(2).fit(data), leanrank.GAS(4).fit(data)
    >>> leanrank.diff(few, many).sentence()
    '2 features in a, 4 in b, 2 in both'
    """
    first, second = Side.of(a, "a"), Side.of(b, "b")
    if (first.model is None) != (second.model is None):
        model, other = (second, first) if first.model is None else (first, second)
        raise DataError(f"{model.title} is a model, {other.title} a selection: compare two models, or two selections.")
    quality, notes = None, _doubts(first, second)
    if data is not None:
        measure = metric_of(metric or first.settings.get("metric_name") or "ndcg@10")
        if first.model is not None:
            values, how = _scored([first, second], data, measure), "as trained"
        else:
            check_judged(data, measure, cv, owner="diff")
            trial = _Trial(_ranker_of(first, ranker), measure, cv, random_state, n_jobs, progress)
            values = trial.values([first, second], data)
            how = f"cross-validated in {cv} folds with {trial.ranker._name or repr(trial.ranker)}"
            notes += _warnings(first, second, data, trial.ranker)
        quality = _quality(values, data, measure, how, random_state)
    theirs = set(first.features), set(second.features)
    only_a = tuple(name for name in first.features if name not in theirs[1])
    only_b = tuple(name for name in second.features if name not in theirs[0])
    return Diff(
        a=first.title,
        b=second.title,
        both=tuple(name for name in first.features if name in theirs[1]),
        only_a=only_a,
        only_b=only_b,
        copies=_copies(first, second, only_a) | _copies(second, first, only_b),
        costs={**(first.costs(only_a) or {}), **(second.costs(only_b) or {})},
        cost_a=first.total(),
        cost_b=second.total(),
        quality=quality,
        notes=tuple(notes),
    )


def _copies(one: Side, other: Side, alone: tuple[str, ...]) -> dict[str, str]:
    """Of features of the one alone those that the other has a copy of, and that copy."""
    found = {}
    for name in alone:
        alike = frozenset[str]().union(*(group for group in one.copies + other.copies if name in group))
        alike = alike.union(*(group for group in one.copies + other.copies if group & alike))
        kin = [feature for feature in other.features if feature in alike]
        if kin:
            found[name] = kin[0]
    return found


def _ranker_of(side: Side, ranker: Any) -> Ranker:
    """The ranker asked for, or one of the kind that the selection was made with."""
    if ranker is None and side.settings:
        ranker = name_of_class(side.settings["ranker"].partition("(")[0])
    return default_ranker(ranker)


def _scored(sides: list[Side], data: RankingData, metric: Metric) -> Values:
    """The metric of every query, by the models as they are."""
    scores = [side.model.predict(data.subset(side.columns(data))) for side in sides if side.model is not None]
    return np.stack([metric.per_query(data.y, score, data.query_ptr) for score in scores])


@dataclass(frozen=True, eq=False)
class _Trial:
    """A cross-validation in which both sets have the same folds."""

    ranker: Ranker
    metric: Metric
    cv: int
    random_state: int
    n_jobs: int | None
    progress: bool

    def values(self, sides: list[Side], data: RankingData) -> Values:
        """The metric of every query, by rankers that were trained on the features without that query's fold."""
        sets = [[side.columns(data).tolist()] * self.cv for side in sides]
        arrangement = Arrangement.of(data, sort_rows=getattr(self.metric, "ties", None) != "input")
        material = Material(arrangement.data, None, self.ranker, Copies.none(data.n_features))
        held_out = HeldOut(material, self.metric, cv=self.cv, random_state=self.random_state)
        with Tasks(Journal(None, {}), n_jobs=self.n_jobs, progress=self.progress, owner="diff") as tasks:
            arranged: Values = held_out.measure(tasks, sets, "both sets")[0]
        values = np.empty_like(arranged)
        values[:, arrangement.queries] = arranged
        return values


def _quality(values: Values, data: RankingData, metric: Metric, how: str, seed: int) -> Quality:
    a, b = values
    counted = np.flatnonzero(~np.isnan(b - a))
    weight = query_weights(data, "diff")
    test = paired_bootstrap(b, a, random_state=seed, weight=weight, group=data.beside.query_group)
    change = np.round((b - a)[counted], 9)
    order = np.argsort(change, kind="stable")
    most = [*(i for i in order[:QUERIES] if change[i] < 0), *(i for i in order[-QUERIES:] if change[i] > 0)]
    named = [(data.query_ids[counted[i]], a[counted[i]], b[counted[i]]) for i in most]
    return Quality(
        metric=metric.name.upper(),
        how=how,
        a=mean(np.where(np.isnan(b), b, a), weight) if counted.size else np.nan,
        b=mean(np.where(np.isnan(a), a, b), weight) if counted.size else np.nan,
        difference=round(test.difference, 6),
        low=round(test.low, 6),
        high=round(test.high, 6),
        p=round(test.p, 6),
        n_queries=len(counted),
        better=int((change > 0).sum()),
        worse=int((change < 0).sum()),
        same=int((change == 0).sum()),
        queries=tuple({"query": str(q), "a": round(float(x), 6), "b": round(float(y), 6)} for q, x, y in named),
    )


def _doubts(a: Side, b: Side) -> list[str]:
    """Whether the names of the two mean the same features."""
    if a.n_among == b.n_among or not all(name.isdecimal() for name in (*a.features, *b.features)):
        return []
    return [f"features are numbers, of {a.n_among} in a and of {b.n_among} in b: they may not mean the same"]


def _warnings(a: Side, b: Side, data: RankingData, ranker: Ranker) -> list[str]:
    """What makes the comparison of two sets less than fair."""
    print_of_data, notes = data.fingerprint(), list[str]()
    used = asked.ranker_settings(ranker)["ranker"]
    for name, side in (("a", a), ("b", b)):
        if side.settings.get("fingerprint") == print_of_data:
            notes.append(f"{name} was chosen by these very queries, which flatters it: take others to be sure")
        if side.settings.get("ranker", used) != used:
            notes.append(f"{name} was chosen for another ranker than the one trained here: {side.settings['ranker']}")
    return notes
