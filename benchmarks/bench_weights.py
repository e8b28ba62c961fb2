"""What weights of queries cost: the feature graph and filters with them beside the same without, time and memory.

Runs alternate, on one thread, and the best of each counts, in processor time: what else the machine does is not in it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.bench_graph import Generated, alternate, normal_data
from threadpoolctl import threadpool_limits

from leanrank import BestGain, ForwardRegression, InformationGain, LocalEngine, RankingData, ReliefF, feature_graph
from leanrank.data.side_columns import SideColumns

#: A graph with weights may take so many times what it takes without.
MOST = 1.3
REQUIRED = round(1 / MOST, 3)
_QUERIES = 300


def run(quick: bool = False) -> list[dict[str, Any]]:
    return graphs() + filters() + [memory(400 if quick else 4000)]


def graphs() -> list[dict[str, Any]]:
    """The whole graph, importance and similarity."""
    plain, rng = normal_data(_QUERIES, 100, 136), np.random.default_rng(0)
    weights = {
        "ten different weights": rng.integers(1, 11, _QUERIES) / 2,
        "300 different weights": rng.random(_QUERIES),
    }
    return [
        row(f"the whole graph, 300 queries of 100 x 136, {name}", plain, weight, graph_of, REQUIRED)
        for name, weight in weights.items()
    ]


def filters() -> list[dict[str, Any]]:
    """Methods that count rows, compare neighbours, merge lists or multiply matrices."""
    plain, rng = normal_data(_QUERIES, 100, 40, decimals=2), np.random.default_rng(0)
    engine = LocalEngine(1)
    methods = {
        "InformationGain": InformationGain(engine=engine),
        "ReliefF": ReliefF(engine=engine),
        "BestGain, 5 features": BestGain(max_features=5, engine=engine),
        "ForwardRegression": ForwardRegression(engine=engine),
    }
    return [
        row(f"{name}, 300 queries of 100 x 40", plain, rng.random(_QUERIES) + 0.5, method.fit, None)
        for name, method in methods.items()
    ]


def graph_of(data: RankingData) -> Any:
    return feature_graph(data, engine=LocalEngine(1))


def row(
    what: str, plain: RankingData, weight: np.ndarray, work: Callable[[RankingData], Any], required: float | None
) -> dict[str, Any]:
    """One method on the same data with and without weights."""
    weighted = replace(plain, beside=SideColumns(query_weight=weight))
    works = {"weighted": lambda: work(weighted), "plain": lambda: work(plain)}
    for one in works.values():
        one()  # compiled before the clock starts
    with threadpool_limits(1):  # products of matrices too
        best, _ = alternate(works, dict.fromkeys(works, 7))
    times = best["weighted"] / best["plain"]
    return {"what": what, "ours_s": best["weighted"], "peer": "the same without weights", "peer_s": best["plain"],
            "ratio": 1 / times, "required": required, "note": f"{times:.2f} times the time"}  # fmt: skip


@dataclass(frozen=True)
class Weighted:
    """A source with a weight for every query."""

    source: Generated

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.source.feature_names

    def blocks(self, n_rows: int = 100_000) -> Iterator[RankingData]:
        for block in self.source.blocks(n_rows):
            weight = np.random.default_rng(int(block.query_ids[0])).random(block.n_queries) + 0.5
            yield replace(block, beside=SideColumns(query_weight=weight))


def memory(n_queries: int) -> dict[str, Any]:
    """Peak on top of what a process has after its start, block included; each in a process of its own."""
    peaks = {}
    for name in ("plain", "weighted"):
        code = f"from benchmarks.bench_weights import measure; measure({name!r}, {n_queries})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks[name] = json.loads(done.stdout)
    times = peaks["weighted"] / peaks["plain"]
    note = f"{peaks['weighted'] / 1e6:.0f} MB with weights, {peaks['plain'] / 1e6:.0f} MB without: {times:.2f} times"
    return {
        "what": f"memory of the graph, {n_queries:,} queries x 120 documents x 136 features in blocks",
        "ours_s": None,
        "peer": "the same without weights",
        "peer_s": None,
        "ratio": 1 / times,
        "required": REQUIRED,
        "note": note,
    }


def measure(name: str, n_queries: int) -> None:
    """Print the peak in bytes: the system's own record (Linux)."""

    def field(of: str) -> int:
        return int(Path("/proc/self/status").read_text().partition(f"{of}:")[2].split()[0]) * 1024

    def source(n: int) -> Any:
        return Generated(n) if name == "plain" else Weighted(Generated(n))

    graph_of(source(2))  # compiled and imported
    resident = field("VmRSS")
    graph_of(source(n_queries))
    print(json.dumps(field("VmHWM") - resident))
