"""The feature graph on a GPU, beside this package's own kernels on 2 and 16 threads of the same machine, in one run.

    python -m benchmarks.gpu [--out benchmarks/results/gpu.json] [--queries 31531]

The set has the shape of WEB30K: 31,531 queries x 128 documents x 136 features, half of which tie often. Times on the
GPU are medians of CUDA events after warm-up; "from the host" is the clock on the wall, from values in pinned memory to
results in NumPy arrays. All results are compared with the processor's, bit for bit. Without a GPU it says so and stops.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

N_DOCUMENTS, N_FEATURES = 128, 136

# As many one-bit products as the tensor cores can do: the limit that concordance is measured against.
PEAK = """
extern "C" __global__ void peak(int* out) {
    unsigned a[4] = {threadIdx.x * 2654435761u, threadIdx.x * 40503u, ~threadIdx.x, threadIdx.x << 9};
    unsigned b[2] = {a[1], a[0]};
    int c[12][4] = {};
    for (int i = 0; i < 2000; i++) {
#pragma unroll
        for (int k = 0; k < 12; k++)
            asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                         "{%8,%9}, {%0,%1,%2,%3};" : "+r"(c[k][0]), "+r"(c[k][1]), "+r"(c[k][2]), "+r"(c[k][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        a[0] += i;
    }
    int sum = 0;
    for (int k = 0; k < 12; k++) sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


class Report:
    """Rows, printed as they come."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def __call__(self, what: str, ms: float, **more: Any) -> float:
        self.rows.append({"what": what, "ms": round(ms, 3), **more})
        extra = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in more.items())
        print(f"  {what:<72} {ms:10.2f} ms  {extra}", flush=True)
        return ms

    def missed(self) -> list[str]:
        return [row["what"] for row in self.rows if row["ms"] > row.get("at_most_ms", np.inf)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "gpu.json")
    parser.add_argument("--queries", type=int, default=31_531)
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("torch is not installed: pip install 'leanrank[gpu]'")
        return 1
    if not torch.cuda.is_available():
        print("torch sees no CUDA GPU here: nothing to measure")
        return 1
    report, limits = Report(), measure_limits()
    for name, value in limits.items():
        print(f"  limit: {name:<65} {value / 1e12:10.3f} T/s")
    values, ptr = like_web30k(given.queries)
    resident_ms = data_resident(values, ptr, limits, report)
    torch.cuda.empty_cache()
    from_the_host(values, ptr, limits, resident_ms, report)
    del values
    many_features(report)
    lists_of_all_lengths(given.queries, report)
    record = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda}
    record |= {"python": platform.python_version(), "limits": limits, "rows": report.rows}
    given.out.parent.mkdir(exist_ok=True)
    given.out.write_text(json.dumps(record, indent=2) + "\n")
    print(f"missed: {report.missed()}" if report.missed() else "all required figures reached")
    return 1 if report.missed() else 0


def on_gpu(work: Callable[[], object], repeats: int = 11) -> float:
    """Milliseconds: median of CUDA events after two rounds of warm-up."""
    import torch

    times = []
    for turn in range(repeats + 2):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        if turn >= 2:
            times.append(start.elapsed_time(end))
    return float(np.median(times))


def on_the_wall(work: Callable[[], object], repeats: int = 5) -> float:
    """Milliseconds: median on the clock after one round of warm-up."""
    times = []
    for turn in range(repeats + 1):
        start = perf_counter()
        work()
        if turn >= 1:
            times.append(1000 * (perf_counter() - start))
    return float(np.median(times))


def measure_limits() -> dict[str, float]:
    """One-bit products, bytes copied within the GPU's memory (read and written) and bytes copied to it, a second."""
    import torch

    from leanrank.kernels.cuda import program

    major, minor = torch.cuda.get_device_capability()
    image = program._compile(PEAK, "peak.cu", [f"--gpu-architecture=sm_{major}{minor}"])
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    blocks = 2 * torch.cuda.get_device_properties(0).multi_processor_count
    out = torch.empty(blocks * 256, dtype=torch.int32, device="cuda")
    program._driver().cuModuleLoadData(ctypes.byref(module), image)
    program._driver().cuModuleGetFunction(ctypes.byref(function), module, b"peak")
    run = program.Kernel(function, program._driver())
    products = blocks * 8 * 2000 * 12 * 16 * 8 * 256 / on_gpu(lambda: run((blocks, 1), 256, out))
    here = torch.ones(1 << 30, dtype=torch.uint8, device="cuda")
    there, host = torch.empty_like(here), torch.ones(1 << 29, dtype=torch.uint8).pin_memory()
    inside = 2 * here.numel() / on_gpu(lambda: there.copy_(here))
    across = host.numel() / on_gpu(lambda: there[: 1 << 29].copy_(host, non_blocking=True))
    return {"one-bit products": 1e3 * products, "bytes inside": 1e3 * inside, "bytes from the host": 1e3 * across}


def like_web30k(n_queries: int) -> tuple[Any, Any]:
    """Values in pinned memory; half of the features have 50 different values."""
    import torch

    torch.manual_seed(0)
    values = torch.empty((n_queries * N_DOCUMENTS, N_FEATURES), pin_memory=True)
    on_device = torch.rand(values.shape, device="cuda")
    on_device[:, ::2] = torch.floor(on_device[:, ::2] * 50)
    values.copy_(on_device)
    return values, np.arange(n_queries + 1, dtype=np.int64) * N_DOCUMENTS


def kendall_graph(values: Any, ptr: Any, mode: int) -> Any:
    """Everything between values on the GPU and sums on the GPU."""
    import torch

    from leanrank.kernels.cuda import ranked_lists

    total = torch.zeros((values.shape[1], values.shape[1]), dtype=torch.int64, device="cuda")
    for lists in ranked_lists.rank(values, ptr, 0, len(ptr) - 1):
        lists.backend.kendall(lists, mode, total)
    return total


def data_resident(values: Any, ptr: Any, limits: dict[str, float], report: Report) -> float:
    import torch

    from leanrank.kernels.concordance import HALF, ORDINAL, STRICT, TAU_B
    from leanrank.kernels.cuda import ranked_lists

    resident, n_queries = values.cuda(), len(ptr) - 1
    total = torch.zeros((N_FEATURES, N_FEATURES), dtype=torch.int64, device="cuda")
    (lists,) = ranked_lists.rank(resident, ptr, 0, n_queries)
    shape = f"{n_queries:,} x {N_DOCUMENTS} x {N_FEATURES}"
    whole = report(
        f"Kendall graph, resident, {shape}", on_gpu(lambda: kendall_graph(resident, ptr, HALF)), at_most_ms=20
    )
    report(
        "  of it ranks (with places and tied pairs)",
        on_gpu(lambda: list(ranked_lists.rank(resident, ptr, 0, n_queries))),
    )
    counting = on_gpu(lambda: lists.backend.kendall(lists, HALF, total))
    # Of 144 x 144 features the upper triangle by blocks of 48, in products of 16 x 8, for 128 x 128 pairs of documents;
    # twice, for pairs ordered alike and for pairs that neither ties.
    made = 2 * n_queries * 90 * 16 * 8 * N_DOCUMENTS**2
    needed = n_queries * N_FEATURES * (N_FEATURES + 1) * N_DOCUMENTS * (N_DOCUMENTS - 1)
    share = made / (counting / 1e3) / limits["one-bit products"]
    report(
        "  of it concordance", counting, one_bit_products=made, of_them_needed=needed, share_of_limit=round(share, 3)
    )
    reading, multiplying = 1e3 * values.nbytes / limits["bytes inside"], 1e3 * needed / limits["one-bit products"]
    report("  no less than: values read once", reading)
    report("  no less than: needed products at the limit", multiplying)
    for name, mode in (("strict", STRICT), ("tau-b", TAU_B), ("ordinal", ORDINAL)):
        report(f"  the graph with ties {name!r}", on_gpu(lambda mode=mode: kendall_graph(resident, ptr, mode)))
    return whole


def from_the_host(values: Any, ptr: Any, limits: dict[str, float], resident_ms: float, report: Report) -> None:
    from leanrank import Importance, LocalEngine, RankingData, Similarity, feature_graph, fold
    from leanrank.stats.constant import Constant

    y = np.random.default_rng(0).choice(5, size=len(values), p=[0.52, 0.32, 0.13, 0.02, 0.01])
    data = RankingData(values.numpy(), y, ptr)
    wanted: list[Any] = [Importance("map"), Importance("ndcg@10"), Similarity(), Constant()]

    what = "from pinned host memory: ranks, MAP, NDCG@10, similarity, constants"
    transfer = round(1e3 * values.nbytes / limits["bytes from the host"], 1)
    host_ms = report(what, on_the_wall(lambda: everything_of(wanted, data)), at_most_ms=500, transfer_alone_ms=transfer)
    report("  ranks and similarity alone", on_the_wall(lambda: everything_of(wanted[2:3], data)))
    report("feature_graph(engine='cuda'), pinned memory", on_the_wall(lambda: feature_graph(data, engine="cuda"), 3))
    copied = RankingData(np.array(data.X), y, ptr)
    report(
        "feature_graph(engine='cuda'), ordinary memory", on_the_wall(lambda: feature_graph(copied, engine="cuda"), 3)
    )

    by_gpu = everything_of(wanted, data)
    some = data.take_queries(np.arange(40))
    fold([Similarity(), Importance("map"), Importance("ndcg@10")], some, LocalEngine(2))  # compiled
    for threads in (2, 16):
        start = perf_counter()
        similarity = fold(Similarity(), data, LocalEngine(threads))
        ms = 1e3 * (perf_counter() - start)
        report(f"the processor, {threads} threads: Kendall graph", ms, times_the_gpu=round(ms / resident_ms))
        np.testing.assert_array_equal(by_gpu[2], similarity)
    start = perf_counter()
    others = fold([Importance("map"), Importance("ndcg@10"), Similarity(), Constant()], data, LocalEngine(16))
    ms = 1e3 * (perf_counter() - start)
    report("the processor, 16 threads: all of it", ms, times_the_gpu_from_the_host=round(ms / host_ms))
    for ours, theirs in zip(by_gpu, others, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)
    print("  all results equal the processor's to the last bit")


def everything_of(statistics: list[Any], data: Any) -> list[Any]:
    import torch

    from leanrank.engines.gpu import Gpu

    partials = Gpu(torch.device("cuda", 0)).partials_of(statistics, data)
    return [statistic.finish(partial) for statistic, partial in zip(statistics, partials, strict=True)]


def many_features(report: Report) -> None:
    """2,000 features: tiles of 144 x 144, one pair of tiles after the other."""
    import torch

    from leanrank.kernels.concordance import HALF

    n_queries, n_features = 1000, 2000
    values = torch.rand((n_queries * N_DOCUMENTS, n_features), device="cuda")
    ptr = np.arange(n_queries + 1, dtype=np.int64) * N_DOCUMENTS
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    ms = on_gpu(lambda: kendall_graph(values, ptr, HALF), 5)
    beside = (torch.cuda.max_memory_allocated() - before) >> 20
    report(f"Kendall graph, resident, {n_queries:,} x {N_DOCUMENTS} x {n_features:,}", ms, MiB_beside_the_data=beside)


def lists_of_all_lengths(n_queries: int, report: Report) -> None:
    """1 to 1,251 documents, 120 on average, as WEB30K's are."""
    import torch

    from leanrank.kernels.concordance import HALF

    sizes = np.clip(np.random.default_rng(0).lognormal(4.55, 0.7, n_queries).astype(np.int64), 1, 1251)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    values = torch.rand((int(ptr[-1]), N_FEATURES), device="cuda")
    what = f"Kendall graph, resident, {n_queries:,} lists of 1 to 1,251 (mean {sizes.mean():.0f})"
    report(what, on_gpu(lambda: kendall_graph(values, ptr, HALF)))


if __name__ == "__main__":
    sys.exit(main())
