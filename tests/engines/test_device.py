"""The `device` parameter: what it accepts, where it falls back, and that a graph does not depend on it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from tests.stats.toy import random_data

from leanrank.data.ranking_data import RankingData
from leanrank.engines.cuda import device as module
from leanrank.engines.local import LocalEngine
from leanrank.errors import LeanRankError, MissingExtraError, ParameterError
from leanrank.selectors.gas import GAS
from leanrank.stats.constant import Constant
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity


def on_cpu_tensors(monkeypatch):
    """Take the GPU's way with torch's CPU tensors."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'leanrank[gpu]'")

    def torch_device(device, *, supported=True):
        return torch.device("cpu") if device == "cuda" or (device == "auto" and supported) else None

    for name in ("constant", "feature_graph", "importance", "similarity"):
        monkeypatch.setattr(import_module(f"leanrank.stats.{name}"), "torch_device", torch_device)


def without_gpu(monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'leanrank[gpu]'")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.parametrize("similar", ["kendall", "spearman", Similarity(ties="tau-b"), Similarity("tau_ap")])
@pytest.mark.parametrize("important", ["map", "ndcg@10", Importance("map", direction="max"), "err"])
def test_the_graph_is_the_same_to_the_last_bit(monkeypatch, important, similar):
    data = random_data(0, [1, 5, 40, 130, 2, 9], 5)
    expected = feature_graph(data, important, similar)
    on_cpu_tensors(monkeypatch)
    graph = feature_graph(data, important, similar, device="auto")
    for name in ("importance", "importance_std", "similarity", "constant"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(expected, name))
    assert graph.computed_with == expected.computed_with
    assert (graph + graph).n_queries == 12  # sums of both kinds can be added


def test_partials_of_both_devices_merge(monkeypatch):
    data = random_data(1, [4, 7, 30, 3], 6)
    first, second = data.take_queries([0, 1]), data.take_queries([2, 3])
    whole = [Importance().of(data), Similarity().of(data), Constant().of(data)]
    halves = [Importance().of(first), Similarity().of(first), Constant().of(first)]
    on_cpu_tensors(monkeypatch)
    statistics = [Importance(device="cuda"), Similarity(device="cuda"), Constant(device="cuda")]
    for statistic, half, expected in zip(statistics, halves, whole, strict=True):
        merged = statistic.finish(statistic.merge(half, statistic.of(second)))
        for found, wanted in zip(merged, statistic.finish(expected), strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_selectors_take_statistics_with_a_device(monkeypatch):
    data = random_data(5, [4, 7, 30, 12], 8)
    expected = GAS(3).fit(data)
    on_cpu_tensors(monkeypatch)
    selector = GAS(3, importance=Importance("map", device="cuda"), similarity=Similarity(device="cuda")).fit(data)
    assert selector.order_.tolist() == expected.order_.tolist()
    assert GAS(3).fit_graph(feature_graph(data, device="cuda")).order_.tolist() == expected.order_.tolist()


def test_sparse_data(monkeypatch):
    sp = pytest.importorskip("scipy.sparse")
    data = random_data(2, [4, 7, 30], 6, decimals=0)
    expected = feature_graph(data)
    on_cpu_tensors(monkeypatch)
    sparse = RankingData(sp.csr_array(data.X), data.y, data.query_ptr)
    graph = feature_graph(sparse, device="cuda")
    np.testing.assert_array_equal(graph.similarity, expected.similarity)
    np.testing.assert_array_equal(graph.importance, expected.importance)


def test_queries_too_long_for_a_gpu_stay_on_the_processor(monkeypatch):
    data = random_data(3, [4, 60, 8, 70], 4)
    expected = feature_graph(data, "ndcg@5")
    on_cpu_tensors(monkeypatch)
    monkeypatch.setattr(module, "LONGEST", 20)
    monkeypatch.setattr(import_module("leanrank.stats.constant"), "LONGEST", 20)
    for some in (data, data.take_queries([1, 3])):
        graph = feature_graph(some, "ndcg@5", device="cuda", engine=LocalEngine(1))
        if some is data:
            np.testing.assert_array_equal(graph.similarity, expected.similarity)
            np.testing.assert_array_equal(graph.importance, expected.importance)
            np.testing.assert_array_equal(graph.constant, expected.constant)


def test_without_a_gpu_cuda_is_one_clear_sentence(monkeypatch):
    without_gpu(monkeypatch)
    data = random_data(4, [4, 7], 3)
    with pytest.raises(
        LeanRankError, match=r"^device='cuda' needs a CUDA GPU and torch sees none: use device='cpu', or"
    ):
        feature_graph(data, device="cuda")
    for statistic in (Importance(device="cuda"), Similarity(device="cuda"), Constant(device="cuda")):
        with pytest.raises(LeanRankError, match="needs a CUDA GPU"):
            statistic.of(data)


def test_without_a_gpu_auto_is_the_processor(monkeypatch):
    without_gpu(monkeypatch)
    data = random_data(4, [4, 7], 3)
    np.testing.assert_array_equal(feature_graph(data, device="auto").similarity, feature_graph(data).similarity)


def test_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError, match=r"device='cuda' needs the package 'torch': pip install 'leanrank\[gpu\]'"
    ):
        module.torch_device("cuda")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert module.torch_device("auto") is None


def test_what_has_no_gpu_form_is_refused_at_once():
    with pytest.raises(ParameterError, match="'device' parameter of Similarity must be 'cpu' or 'auto' for 'tau_ap'"):
        Similarity("tau_ap", device="cuda")
    with pytest.raises(ParameterError, match="'cpu' or 'auto' for pooled 'spearman'"):
        Similarity("spearman", scope="pooled", device="cuda")
    with pytest.raises(ParameterError, match="'device' parameter of Importance must be 'cpu' or 'auto' for 'hinge'"):
        Importance("hinge", device="cuda")
    with pytest.raises(ParameterError, match="'cpu' or 'auto' for 'err'"):
        Importance("err", device="cuda")
    for statistic in (Importance, Similarity, Constant):
        with pytest.raises(ParameterError, match=r"must be 'cpu', 'cuda' or 'auto'. Got 'gpu'"):
            statistic(device="gpu")


def test_nothing_of_the_gpu_is_loaded_unless_asked_for():
    code = (
        "import sys; from leanrank import RankingData, feature_graph; "
        "feature_graph(RankingData([[1.0], [2.0]], [0, 1], [0, 2])); "
        "print(*(name for name in sys.modules if name.partition('.')[0] in ('torch', 'triton')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not loaded.strip()
