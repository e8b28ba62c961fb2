"""Limits: what features cost, which must be taken, which never, how much may be spent; for every greedy selector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.errors import ParameterError, UnknownNameError

#: The parameters that a selector with limits has, None where there is no such limit.
LIMITS = ("costs", "groups", "must_keep", "never", "budget")

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Limits:
    """Costs and rules that a greedy selector obeys. This is what its five parameters mean:

    costs : dict or array, optional
        The cost of each feature, >= 0: an array of one number per feature, or a dict from the name of a feature, or of
        a group, to its cost. Without it a feature costs 1. The greedy step takes the largest gain per cost, where cost
        is what the feature adds to the bill now: ``gain / cost``, so that free features with a gain come first. A gain
        of 0 or less counts ``gain * cost``: a loss is not made good by being dear. With equal costs the method is what
        it is without.
    groups : dict, optional
        Name of a group -> its features. Features of a group are computed together, so a group is paid once, by the
        first of its features that is taken. A group named in `costs` costs that, beside the features' own costs (0 for
        those not named). Any other group costs as much as its dearest feature, and its features nothing more.
    must_keep : features, optional
        Taken before all others, in the method's order, even if constant.
    never : features, optional
        Never taken.
    budget : float, optional
        The most that may be spent. A feature that does not fit in what is left is passed over for those that do.

    Features are named by their names or by 0-based numbers. As a class it holds these rules for K features, as arrays.

    Parameters
    ----------
    own : array of shape (K,)
        Cost of each feature beside its groups'.
    shared : array of shape (G,)
        Cost of each group.
    member : bool array of shape (G, K)
        Which features a group has.
    must_keep, never : bool arrays of shape (K,)
    budget : float
        Infinite where there is none.

    Examples
    --------
    >>> limits = Limits.of("GAS", ["bm25", "tf", "clicks"], costs={"bm25": 1, "tf": 1, "log": 5},
    ...                    groups={"log": ["clicks"]}, budget=6)
    >>> nothing = np.zeros(3, dtype=bool)
    >>> limits.marginal(nothing).tolist(), limits.total([0, 2])
    ([1.0, 1.0, 5.0], 6.0)
    """

    own: NDArray[np.float64]
    shared: NDArray[np.float64]
    member: Mask
    must_keep: Mask
    never: Mask
    budget: float

    @classmethod
    def none(cls, n_features: int) -> Limits:
        """No limit: every feature costs 1."""
        no = np.zeros(n_features, dtype=bool)
        return cls(np.ones(n_features), np.empty(0), np.empty((0, n_features), dtype=bool), no, no, np.inf)

    @classmethod
    def of(
        cls,
        owner: str,
        names: Sequence[str],
        *,
        costs: Any = None,
        groups: Any = None,
        must_keep: Any = None,
        never: Any = None,
        budget: Any = None,
    ) -> Limits:
        """Read the parameters of the selector `owner` on features of these names, refusing what cannot be."""
        places = _Places(owner, list(names))
        kept, banned = places.mask("must_keep", must_keep), places.mask("never", never)
        if (kept & banned).any():
            name = names[int(np.argmax(kept & banned))]
            sentence = (
                f"The 'never' parameter of {owner} names feature {name!r}, which must be kept: take it out of one."
            )
            raise ParameterError(sentence, owner=owner, parameter="never")
        if banned.all():
            sentence = f"The 'never' parameter of {owner} names every feature: none is left to select."
            raise ParameterError(sentence, owner=owner, parameter="never")
        member = _members(places, groups)
        own, shared = _prices(places, costs, list(groups or {}), member)
        if budget is not None and not (_is_number(budget) and budget >= 0):
            raise ParameterError.of(owner, "budget", "a number >= 0 or None", budget)
        limits = cls(own, shared, member, kept, banned, np.inf if budget is None else float(budget))
        if limits.total(kept) > limits._most:
            raise ParameterError.of(owner, "budget", f">= {limits.total(kept):g}, the cost of 'must_keep'", budget)
        return limits

    @property
    def _most(self) -> float:
        return self.budget * (1 + 1e-9)  # 0.1 + 0.2 fits in 0.3

    def only(self, columns: NDArray[np.int64]) -> Limits:
        """The limits of some of the features."""
        return Limits(
            self.own[columns],
            self.shared,
            self.member[:, columns],
            self.must_keep[columns],
            self.never[columns],
            self.budget,
        )

    def rules(self) -> dict[str, Any]:
        """`costs`, `groups` and `must_keep` for a selector of these features; only those that make a difference.

        Groups get numbers behind the features', which cannot be names of features.
        """
        n, groups = len(self.own), np.flatnonzero(self.member.any(axis=1)).tolist()
        rules: dict[str, Any] = {"must_keep": np.flatnonzero(self.must_keep).tolist()} if self.must_keep.any() else {}
        if groups:
            rules["costs"] = dict(enumerate(self.own.tolist())) | {n + g: float(self.shared[g]) for g in groups}
            rules["groups"] = {n + g: np.flatnonzero(self.member[g]).tolist() for g in groups}
        elif np.ptp(self.own) > 0:
            rules["costs"] = self.own
        return rules

    def marginal(self, taken: Mask) -> NDArray[np.float64]:
        """What each feature would add to the bill of those taken."""
        unpaid = self.shared * ~self.paid(taken)
        return np.asarray(self.own + unpaid @ self.member)

    def saved(self, taken: Mask) -> NDArray[np.float64]:
        """What each feature taken would save if it were left out again."""
        alone = self.shared * ((self.member & taken).sum(axis=1) == 1)
        return np.asarray(self.own + alone @ self.member)

    def total(self, features: ArrayLike) -> float:
        """The bill of these features (0-based numbers or a mask)."""
        chosen = np.asarray(features)
        taken = chosen if chosen.dtype == bool else np.isin(np.arange(len(self.own)), chosen)
        return float(self.own[taken].sum() + self.shared[self.paid(taken)].sum())

    def open(self, taken: Mask) -> Mask:
        """Which features may be taken next: those of `must_keep` while there are any, then those that can be paid."""
        first = self.must_keep & ~taken
        if first.any():
            return first
        left = ~taken & ~self.never
        if np.isinf(self.budget):
            return left
        return left & self.fits(taken, self.marginal(taken))

    def payable(self) -> Mask:
        """Which features can be paid at all: those of `must_keep`, and those that fit beside them alone."""
        return self.must_keep | self.open(self.must_keep)

    def paid(self, taken: Mask) -> Mask:
        """Which groups those taken have paid."""
        return np.asarray((self.member & taken).any(axis=1))

    def pairs(self, taken: Mask, columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """What any two of these features would add to the bill of those taken: a group of both is paid once.

        Between two steps it changes only where a group gets paid.
        """
        part = self.only(columns)
        unpaid = self.shared * ~self.paid(taken)
        # The groups of the one, and those of the other that the one is not in: no difference, so free is exactly 0.
        one = part.own + unpaid @ part.member
        return np.asarray(one[:, None] + part.own + (~part.member).T * unpaid @ part.member)

    def fits(self, taken: Mask, more: ArrayLike) -> Mask:
        """Whether so much more can be paid beside those taken."""
        return np.asarray(self.total(taken) + np.asarray(more) <= self._most)


def per_cost(gain: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gain per cost: ``gain / cost`` where there is a gain, ``gain * cost`` otherwise; to 12 decimals.

    Costs count in units of the largest, so that equal costs leave gains as they are.

    >>> per_cost(np.array([0.4, 0.4, 0.4, -0.4]), np.array([4.0, 2.0, 0.0, 2.0]))
    array([ 0.4,  0.8,  inf, -0.2])
    """
    unit = cost / cost.max() if cost.max() > 0 else np.ones_like(cost)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where(gain > 0, gain / unit, gain * unit)
    return np.asarray(np.round(worth, 12), dtype=np.float64)


