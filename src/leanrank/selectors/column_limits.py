"""ColumnLimits: costs and rules by column, as arrays that greedy selectors ask at every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ColumnLimits:
    """What a `Limits` says of K features: made once a fit, by `Limits.bound`.

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
    """

    own: NDArray[np.float64]
    shared: NDArray[np.float64]
    member: Mask
    must_keep: Mask
    never: Mask
    budget: float

    @classmethod
    def none(cls, n_features: int) -> ColumnLimits:
        """No limit: every feature costs 1."""
        no = np.zeros(n_features, dtype=bool)
        return cls(np.ones(n_features), np.empty(0), np.empty((0, n_features), dtype=bool), no, no, np.inf)

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
        return np.asarray(self.total(taken) + np.asarray(more) <= self.most)

    def affordable(self, order: ArrayLike) -> NDArray[np.int64]:
        """The order without the features that do not fit into the budget when their turn comes."""
        indices = np.asarray(order, dtype=np.int64)
        if np.isinf(self.budget):
            return indices
        taken, out = np.zeros(len(self.own), dtype=bool), []
        for j in indices:
            if self.open(taken)[j]:
                taken[j] = True
                out.append(j)
        return np.array(out, dtype=np.int64)

    def arranged(self, order: ArrayLike) -> NDArray[np.int64]:
        """The order under the rules: `must_keep` first, `never` left out, both as they come in it.

        Features of `must_keep` that the order does not reach come right behind those it does.
        """
        indices = np.asarray(order, dtype=np.int64)
        kept = indices[self.must_keep[indices]]
        unreached = np.setdiff1d(np.flatnonzero(self.must_keep), kept)
        return np.concatenate([kept, unreached, indices[~self.must_keep[indices] & ~self.never[indices]]])


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
