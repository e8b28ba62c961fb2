"""The GPU's arithmetic against the processor's kernels: the same integers, on every device that torch has here.

Without a GPU the same code runs on torch's CPU tensors (`plain.py` in place of the compiled kernels).
"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from leanrank.data.ranking_data import RankingData  # noqa: E402
from leanrank.engines import gpu  # noqa: E402
from leanrank.engines.gpu import Gpu  # noqa: E402
from leanrank.kernels.cuda import program, ranked_lists  # noqa: E402
from leanrank.kernels.cuda import similarity as cuda_similarity  # noqa: E402
from leanrank.kernels.cuda import units as cuda_units  # noqa: E402
from leanrank.metrics.ndcg import NDCG  # noqa: E402
from leanrank.metrics.precision_recall import AP  # noqa: E402
from leanrank.stats.constant import Constant  # noqa: E402
from leanrank.stats.exact_sum import as_float, exact_sum, from_fixed  # noqa: E402
from leanrank.stats.importance import Importance  # noqa: E402
from leanrank.stats.similarity import _TIES, Similarity  # noqa: E402

PLACES = ["cpu", *(["cuda", "cuda without kernels"] if torch.cuda.is_available() else [])]
# One document, a pair, and sizes around 16 (padding), 32, 64 and 128 (sorts), 512 (a block of threads) and 1,024.
SHORT = [1, 2, 3, 15, 16, 17, 32, 33, 65, 128, 129, 1]
SIZES = [*SHORT, 64, 127, 257, 513, 1030]


@pytest.fixture(params=PLACES)
def device(request, monkeypatch):
    if request.param == "cuda without kernels":
        monkeypatch.setattr(program, "available", lambda device: False)
    return torch.device(request.param.partition(" ")[0])


def some_data(sizes, n_features, dtype=np.float32, decimals=1, seed=0):
    """Values that tie often, one feature of zeros of both signs, one constant, one without ties."""
    rng = np.random.default_rng(seed)
    n = int(sum(sizes))
    X = rng.normal(size=(n, n_features)).round(decimals).astype(dtype)
    X[:, -1] = rng.permutation(n)
    X[:, n_features // 2] = 2.5
    X[::3, 0], X[1::3, 0] = 0.0, -0.0
    y = rng.integers(0, 4, n) * rng.integers(0, 2, n)
    return RankingData(X, y, np.concatenate([[0], np.cumsum(sizes)]))


def ranks(data, device):
    return ranked_lists.ranked_lists(data.X, data.query_ptr, device)


def kendall(data, ties, device):
    return cuda_similarity.kendall_sums(ranks(data, device), data.n_features, _TIES[ties], device)


def varies(data, device):
    return cuda_similarity.varies(ranks(data, device), data.n_features, device)


def value(parts):
    """Exact sums are equal where their values are; how they split into high and low depends on the blocks."""
    return parts[0] * (1 << 30) + parts[1]


@pytest.mark.parametrize("ties", ["strict", "half", "ordinal", "tau-b"])
@pytest.mark.parametrize(("n_features", "dtype"), [(1, np.float32), (7, np.float64), (50, np.float32)])
def test_kendall_is_the_same_integers(device, ties, n_features, dtype):
    data = some_data(SIZES if device.type == "cuda" or n_features < 9 else SHORT, n_features, dtype)
    expected = Similarity(ties=ties).of(data)
    np.testing.assert_array_equal(value(kendall(data, ties, device)), value(expected.total))
    assert Similarity(ties=ties).of_on(data, Gpu(device)).n_queries == expected.n_queries


@pytest.mark.parametrize("n_features", [47, 48, 49, 96, 97, 136, 144, 145, 300])
@pytest.mark.parametrize("ties", ["strict", "tau-b"])
def test_kendall_at_the_edges_of_tiles(device, ties, n_features):
    data = some_data([9, 40] if device.type == "cpu" else SIZES, n_features, seed=1)
    expected = Similarity(ties=ties).of(data)
    np.testing.assert_array_equal(value(kendall(data, ties, device)), value(expected.total))


def test_two_thousand_features(device):
    data = some_data([5, 12], 2000, seed=2)
    expected = Similarity(ties="half").of(data)
    np.testing.assert_array_equal(value(kendall(data, "half", device)), value(expected.total))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ties", ["strict", "ordinal", "tau-b"])
def test_five_thousand_documents(device, ties, dtype):
    data = some_data([5000, 3, 700], 3, dtype, decimals=2, seed=3)
    expected = Similarity(ties=ties).of(data)
    np.testing.assert_array_equal(value(kendall(data, ties, device)), value(expected.total))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_spearman_is_the_same_integers(device, dtype):
    data = some_data(SIZES, 9, dtype, seed=4)
    expected = Similarity("spearman").of(data)
    total = cuda_similarity.spearman_sums(ranks(data, device), data.n_features, device)
    np.testing.assert_array_equal(value(total), value(expected.total))
    assert Similarity("spearman").of_on(data, Gpu(device)).n_queries == expected.n_queries


@pytest.mark.parametrize(
    "measure",
    [
        AP(),
        AP(3),
        AP(5, convention="lightgbm"),
        AP(convention="mslr"),
        NDCG(),
        NDCG(10),
        NDCG(2, gain="linear"),
        NDCG(20, convention="letor3"),
        NDCG(4, convention="xgboost"),
        NDCG(7, convention="sklearn"),
    ],
    ids=repr,
)
def test_metrics_are_the_same_integers(device, measure):
    data = some_data([*SIZES, 4, 4, 4, 30], 12, seed=5)
    data.y[-42:-30] = 0  # queries without a relevant document
    statistic = Importance(measure, direction="max")
    expected = statistic.of(data)
    for sums, wanted in zip(Gpu(device).metric_sums(data, measure, (False, True)), expected, strict=True):
        np.testing.assert_array_equal(sums, wanted)


def test_labels_that_are_no_whole_numbers(device):
    """Sums of their gains depend on the order of rows, which must be the processor's."""
    data = some_data(SIZES, 6, seed=6)
    y = np.random.default_rng(6).random(data.n_rows) * 3
    data = RankingData(data.X, y, data.query_ptr)
    for measure in (NDCG(), NDCG(10)):
        expected = Importance(measure, direction="max").of(data)
        sums = Gpu(device).metric_sums(data, measure, (False, True))
        np.testing.assert_array_equal(sums[0], expected.total)