@dataclass(frozen=True)
class _Places:
    """Columns by name, for one selector's errors."""

    owner: str
    names: list[str]

    def column(self, parameter: str, feature: Any) -> int:
        """The column of one feature, by its name or number."""
        if isinstance(feature, str):
            if feature not in self.names:
                kind = f"feature in '{parameter}' of {self.owner}"
                raise UnknownNameError.of(kind, feature, self.names, owner=self.owner, parameter=parameter)
            return self.names.index(feature)
        if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool) and 0 <= feature < len(self.names):
            return int(feature)
        rule = f"names of features or numbers from 0 to {len(self.names) - 1}"
        raise ParameterError.of(self.owner, parameter, rule, feature)

    def mask(self, parameter: str, features: Any) -> Mask:
        """Which columns these features are: names, numbers, or a mask."""
        out = np.zeros(len(self.names), dtype=bool)
        if features is None:
            return out
        wanted = [features] if isinstance(features, str) or not np.iterable(features) else list(features)
        if len(wanted) == len(out) and all(isinstance(w, (bool, np.bool_)) for w in wanted):
            return np.array(wanted, dtype=bool)
        out[[self.column(parameter, feature) for feature in wanted]] = True
        return out


def _members(places: _Places, groups: Any) -> Mask:
    if groups is None:
        return np.empty((0, len(places.names)), dtype=bool)
    if not isinstance(groups, Mapping):
        raise ParameterError.of(places.owner, "groups", "a dict from a group's name to its features", groups)
    for name in groups:
        if name in places.names:
            sentence = f"Group {name!r} of {places.owner} has the name of a feature: give it another."
            raise ParameterError(sentence, owner=places.owner, parameter="groups")
    rows = [places.mask("groups", features) for features in groups.values()]
    return np.array(rows, dtype=bool).reshape(len(groups), len(places.names))


def _prices(
    places: _Places, costs: Any, groups: list[Any], member: Mask
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Own costs of the features and costs of the groups."""
    n = len(places.names)
    own, shared = np.ones(n), np.full(len(groups), np.nan)
    if isinstance(costs, Mapping):
        own[:] = np.nan
        for name, cost in costs.items():
            if not (_is_number(cost) and cost >= 0):
                raise ParameterError.of(places.owner, "costs", f"numbers >= 0, also that of {name!r}", cost)
            if name in groups:
                shared[groups.index(name)] = cost
            else:
                own[places.column("costs", name)] = cost
        own[np.isnan(own) & member[~np.isnan(shared)].any(axis=0)] = 0.0
        unknown = np.flatnonzero(np.isnan(own))
        if len(unknown):
            first = places.names[unknown[0]]
            raise ParameterError(
                f"The 'costs' of {places.owner} have no cost for {len(unknown)} of {n} features, the first of which is "
                f"{first!r}: name each, or its group.",
                owner=places.owner,
                parameter="costs",
            )
    elif costs is not None:
        try:
            own = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError):
            own = np.full(1, np.nan)
        if own.shape != (n,) or not np.isfinite(own).all() or (own < 0).any():
            raise ParameterError.of(places.owner, "costs", f"a dict, or {n} numbers >= 0, one per feature", costs)
    unnamed = np.isnan(shared)
    shared[unnamed] = [float(own[row].max(initial=0.0)) for row in member[unnamed]]
    own[member[unnamed].any(axis=0)] = 0.0
    return own, shared


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and bool(np.isfinite(float(value)))
