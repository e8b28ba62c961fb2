"""A selection that nothing selected: made up in milliseconds, with names and sizes as a test wants them."""

from __future__ import annotations

import numpy as np

from leanrank import RankingData, Selection
from leanrank.evaluation.select.effort import EFFORTS
from leanrank.evaluation.select.evidence import changes
from leanrank.evaluation.select.selection import CurvePoint

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
    curve.append(CurvePoint("all features", K, float(K), 0.5, 0.0, 0.0, 0.0, 0.0, (0.5,) * 5))
    at = next(p for p in curve if p.method == "gas" and p.k == n_kept)
    change = rng.normal(-0.01, 0.1, n_queries) * (rng.random(n_queries) < 0.7)
    d = {"mean": at.difference, "low": at.low, "high": at.high, "low_one_sided": at.low, "p": 0.01, "n_queries": 30}
    worst = np.argsort(change)[:10]
    selection = Selection(
        features=tuple(names[j] for j in chosen),
        indices=tuple(int(j) for j in chosen),
        method="gas",
        measured_k=n_kept,
        path=tuple(names[j] for j in order),
        proven=True,
        reason="the smallest set that was made up",
        versus_all=d,
        nested=d,
        baseline={"n_features": K, "cost": float(K), "mean": 0.5},
        curve=tuple(curve),
        pareto=tuple(p for p in curve if p.method == "gas"),
        stability={
            "nogueira": 0.8,
            "low": 0.7,
            "high": 0.9,
            "frequency": {names[j]: round(1 - i / (2 * n_kept), 6) for i, j in enumerate(order[: 2 * n_kept])},
        },
        losers=tuple({"query": ids[q], "all_features": 0.5, "selected": round(0.5 + change[q], 6)} for q in worst),
        feature_names=tuple(names),
        dropped=tuple(names[j] for j in order[n_kept:]),
        cost=float(n_kept),
        settings={
            "metric": "NDCG(k=10)",
            "metric_name": "ndcg@10",
            "ranker": "RankSVM()",
            "methods": ["gas", "mrmr"],
            "n_features": None,
            "max_loss": 0.002,
            "level": 0.95,
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
        per_query=changes(change),
    )
    return selection, data


def point(method: str, k: int, K: int, rng: np.random.Generator) -> CurvePoint:
    loss = round(-0.2 / (k + 1) + 0.2 / (K + 1) - 0.01 * rng.random(), 6)
    return CurvePoint(
        method, k, float(k), round(0.5 + loss, 6), loss, loss - 0.02, loss + 0.02, loss - 0.015, (0.5 + loss,) * 5
    )
