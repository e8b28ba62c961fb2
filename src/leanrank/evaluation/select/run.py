"""select: the main job. Which features can go, what that costs, how sure it is."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank import __version__
from leanrank.data.arrangement import Arrangement
from leanrank.data.door import as_ranking_data
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError
from leanrank.evaluation.held_out import HeldOut
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.journal_schema import keep_selection, path_task
from leanrank.evaluation.select import request
from leanrank.evaluation.select.choice import ALL, Candidate, Rule, mean
from leanrank.evaluation.select.evidence import changes, curve_point, losers, stability_of
from leanrank.evaluation.select.portfolio import Learner, Method, Order, portfolio
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.stop_rule import LATER, pareto_front
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import as_ranker
from leanrank.rankers.registry import get
from leanrank.selectors.column_limits import ColumnLimits

#: The loss that nobody minds, unless the caller says otherwise.
MAX_LOSS = 0.002
#: Sizes at which curves are measured (those below the number of features).
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250, 300, 400, 500, 700, 1000)
#: Every so many of these are measured for all methods; the rest only for the best.
COARSE = 5
#: Methods that reach the second round.
FINALISTS = 3
#: The first round looks at no more queries than this.
SAMPLE_QUERIES = 1_500
#: On few queries the cross-validation is repeated with other folds: so often that this many queries are measured, ...
REPEATED_QUERIES = 400
#: ... but not more often than this, ...
REPEATS = 6
#: ... and only for so many candidates, of those that may still be chosen.
CONTENDERS = 8
#: The largest seed: splitters take 32 bits, and repeats count on from it.
LARGEST_SEED = 2**32 - REPEATS


def select(
    data: Any,
    ranker: Any = None,
    metric: Any = "ndcg@10",
    methods: Any = "auto",
    n_features: int | None = None,
    max_loss: float | None = None,
    budget: float | None = None,
    costs: Any = None,
    must_keep: Any = (),
    groups: Any = None,
    cv: int = 5,
    random_state: int = 0,
    engine: Any = None,
    progress: bool = True,
    *,
    never: Any = (),
    valid: Any = None,
    level: float = 0.95,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
) -> Selection:
    """Find the fewest features that rank as well as all of them.

    Every method of the portfolio orders the features; the curve of the metric against the number of features is
    measured by cross-validation over queries, with the selection repeated inside each fold, so no query judges a set
    that it helped to choose. The stop rule takes the smallest set whose loss per query against all features is below
    `max_loss` at the given level, by a bootstrap over queries that corrects for everything that was tried. Where the
    queries are too few to prove that of any smaller set, all features stay, and the reason says what could be proven.

    Parameters
    ----------
    data : RankingData
        Judged documents. Rankers that take missing values get them; selection sees the least value of the feature in
        the query in their place.
    ranker : ranker, estimator or str, optional
        The ranker the features are for. LightGBM where it is installed, RankSVM otherwise. Learners that are not tree
        ensembles get features scaled to [0, 1] within each query.
    metric : str or metric
    methods : "auto", names, a selector or several
        The portfolio: see `leanrank.evaluation.select.portfolio`.
    n_features : int, optional
        Choose this many instead of applying the stop rule: by the first method of the portfolio that held-out queries
        do not show to be worse than the best.
    max_loss : float, optional
        What the stop rule allows, 0.002 by default. Another one is answered from the same journal, with few more fits.
    budget : float, optional
        The most that the chosen features may cost together.
    costs, groups, must_keep, never
        See `Limits`. With costs the stop rule takes the cheapest set, not the smallest.
    cv : int
        Folds, by query. At least 3, or 2 where `valid` is given; every fold needs a query with different labels.
    random_state : int
        Of the folds and the bootstrap.
    engine : optional
        Where feature graphs are computed. The workers of a `DaskEngine` or `SparkEngine` also run the methods and
        train the rankers of the cross-validation; each gets the data once, and results come back to the journal here.
    progress : bool
        A progress bar with the time left, where a terminal is watching.
    valid : RankingData or tuple (X, y, qid), optional
        What rankers stop early on, in every fold and at the end; by default a part of `data`. Of the same features.
    level : float
        Of the bounds.
    journal : path, optional
        An SQLite file that keeps every finished fit: the same call with the same journal goes on where it stopped.
    n_jobs : int
        Threads that train rankers; the result does not depend on it.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import leanrank
    >>> data, truth = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=0)
    >>> chosen = leanrank.select(data, "ranksvm", methods=["gas", "mrmr"], n_features=3)
    >>> role = {entry.name: entry.role for entry in truth}
    >>> sorted({role[name] for name in chosen.features} - {"redundant"})
    ['informative']
    """
    begin = time.perf_counter()
    judged = as_ranking_data(data)
    held = request.valid_of(valid, judged)
    learner, measure, wanted = default_ranker(ranker), request.metric_of(metric), request.methods_of(methods)
    chosen_methods = portfolio(wanted)
    lowest = 3 if held is None else 2
    folds = request.whole_number("cv", cv, f"a number of folds >= {lowest}", lowest)
    seed = request.whole_number(
        "random_state", random_state, f"a whole number from 0 to {LARGEST_SEED}", 0, LARGEST_SEED
    )
    threads = request.whole_number("n_jobs", n_jobs, "a whole number >= 1", 1)
    loss = MAX_LOSS if max_loss is None else float(request.real_number("max_loss", max_loss, ">= 0 and finite", 0))
    sure = request.real_number("level", level, "between 0.5 and 1", np.nextafter(0.5, 1), np.nextafter(1, 0))
    limits, limited = request.limits_of(
        judged.feature_names,
        costs=costs,
        groups=groups,
        must_keep=must_keep,
        never=never,
        budget=budget,
        n_features=n_features,
    )
    request.check_judged(judged, measure, folds)
    settings = {
        "metric": repr(measure),
        "metric_name": measure.name,
        **request.ranker_settings(learner),
        **request.method_settings(wanted, chosen_methods),
        "max_loss": loss,
        "level": sure,
        **limited,
        "cv": folds,
        "random_state": seed,
        "version": __version__,
        "fingerprint": judged.fingerprint(),
        "valid": None if held is None else held.fingerprint(),
    }
    # fits do not depend on the loss that is allowed: another one is answered from the same journal
    about = {name: value for name, value in settings.items() if name not in ("max_loss", "level")}
    with (
        Journal(journal, about) as book,
        Tasks(book, n_jobs=threads, engine=engine, progress=progress, owner="select") as tasks,
    ):
        run = _Run(judged, learner, measure, chosen_methods, limits, settings, held, engine, tasks)
        selection = run.selection(begin)
        keep_selection(book, selection.to_dict())
        return selection


def default_ranker(ranker: Any) -> Ranker:
    """The ranker asked for; LightGBM on one thread where it is installed, RankSVM over a grid of C otherwise."""
    if ranker is None:
        ranker = "lightgbm" if find_spec("lightgbm") is not None else "ranksvm"
    if ranker == "lightgbm":
        return get("lightgbm", early_stopping_rounds=50, n_threads=1)
    if ranker == "ranksvm":
        return get("ranksvm", C=(0.01, 0.1, 1.0, 10.0, 100.0))
    return as_ranker(ranker)


class _Run:
    """One run of `select`: paths, curves, the choice, the evidence."""

    def __init__(
        self,
        data: RankingData,
        ranker: Ranker,
        metric: Metric,
        methods: dict[str, Method],
        limits: ColumnLimits,
        settings: dict[str, Any],
        valid: RankingData | None,
        engine: Any,
        tasks: Tasks,
    ) -> None:
        self.tasks = tasks
        self.all_names = data.feature_names
        if limits.never.any():  # nothing that follows has to know of them
            usable = np.flatnonzero(~limits.never)
            ranker = ranker.for_columns(usable.tolist(), data.n_features)
            data, limits = data.subset(usable), limits.only(usable)
            valid = None if valid is None else valid.subset(usable)
        # the same folds and the same sums, whatever the order of queries
        arrangement = Arrangement.of(data, sort_rows=getattr(metric, "ties", None) != "input")
        data, valid = arrangement.data, None if valid is None else arrangement.like(valid)
        self.data, self.limits, self.settings, self.methods = data, limits, settings, methods
        self.engine = None if tasks.elsewhere else engine  # workers compute the graphs they need
        seed = int(settings["random_state"])

        def held_out(part: RankingData, scope: str, seed: int = seed) -> HeldOut:
            return HeldOut(
                part,
                ranker,
                metric,
                cv=settings["cv"],
                tasks=tasks,
                valid=valid,
                random_state=seed,
                scope=scope,
            )

        self.held_out = held_out(data, "all")
        times = min(REPEATS, max(1, REPEATED_QUERIES // data.n_queries))
        self.repeats = [held_out(data, f"again {r}", seed + r) for r in range(1, times)]
        self.sample = self.held_out
        if data.n_queries > SAMPLE_QUERIES and len(methods) > FINALISTS:
            drawn = np.random.default_rng(seed).choice(data.n_queries, SAMPLE_QUERIES, replace=False)
            self.sample = held_out(data.take_queries(np.sort(drawn)), "sample")
        self.rule = Rule(
            n_features=settings["n_features"],
            max_loss=settings["max_loss"],
            level=settings["level"],
            budget=limits.budget,
            priced=settings["costs"] is not None or settings["groups"] is not None,
            random_state=seed,
        )

    def selection(self, begin: float) -> Selection:
        """Measure, choose, and gather the evidence."""
        names = self.data.feature_names
        folds = [self.held_out.fold(f).test_queries for f in range(self.held_out.n_folds)]
        candidates, once = self._curves()
        values = self._repeated(candidates, once)
        if self.rule.n_features is None:
            candidates, once, values = self._refined(candidates, once, values)
        baseline = values[-1]
        found = self.rule.compare(candidates, values)
        best, proven, reason, provable = self.rule.choose(candidates, values, found)
        # which candidates were measured again was decided on all queries: nested estimates do without
        nested = self.rule.nested(candidates, once, folds)
        path = self._path(candidates[best].method if provable is None else provable.method)
        if candidates[best].method == ALL:  # in the order in which they would be kept
            path = np.concatenate([path, np.setdiff1d(np.arange(len(names)), path)])
        chosen = path[: candidates[best].k]
        points = [curve_point(c, v, d, folds) for c, v, d in zip(candidates, values, found, strict=True)]
        front = pareto_front([(round(p.mean, 12), p.k, p.cost) for p in points])
        return Selection(
            features=tuple(names[j] for j in chosen),
            indices=tuple(self.all_names.index(names[j]) for j in chosen),
            method=candidates[best].method,
            measured_k=candidates[best].k,
            path=tuple(names[j] for j in path),
            proven=proven,
            reason=reason,
            provable=None if provable is None else provable._asdict(),
            versus_all=found[best].to_dict(),
            nested=nested.to_dict(),
            baseline={
                "n_features": len(names),
                "cost": self.limits.total(np.arange(len(names))),
                "mean": mean(baseline),
            },
            curve=tuple(points),
            pareto=tuple(sorted((points[i] for i in front), key=lambda p: (p.k, p.cost, p.method))),
            stability=stability_of(candidates[best], names),
            losers=losers(values[best], baseline, self.data.query_ids),
            per_query=changes(values[best] - baseline),
            feature_names=self.all_names,
            dropped=tuple(name for name in self.all_names if name not in {names[j] for j in chosen}),
            cost=self.limits.total(chosen),
            settings=self.settings,
            seconds=time.perf_counter() - begin,
        )

    def _curves(self) -> tuple[list[Candidate], NDArray[np.float64]]:
        """The candidates (all features last) and their values.

        Methods that fall behind leave after the first round.
        """
        everything = tuple(range(self.data.n_features))
        coarse, fine = self._sizes(len(everything))
        methods = list(self.methods)
        if len(methods) > FINALISTS and (fine != coarse or self.sample is not self.held_out):
            first = self._candidates(self.sample, methods, coarse)
            values = self.sample.measure([c.sets for c in first], "first round")
            best = _finalists(first, values, FINALISTS)
            methods = [name for name in methods if name in best]  # still in the order of preference
        candidates = self._candidates(self.held_out, methods, fine)
        if self.sample is self.held_out and len(methods) < len(self.methods):
            # what the first round measured is evidence too, and counts among what was tried
            others = [name for name in self.methods if name not in methods]
            candidates += self._candidates(self.held_out, others, coarse)
        if not candidates:
            raise DataError(
                f"None of the methods ({', '.join(self.methods)}) selects a feature in every fold: name other methods, "
                "or loosen 'never' and 'budget'."
            )
        candidates.append(self._candidate(ALL, len(everything), (everything,) * self.held_out.n_folds))
        return candidates, self.held_out.measure([c.sets for c in candidates], "curves")

    def _repeated(self, candidates: list[Candidate], once: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values, for contenders and all features averaged over cross-validations with other folds."""
        if not self.repeats:
            return once
        values = once.copy()
        rows = [*self.rule.contenders(candidates, once, CONTENDERS), len(candidates) - 1]
        values[rows] = self._averaged([candidates[i] for i in rows], once[rows])
        return values

    def _averaged(self, candidates: list[Candidate], once: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over the cross-validation that was measured and those with other folds.

        Trained on few queries, a ranker differs much from fold to fold; that noise can be averaged away.
        """
        sets: list[list[tuple[tuple[int, ...], ...]]] = [[] for _ in candidates]  # by candidate and repeat
        for held_out in self.repeats:
            paths = self._paths(held_out, list(dict.fromkeys(c.method for c in candidates if c.method != ALL)))
            for own, c in zip(sets, candidates, strict=True):
                own.append(c.sets if c.method == ALL else tuple(tuple(map(int, p[: c.k])) for p in paths[c.method]))
        # a method that finds nothing in some other fold stays as it was measured
        rows = [i for i, own in enumerate(sets) if all(all(folds) for folds in own)]
        values = once.copy()
        for r, held_out in enumerate(self.repeats):
            values[rows] += held_out.measure([sets[i][r] for i in rows], "repeats")
        values[rows] /= 1 + len(self.repeats)
        return values

    def _refined(
        self, candidates: list[Candidate], once: NDArray[np.float64], values: NDArray[np.float64]
    ) -> tuple[list[Candidate], NDArray[np.float64], NDArray[np.float64]]:
        """With sizes between those of the curve: halving the gap below the set that the stop rule takes.

        Where that is all features, the gap is above the largest size of the method that could be proven.
        """
        for _ in range(LATER):
            choice = self.rule.choose(candidates, values, self.rule.compare(candidates, values))
            taken = candidates[choice.number]
            method = taken.method if choice.provable is None else choice.provable.method
            below = max((c.k for c in candidates if c.method == method and c.k < taken.k), default=self._least - 1)
            middle = (below + taken.k) // 2
            between = self._candidates(self.held_out, [] if method == ALL else [method], [middle])
            if middle <= below or not between or between[0].k != middle:
                break
            between = [replace(between[0], later=True)]
            row = self.held_out.measure([between[0].sets], "sizes between")
            candidates = [*candidates[:-1], *between, candidates[-1]]
            once = np.insert(once, -1, row, axis=0)
            values = np.insert(values, -1, self._averaged(between, row), axis=0)
        return candidates, once, values

    def _sizes(self, n_usable: int) -> tuple[list[int], list[int]]:
        if self.rule.n_features is not None:
            return [self.rule.n_features], [self.rule.n_features]
        fine = [k for k in sorted({*SIZES, self._least}) if self._least <= k < n_usable] or [self._least]
        coarse = fine[COARSE - 1 :: COARSE] or fine[-1:]
        return coarse, fine

    def _paths(self, held_out: HeldOut, methods: Sequence[str]) -> dict[str, list[Order]]:
        """The order of the features by each method, in each fold."""
        wanted = [path_task(held_out.scope, n, f, self._largest) for n in methods for f in range(held_out.n_folds)]
        found = iter(self.tasks.run(_path, held_out, wanted, self._needs, title="paths"))
        return {name: [np.array(next(found), dtype=np.int64) for _ in range(held_out.n_folds)] for name in methods}

    def _candidates(self, held_out: HeldOut, methods: Sequence[str], sizes: Sequence[int]) -> list[Candidate]:
        paths = self._paths(held_out, methods)
        out: list[Candidate] = []
        for name in methods:
            for k in sizes:
                sets = tuple(tuple(int(j) for j in path[:k]) for path in paths[name])
                if all(sets) and not any(c.method == name and c.sets == sets for c in out):
                    # a path that ends early is measured to its end
                    out.append(self._candidate(name, max(map(len, sets)), sets))
        return out

    def _candidate(self, method: str, k: int, sets: tuple[tuple[int, ...], ...]) -> Candidate:
        cost = float(np.mean([self.limits.total(np.array(s, dtype=np.int64)) for s in sets]))
        return Candidate(method, k, sets, round(cost, 9))

    @property
    def _least(self) -> int:
        """The smallest size that there can be."""
        return max(1, int(self.limits.must_keep.sum()))

    @property
    def _largest(self) -> int:
        """The largest size that will be asked for; methods that grow need not go further."""
        return self.rule.n_features or max(1, self.data.n_features)

    def _needs(self, task: Any) -> tuple[Method, ColumnLimits, int, Any]:
        """What a path depends on beside the data, and where its graph is computed."""
        return self.methods[task["method"]], self.limits, self._largest, self.engine

    def _path(self, method: str) -> Order:
        """The order that a method learns from all queries; keeping all features is none."""
        if method == ALL:
            return np.array([], dtype=np.int64)
        task = path_task(self.held_out.scope, method, None, self._largest)
        [path] = self.tasks.run(_path, self.held_out, [task], self._needs, title="all queries")
        return np.array(path, dtype=np.int64)


def _path(held_out: HeldOut, task: Any, needs: tuple[Method, ColumnLimits, int, Any]) -> list[int]:
    method, limits, largest, engine = needs
    path = method(Learner(held_out, task["fold"], limits, largest, engine))
    return [int(j) for j in limits.affordable(limits.arranged(path))]


def _finalists(candidates: list[Candidate], values: NDArray[np.float64], n: int) -> list[str]:
    """The methods with the best mean over all sizes measured; the first round cannot tell sizes apart well.

    Of methods that chose the same sets throughout, one is enough.
    """
    scores: dict[str, list[float]] = {}
    sets: dict[str, list[Any]] = {}
    for candidate, row in zip(candidates, values, strict=True):
        scores.setdefault(candidate.method, []).append(mean(row))
        sets.setdefault(candidate.method, []).append([frozenset(s) for s in candidate.sets])
    best: list[str] = []
    for name in sorted(scores, key=lambda name: -round(float(np.mean(scores[name])), 12)):
        if len(best) < n and not any(sets[name] == sets[other] for other in best):
            best.append(name)
    return best
