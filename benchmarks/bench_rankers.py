"""RankSVM against LinearSVC on explicit pairs; how a Newton step grows; a training set of the size of WEB10K.

LinearSVC gets the differences of all pairs, formed outside the clock, with signs alternating, and minimises the same
objective (its C is half of ours); both values are compared. Best of several runs, warm, side by side.
"""

from __future__ import annotations

import os
import tracemalloc
from math import log2
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from leanrank import RankingData, RankSVM
from leanrank.kernels.pair_dual import pair_rows, pairs_per_query
from leanrank.rankers.pairwise_hinge import PairwiseSquaredHinge

SHARED = Path(os.environ.get("LEANRANK_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def run() -> list[dict[str, Any]]:
    return [*against_linear_svc(), *growth(), web10k()]


def best_of(times: int, work: Any) -> tuple[float, Any]:
    best, result = np.inf, None
    for _ in range(times):
        start = perf_counter()
        result = work()
        best = min(best, perf_counter() - start)
    return best, result


def against_linear_svc() -> list[dict[str, Any]]:
    folder = SHARED / "data" / "ohsumed"
    if not folder.is_dir():
        print("  OHSUMED is not on this machine (set LEANRANK_SHARED): its rows are left out")
        return []
    from leanrank import letor_folds

    data = letor_folds(folder)[0].train
    counts = pairs_per_query(data.y, data.query_ptr)
    starts = np.concatenate(([0], np.cumsum(counts)))
    better, worse = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.int64)
    pair_rows(data.y, data.query_ptr, better, worse, starts)
    sign = np.where(np.arange(len(better)) % 2 == 0, 1.0, -1.0)
    z = (data.X[better].astype(np.float64) - data.X[worse]) * sign[:, None]
    rows = []
    for C in (1.0, 100.0):
        ours_s, ours = best_of(5, lambda C=C: RankSVM(C=C).fit(data))
        c = 0.5 * C / len(z)
        peer_s, peer = best_of(
            2, lambda c=c: LinearSVC(loss="squared_hinge", fit_intercept=False, dual=False, C=c, tol=1e-4).fit(z, sign)
        )
        values = [
            0.5 * w @ w + c * np.square(np.maximum(0, 1 - sign * (z @ w))).sum() for w in (ours.coef_, peer.coef_[0])
        ]
        rows.append(
            {
                "what": f"RankSVM, OHSUMED fold 1, {data.n_rows:,} rows, {len(z):,} pairs, C={C:g}",
                "ours_s": ours_s,
                "peer": "LinearSVC on explicit pairs",
                "peer_s": peer_s,
                "ratio": peer_s / ours_s,
                "required": 15,
                "note": f"objective {values[0]:.8g}, LinearSVC's {values[1]:.8g}",
            }
        )
        assert values[0] <= values[1] * (1 + 1e-6), "RankSVM's minimum is above LinearSVC's"
    peak = peak_bytes(lambda: RankSVM(C=10.0, n_threads=1).fit(data)) + data.X.nbytes
    rows.append(
        {
            "what": "RankSVM, peak memory of the fit, the data included",
            "ours_s": None,
            "peer": "less than three times the data",
            "peer_s": None,
            "ratio": 3 * data.X.nbytes / peak,
            "required": 1,
            "note": f"{peak / 1e6:.1f} MB for {data.X.nbytes / 1e6:.1f} MB of features",
        }
    )
    return rows


def peak_bytes(work: Any) -> int:
    work()  # compiled code is not memory of the fit
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def growth() -> list[dict[str, Any]]:
    """One query of n documents: n^2 pairs, O(n log n) time."""
    rows = []
    rng = np.random.default_rng(0)
    for n in (1_000, 10_000, 100_000, 1_000_000):
        X = rng.random((n, 10), dtype=np.float32)
        y = np.digitize(X[:, 0] + 0.3 * rng.random(n), [0.5, 0.8, 1.0, 1.2])
        loss = PairwiseSquaredHinge(RankingData(X, y, [0, n]), n_threads=1)
        d = np.linspace(1, -1, 10)
        s = loss.scores(d)
        seconds, _ = best_of(3, lambda loss=loss, s=s, d=d: newton_step(loss, s, d))
        rows.append(
            {
                "what": f"Newton step (10 CG), a query of {n:,} rows, {loss.n_pairs:.2g} pairs",
                "ours_s": seconds,
                "peer": None,
                "peer_s": None,
                "ratio": None,
                "required": None,
                "note": f"{seconds / (n * log2(n)) * 1e9:.1f} ns for each n log2 n",
            }
        )
    return rows


def newton_step(loss: PairwiseSquaredHinge, s: np.ndarray, d: np.ndarray) -> None:
    """The same work for every n: value and gradient, and ten products with the Hessian."""
    here = loss.at(s)
    loss.weights(here.slope)
    for _ in range(10):
        loss.weights(here.curve(loss.scores(d)))


def web10k() -> dict[str, Any]:
    """6,000 queries of 120 documents with 136 features, labels 0 to 4, as many as a fold of MSLR-WEB10K trains on."""
    rng = np.random.default_rng(0)
    n, n_features = 720_000, 136
    X = rng.random((n, n_features), dtype=np.float32)
    wish = X[:, :20] @ np.linspace(1, 0, 20, dtype=np.float32) + rng.normal(0, 1.5, n)
    y = np.digitize(wish, np.quantile(wish, [0.52, 0.84, 0.97, 0.99]))
    data = RankingData(X, y, np.arange(0, n + 1, 120))
    seconds, ranker = best_of(1, lambda: RankSVM(C=100.0).fit(data))
    return {
        "what": f"RankSVM, {n:,} rows x {n_features}, {PairwiseSquaredHinge(data).n_pairs:,} pairs",
        "ours_s": seconds,
        "peer": None,
        "peer_s": None,
        "ratio": None,
        "required": None,
        "note": f"{ranker.n_iter_} Newton steps, objective {ranker.objective_:.6g}",
    }
