"""A selection that nothing selected: made up in milliseconds, with names and sizes as a test wants them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leanrank import RankingData, Selection
from leanrank.evaluation.select.answers import Answer
from leanrank.evaluation.select.curve_point import CurvePoint, Evidence, changes
from leanrank.evaluation.select.effort import EFFORTS
from leanrank.evaluation.select.resolution import Forecast

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\"'><svg onload=window.hacked=1>",
    "</script><script>window.hacked = 1</script>",
    "{{ 7 * 7 }}${7 * 7}",
    "javascript:window.hacked=1",
    "عربي الميزة النصية",
    "\u202eright-to-left override",
    "a, b | c\td",
    "__proto__",
    "constructor",
    "datum['x']",
    "long " + "x" * 295,
    "长" * 300,
    "]]> <!-- <style>*{display:none}</style>",
    "&lt;b&gt; & \\u003c",
    "\u2028line separator",
)


def made_up(names: list[str], n_kept: int = 5, *, n_queries: int = 30, costs: object = None):
    """A selection among features of these names, and the data it might have been made from.

    Every third feature is nearly a copy of the one before it, so that there are clusters.
    """
    rng = np.random.default_rng(0)
    n_docs, K = 12, len(names)
    X = rng.normal(size=(n_queries * n_docs, K))
    for j in range(2, K, 3):
        X[:, j] = X[:, j - 1] + 0.05 * X[:, j]
    y = np.clip(np.round(X[:, 0] + X[:, 1 % K]), 0, 4)
    ids = [f"q{i} <b>&" for i in range(n_queries)]
    data = RankingData(X, y, np.arange(0, len(y) + 1, n_docs), query_ids=ids, feature_names=names)
    order = rng.permutation(K)
    chosen = order[:n_kept]
    curve = [
        point(method, k, K, rng)
        for method in ("gas", "mrmr")
        for k in sorted({*EFFORTS["thorough"].sizes(1, K), n_kept})
        if k < K
    ]
    nothing = Evidence({"nogueira": None, "low": None, "high": None, "frequency": {}}, (), changes(np.zeros(n_queries)))
    curve.append(CurvePoint("all features", K, float(K), 0.5, 0.0, 0.0, 0.0, (0.5,) * 5, True, 0.0, nothing))
    change = rng.normal(-0.01, 0.1, n_queries) * (rng.random(n_queries) < 0.7)
    worst = np.argsort(change)[:10]
    evidence = Evidence(
        stability={
            "nogueira": 0.8,
            "low": 0.7,
            "high": 0.9,
            "frequency": {names[j]: round(1 - i / (2 * n_kept), 6) for i, j in enumerate(order[: 2 * n_kept])},
        },
        losers=tuple({"query": ids[q], "all_features": 0.5, "selected": round(0.5 + change[q], 6)} for q in worst),
        per_query=changes(change),
    )
    curve = [replace(p, evidence=evidence) if p.method == "gas" else p for p in curve]
    at = next(p for p in curve if p.method == "gas" and p.k == n_kept)
    d = {"mean": at.difference, "low": at.low, "high": at.high, "n_queries": 30}

    def answer(name: str, columns: np.ndarray, method: str) -> Answer:
        k, none = len(columns), dict.fromkeys(("mean", "low", "high"), 0.0) | {"n_queries": 30}
        e = d if method == "gas" else none
        indices, named = tuple(int(j) for j in columns), tuple(names[j] for j in columns)
        proven = method == "gas"
        return Answer(
            name, named, indices, method, k, float(k), e, e, 0.015, proven, "it was made up", "It is made up."
        )

    selection = Selection(
        safe=answer("safe", order, "all features"),
        recommended=answer("recommended", chosen, "gas"),
        certified=answer("certified", order, "all features"),
        path=tuple(names[j] for j in order),
        path_method="gas",
        baseline={"n_features": K, "cost": float(K), "mean": 0.5},
        curve=tuple(curve),
        pareto=tuple(p for p in curve if p.method == "gas"),
        forecast=Forecast.before(30, 0.002).measured(0.02),
        feature_names=tuple(names),
        settings={
            "metric": "NDCG(k=10)",
            "metric_name": "ndcg@10",
            "ranker": "RankSVM()",
            "methods": ["gas", "mrmr"],
            "n_features": None,
            "max_loss": 0.002,
            "level": 0.95,
            "answer": "recommended",
            "costs": costs,
            "groups": None,
            "budget": None,
            "must_keep": [],
            "never": [],
            "cv": 5,
            "random_state": 0,
            "version": "0.0",
            "fingerprint": data.fingerprint(),
            "valid": None,
        },
        seconds=1.0,
    )
    return selection, data


def point(method: str, k: int, K: int, rng: np.random.Generator) -> CurvePoint:
    loss = round(-0.2 / (k + 1) + 0.2 / (K + 1) - 0.01 * rng.random(), 6)
    return CurvePoint(
        method=method,
        k=k,
        cost=float(k),
        mean=round(0.5 + loss, 6),
        difference=loss,
        low=loss - 0.02,
        high=loss + 0.02,
        per_fold=(0.5 + loss,) * 5,
        on_path=method == "gas",
        certified_loss=0.015 - loss if method == "gas" else None,
    )
