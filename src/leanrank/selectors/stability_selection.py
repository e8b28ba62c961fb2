"""StabilitySelection: which features a selector takes again and again when other queries happen to be judged."""

from __future__ import annotations

import warnings
from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.base import clone

from leanrank._declared import declared
from leanrank.data.arrangement import Arrangement
from leanrank.data.categories import marked
from leanrank.data.door import in_memory
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import WEIGHTS
from leanrank.engines.fold import fold
from leanrank.errors import ParameterError
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.for_columns import for_columns
from leanrank.selectors.gas import GAS
from leanrank.selectors.path import Path, Step
from leanrank.stats.constant import Constant


@declared
class StabilitySelection(Selector):
    r"""Run a selector on many random shares of the queries, and keep what it takes most often.

    The frequency of a feature is the share of the B runs that selected it,

    .. math:: \hat\pi_j = \frac1B \sum_{b=1}^{B} \mathbf 1[j \in S_b]

    Features with a frequency of at least
    `threshold` are kept. Queries are drawn whole, without replacement within a run.

    Parameters
    ----------
    selector : Selector or None
        Any selector that takes less than everything; ``GAS(0.25)`` if not given.
    n_features_to_select : int, float or None
        How many, or which share of all, by frequency; None leaves it to `threshold`.
    n_resamples : int
        Runs.
    share : float
        Share of the queries in a run, in (0, 1).
    threshold : float
        The frequency from which on a feature is kept, in (0, 1].
    confidence : float
        How sure the intervals are, in (0, 1).
    random_state : int
        Seed of the draws.

    Attributes
    ----------
    order_ : array
        By frequency; of equals by mean place in the runs' paths; sizes are nested.
    scores_, frequencies_ : array
        The frequencies (NaN and 0 for constant features).
    intervals_ : array of shape (n_features_in_, 2)
        Wilson's interval of each frequency.

    See Also
    --------
    RankingBoruta

    Notes
    -----
    `n_resamples` runs of the selector on `share` of the data. Use it to see how much of a selection is luck: of near
    copies each is taken now and then, and none of them often.

    References
    ----------
    N. Meinshausen, P. Buehlmann. Stability selection. Journal of the Royal Statistical Society B 72, 2010.
    E. B. Wilson. Probable inference, the law of succession, and statistical inference. JASA 22, 1927.

    Examples
    --------
    >>> from leanrank import GAS, StabilitySelection, make_ranking
    >>> data, truth = make_ranking(60, n_informative=2, n_redundant=0, n_noise=6, random_state=0)
    >>> stable = StabilitySelection(GAS(2), n_resamples=20).fit(data)
    >>> [truth[j].role for j in stable.selected_], stable.frequencies_[stable.selected_].tolist()
    (['informative', 'informative'], [1.0, 1.0])
    """

    _keeps_categories = True
    _takes_weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # the selector inside refuses
    selector: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    n_resamples: int = 50
    share: float = 0.5
    threshold: float = 0.6
    confidence: float = 0.95
    random_state: int = 0

    def _check_parameters(self) -> None:
        self._require("selector", "a selector or None", self.selector is None or isinstance(self.selector, Selector))
        self._require_whole("n_resamples", 1)
        inside = {"low": np.nextafter(0, 1), "high": np.nextafter(1, 0)}
        self._require_number("share", "in (0, 1)", **inside)
        self._require_number("confidence", "in (0, 1)", **inside)
        self._require_whole("random_state", 0)
        self._require_number("threshold", "> 0 and <= 1", low=np.nextafter(0, 1), high=1)

    def _bound_limits(self) -> ColumnLimits:
        """Those of the selector inside."""
        own = getattr(self._inner, "limits", None)
        return super()._bound_limits() if own is None else own.bound(type(self._inner).__name__, self._names())

    def _fit(self, source: RankingSource) -> Path:
        data, inner = in_memory(source), self._inner
        kept = self._begin(fold(Constant(), marked(data)), data)
        queries = Arrangement.of(data.subset(kept)).queries
        if self.collapse:  # there are none left to look for
            inner.set_params(n_features_to_select=inner._wanted(data.n_features))
            taken, places = self._runs(for_columns(inner, data.feature_names, kept), data.subset(kept), queries)
        else:
            taken, places = self._runs(inner, data, queries)
            taken, places = taken[:, kept], places[:, kept]
        frequency, place = np.round(taken.mean(axis=0), 12), np.round(places.mean(axis=0), 12)
        n_in = data.n_features
        self.frequencies_ = np.zeros(n_in)
        self.frequencies_[kept] = frequency
        self.intervals_ = np.zeros((n_in, 2))
        self.intervals_[kept] = wilson(taken.sum(axis=0), self.n_resamples, self.confidence)
        steps = []
        for j in np.lexsort((np.arange(len(kept)), place, -frequency)).tolist():
            low, high = self.intervals_[kept[j]]
            why = f"in {taken[:, j].sum()} of {self.n_resamples} runs ({low:.2f} to {high:.2f})"
            steps.append(Step(j, float(frequency[j]), float(frequency[j]), why))
        path = replace(Path.of(steps, len(kept), frequency), stop=int((frequency >= self.threshold).sum()))
        return path.lift(kept, n_in)

    @property
    def _inner(self) -> Selector:
        """A fresh selector; whether it looks for copies is said here, where it is said."""
        selector: Selector = GAS(0.25) if self.selector is None else clone(self.selector)
        if self.collapse is not None and "collapse" in selector.get_params(deep=False):
            selector.set_params(collapse=False)
        return selector

    def _runs(
        self, inner: Selector, data: RankingData, queries: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which features each run selected, and at which place of its path; one row per run."""
        m = data.n_features
        n_queries = max(1, int(np.floor(self.share * data.n_queries + 0.5)))
        taken, places = np.zeros((self.n_resamples, m), dtype=bool), np.full((self.n_resamples, m), float(m))
        for run in range(self.n_resamples):
            rng = np.random.default_rng([self.random_state, run])
            drawn = queries[np.sort(rng.choice(data.n_queries, n_queries, replace=False))]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of features that are constant in a share of the queries
                chosen = _with_seeds(inner, run).fit(data.take_queries(drawn)).selected_
            taken[run, chosen] = True
            places[run, chosen] = np.arange(len(chosen))
        if taken.all(axis=None) and m > 1:
            raise ParameterError(
                f"{type(self).__name__}: every run of {self.selector!r} selected every feature, so nothing is learned "
                "from it. Give that selector an n_features_to_select."
            )
        return taken, places


def _with_seeds(selector: Selector, run: int) -> Selector:
    fresh: Selector = clone(selector)
    return fresh.change_seeds(lambda seed: seed + run)


def wilson(successes: NDArray[np.int64], n: int, confidence: float) -> NDArray[np.float64]:
    """Wilson's score interval of each proportion.

    >>> wilson(np.array([0, 25, 50]), 50, 0.95).round(4).tolist()
    [[0.0, 0.0713], [0.3664, 0.6336], [0.9287, 1.0]]
    """
    z = float(ndtri(0.5 + confidence / 2))
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return np.clip(np.column_stack([centre - half, centre + half]), 0.0, 1.0)
