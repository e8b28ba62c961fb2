"""One run of `select`: what is measured and chosen, the evidence for it, and its worth on data that took no part."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.arrangement import Arrangement
from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.data.reordered import with_columns
from leanrank.data.weights import query_weights
from leanrank.errors import DataError
from leanrank.evaluation.clock import spoken
from leanrank.evaluation.fold_roles import windows_of
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.answering import Answering, safe_features
from leanrank.evaluation.select.choice import Candidate, mean
from leanrank.evaluation.select.curve_point import CurvePoint, curve_point, metric_losses, on_path
from leanrank.evaluation.select.curves import Curves, Measured
from leanrank.evaluation.select.effort import SAMPLE_QUERIES, Plan
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.evaluation.select.importance_drift import ImportanceDrift
from leanrank.evaluation.select.paths import Paths
from leanrank.evaluation.select.request import Request
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.slice_losses import slice_masks
from leanrank.evaluation.select.stop_rule import differences, pareto_front
from leanrank.evaluation.tasks import Tasks
from leanrank.evaluation.training import filled, prepared, train
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.selectors._ranker_selector import copies_of, idle_copies, useless_to
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.for_columns import claimed, for_columns, has_limits
from leanrank.selectors.limited_copies import exchangeable
from leanrank.stats.copies import Copies


class Run:
    """A request of `select` on its way to an answer.

    Parameters
    ----------
    request : Request
    tasks : Tasks
        Where paths and fits are computed, and the journal that keeps them.
    engine : optional
        Where feature graphs are computed.
    """

    def __init__(self, request: Request, tasks: Tasks, engine: Any = None) -> None:
        self.request = request
        limits, data, valid, ranker = request.columns, request.data, request.valid, request.ranker
        none = Copies.none(data.n_features)
        taken = _counting(data if ranker.takes_missing else filled(data))
        apart = claimed(limits, request.portfolio.values(), data.feature_names)
        self.copies = copies_of(taken, apart) if request.collapse else none
        self.idle = idle_copies(ranker, taken, apart) if request.collapse else none
        self.useless = useless_to(ranker, taken, scaled=True)
        self.useless &= ~apart.staying(self.useless)
        left_out = limits.never | self.useless | self.idle.left_out
        if left_out.all():
            n_open = int((~limits.never).sum())
            which = f"All {n_open} features" + " that may be taken" * (n_open < data.n_features)
            raise DataError(f"{which} are constant inside every query: nothing to select.")
        # all features: what the reference is trained on, copies that are no idle ones among them
        self.everything = np.flatnonzero(~left_out)
        self.usable = np.flatnonzero(~left_out & ~self.copies.left_out)
        copies = self.copies.only(self.everything)
        methods = request.portfolio
        if left_out.any():  # nothing that follows has to know of them
            ranker = ranker.for_columns(self.everything.tolist(), data.n_features)
            methods = {name: for_columns(one, data.feature_names, self.everything) for name, one in methods.items()}
            data = with_columns(data, self.everything)
            valid = None if valid is None else valid.subset(self.everything)
        # the same folds and the same sums, whatever the order of queries
        as_given = any(getattr(metric, "ties", None) == "input" for metric in request.metrics)
        arrangement = Arrangement.of(data, sort_rows=not as_given)
        self.data, self.limits = arrangement.data, limits.only(self.usable)
        self.masks = slice_masks(self.data.beside.slices)
        slices = tuple(self.masks.values()) if request.certify_slices else ()
        self.rule = replace(
            request.rule, weight=self.data.beside.query_weight, group=self.data.beside.query_group, slices=slices
        )
        scales = scales_of(ranker, self.data, limits.only(self.everything), copies)
        if any(map(has_limits, methods.values())):
            scales = ()  # they name features, which must be those that stand whatever the labels say
        material = Material(self.data, None if valid is None else arrangement.like(valid), ranker, copies, scales)
        largest = request.n_features or max(1, len(self.usable))
        self.paths = Paths(methods, self.limits, int(largest), tasks, engine)
        self.held_out = self._held_out(material, "all")
        in_time = windows_of(request.cv) is not None  # there is one order of time
        times = 1 if in_time else request.effort.n_repeats(data.n_queries)
        self.repeats = [self._held_out(material, f"again {r}", r) for r in range(1, times)]
        self.sample, self.drawn = self.held_out, np.arange(data.n_queries)
        if data.n_queries > SAMPLE_QUERIES and len(request.portfolio) > 1:
            rng = np.random.default_rng(request.random_state)
            self.drawn = np.sort(rng.choice(data.n_queries, SAMPLE_QUERIES, replace=False))
            self.sample = self._held_out(material.take_queries(self.drawn), "sample")

    def _held_out(self, material: Material, scope: str, repeat: int = 0) -> HeldOut:
        seed = self.request.random_state + repeat
        return HeldOut(material, self.request.metrics, cv=self.request.cv, random_state=seed, scope=scope)

    def _left_out(self) -> str:
        """What the time limit cost, for the reason."""
        clock = self.paths.tasks.clock
        if not clock.left_out:
            return ""
        return f"; time was up after {spoken(clock.limit or 0)}, and {clock.left_out} planned tasks were left out"

    def selection(self, begin: float) -> Selection:
        """Measure, choose, and gather the evidence."""
        rule, parts = self.rule, self.held_out.parts
        measured = Curves(
            self.paths, rule, self._plan(), self.held_out, self.sample, self.drawn, self.repeats
        ).measured()
        points, front = self._points(measured)
        method = measured.path[0].method if measured.path else ALL_FEATURES
        forecast = self.request.forecast.measured(rule.resolution(measured.values[0], measured.reference[0]))
        answers = Answering(
            rule=rule,
            measured=measured,
            points=[p for p in points[:-1] if p.on_path],
            path=self.standing[self.paths.on_all(self.held_out, method)],
            standing=self.standing,
            safe=safe_features(self.useless, self.idle.left_out, self.request.columns),
            limits=self.request.columns,
            names=self.request.data.feature_names,
            folds=parts,
            n_all=len(self.everything),
            forecast=forecast,
            metrics=tuple(metric.name for metric in self.request.metrics),
            late=self._left_out(),
        )
        return Selection(
            safe=answers.safe_answer(),
            recommended=answers.recommended(),
            certified=answers.certified(),
            answer=self.request.answer,
            path=tuple(answers.names[j] for j in answers.whole_path(self.everything)),
            path_method=method,
            baseline={
                "n_features": len(self.everything),
                "cost": self.request.columns.total(self.everything),
                "mean": mean(measured.reference[0], rule.weight),
            },
            curve=tuple(points),
            pareto=tuple(sorted((points[i] for i in front), key=lambda p: (p.k, p.cost, p.method))),
            forecast=forecast,
            feature_names=self.request.data.feature_names,
            settings=self.request.settings,
            stands_for=self._stands_for(),
            drift=self._drift(),
            recommended_by_loss=answers.recommended_by_loss(),
            seconds=time.perf_counter() - begin + self.paths.tasks.journal.earlier,
        )

    @cached_property
    def standing(self) -> NDArray[np.int64]:
        """The columns that methods choose from; of copies the one that all queries say."""
        return self.everything[self.held_out.columns(None)]

    @property
    def _open_names(self) -> tuple[str, ...]:
        """Those of the features that methods choose from."""
        return tuple(self.request.data.feature_names[j] for j in self.standing)

    def _stands_for(self) -> dict[str, tuple[str, ...]]:
        """Which features stand for copies of them; one that tells nothing stands for nothing."""
        names = self.request.data.feature_names
        idle = {names[j] for j in np.flatnonzero(self.useless)}
        now = self.copies.staying.copy()
        now[np.isin(now, self.usable)] = self.standing
        copies = self.copies.with_standing(now)
        return {name: others for name, others in copies.standing(names).items() if name not in idle}

    def _plan(self) -> Plan:
        sampled = self.sample.n_queries / self.held_out.n_queries if self.sample is not self.held_out else None
        return Plan(
            effort=self.request.effort,
            methods=list(self.paths.methods),
            asked=self.request.n_features,
            least=max(1, int(self.limits.must_keep.sum())),
            n_features=len(self.usable),
            n_all=len(self.everything),
            n_folds=self.held_out.n_folds,
            n_repeats=len(self.repeats),
            sampled=sampled,
        )

    def _points(self, measured: Measured) -> tuple[list[CurvePoint], list[int]]:
        """The points of the curve: the path, what others did in the race, and all features; and which are on the front.

        What the winner did in the race is on the path already.
        """
        parts, rule, reference = self.held_out.parts, self.rule, measured.reference
        walked, values, n_path = list(measured.path), measured.values, len(measured.path)
        unlike = measured.unlike
        if unlike is not None and unlike[0].k not in {c.k for c in walked}:  # on the path, but no step that is tested
            walked, values = [*walked, unlike[0]], np.hstack([values, unlike[1][:, None]])
        taken = {(c.method, c.k) for c in walked}
        race = measured.race if measured.race is not None and measured.race.whole else None
        others = [] if race is None else [i for i, c in enumerate(race.candidates) if (c.method, c.k) not in taken]
        candidates = [*walked, *([] if race is None else [race.candidates[i] for i in others])]
        rows = values if race is None else np.hstack([values, race.table[:, others]])
        everything = Candidate(
            method=ALL_FEATURES,
            k=len(self.everything),
            sets=(tuple(range(len(self.everything))),) * len(parts),
            cost=self.request.columns.total(self.everything),
        )
        candidates, rows = [*candidates, everything], np.hstack([rows, reference[:, None]])
        differences = rule.compare(rows[0], reference[0])
        measured_rows = zip(candidates, rows[0], differences, strict=True)
        points = [curve_point(c, v, d, parts, rule.weight) for c, v, d in measured_rows]
        losses = rule.certified_losses(measured.values[0], reference[0]).tolist() if n_path else []
        losses += [np.inf] * (len(walked) - n_path)
        for i, loss in [*enumerate(losses), (len(points) - 1, 0.0)]:
            named = self.data.feature_names if candidates[i] is everything else self._open_names
            points[i] = on_path(points[i], loss, candidates[i], rows[0, i], reference[0], named, self.data.query_ids)
        if len(rows) > 1 or rule.slices:
            names = [metric.name for metric in self.request.metrics]
            every = metric_losses(rule, names, rows, reference, n_path)
            points = [replace(point, metrics=own) for point, own in zip(points, every, strict=True)]
        if self.masks and n_path:
            for i, own in enumerate(rule.in_slices(self.masks, values[0], reference[0])):
                points[i] = replace(points[i], slices=own)
        means = [[point.mean, *(one.mean for one in point.metrics[1:])] for point in points]
        return points, pareto_front(
            [(*(round(m, 12) for m in own), p.k, p.cost) for own, p in zip(means, points, strict=True)]
        )

    def _drift(self) -> ImportanceDrift | None:
        """How the shares of features change from fold to fold, where folds are in the order of time."""
        time = self.data.beside.time
        if windows_of(self.request.cv) is None or time is None:
            return None
        shares = [self.held_out.share(i) for i in range(self.held_out.n_folds)]
        learned = [role.learned for role in self.held_out.roles[0]]
        return ImportanceDrift.of(shares, learned, time, self._open_names)


def _counting(data: RankingData) -> RankingData:
    """The queries that count: those that weigh nothing are in no figure."""
    weight = data.beside.query_weight
    return data if weight is None or weight.all() else data.take_queries(np.flatnonzero(weight))


def scales_of(ranker: Ranker, data: RankingData, limits: ColumnLimits, copies: Copies) -> tuple[tuple[int, ...], ...]:
    """Groups of copies of which any may stand, where their scale matters to the ranker; categories have none."""
    if not ranker.wants_scaling:
        return ()
    kinds = set(data.category_columns)
    return tuple(tuple(group) for group in exchangeable(limits, copies) if not kinds.intersection(group))


def final_test(
    selection: Selection, ranker: Ranker, metric: Metric, learn: RankingData, valid: RankingData, test: RankingData
) -> dict[str, Any]:
    """Train on all features that may be taken and on the selected ones: the means on `test`, and the difference."""
    fold = Fold("test", *(prepared(part, ranker) for part in (learn, valid, test)))
    never = set(selection.settings["never"])
    allowed = [j for j, name in enumerate(selection.feature_names) if name not in never]
    values = []
    for features in (allowed, sorted(selection.indices)):
        trained = train(ranker, fold, list(features))
        values += trained.per_query(trained.fold.test, metric)
    before, after = values
    weight = query_weights(test, "select")
    return {
        "all_features": mean(before, weight),
        "selected": mean(after, weight),
        "difference": differences(after[None], before, weight=weight, group=test.beside.query_group)[0].to_dict(),
    }
