"""RankingBoruta: keep the features that beat the best of many shuffled copies, round after round."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.selectors._ranker_selector import KINDS, Bench, RankerSelector, importances
from leanrank.selectors.path import Path, Step

# With fewer shadows their largest importance would be too easy to beat.
_FEWEST_SHADOWS = 5
_ORDER = ("confirmed", "tentative", "rejected")


@declared
class RankingBoruta(RankerSelector):
    r"""Boruta for ranking: features against shadows of themselves, shuffled within queries.

    A round trains the ranker on the features left and a shadow of each, its values shuffled within every query; a
    feature scores a hit if it is more important than every shadow. Hits of a useless feature are at most binomial: one
    is confirmed after n rounds with h hits if

    .. math:: P(B_{n, 1/2} \ge h) < \frac{\alpha}{2 K}

    rejected, and left out of the rounds to come, if as few hits are as improbable. What is undecided at the end is
    tentative.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None takes the confirmed features.
    n_rounds : int
        Rounds at most; it ends before if all is decided.
    alpha : float
        Chance of deciding a useless feature wrongly, over all features, in (0, 1).
    importance : {"auto", "coef", "gain", "split", "shap", "permutation", "loss"}
        See `RankingRFE`.
    random_state : int
        Seed of the shuffles.

    Attributes
    ----------
    order_ : array
        Confirmed features first, then tentative, then rejected, each by share of hits, then by mean importance.
    scores_ : array
        Hits, as a share of the rounds a feature took part in.
    decisions_ : array of str of shape (n_features_in_,)
        "confirmed", "tentative" or "rejected"; features that are constant are "rejected".
    hits_, rounds_ : arrays of int64 of shape (n_features_in_,)
        Hits, and rounds taken part in.

    See Also
    --------
    RankingRFE, StabilitySelection, BoosterImportance

    Notes
    -----
    `n_rounds` trainings on twice the features. Answers another question than the other methods: not the smallest set,
    but every feature that carries anything about the labels, copies included. Fewer than log2(2 K / alpha) rounds
    cannot decide anything.

    References
    ----------
    M. B. Kursa, W. R. Rudnicki. Feature selection with the Boruta package. Journal of Statistical Software 36, 2010.

    Examples
    --------
    >>> from leanrank import RankingBoruta, make_ranking
    >>> data, truth = make_ranking(60, n_informative=2, n_redundant=0, n_noise=4, random_state=0)
    >>> boruta = RankingBoruta().fit(data)
    >>> [boruta.decisions_[j] for j, t in enumerate(truth) if t.role == "informative"]
    ['confirmed', 'confirmed']
    """

    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    n_rounds: int = 20
    alpha: float = 0.05
    importance: str = "auto"
    metric: Any = "ndcg@10"
    random_state: int = 0

    def _check_parameters(self) -> None:
        self._require_one_of("importance", KINDS)
        self._require_whole("n_rounds", 1)
        self._require_whole("random_state", 0)
        self._require_number("alpha", "in (0, 1)", low=np.nextafter(0, 1), high=np.nextafter(1, 0))

    def _search(self, bench: Bench) -> Path:
        m = bench.n_features
        hits, rounds = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
        decision, strength = np.full(m, "tentative", dtype=object), np.zeros(m)
        for number in range(self.n_rounds):
            left = np.flatnonzero(decision != "rejected")
            if not (decision[left] == "tentative").any():
                break
            beaten, share = self._round(bench, left, number)
            hits[left] += beaten.astype(np.int64)
            strength[left] += share
            rounds[left] += 1
            open_ = decision == "tentative"
            decision[open_] = decisions(hits[open_], rounds[open_], self.alpha / m)
        self.decisions_ = np.full(bench.n_features_in, "rejected", dtype=object)
        self.decisions_[bench.kept] = decision
        self.hits_ = _spread(hits, bench)
        self.rounds_ = _spread(rounds, bench)
        return _path(decision, hits, rounds, np.round(strength / rounds, 12))

    def _round(self, bench: Bench, left: NDArray[np.int64], number: int) -> NDArray[np.float64]:
        """Whether each feature of `left` is more important than every shadow; its share of the largest importance."""
        columns = bench.arrangement.columns(left.tolist())
        n_shadows = max(len(columns), _FEWEST_SHADOWS)
        seeds = [(self.random_state, number, int(bench.arrangement.column_rank[j])) for j in columns]
        pairs = with_shadows(bench.data.subset(columns), n_shadows, seeds)
        valid = None if bench.valid is None else with_shadows(bench.valid.subset(columns), n_shadows, seeds)
        sources = [int(bench.kept[j]) for j in columns]
        sources += [sources[i % len(columns)] for i in range(n_shadows)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingToLearnWarning)  # said once, in fit
            ranker = bench.ranker.for_columns(sources, bench.n_features_in).fit(pairs, eval_set=valid)
        judged = pairs if valid is None else valid
        weight = importances(ranker, self.importance, judged, metric=self.metric, random_state=self.random_state)
        own, shadows = weight[: len(columns)], weight[len(columns) :]
        out = np.zeros((2, bench.n_features))
        out[0, columns] = own > shadows.max()
        out[1, columns] = own / weight.max() if weight.max() > 0 else 0.0
        return out[:, left]


def with_shadows(data: RankingData, n_shadows: int, seeds: Sequence[tuple[int, ...]]) -> RankingData:
    """The data with shadows of their columns beside them, values shuffled within each query; columns in turn."""
    X = data.dense()
    query = np.repeat(np.arange(data.n_queries), data.query_sizes)
    shadows = []
    for number in range(n_shadows):
        j = number % data.n_features
        rng = np.random.default_rng([*seeds[j], number // data.n_features])
        shadows.append(X[np.lexsort((rng.random(data.n_rows), query)), j])
    names = (*(f"f{j}" for j in range(data.n_features)), *(f"shadow{j}" for j in range(n_shadows)))
    columns = [*range(data.n_features), *(number % data.n_features for number in range(n_shadows))]
    texts = {j: data.categories[data.feature_names[j]] for j in data.category_columns}
    categories = {name: texts[j] for name, j in zip(names, columns, strict=True) if j in texts}
    return replace(data, X=np.column_stack([X, *shadows]), feature_names=names, categories=categories)


def decisions(hits: NDArray[np.int64], rounds: NDArray[np.int64], alpha: float) -> NDArray[np.object_]:
    """What so many hits in so many rounds say, against a fair coin; each side is given half of alpha.

    >>> decisions(np.array([12, 6, 0]), np.array([12, 12, 12]), 0.01).tolist()
    ['confirmed', 'tentative', 'rejected']
    """
    out = np.full(len(hits), "tentative", dtype=object)
    out[binom.sf(hits - 1, rounds, 0.5) < alpha / 2] = "confirmed"
    out[binom.cdf(hits, rounds, 0.5) < alpha / 2] = "rejected"
    return out


def _spread(counts: NDArray[np.int64], bench: Bench) -> NDArray[np.int64]:
    out = np.zeros(bench.n_features_in, dtype=np.int64)
    out[bench.kept] = counts
    return out


def _path(
    decision: NDArray[np.object_], hits: NDArray[np.int64], rounds: NDArray[np.int64], strength: NDArray[np.float64]
) -> Path:
    share = hits / rounds
    kind = np.array([_ORDER.index(d) for d in decision])
    steps = [
        Step(int(j), float(share[j]), float(share[j]), f"{decision[j]}: {hits[j]} hits in {rounds[j]} rounds")
        for j in np.lexsort((np.arange(len(hits)), -strength, -share, kind))
    ]
    path = Path.of(steps, len(hits), share)
    return replace(path, stop=int((decision == "confirmed").sum()))
