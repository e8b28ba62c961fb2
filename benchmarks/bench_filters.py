"""ReliefF against scikit-rebate, BestGain against its naive twin, and how RankFilter and RCDR grow.

ReliefF: 3,000 rows x 46 features, two classes, neighbours anywhere; scikit-rebate on one core and on all, the faster
counts; both must give the same weights first. BestGain: 75 queries x 1,000 documents x 64 features, shaped as TD2004
(about 15 relevant documents a query); its twin is timed on a slice and its time multiplied by how many more lists the
whole merges. Growth: processor time of one thread per query and per feature; 1.0 x linear means that four or eight
times the data take four or eight times as long.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import numpy as np
from tests.naive.bestgain import best_gain

from leanrank import RCDR, BestGain, LocalEngine, Neighbours, RankFilter, RankingData, ReliefF


def _best_of(function: Callable[[], Any], repeats: int, clock: Callable[[], float] = perf_counter) -> float:
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def _relief() -> list[dict[str, Any]]:
    import skrebate

    rng = np.random.default_rng(0)
    X = rng.random((3_000, 46))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(len(X)) > 0.9).astype(int)
    data = RankingData(X, y, [0, len(X)])
    ours = ReliefF(neighbours=Neighbours("global")).fit(data)
    times = []
    for n_jobs in sorted({1, os.cpu_count() or 1}):
        peer = skrebate.ReliefF(n_neighbors=10, n_jobs=n_jobs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            times.append(_best_of(lambda peer=peer: peer.fit(X, y), 1))
    apart = float(np.abs(peer.feature_importances_ - ours.scores_).max())
    assert apart < 1e-10, f"weights differ by {apart}"
    ours_s = _best_of(lambda: ReliefF(neighbours=Neighbours("global")).fit(data), 5)
    return [
        {
            "what": "ReliefF, 3,000 x 46, global neighbours",
            "ours_s": ours_s,
            "peer": "scikit-rebate",
            "peer_s": min(times),
            "ratio": min(times) / ours_s,
            "required": 30,
            "note": f"largest difference of weights {apart:.1e}",
        }
    ]


def _td2004(n_queries: int, n_features: int) -> RankingData:
    """Like TD2004: a thousand documents a query, 1.5% of them relevant, features of a MAP of .2 at best."""
    rng = np.random.default_rng(0)
    relevant = (rng.random((n_queries, 1_000)) < 0.015).ravel()
    X = rng.standard_normal((len(relevant), n_features)) + relevant[:, None] * rng.uniform(0.0, 1.5, n_features)
    return RankingData(X.astype(np.float32), relevant, np.arange(0, len(relevant) + 1, 1_000))


def _lists_merged(n_queries: int, n_features: int, chosen: int) -> int:
    return n_queries * sum(n_features - before for before in range(1, chosen))


def _best_gain() -> list[dict[str, Any]]:
    data, part = _td2004(75, 64), _td2004(2, 14)
    queries = [(q.X.tolist(), q.y.tolist()) for q in map(part.query, range(part.n_queries))]
    rows = []
    for chosen, of_part, required in ((64, 14, 300), (10, 10, None)):
        ours, twin = BestGain(n_features_to_select=chosen), BestGain(n_features_to_select=of_part)
        assert twin.fit(part).order_.tolist() == best_gain(queries, -1.0, of_part)[0], "the twin chose others"
        ours.fit(data)
        times = [
            (_best_of(lambda ours=ours: ours.fit(data), 2), _best_of(lambda k=of_part: best_gain(queries, -1.0, k), 1))
            for _ in range(4)
        ]  # side by side
        ours_s = min(time for time, _ in times)
        twin_s = min(time for _, time in times) * _lists_merged(75, 64, chosen) / _lists_merged(2, 14, of_part)
        rows.append(
            {
                "what": f"BestGain, 75 x 1,000 x 64, gain curve of {chosen} features",
                "ours_s": ours_s,
                "peer": "naive twin",
                "peer_s": twin_s,
                "ratio": twin_s / ours_s,
                "required": required,
                "note": "twin timed on 2 queries x 14 features and scaled by the number of merged lists",
            }
        )
    return rows


def _graded(n_queries: int, n_features: int) -> RankingData:
    rng = np.random.default_rng(0)
    X = rng.random((n_queries * 100, n_features))
    y = np.digitize(X[:, 0] + X[:, 1] + 0.2 * rng.standard_normal(len(X)), [0.9, 1.3])
    return RankingData(X, y, np.arange(0, n_queries * 100 + 1, 100))


def _growth(name: str, make: Callable[[], Any]) -> list[dict[str, Any]]:
    """Times at 1, 2, 4 and 8 times the queries (40 features) and the features (50 queries)."""
    rows = []
    for what, shapes in (
        ("queries", [(n, 40) for n in (50, 100, 200, 400)]),
        ("features", [(50, n) for n in (40, 80, 160, 320)]),
    ):
        times = []
        for n_queries, n_features in shapes:
            data = _graded(n_queries, n_features)
            make().fit(data)
            times.append(_best_of(lambda data=data: make().fit(data), 5, process_time))
        for step, ((n_queries, n_features), seconds) in enumerate(zip(shapes, times, strict=True)):
            rows.append(
                {
                    "what": f"{name}, {n_queries} queries x 100 x {n_features} features",
                    "ours_s": seconds,
                    "peer": f"linear growth in {what}",
                    "peer_s": times[0] * 2**step,
                    "ratio": times[0] * 2**step / seconds,
                    "required": 0.6,
                }
            )
    return rows


def run() -> list[dict[str, Any]]:
    """All rows."""
    engine = LocalEngine(n_threads=1)
    return [
        *_relief(),
        *_best_gain(),
        *_growth("RankFilter", lambda: RankFilter(engine=engine)),
        *_growth("RCDR, 1 component", lambda: RCDR(1, kind="kendall", engine=engine)),
    ]
