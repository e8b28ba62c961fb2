"""Reading LETOR files against scikit-learn, and scanning a file of 1 GB in bounded memory.

Both read the same files, warm, side by side, best of several runs; they must agree on the values first. Scikit-learn
needs one call per file. The large file is made in blocks by `write_letor`, then scanned by another process, whose peak
memory is that of its whole life: interpreter, imports and all.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from leanrank import RankingData, read_letor, write_letor

REQUIRED = 8.0
BYTES, PEAK_BYTES = 1_000_000_000, 600_000_000

_SCAN = """
import resource, sys
from time import perf_counter
from leanrank import scan_letor
start = perf_counter()
n_rows = sum(block.n_rows for block in scan_letor(sys.argv[1]).blocks())
once = perf_counter()
scan = sum(block.n_rows for block in scan_letor(sys.argv[1], n_features=136).blocks())
assert scan == n_rows
if sys.platform == "linux":  # ru_maxrss is inherited from whoever started this process
    peak = 1024 * int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(n_rows, once - start, perf_counter() - once, peak)
"""


def run() -> list[dict[str, Any]]:
    return [*_against_sklearn(), *_large_file()]


def _side_by_side(ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int = 5) -> tuple[float, float]:
    """Best times of both, taken in turns: three of ours to one of theirs."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, found in ((ours, times[0]),) * 3 + ((theirs, times[1]),):
            start = perf_counter()
            function()
            found.append(perf_counter() - start)
    return min(times[0]), min(times[1])


def _against_sklearn() -> Iterator[dict[str, Any]]:
    from sklearn.datasets import load_svmlight_file

    shared = Path(os.environ.get("LEANRANK_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    sets = {
        "mslr-sample": [shared / "data" / "mslr-sample" / "mslr-sample.txt.gz"],
        "OHSUMED, five parts": sorted((shared / "data" / "ohsumed").glob("S?.txt.gz")),
    }
    for name, packed in sets.items():
        if not packed or not packed[0].is_file():
            yield {"what": f"read {name}", "note": "skipped: the data set is not on this machine (LEANRANK_SHARED)"}
            continue
        with tempfile.TemporaryDirectory() as folder:
            plain = [Path(folder, path.stem) for path in packed]
            for source, target in zip(packed, plain, strict=True):
                target.write_bytes(gzip.decompress(source.read_bytes()))
            for kind, paths in (("gzip", packed), ("plain text", plain)):

                def theirs(paths: list[Path] = paths) -> list[Any]:
                    return [load_svmlight_file(str(path), query_id=True, dtype=np.float32) for path in paths]

                def ours(paths: list[Path] = paths) -> RankingData:
                    return read_letor(paths)

                data, peer = ours(), theirs()
                assert np.array_equal(data.X, np.concatenate([X.toarray() for X, _, _ in peer]))
                assert np.array_equal(data.qid, np.concatenate([qid for _, _, qid in peer]))
                ours_s, peer_s = _side_by_side(ours, theirs)
                yield {
                    "what": f"read {name}, {kind}",
                    "ours_s": ours_s,
                    "peer": "sklearn.load_svmlight_file",
                    "peer_s": peer_s,
                    "ratio": peer_s / ours_s,
                    "required": REQUIRED,
                }


class _Generated:
    """Blocks of random documents, made one at a time."""

    feature_names = tuple(str(i) for i in range(1, 137))

    def __init__(self, n_blocks: int) -> None:
        self._n_blocks = n_blocks

    def blocks(self, n_rows: int = 12_000) -> Iterator[RankingData]:
        rng = np.random.default_rng(0)
        for i in range(self._n_blocks):
            X = rng.random((12_000, 136), dtype=np.float32)
            yield RankingData(X, rng.integers(0, 5, 12_000), np.arange(0, 12_001, 120), np.arange(100) + 100 * i)


def _large_file() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.txt")
        write_letor(_Generated(1), path, decimals=6)
        n_blocks = -(-BYTES // path.stat().st_size)
        start = perf_counter()
        write_letor(_Generated(n_blocks), path, decimals=6)
        written, size = perf_counter() - start, path.stat().st_size
        yield {"what": "write_letor, 1 GB, 6 decimals", "ours_s": written, "note": f"{size / written / 1e6:.0f} MB/s"}
        start = perf_counter()
        write_letor(_Generated(n_blocks // 8), Path(folder, "short.txt"))
        short, n_bytes = perf_counter() - start, Path(folder, "short.txt").stat().st_size
        rate = f"{n_bytes / short / 1e6:.0f} MB/s"
        yield {"what": f"write_letor, {n_bytes / 1e6:.0f} MB, shortest digits", "ours_s": short, "note": rate}
        out = subprocess.run([sys.executable, "-c", _SCAN, path], capture_output=True, text=True, check=True).stdout
        n_rows, twice, once, peak = (float(value) for value in out.split())
        yield {
            "what": f"scan_letor, {size / 1e9:.2f} GB, {n_rows:,.0f} documents, n_features given",
            "ours_s": once,
            "note": f"{size / once / 1e6:.0f} MB/s; {twice:.1f} s with the pass that counts features",
        }
        yield {
            "what": f"peak memory of the scan: {peak / 1e6:.0f} MB",
            "peer": f"the {PEAK_BYTES / 1e6:.0f} MB allowed",
            "ratio": PEAK_BYTES / peak,
            "required": 1.0,
        }