def test_features_that_never_vary(device):
    X = np.ones((9, 4), dtype=np.float32)
    X[3, 1], X[:, 2], X[0, 3] = 2.0, [0, 0, 0, 0, 0, 1, 1, 1, 1], -1.0  # 2 differs between queries only
    data = RankingData(X, np.zeros(9), [0, 1, 5, 9])
    assert varies(data, device).tolist() == [False, True, False, False]
    np.testing.assert_array_equal(varies(data, device), Constant().of(data).varies)


def test_blocks_travel_in_pieces(device, monkeypatch):
    data = some_data([5, 130, 16, 3, 40, 1, 200, 8] * 3, 6, seed=7)
    whole = kendall(data, "tau-b", device)
    monkeypatch.setattr(ranked_lists, "PIECE_BYTES", 60 * 6 * 4)
    monkeypatch.setattr(ranked_lists, "QUERIES_AT_ONCE", 3)
    monkeypatch.setattr(cuda_similarity, "QUERIES_AT_ONCE", 3)
    assert len(list(ranks(data, device))) > 8
    np.testing.assert_array_equal(value(kendall(data, "tau-b", device)), value(whole))


def test_a_block_is_ranked_once_for_all_statistics(device, monkeypatch):
    data, other, sent = some_data([5, 9], 4), some_data([5, 9], 4), []
    monkeypatch.setattr(gpu, "ranked_lists", lambda *given: sent.append(1) or ranked_lists.ranked_lists(*given))
    arithmetic = Gpu(device)
    arithmetic.kendall_sums(data, _TIES["strict"])
    arithmetic.metric_sums(data, AP(), (False,))
    assert len(sent) == 1
    arithmetic.varies(other)
    assert len(sent) == 2
    monkeypatch.setattr(gpu, "KEPT_BYTES", 0)
    arithmetic.varies(data)
    arithmetic.varies(data)
    assert len(sent) == 4


def test_a_reader_that_stops_early_keeps_nothing(device, monkeypatch):
    monkeypatch.setattr(ranked_lists, "PIECE_BYTES", 1)
    data, arithmetic = some_data([5, 9, 7], 4), Gpu(device)
    next(iter(arithmetic.ranked(data)))
    assert len(list(arithmetic.ranked(data))) == 3
    assert len(list(arithmetic.ranked(data))) == 3


def test_read_only_values(device):
    data = some_data([5, 9], 4)
    expected = Similarity(ties="strict").of(data).total
    data.X.flags.writeable = False
    np.testing.assert_array_equal(kendall(data, "strict", device), expected)


def test_exact_sums_are_those_of_the_processor(device):
    values = np.random.default_rng(8).normal(size=(50, 3)) * 1e6
    np.testing.assert_array_equal(
        cuda_units.exact_sum(torch.from_numpy(values).to(device), "a test").cpu().numpy(), exact_sum(values)
    )
    fixed = np.random.default_rng(9).integers(-(2**60), 2**60, size=(4, 4))
    parts = cuda_units.from_fixed(torch.from_numpy(fixed).to(device)).cpu().numpy()
    np.testing.assert_array_equal(parts, from_fixed(fixed))
    assert np.isfinite(as_float(parts)).all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU")
def test_pinned_memory_is_read_in_place(monkeypatch):
    monkeypatch.setattr(ranked_lists, "PIECE_BYTES", 4096)
    data = some_data([40, 3, 200, 90] * 5, 8, seed=10)
    pinned = torch.from_numpy(data.X).pin_memory()
    there = RankingData(pinned.numpy(), data.y, data.query_ptr)
    assert torch.from_numpy(there.X).is_pinned()
    expected = kendall(data, "half", torch.device("cuda"))
    np.testing.assert_array_equal(kendall(there, "half", torch.device("cuda")), expected)


def test_values_too_large_for_exact_sums_are_refused(device):
    with pytest.raises(OverflowError, match=r"A value of a test is 1e\+15: scale the features first"):
        cuda_units.exact_sum(torch.full((2, 2), 1e15, dtype=torch.float64, device=device), "a test")
