"""Paths: the order of the features by each method, in each fold and on all queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.journal import Task
from leanrank.evaluation.journal_schema import check_path, path_task
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.choice import Candidate
from leanrank.evaluation.select.held_out import HeldOut
from leanrank.evaluation.select.portfolio import Order, Sight
from leanrank.evaluation.tasks import Tasks
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.forward_regression import ForwardRegression
from leanrank.selectors.hybrids import RelevanceMRMR
from leanrank.selectors.mrmr import MRMR

_Needs = tuple[Selector, ColumnLimits, int, NDArray[np.float64], Any]


@dataclass(frozen=True, eq=False)
class Paths:
    """What methods make of the features, within the limits. Their `HeldOut` must have its `reference`."""

    methods: Mapping[str, Selector]  # selectors by name
    limits: ColumnLimits
    largest: int  # the largest size that will be asked for; methods that grow need not go further
    tasks: Tasks  # every path is a task of it
    engine: Any = None  # where feature graphs are computed, if paths are computed here

    def in_folds(self, held_out: HeldOut, methods: Sequence[str]) -> dict[str, list[Order]]:
        """The order of the features by each of these methods, in each fold; not of those that time did not reach."""
        folds = range(held_out.n_folds)
        wanted = [self._task(held_out, name, i) for name in methods for i in folds]
        orders = iter(self.tasks.run(_order, held_out, wanted, self._needs(held_out), title="paths", optional=True))
        by_method = {name: [self._checked(next(orders)) for _ in folds] for name in methods}
        return {
            name: [np.array(order, dtype=np.int64) for order in own]
            for name, own in by_method.items()
            if None not in own
        }

    def on_all(self, held_out: HeldOut, method: str) -> Order:
        """The order that a method learns from all queries; keeping all features is none."""
        if method == ALL_FEATURES:
            return np.array([], dtype=np.int64)
        task = self._task(held_out, method, None)
        [order] = self.tasks.run(_order, held_out, [task], self._needs(held_out), title="all queries")
        return np.array(self._checked(order), dtype=np.int64)

    def _task(self, held_out: HeldOut, method: str, i: int | None) -> Task:
        """The order of a method in fold `i`: whole where that costs nothing more, so that it is learned only once."""
        whole = isinstance(self.methods[method], ForwardRegression | MRMR | RelevanceMRMR)
        return path_task(held_out.scope, method, i, len(self.limits.own) if whole else self.largest)

    def _checked(self, order: Any) -> Any:
        """The order as the journal has it, None where time did not reach it."""
        if order is not None:
            check_path(order, len(self.limits.own), self.tasks.journal.path)
        return order

    def candidates(self, held_out: HeldOut, methods: Sequence[str], sizes: Sequence[int]) -> list[Candidate]:
        """These methods at these sizes, where they choose anything; of equal sets of a method the first."""
        paths = self.in_folds(held_out, methods)
        return [c for name, own in paths.items() for c in self.cut(name, own, sizes).values()]

    def of_winners(self, held_out: HeldOut, methods: Sequence[str]) -> list[Order]:
        """The order of the features in each fold by the method that is named for it; none, if time did not reach."""
        wanted = [self._task(held_out, name, i) for i, name in enumerate(methods)]
        orders = self.tasks.run(_order, held_out, wanted, self._needs(held_out), title="paths", optional=True)
        return [] if None in orders else [np.array(self._checked(order), dtype=np.int64) for order in orders]

    def cut(self, method: str, orders: Sequence[Order], sizes: Sequence[int]) -> dict[int, Candidate]:
        """Orders, one for each fold, cut at these sizes, where they choose anything; of equal sets the first."""
        out: dict[int, Candidate] = {}
        for k in sizes:
            sets = tuple(tuple(self.limits.first(path, k).tolist()) for path in orders)
            if sets and all(sets) and not any(c.sets == sets for c in out.values()):
                # a path that ends early is measured to its end
                out[k] = self._candidate(method, max(map(len, sets)), sets)
        return out

    def _candidate(self, method: str, k: int, sets: tuple[tuple[int, ...], ...]) -> Candidate:
        cost = float(np.mean([self.limits.total(np.array(s, dtype=np.int64)) for s in sets]))
        return Candidate(method, k, sets, round(cost, 9))

    def _needs(self, held_out: HeldOut) -> Callable[[Task], _Needs]:
        """What a path depends on beside the data; workers elsewhere compute the graphs they need themselves."""
        engine = None if self.tasks.elsewhere else self.engine
        return lambda task: (
            self.methods[task["method"]],
            self.limits,
            task["largest"],
            held_out.share(task["fold"]),
            engine,
        )


def _order(held_out: HeldOut, task: Task, needs: _Needs) -> list[int]:
    selector, *rest = needs
    return [int(j) for j in Sight(held_out, task["fold"], *rest).order(selector)]
