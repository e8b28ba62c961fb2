"""ColumnLimits: costs and rules by column, as arrays that greedy selectors ask at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.selectors.families import Families, Mask


@dataclass(frozen=True, eq=False)
class ColumnLimits:
    """What a `Limits` says of K features: made once a fit, by `Limits.bound`."""

    own: NDArray[np.float64]  # (K,): cost of each feature beside its groups'
    shared: NDArray[np.float64]  # (G,): cost of each group
    member: Mask  # (G, K): which features a group has
    # (K,): features to keep in any case, and never to take
    must_keep: Mask
    never: Mask
    budget: float  # infinite where there is none
    # at most so many of a kind, and what goes together; `must_keep` and `never` have all or nothing of the latter
    families: Families

    @classmethod
    def none(cls, n_features: int) -> ColumnLimits:
        """No limit: every feature costs 1."""
        no = np.zeros(n_features, dtype=bool)
        member = np.empty((0, n_features), dtype=bool)
        return cls(np.ones(n_features), np.empty(0), member, no, no, np.inf, Families.of(n_features))

    @property
    def most(self) -> float:
        """The budget with room for rounding."""
        return self.budget * (1 + 1e-9)  # 0.1 + 0.2 fits in 0.3

    def only(self, columns: NDArray[np.int64]) -> ColumnLimits:
        """The limits of some of the features."""
        return ColumnLimits(
            self.own[columns],
            self.shared,
            self.member[:, columns],
            self.must_keep[columns],
            self.never[columns],
            self.budget,
            self.families.only(columns),
        )

    def marginal(self, taken: Mask) -> NDArray[np.float64]:
        """What each feature would add to the bill of those taken."""
        unpaid = self.shared * ~self.paid(taken)
        return np.asarray(self.own + unpaid @ self.member)

    def saved(self, taken: Mask) -> NDArray[np.float64]:
        """What each feature taken would save if it were left out again."""
        alone = self.shared * ((self.member & taken).sum(axis=1) == 1)
        return np.asarray(self.own + alone @ self.member)

    def total(self, features: ArrayLike) -> float:
        """The bill of these features (indices or a mask)."""
        chosen = np.asarray(features)
        taken = chosen if chosen.dtype == bool else np.isin(np.arange(len(self.own)), chosen)
        return float(self.own[taken].sum() + self.shared[self.paid(taken)].sum())

    def open(self, taken: Mask) -> Mask:
        """Which features may be taken next: those that are due, else those that families allow and that can be paid."""
        due = self.due(taken)
        if due.any():
            return due
        left = ~taken & ~self.never & self.families.allowed(taken)
        if np.isinf(self.budget):
            return left
        return left & self.fits(taken, self._bills(taken))

    def due(self, taken: Mask) -> Mask:
        """What comes before all others, whatever it gains: `must_keep`, then what goes together with those taken."""
        first = self.must_keep & ~taken
        return first if first.any() else self.families.begun(taken)

    def _bills(self, taken: Mask) -> NDArray[np.float64]:
        """What each feature would add to the bill with all that goes together with it."""
        bills = self.marginal(taken)
        for group in self.families.groups():
            bills[group] = self._more(taken, np.array(group))
        return bills

    def _more(self, taken: Mask, features: NDArray[np.int64]) -> float:
        """What these features would add to the bill of those taken."""
        paid = self.paid(taken)
        newly = ~paid & self.member[:, features].any(axis=1)
        return float(self.own[features].sum() + self.shared[newly].sum())

    def staying(self, left_out: Mask) -> Mask:
        """What stays of features to be left out: `must_keep`, and what goes together with others that stay."""
        return self.must_keep | self.families.riding(left_out)

    @property
    def is_free(self) -> bool:
        """Whether any features may be had together: there is no budget, and nothing is asked of families."""
        return np.isinf(self.budget) and self.families.is_free

    @property
    def is_scarce(self) -> bool:
        """Whether not everything can be had: there is a budget, or a limit of a family."""
        return not np.isinf(self.budget) or bool(len(self.families.at_most))

    def keeps(self, features: ArrayLike) -> bool:
        """Whether these features (indices or a mask) can be paid and break no rule of families."""
        chosen = np.asarray(features)
        taken = chosen if chosen.dtype == bool else np.isin(np.arange(len(self.own)), chosen)
        return self.total(taken) <= self.most and self.families.keeps(taken)

    def payable(self) -> Mask:
        """Which features can be paid at all: those of `must_keep`, and those that fit beside them alone."""
        return self.must_keep | self.open(self.must_keep)

    def lost(self, families: Families) -> Mask:
        """What goes together there but cannot be had whole beside `must_keep` here."""
        out = np.zeros(len(self.own), dtype=bool)
        for group in families.groups():
            beside = self.must_keep.copy()
            beside[group] = True
            out[group] = self.never[group].any() or not self.keeps(beside)
        return out

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
        return np.asarray(self.total(taken) + np.asarray(more) <= self.most)

    def obeyed(self, order: ArrayLike) -> NDArray[np.int64]:
        """The order within the limits, for methods that do not know them: what is `affordable` of it as `arranged`."""
        return self.affordable(self.arranged(order))

    def affordable(self, order: ArrayLike) -> NDArray[np.int64]:
        """The order without the features that families or the budget do not allow when their turn comes.

        What goes together stands together, where its first feature stood.
        """
        indices, free = np.asarray(order, dtype=np.int64), np.isinf(self.budget)
        if free and self.families.is_free:
            return indices
        return self.families.obeyed(
            indices, lambda taken, more: free or bool(self.fits(taken, self._more(taken, more)))
        )

    def arranged(self, order: ArrayLike) -> NDArray[np.int64]:
        """The order under the rules: `must_keep` first, `never` left out, both as they come in it.

        Features of `must_keep` that the order does not reach come right behind those it does.
        """
        indices = np.asarray(order, dtype=np.int64)
        kept = indices[self.must_keep[indices]]
        unreached = np.setdiff1d(np.flatnonzero(self.must_keep), kept)
        return np.concatenate([kept, unreached, indices[~self.must_keep[indices] & ~self.never[indices]]])

    def first(self, order: ArrayLike, size: int) -> NDArray[np.int64]:
        """The first `size` features of an order within the limits, see `Families.first`; `must_keep` in any case."""
        indices = np.asarray(order, dtype=np.int64)
        if self.families.is_free:
            return indices[:size]
        kept = self.must_keep[indices]
        rest = self.families.first(indices[~kept], max(0, size - int(kept.sum())))
        return np.concatenate([indices[kept], rest])

    def makes_up(self, order: ArrayLike, size: int) -> bool:
        """Whether `first` makes up this size of an order, which cuts through nothing that goes together."""
        if self.families.is_free:
            return np.size(order) >= size
        taken = np.isin(np.arange(len(self.own)), order)
        return not self.due(taken).any() and len(self.first(order, size)) >= size

    def sizes(self, order: ArrayLike) -> list[int]:
        """The sizes that `first` makes up from an order within the limits, the smallest first."""
        indices = np.asarray(order, dtype=np.int64)
        kept = self.must_keep[indices]
        least = int(kept.sum())
        return [least + more for more in self.families.sizes(indices[~kept]) if least + more]

    def possible_sizes(self) -> list[int]:
        """The numbers of features that families may allow, the smallest first, whatever is constant or a copy."""
        over = np.maximum(0, (self.families.limited & ~self.never).sum(axis=1) - self.families.at_most)
        apart = bool((self.families.limited.sum(axis=0) <= 1).all())
        most = int((~self.never).sum() - (over.sum() if apart else over.max(initial=0)))
        free, kept = np.flatnonzero(~self.never & ~self.must_keep), int(self.must_keep.sum())
        by_unit = free[np.argsort(self.families.unit[free], kind="stable")]
        return [kept + more for more in self.families.sizes(by_unit) if 0 < kept + more <= most]

    def largest_size(self, size: int) -> int:
        """The largest number of features up to this one that families may allow; this one where they allow none."""
        if self.families.is_free:
            return size
        return max((n for n in self.possible_sizes() if n <= size), default=size)

    def family_rule(self, size: int) -> str | None:
        """What a number of features must be where families do not allow this one; None where they may."""
        if self.families.is_free:
            return None
        sizes = self.possible_sizes()
        if size in sizes:
            return None
        if size > max(sizes, default=size):
            return f"<= {sizes[-1]}, as many as the families allow"
        return _unparted(sizes, size)

    def other_sizes(self, size: int, sizes: Sequence[int]) -> str | None:
        """What a number of features must be where a path makes up only `sizes`.

        None where this one is among them, or the path ends before it though the families would allow it.
        """
        if size in sizes or not sizes:
            return None
        if size > sizes[-1]:
            too_many = not self.families.is_free and size > max(self.possible_sizes(), default=size)
            return f"<= {sizes[-1]}, as many as the families allow" if too_many else None
        if size < (n_kept := int(self.must_keep.sum())):
            return f">= {n_kept}, the number of features that must be kept"
        return _unparted(sizes, size)


def _unparted(sizes: Sequence[int], size: int) -> str:
    """What a number of features must be where what goes together makes up only these.

    >>> _unparted([2, 4, 6], 3)
    '2 or 4, since features that go together cannot be parted'
    """
    near = [n for n in sizes if n < size][-1:] + [n for n in sizes if n > size][:1]
    return f"{' or '.join(map(str, near))}, since features that go together cannot be parted"


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
