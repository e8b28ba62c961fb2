"""The three answers, from what was measured along the path."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.answers import Answer, risk_of
from leanrank.evaluation.select.choice import Rule, Shown, thousandths
from leanrank.evaluation.select.curve_point import CurvePoint
from leanrank.evaluation.select.curves import Measured
from leanrank.evaluation.select.resolution import Forecast
from leanrank.evaluation.select.slice_losses import FEWEST_CERTIFIED
from leanrank.selectors.column_limits import ColumnLimits

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Safe:
    """The features that stay, by column, and how many go for which reason."""

    kept: tuple[int, ...]
    dropped: dict[str, int]

    @property
    def why(self) -> str:
        """The reasons in words.

        >>> Safe((0, 2), {"constant": 1, "copies of others": 2}).why
        '1 constant, 2 copies of others'
        """
        one = {"copies of others": "copy of another"}
        said = ((count, one.get(reason, reason) if count == 1 else reason) for reason, count in self.dropped.items())
        return ", ".join(f"{count} {reason}" for count, reason in said if count)


def safe_features(constant: Mask, copies: Mask, limits: ColumnLimits) -> Safe:
    """All features but those that the ranker cannot use, whatever it learns, and copies that change nothing in it.

    What the rankers of the folds have not used is not among them: one trained on all queries, or stopped later, may.
    """
    goes = limits.never | constant | copies
    reasons = {
        "constant": int((constant & ~limits.never).sum()),
        "copies of others": int((copies & ~constant & ~limits.never).sum()),
    }
    return Safe(tuple(int(j) for j in np.flatnonzero(~goes)), reasons)


@dataclass(frozen=True, eq=False)
class Answering:
    """What answers are made of."""

    rule: Rule
    measured: Measured
    points: list[CurvePoint]  # those of the path, the largest first; then what is `unlike`, where it was measured
    path: NDArray[np.int64]  # the columns in the order of the path, learned from all queries
    standing: NDArray[np.int64]  # the columns that methods choose from: all but copies
    safe: Safe
    limits: ColumnLimits  # of all columns
    names: tuple[str, ...]  # of all columns
    folds: list[NDArray[np.int64]]  # the queries of each
    n_all: int  # how many columns the reference was trained on
    forecast: Forecast
    metrics: tuple[str, ...]  # their names, for sentences; the first is that of the headline
    late: str = ""  # what the time limit cost, for the reasons

    @property
    def _max_losses(self) -> dict[str, float]:
        """The loss allowed of each metric, by name."""
        return dict(zip(self.metrics, self.rule.max_losses or (self.rule.max_loss,), strict=True))

    @property
    def _everywhere(self) -> str:
        """Where it holds beside the first metric, for sentences."""
        others = [f"{loss:g} of {name.upper()}" for name, loss in list(self._max_losses.items())[1:]]
        return "".join(f" and {other}" for other in others) + ", in every slice" * bool(self.rule.slices)

    def whole_path(self, *others: NDArray[np.int64]) -> list[int]:
        """The path, and the columns that it leaves out: no copies, then of these, in their order."""
        return list(dict.fromkeys(int(j) for columns in (self.path, self.standing, *others) for j in columns))

    @property
    def _size(self) -> str:
        return "cheapest" if self.rule.priced else "smallest"

    def safe_answer(self) -> Answer:
        """All features but the useless."""
        why = f"drops {self.safe.why}" if self.safe.why else "nothing is constant or unused"
        return self._everything(
            "safe", why, self._too_much or "None that these queries could show: scores stay as they are."
        )

    @property
    def _safe_cost(self) -> float:
        return float(self.limits.total(np.array(self.safe.kept, dtype=np.int64)))

    @property
    def _too_much(self) -> str:
        """Why the safe set cannot be had; nothing where it can."""
        if self._safe_cost > self.rule.budget:
            return "More than the budget allows."
        kept = np.array(self.safe.kept, dtype=np.int64)
        return "" if self.limits.keeps(kept) else "More of a family than its limit allows."

    def _everything(self, name: str, reason: str, risk: str) -> Answer:
        """The safe set, as any of the answers."""
        nothing = {"mean": 0.0, "low": 0.0, "high": 0.0, "n_queries": self.forecast.n_queries}
        kept = set(self.safe.kept)
        order = [int(j) for j in self.path if int(j) in kept]  # in the order in which they would be kept
        order += [j for j in self.safe.kept if j not in set(order)]
        return Answer(
            name=name,
            features=tuple(self.names[j] for j in order),
            indices=tuple(order),
            method=ALL_FEATURES,
            measured_k=self.n_all,
            cost=self._safe_cost,
            estimate=nothing,
            optimistic=nothing,
            certified_loss=0.0,
            proven=False,
            reason=reason + self.late,
            risk=risk,
        )

    def _of_path(self, name: str, index: int, reason: str) -> Answer:
        """A set of the path."""
        point, m = self.points[index], self.measured
        estimate = self.rule.estimate(index, m.values, m.reference, self.folds, name)
        return self._at(point, name, self.limits.first(self.path, point.k), estimate, point.certified_loss, reason)

    def _unlike(self, name: str, reason: str) -> Answer | None:
        """All features less their copies, where they were measured: no certificate is for them.

        No look at the figures of several chose this set, so its estimate is its own.
        """
        m = self.measured
        if m.unlike is None:
            return None
        candidate, values = m.unlike
        point = next(p for p in self.points if p.k == candidate.k)
        own = self.rule.compare(values[:1], m.reference[0])[0].to_dict()
        estimate = {part: own[part] for part in ("mean", "low", "high", "n_queries")}
        few = all(math.isinf(loss) for loss in self._shown.losses[0])
        chosen = np.array(self.whole_path()[: point.k])
        return self._at(point, name, chosen, estimate, None if few else max(0.0, -estimate["low"]), reason)

    def _at(
        self,
        point: CurvePoint,
        name: str,
        chosen: NDArray[np.int64],
        estimate: dict[str, float],
        most: float | None,
        reason: str,
    ) -> Answer:
        """These features, of a point of the path; `most` is what they may lose, None where nothing is known of it."""
        proven = point.holds(self._max_losses, slices=bool(self.rule.slices))
        return Answer(
            name=name,
            features=tuple(self.names[j] for j in chosen),
            indices=tuple(int(j) for j in chosen),
            method=point.method,
            measured_k=point.k,
            cost=float(self.limits.total(np.asarray(chosen, dtype=np.int64))),
            estimate=estimate,
            optimistic={**estimate, "mean": point.difference, "low": point.low, "high": point.high},
            certified_loss=point.certified_loss,
            proven=proven,
            reason=reason + self.late,
            risk=risk_of(
                estimate,
                most,
                proven=proven,
                max_losses=self._max_losses,
                level=self.rule.level,
                slices=bool(self.rule.slices),
            ),
        )

    def recommended(self) -> Answer:
        """The set to recommend; of the size asked for, if one was."""
        m, rule = self.measured, self.rule
        if not m.path:
            return self._everything("recommended", *self._nothing)
        if rule.n_features is not None:
            return self._of_path("recommended", 0, self._at_a_size())
        index = self._shown.recommended(tuple(self._max_losses.values()))
        if index is None:
            return self._unresolved("recommended")
        resolved = max(rule.max_loss, self.forecast.resolved or 0.0)
        least = "as asked for" if resolved == rule.max_loss else "the least that they can tell"
        n = f"{self.forecast.n_queries:,} queries"
        which = "" if resolved == rule.max_loss else " as good as the best of those"
        return self._of_path(
            "recommended", index, f"the {self._size} set{which} that {n} show to lose at most {resolved:.2g}, {least}"
        )

    def recommended_by_loss(self) -> tuple[tuple[float, int], ...]:
        """From which loss on, allowed of every metric, how many features of the path are recommended; 0: the safe set.

        Where all features less their copies were measured, they take the place of that.

        Nothing where a size was asked for, or where more than the safe set may have is asked of it.
        """
        if not self.points or self.rule.n_features is not None or self._too_much:
            return ()
        none = 0 if self.measured.unlike is None else self.measured.unlike[0].k
        return tuple((loss, none if index is None else self.points[index].k) for loss, index in self._shown.by_loss())

    @cached_property
    def _shown(self) -> Shown:
        return self.rule.shown(self.measured.values, self.measured.reference)

    def certified(self) -> Answer:
        """The smallest set that is proven to lose at most `max_loss`, of every metric."""
        m, rule = self.measured, self.rule
        if not m.path:
            return self._everything("certified", *self._nothing)
        index = rule.certified(m.values, m.reference)
        if index is None:
            return self._unresolved("certified")
        return self._of_path(
            "certified",
            index,
            f"the {self._size} set that loses at most {rule.max_loss:g}{self._everywhere} "
            f"with {100 * rule.level:g}% confidence",
        )

    @property
    def _nothing(self) -> tuple[str, str]:
        risk = self._too_much or "None: nothing is dropped that was measured."
        return "time was up before any smaller set was measured", risk

    def _unresolved(self, name: str) -> Answer:
        """Where of no smaller set enough is known: the safe one, or the surest that the budget allows."""
        rule, first = self.rule, self.points[0]
        n = f"{self.forecast.n_queries:,} queries"
        loss = first.certified_loss
        few = loss is None or math.isinf(loss)
        if self._too_much:
            allows = "budget allows" if self._safe_cost > rule.budget else "families allow"
            proves = "are too few to prove anything" if few else f"prove only that it loses at most {loss:.4f}"
            return self._of_path(name, 0, f"the largest measured set that the {allows}; {n} {proves}")
        asked = rule.max_loss if name == "certified" else max(rule.max_loss, self.forecast.resolved or 0.0)
        if few:
            why = f"{n} are too few to prove anything of smaller sets"
        elif all(point.high < -asked for point in self.points):
            why = f"every smaller set that was measured loses more than {asked:.2g}"
        else:
            why = f"{n} prove of no smaller set that it loses at most {asked:.2g}"
        if not few:
            left = "1 feature" if first.k == 1 else f"{first.k} features or fewer"
            why += f"; to allow a loss of {thousandths(loss or 0.0):g} would leave {left}"
            why += f" ({first.method}, estimated at {first.difference:+.4f})"
        if name == "certified":
            why += self._narrowest()
        elif (unlike := self._unlike(name, f"what is dropped are copies of other features; {why}")) is not None:
            return unlike
        return self._everything(name, why, "None that these queries could show: scores stay as they are.")

    def _narrowest(self) -> str:
        """Which slices are too small to certify anything in, where they have to be certified."""
        if not self.rule.slices or not self.points[0].slices:
            return ""
        small = [one.title for one in self.points[0].slices if one.n_drawn < FEWEST_CERTIFIED]
        few = f"{', '.join(small[:3])}{' and others' * (len(small) > 3)}"
        drawn = "queries" if self.rule.group is None else "groups of queries"
        needs = f"too few {drawn} to certify anything, which needs {FEWEST_CERTIFIED}"
        return f"; {few} {'have' if len(small) > 1 else 'has'} {needs}" if small else ""

    def _at_a_size(self) -> str:
        """Why this method, where the size was asked for."""
        rule, race = self.rule, self.measured.race
        asked = f"{rule.n_features} feature{'s' * ((rule.n_features or 0) > 1)}"
        if (rule.n_features or 0) > len(self.standing):
            alone = f"all {len(self.standing)} features" if len(self.standing) > 1 else "the one feature"
            return f"{alone} that may be chosen, tell the ranker anything and copy no other; {asked} were asked for"
        short = any(len(s) != rule.n_features for s in self.measured.path[0].sets)
        rows = 1 if race is None else len(rule.of_the_size(race.candidates))
        if rows == 1:
            return "no other method was measured" + f", and it chooses fewer than {asked}" * short
        size = f"which all choose fewer than {asked}" if short else f"at {asked}"
        return (
            f"of {rows} methods {size} on held-out queries, the first in the portfolio that "
            f"{rule.mcs_level:.0%} confidence does not show to be worse than the best"
        )
