"""MSD: max-sum dispersion, pairs of features that are important and far apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.column_limits import ColumnLimits, per_cost
from leanrank.selectors.families import Mask
from leanrank.selectors.greedy import best, unit_relevance
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


@declared
class MSD(GraphSelector):
    r"""Take two features at a time: the pair that is most important and least alike.

    Repeat: the pair of features left with the largest

    .. math:: (1 - \lambda)(r_i + r_j) + 2 \lambda (1 - s_{ij})

    the more important of the two first. An odd size ends with the most important feature left. r is the importance on
    [0, 1], s the absolute similarity. With `costs` it is the largest value per what the two cost together; where no
    pair may be taken (one is left of `must_keep`, or none fits the `budget`) but a feature may, it is taken alone.

    Parameters
    ----------
    lam : float
        From 0 (importance alone, as `TopK`) to 1 (distance alone).

    Attributes
    ----------
    order_ : array
        The path towards the size asked for; even sizes are nested, odd ones differ in their last feature. With
        an odd number of features in `must_keep` it is the other way round.
    scores_ : array
        The value of the pair each feature came with; the relevance of one taken alone.

    See Also
    --------
    MMR, MPT, HCAS

    Notes
    -----
    O(K^3) after the graph. Pairs are far apart inside, but two pairs may be alike: `MMR` looks at all taken so far.

    Alone, with its defaults, it is behind random features on the MSLR sample (docs/methods_alone.md).

    References
    ----------
    S. Gollapudi, A. Sharma. An axiomatic approach for result diversification. WWW 2009.
    K. D. Naini, I. S. Altingovde. Exploiting result diversification methods for feature selection in learning to rank.
    ECIR 2014.

    Examples
    --------
    >>> from leanrank import MSD, FeatureGraph
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]], ["bm25", "tf", "age"])
    >>> MSD(2).fit_graph(graph).get_feature_names_out().tolist()
    ['bm25', 'age']
    """

    lam: float = 0.5
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_number("lam", "from 0 to 1", low=0, high=1)

    def _select_size(self, graph: FeatureGraph, size: int | None) -> Path:
        r, _ = unit_relevance(graph.importance)
        s = np.abs(graph.similarity)
        m, names = len(r), graph.feature_names
        wanted = m if size is None else size
        limits, taken = self._limits(names), np.zeros(m, dtype=bool)
        value = np.round((1 - self.lam) * (r[:, None] + r) + 2 * self.lam * (1 - s), 12)
        pairs = _Pairs(value, limits)
        steps: list[Step] = []
        while not limits.makes_up([s.feature for s in steps], wanted) and (left := limits.open(taken)).any():
            pair = pairs.best(taken, left) if len(steps) + 2 <= wanted else None
            if pair is not None:
                i, j = pair
                pair = (j, i) if r[j] > r[i] else (i, j)
                for feature, partner in (pair, pair[::-1]):
                    why = f"relevance {r[feature]:.6g}, with {names[partner]!r} (likeness {s[i, j]:.6g})"
                    steps.append(Step(feature, float(graph.importance[feature]), float(value[i, j]), why))
                taken[[i, j]] = True
            else:
                alone = best(r, limits.marginal(taken), left)
                why = f"relevance {r[alone]:.6g}: best of those left, no pair of them can be taken"
                steps.append(Step(alone, float(graph.importance[alone]), float(r[alone]), why))
                taken[alone] = True
        return Path.of(steps, m)


class _Pairs:
    """Pairs of features by their value per cost, worked out again only where prices change.

    Costs count in units of the dearest pair that may be taken (see `per_cost`), so values hold as long as that pair is
    there and no other group gets paid.
    """

    def __init__(self, value: NDArray[np.float64], limits: ColumnLimits) -> None:
        self.value, self.limits = value, limits
        self.columns = np.empty(0, dtype=np.int64)  # the features that the rows of cost, gain and worth are
        self.known = np.zeros(len(value), dtype=bool)  # of all features, those that are still in pairs
        self.paid = np.zeros(len(limits.shared), dtype=bool)
        self.dearest = (0, 0)

    def best(self, taken: Mask, left: Mask) -> tuple[int, int] | None:
        """The best pair among those left that can be paid; None where there is none."""
        changed = (left & ~self.known).any() or (self.limits.paid(taken) != self.paid).any()
        if changed or not self.limits.families.is_free:
            self._price(taken, left)
        self._drop(taken, left)
        if self.worth[self.dearest] == -np.inf:
            self._price(taken, left)
        most = self.most.max()
        if most == -np.inf:
            return None
        rows = np.flatnonzero(self.most == most)
        row, column = np.nonzero(self.worth[rows] == most)
        place = np.argmax(self.gain[rows[row], column])
        return int(self.columns[rows[row[place]]]), int(self.columns[column[place]])

    def _drop(self, taken: Mask, left: Mask) -> None:
        gone = (self.known & ~left)[self.columns]
        self.worth[gone] = self.worth[:, gone] = -np.inf
        self.known &= left
        if self.limits.fits(taken, self.cost[self.dearest]):
            self._look(np.flatnonzero(gone | gone[self.partner]))
        else:
            self.worth[~self.limits.fits(taken, self.cost)] = -np.inf
            self._look(np.arange(len(self.columns)))

    def _look(self, rows: NDArray[np.int64]) -> None:
        """Find the best partner of these features again."""
        self.partner[rows] = self.worth[rows].argmax(axis=1)
        self.most[rows] = self.worth[rows, self.partner[rows]]

    def _price(self, taken: Mask, left: Mask) -> None:
        self.columns, self.known, self.paid = np.flatnonzero(left), left.copy(), self.limits.paid(taken)
        self.cost = self.limits.pairs(taken, self.columns)
        self.gain = self.value[np.ix_(self.columns, self.columns)]
        may = np.triu(self.limits.fits(taken, self.cost) & self.limits.families.pairs(taken, self.columns), k=1)
        self.worth = np.full(may.shape, -np.inf)
        if may.any():
            self.worth[may] = per_cost(self.gain[may], self.cost[may])
            # Of the dearest the least worth, which is likely to be there longest.
            dear = may & (self.cost == self.cost[may].max())
            row, column = np.unravel_index(np.argmin(np.where(dear, self.worth, np.inf)), dear.shape)
            self.dearest = (int(row), int(column))
        else:
            self.dearest = (0, 0)
        self.partner, self.most = self.worth.argmax(axis=1), self.worth.max(axis=1)
