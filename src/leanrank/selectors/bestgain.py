"""BestGain: greedily add the feature whose ranking, merged in, lifts the mean metric most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import QUERIES
from leanrank.engines.fold import fold
from leanrank.metrics._base import Metric, is_number
from leanrank.metrics.names import metric as parse_metric
from leanrank.metrics.precision_recall import AP
from leanrank.selectors._base import Selector
from leanrank.selectors.greedy import best
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.constant import Constant
from leanrank.stats.ranked_lists import Gains, Merging, RankedLists

# Lists of so many values are kept between rounds; longer data are folded again in each round.
_KEPT_VALUES = 250_000_000

Round = Callable[[tuple[int, ...], NDArray[np.int64]], tuple[NDArray[np.float64], float]]


def elbow(curve: NDArray[np.float64]) -> int:
    """How many points of a rising curve to keep: up to the one farthest above the line from its first to its last.

    One more point that adds nothing is imagined at the end. Both axes are scaled to [0, 1]; the first of equally far
    points wins; a flat curve keeps one.

    >>> elbow(np.array([0.40, 0.48, 0.485, 0.487, 0.488]))
    2
    >>> elbow(np.array([0.4])), elbow(np.array([0.4, 0.5]))
    (1, 2)
    """
    rise = curve[-1] - curve[0]
    if rise <= 0.0:
        return 1
    height = np.round((curve - curve[0]) / rise - np.arange(len(curve)) / len(curve), 12)
    return int(np.argmax(height)) + 1


@declared
class BestGain(Selector):
    r"""Start from the feature that ranks best alone; keep adding the one whose ranking gains most when merged in.

    Two ranked lists are merged by always taking the shorter of their next segments, a segment reaching to the next
    relevant document (labels are known: this is an optimistic picture of what the two features could do together).
    With :math:`R_q` the lists merged so far and :math:`r_{qj}` the documents ranked by feature j,

    .. math:: \mathrm{gain}_j = \frac1{|Q|} \sum_q M(\mathrm{merge}(R_q, r_{qj})) - M(R_q)

    and the search stops before adding a feature whose gain is below `delta`. Queries with weights count as much in the
    mean.

    Parameters
    ----------
    delta : float or "auto"
        The smallest gain worth a feature; must be > 0. Grid: .2, .1, .05, .02, .01, .005, .002, .001. "auto" adds
        features until none gains anything, and keeps those up to the elbow of the curve of the metric: the point
        farthest above the straight line from the curve's first point to its last (axes scaled to [0, 1], and one more
        step that adds nothing imagined at the end).
    metric : str or Metric
        What the lists are measured by.
    relevance_threshold : float
        Documents with at least this label are relevant: for merging, and for a named "map".
    max_features : int, optional
        Stop after so many features.
    count_picked : bool
        Whether documents taken already count in the length of a segment.
    shuffle_ties : int, True or None
        Equal values keep the order of the file, or get an order drawn once for each query from this seed; True is
        the seed 0.
    n_features_to_select : int, float or None
        Take exactly so many, whatever they gain; None leaves it to `delta`.
    engine : optional
        Where each round is computed. Without one, data in memory keep their ranked lists between rounds; otherwise
        every round is a fold that replays the merges of the features chosen so far.
    limits : Limits or None, default=None
        Gain per cost, and which features must or must not be taken. `delta` is about the gain itself,
        and does not hold for `must_keep`; for "auto" the curve begins with all of them.

    Attributes
    ----------
    scores_ : array
        The gain at its step; NaN for features never added.
    gains_ : array
        The gain of every step: the gain curve. The first is the metric of the first feature alone, and where the search
        stopped by `delta`, the last is the largest gain there was, which was too small.

    See Also
    --------
    GreedyWrapper, GAS

    Notes
    -----
    Cost ``O(|S| K n)`` after sorting; memory 4 to 6 n K bytes if lists are kept. A query without relevant documents
    gains 0 and counts. Gains may be negative. Features constant inside every query are dropped first: their list would
    be the order of the file. Those of `must_keep` are taken with a gain of 0, and nothing is merged.

    Documents with equal values stay in the order of rows, as in the paper, so that order may change the choice.
    `leanrank.select` sorts rows first, so that it cannot there: what is chosen inside may differ from what is chosen
    alone. `shuffle_ties` shows how much hangs on it.

    References
    ----------
    M. Costa, M. J. Silva. A fast filter feature selection algorithm for ranking. Technical report. Its Algorithm 1 is
    corrected so that it ends, and `delta` is checked before adding, which gives the published numbers of features.

    Examples
    --------
    >>> from leanrank import BestGain, RankingData
    >>> X = [[6, 1], [5, 5], [4, 6], [3, 4], [2, 5.5], [1, 3]]  # n1 r1 n2 n3 r2 n4, and n2 r2 r1 n3 n4 n1
    >>> data = RankingData(X, [0, 1, 0, 0, 1, 0], [0, 6])
    >>> best = BestGain(delta=0.01).fit(data)
    >>> best.order_.tolist(), best.gains_.round(4).tolist()
    ([1], [0.5833, 0.0])
    """

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    delta: float | str = field(default="auto", kw_only=False)
    metric: Any = field(default="map", kw_only=False)
    relevance_threshold: float = field(default=1, kw_only=False)
    max_features: int | None = field(default=None, kw_only=False)
    count_picked: bool = False
    shuffle_ties: int | bool | None = None
    n_features_to_select: int | float | None = None
    engine: Any = None
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        positive = is_number(self.delta) and self.delta > 0  # type: ignore[operator]
        self._require("delta", "a number > 0 or 'auto'", self.delta == "auto" or bool(positive))
        self._require_number("relevance_threshold", "a number")
        if self.max_features is not None:
            self._require_number("max_features", "a whole number >= 1 or None", 1)
        if self.shuffle_ties is not None and self.shuffle_ties is not True:
            self._require_number("shuffle_ties", "a whole number >= 0, True or None", 0)
        self._merging()  # an unknown metric is refused here

    def _check_sizes(self) -> None:
        super()._check_sizes()
        n_kept = int(self._limits().must_keep.sum())
        enough = self.max_features is None or self.n_features_to_select is not None or self.max_features >= n_kept
        self._require("max_features", f">= {n_kept}, the number of features in 'must_keep'", enough)

    def _merging(self) -> Merging:
        if isinstance(self.metric, Metric):
            measure = self.metric
        elif isinstance(parse_metric(self.metric), AP):
            measure = parse_metric(self.metric, relevance_threshold=self.relevance_threshold, empty="zero")
        else:
            measure = parse_metric(self.metric)
        return Merging(measure, float(self.relevance_threshold), bool(self.count_picked), self._seed())

    def _seed(self) -> int | None:
        return None if self.shuffle_ties is None else 0 if self.shuffle_ties is True else int(self.shuffle_ties)

    def change_seeds(self, change: Callable[[int], int]) -> Self:
        """Replace the seed of the order of equal values, if it is drawn, by ``change(seed)``."""
        seed = self._seed()
        if seed is not None:
            self.set_params(shuffle_ties=change(seed))
        return self

    def _fit(self, source: RankingSource) -> Path:
        merging = self._merging()
        if self.engine is not None or not isinstance(source, RankingData) or source.X.size > _KEPT_VALUES:
            constant = fold(Constant(), source, self.engine)

            def one_round(chosen: tuple[int, ...], left: NDArray[np.int64]) -> tuple[NDArray[np.float64], float]:
                gains: tuple[NDArray[np.float64], float] = fold(Gains(merging, chosen, left), source, self.engine)
                return gains
        else:
            lists = RankedLists(source, merging)
            constant = ~lists.varies if source.query_sizes.max() > 1 else np.zeros(source.n_features, dtype=bool)
            n_merged = 0

            def one_round(chosen: tuple[int, ...], left: NDArray[np.int64]) -> tuple[NDArray[np.float64], float]:
                nonlocal n_merged
                for feature in chosen[n_merged:]:
                    lists.add(feature)
                n_merged = len(chosen)
                return Gains(merging, chosen, left).finish(lists.partial(left))

        kept = self._begin(constant, source)
        steps = self._greedy(constant, np.isin(np.arange(len(constant)), kept), one_round)
        steps = [replace(step, feature=int(np.searchsorted(kept, step.feature))) for step in steps]
        return Path.of(steps, len(kept)).lift(kept, len(constant))

    def _greedy(self, constant: NDArray[np.bool_], kept: NDArray[np.bool_], one_round: Round) -> list[Step]:
        """Steps among the features that are kept, which may be constant; features are columns of all."""
        limits, wanted, most = self._limits(), self._wanted(self.n_features_in_), int(kept.sum())
        if wanted is not None:
            most = min(wanted, most)
        elif self.max_features is not None:
            most = min(int(self.max_features), most)
        taken, gain, current = np.zeros(len(constant), dtype=bool), np.zeros(len(constant)), 0.0
        steps, gains, curve = list[Step](), list[float](), list[float]()
        while not limits.makes_up([s.feature for s in steps], most) and (left := limits.open(taken) & kept).any():
            merged = tuple(step.feature for step in steps if not constant[step.feature])
            looked_at = np.flatnonzero((left if steps else ~limits.never & kept) & ~constant)
            if len(looked_at):
                gain[looked_at], current = one_round(merged, looked_at)
            if not steps:
                alone = gain.copy()
            if steps and wanted is None:
                enough = gain > 0.0 if self.delta == "auto" else gain >= float(self.delta)
                enough |= limits.due(taken)
                if not (left & enough).any():
                    gains.append(float(gain[left].max()))
                    break
                left &= enough
            feature = best(gain, limits.marginal(taken), left)
            lifted = current + float(gain[feature])
            why = f"metric {current:.6g} to {lifted:.6g}"
            if constant[feature]:
                why = "constant inside every query, but it "
                why += "must be kept" if limits.must_keep[feature] else "goes together with others"
            elif not steps:
                why = f"{'best ' if gain[feature] == gain[looked_at].max() else ''}alone: {lifted:.6g}"
            steps.append(Step(feature, float(alone[feature]), float(gain[feature]), why))
            gains.append(float(gain[feature]))
            curve.append(lifted)
            taken[feature], current = True, lifted
        self.gains_ = np.array(gains)
        if steps and self.delta == "auto" and wanted is None:
            before = max(0, int(limits.must_keep.sum()) - 1)
            return steps[: before + elbow(np.array(curve[before:]))]
        return steps
