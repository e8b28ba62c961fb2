"""The Kendall graph against pandas, NumPy sign-matrix products and a loop over scipy; its growth; a set like WEB30K.

Every peer computes the same thing from the same data in the same run, and the results are compared. Runs alternate,
and the best of each counts, in processor time, all threads together: what else the machine does is not in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from leanrank import Importance, LocalEngine, RankingData, Similarity, feature_graph, fold

SHARED = Path(os.environ.get("LEANRANK_SHARED", Path(__file__).resolve().parents[2] / "shared"))
GIGABYTE = 1e9


def run(quick: bool = False) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    ohsumed = SHARED / "data" / "ohsumed"
    if ohsumed.is_dir():
        rows += against_peers("OHSUMED fold 1", ohsumed_training(ohsumed), required=50)
    else:
        rows.append({"what": "OHSUMED fold 1: the data are not on this machine", "required": None})
    rows += against_peers("1,000 documents x 64 features", normal_data(8, 1000, 64), required=50)
    rows += against_peers("120 documents x 136 features", normal_data(40, 120, 136), required=130)
    rows += against_peers("120 x 136, one decimal", normal_data(40, 120, 136, decimals=1), required=130)
    return rows + growth() + table() + importances() + [web30k(1000 if quick else 31_531)]


def normal_data(n_queries: int, n_documents: int, n_features: int, decimals: int | None = None) -> RankingData:
    """Normal values with a common part, so that features agree to some degree."""
    rng = np.random.default_rng(0)
    n = n_queries * n_documents
    X = rng.normal(size=(n, n_features)) + rng.normal(size=(n, 1)) * rng.uniform(-1, 1, n_features)
    if decimals is not None:
        X = X.round(decimals)
    return RankingData(X.astype(np.float32), rng.integers(0, 3, n), np.arange(n_queries + 1) * n_documents)


def ohsumed_training(folder: Path) -> RankingData:
    from leanrank.data.letor.reader import read_letor

    first, second, third = (read_letor(folder / f"S{i}.txt.gz") for i in (1, 2, 3))
    return first + second + third


def alternate(works: dict[str, Callable[[], Any]], repeats: dict[str, int]) -> tuple[dict[str, float], dict[str, Any]]:
    """Best processor time and result of each, run in turns."""
    best, result = dict.fromkeys(works, np.inf), {}
    for turn in range(max(repeats.values())):
        for name, work in works.items():
            if turn < repeats[name]:
                start = process_time()
                result[name] = work()
                best[name] = min(best[name], process_time() - start)
    return best, result


def against_peers(what: str, data: RankingData, required: float) -> list[dict[str, Any]]:
    import pandas as pd

    frame, qid = pd.DataFrame(data.X), data.qid
    works = {
        "ours": lambda: fold(Similarity(), data),
        "strict": lambda: fold(Similarity(ties="strict"), data),
        "tau-b": lambda: fold(Similarity(ties="tau-b"), data),
        "pandas": lambda: frame.groupby(qid).corr(method="kendall"),
        "above product": lambda: above_product(data),
        "sign product": lambda: sign_product(data),
    }
    for ours in ("ours", "strict", "tau-b"):
        works[ours]()  # compiled before the clock starts
    best, result = alternate(works, dict.fromkeys(works, 2) | {"ours": 9, "strict": 9, "tau-b": 9})
    K = data.n_features
    tau = result["pandas"].to_numpy().reshape(-1, K, K)
    expected = np.nan_to_num(tau).mean(axis=0)
    assert np.abs(2 * result["tau-b"] - 1 - expected)[~np.eye(K, dtype=bool)].max() < 1e-9
    assert np.diag(result["ours"]).min() == 1.0
    for form in ("above product", "sign product"):
        assert np.abs(result["strict"] - result[form]).max() < 1e-5
    product = min(best["above product"], best["sign product"])
    loop, share = scipy_loop(data)

    def row(name: str, ours: str, peer: str, seconds: float, at_least: float | None) -> dict[str, Any]:
        ratio = seconds / best[ours]
        return {"what": f"{what}: {name}", "ours_s": best[ours], "peer": peer, "peer_s": seconds, "ratio": ratio,
                "required": at_least}  # fmt: skip

    return [
        row("Kendall graph", "ours", "pandas groupby.corr", best["pandas"], required),
        row("the same with tau-b, as pandas has it", "tau-b", "pandas groupby.corr", best["pandas"], None),
        row("Kendall graph", "ours", "the papers' strict count", best["strict"], 1 / 1.5),
        row("Kendall graph, strict", "strict", "NumPy sign-matrix product (faster of two forms)", product, 3),
        row("Kendall graph", "ours", "scipy.stats.kendalltau loop", loop, None) | {"note": f"loop on 1/{share:.0f}"},
    ]


def above_product(data: RankingData) -> np.ndarray:
    """Strict concordance as a product of 0/1 matrices over ordered pairs, in pieces of 128 documents."""
    K = data.n_features
    total = np.zeros((K, K))
    for X in queries(data):
        n = len(X)
        counts = np.zeros((K, K))
        for begin in range(0, n, 128):
            above = (X[begin : begin + 128, None, :] > X[None, :, :]).reshape(-1, K).astype(np.float32)
            counts += above.T @ above
        total += counts / (n * (n - 1) / 2)
    return total / data.n_queries


def sign_product(data: RankingData) -> np.ndarray:
    """Strict concordance as products of the signs of unordered pairs and of their absolute values."""
    K = data.n_features
    total = np.zeros((K, K))
    for X in queries(data):
        n = len(X)
        first, second = np.tril_indices(n, -1)
        signs = np.sign(X[first] - X[second])
        untied = np.abs(signs)
        total += (signs.T @ signs + untied.T @ untied) / (n * (n - 1))
    return total / data.n_queries


def queries(data: RankingData) -> Iterator[np.ndarray]:
    for start, end in pairwise(data.query_ptr):
        yield data.X[start:end]


def scipy_loop(data: RankingData) -> tuple[float, float]:
    """Seconds a double loop over scipy.stats.kendalltau would take, from as many pairs as fit in half a second."""
    from scipy.stats import kendalltau

    K = data.n_features
    of_all = data.n_queries * K * (K - 1) / 2
    start, done = process_time(), 0
    for X in queries(data):
        for a, b in ((0, 1), (1, 2), (0, 2)):
            kendalltau(X[:, a], X[:, b])
            done += 1
        if process_time() - start > 0.5:
            break
    return (process_time() - start) / done * of_all, of_all / done


def growth() -> list[dict[str, Any]]:
    """In processor time on one thread: what else the machine does must not look like growth."""
    sizes = {n: normal_data(n, 120, 136) for n in (100, 200, 400)}
    best = dict.fromkeys(sizes, np.inf)
    for _ in range(9):
        for n, data in sizes.items():
            start = process_time()
            fold(Similarity(), data, LocalEngine(1))
            best[n] = min(best[n], process_time() - start)
    return [
        {"what": f"growth: {2 * n} queries take {best[2 * n] / best[n]:.2f} times as long as {n}",
         "ours_s": best[2 * n],
         "peer": f"twice the time of {n}", "peer_s": 2 * best[n], "ratio": 2 * best[n] / best[2 * n],
         "required": 0.87}
        for n in (100, 200)
    ]  # fmt: skip


def table() -> list[dict[str, Any]]:
    """Time per query against the number of features and of documents."""
    rows = []
    for n_features in (16, 64, 256):
        for n_documents in (20, 100, 500, 2500):
            n_queries = max(2, 20_000 // n_documents)
            data = normal_data(n_queries, n_documents, n_features)
            best, _ = alternate({"ours": lambda data=data: fold(Similarity(), data)}, {"ours": 3})
            rows.append(
                {"what": f"one query of {n_documents:,} documents, {n_features} features", "required": None,
                 "ours_s": best["ours"] / n_queries}
            )  # fmt: skip
    return rows


def importances() -> list[dict[str, Any]]:
    """The other half of the graph, for comparison."""
    data = normal_data(100, 120, 136)
    works: dict[str, Callable[[], Any]] = {
        "MAP of every feature": lambda: fold(Importance("map"), data),
        "pairwise error of every feature": lambda: fold(Importance("error"), data),
        "Kendall graph": lambda: fold(Similarity(), data),
        "the whole graph": lambda: feature_graph(data),
    }
    best, _ = alternate(works, dict.fromkeys(works, 5))
    return [{"what": f"100 queries of 120 x 136: {name}", "ours_s": s, "required": None} for name, s in best.items()]


@dataclass(frozen=True)
class Generated:
    """A set of the shape of WEB30K that exists only block by block; half of its features tie often."""

    n_queries: int
    n_documents: int = 120
    n_features: int = 136

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(str(j + 1) for j in range(self.n_features))

    def blocks(self, n_rows: int = 100_000) -> Iterator[RankingData]:
        at_once = max(1, n_rows // self.n_documents)
        for first in range(0, self.n_queries, at_once):
            rng = np.random.default_rng(first)
            n = min(at_once, self.n_queries - first)
            X = rng.random((n * self.n_documents, self.n_features), dtype=np.float32)
            X[:, ::2] = np.floor(X[:, ::2] * 50)
            y = np.floor(X[:, 1] * 5)
            yield RankingData(X, y, np.arange(n + 1) * self.n_documents, query_ids=np.arange(first, first + n))


def web30k(n_queries: int) -> dict[str, Any]:
    """In a process of its own, so that its memory is its own."""
    code = f"from benchmarks.bench_graph import measure_web30k; measure_web30k({n_queries})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return {
        "what": f"like WEB30K: {n_queries:,} queries x 120 documents x 136 features",
        "ours_s": found["seconds"],
        "peer": "the memory allowed (1 GB on top of a block)",
        "peer_s": None,
        "ratio": GIGABYTE / found["bytes"],
        "required": 1,
        "note": f"{found['seconds'] / n_queries * 1e6:.0f} us a query, of which generating it takes "
        f"{found['generating'] / n_queries * 1e6:.0f}; {found['bytes'] / 1e6:.0f} MB on top of a block",
    }


def measure_web30k(n_queries: int) -> None:
    """Print seconds and memory. The system's own record (Linux): `getrusage` would begin with the parent's peak."""

    def memory(field: str) -> int:
        status = Path("/proc/self/status").read_text()
        return int(status.partition(f"{field}:")[2].split()[0]) * 1024

    source = Generated(n_queries)
    fold(Similarity(), Generated(2), LocalEngine(2))  # compiled and imported
    start = perf_counter()
    block = next(source.blocks())
    generating = (perf_counter() - start) * n_queries / block.n_queries
    size = block.X.nbytes
    del block
    resident = memory("VmRSS")
    start = perf_counter()
    fold(Similarity(), source)
    seconds = perf_counter() - start
    on_top = memory("VmHWM") - resident - size
    print(json.dumps({"seconds": seconds, "generating": generating, "bytes": max(on_top, 1)}))
