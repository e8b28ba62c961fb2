"""NDCG@10 and AP of 5,000 queries x 120 documents against ranx, pytrec_eval and a loop over scikit-learn.

Every peer gets its own preferred input, built outside the clock (ranx: Qrels and Run; pytrec_eval: dictionaries and
an evaluator; scikit-learn: one row per query). Best of several runs, warm, side by side. All four must agree first.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from leanrank.metrics import AP, NDCG

N_QUERIES, N_DOCUMENTS = 5_000, 120


def _best_of(function: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def _peers(labels: np.ndarray, scores: np.ndarray) -> dict[str, dict[str, Callable[[], float]]]:
    """metric -> peer -> a call that returns the mean."""
    import pytrec_eval
    import ranx
    from sklearn.metrics import average_precision_score, ndcg_score

    names = [f"d{i}" for i in range(N_DOCUMENTS)]
    judged = {f"q{q}": dict(zip(names, row, strict=True)) for q, row in enumerate(labels.astype(int).tolist())}
    scored = {f"q{q}": dict(zip(names, row, strict=True)) for q, row in enumerate(scores.tolist())}
    relevant_only = {q: {d: label for d, label in documents.items() if label} for q, documents in judged.items()}
    qrels, run = ranx.Qrels(relevant_only), ranx.Run(scored)
    trec = {name: pytrec_eval.RelevanceEvaluator(judged, {name}) for name in ("ndcg_cut.10", "map")}

    def of_trec(name: str) -> float:
        found = trec[name].evaluate(scored)
        key = name.replace(".", "_")
        return float(np.mean([values[key] for values in found.values()]))

    def of_sklearn_ap() -> float:
        binary = labels > 0
        return float(np.mean([average_precision_score(binary[q], scores[q]) for q in range(N_QUERIES)]))

    return {
        "ndcg@10": {
            "ranx": lambda: float(ranx.evaluate(qrels, run, "ndcg@10")),
            "pytrec_eval": lambda: of_trec("ndcg_cut.10"),
            "sklearn loop": lambda: float(
                np.mean([ndcg_score(labels[q : q + 1], scores[q : q + 1], k=10) for q in range(N_QUERIES)])
            ),
        },
        "map": {
            "ranx": lambda: float(ranx.evaluate(qrels, run, "map")),
            "pytrec_eval": lambda: of_trec("map"),
            "sklearn loop": of_sklearn_ap,
        },
    }


def run() -> list[dict[str, Any]]:
    """One row per metric and peer; `ratio` is how many times faster we are, `required` the least it must be."""
    rng = np.random.default_rng(0)
    shape = (N_QUERIES, N_DOCUMENTS)
    labels = rng.choice(5, size=shape, p=[0.6, 0.2, 0.1, 0.06, 0.04]).astype(float)
    labels[:, 0] = np.maximum(labels[:, 0], 1)  # no empty query: peers differ on those
    scores = rng.normal(size=shape)
    query_ptr = np.arange(N_QUERIES + 1) * N_DOCUMENTS
    y, s = labels.ravel(), scores.ravel()
    ours = {"ndcg@10": NDCG(10, gain="linear"), "map": AP()}  # the peers' gains are linear
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ranx's own numba warnings
        for name, peers in _peers(labels, scores).items():
            m = ours[name]
            value = float(m.per_query(y, s, query_ptr).mean())
            for peer, call in peers.items():
                theirs = call()  # warm
                if abs(theirs - value) > 1e-9:
                    raise RuntimeError(f"{peer} says {name} = {theirs!r}, leanrank {value!r}")
                peer_s = _best_of(call, 7 if peer == "ranx" else 2)
                ours_s = _best_of(lambda m=m: m.per_query(y, s, query_ptr).mean(), 15)
                rows.append(
                    {
                        "what": f"{name}, {N_QUERIES:,} queries x {N_DOCUMENTS} documents",
                        "ours_s": ours_s,
                        "peer": peer,
                        "peer_s": peer_s,
                        "ratio": peer_s / ours_s,
                        "required": 1.0,
                    }
                )
    return rows


if __name__ == "__main__":
    for row in run():
        print(
            f"{row['what']}: ours {row['ours_s'] * 1e3:.1f} ms, {row['peer']} {row['peer_s'] * 1e3:.1f} ms, "
            f"{row['ratio']:.1f} times (required {row['required']:g})"
        )
