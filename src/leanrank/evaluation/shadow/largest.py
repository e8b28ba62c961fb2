"""Largest: how much queries can lose or gain, for a bound on their mean that assumes nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: The part of the draws at either end that an interval of 95% may miss.
_TAIL = 0.025


@dataclass(frozen=True)
class Largest:
    """What queries can lose or gain at most.

    A bound that allows every query the most that any can lose is wider than it has to be where few can lose so much:
    what each can lose is known before anything is judged. So what a query loses, divided by its probability to be
    drawn, is bounded by a cut, and all that may lie beyond is added. That holds whatever the cut is.

    Attributes
    ----------
    cut : float
    beyond : float
        The sum over all queries that may be left out of what they can lose beyond the cut.
    certain : float
        The same of those that are drawn for certain, and may be left out only where the judging stops early.
    """

    cut: float
    beyond: float = 0.0
    certain: float = 0.0

    @classmethod
    def of(cls, most: Floats, probability: Floats) -> Largest:
        """Where each query can lose `most` and is drawn with this probability.

        The cut is the one that makes the bound of an interval of 95% smallest: m draws miss a part of
        1 - 0.025^(1/m) of all in one case of 40, and the cut is what this part can exceed.

        >>> even = np.full(200, 0.25)
        >>> Largest.of(np.ones(200), even)
        Largest(cut=4.0, beyond=0.0, certain=0.0)
        >>> Largest.of(np.array([10.0] + [1.0] * 199), even)
        Largest(cut=4.0, beyond=9.0, certain=0.0)
        """
        open_ = np.flatnonzero(probability < 1)
        cut = 0.0
        if len(open_):
            order = open_[np.argsort(-most[open_] / probability[open_], kind="stable")]
            shares = np.cumsum(probability[order])
            missed = (1 - _TAIL ** (1 / shares[-1])) * shares[-1]
            last = order[min(np.searchsorted(shares, missed), len(order) - 1)]
            cut = float(most[last] / probability[last])
        over = np.maximum(most - cut * probability, 0.0)
        beyond = float(over[open_].sum())
        return cls(cut, beyond, float(over.sum()) - beyond)

    def times(self, factor: float) -> Largest:
        """The same of losses that are so many times as large."""
        return Largest(self.cut * factor, self.beyond * factor, self.certain * factor)

    def judged(self, share: float) -> Largest:
        """The same where the judging stopped early, after this share of what was drawn: chances are smaller."""
        return self if share >= 1 else Largest(self.cut / share, self.beyond + self.certain)
