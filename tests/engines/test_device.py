"""The device of an engine: what it accepts, where it falls back, and that no result depends on it."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.stats.toy import random_data

from leanrank import GAS, make_ranking, write_letor
from leanrank.cli.app import run
from leanrank.data.ranking_data import RankingData
from leanrank.engines import device as module
from leanrank.engines.device import gpu_for, partials_of
from leanrank.engines.fold import fold
from leanrank.engines.fold_task import FoldTask, check_engine
from leanrank.engines.local import LocalEngine
from leanrank.errors import DataError, LeanRankError, MissingExtraError, MissingValuesError, ParameterError
from leanrank.selectors import registry
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.stats.anova import AnovaF
from leanrank.stats.constant import Constant
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity

AUTO = LocalEngine(device="auto")
NO_TORCH = "torch is not installed: pip install torch"
#: Selectors on the graph; a pooled correlation, as of "mrmr-f", has no form for a GPU.
ON_GRAPH = [
    name for name in registry.names() if issubclass(registry.selector_class(name), GraphSelector) and name != "mrmr-f"
]


@pytest.fixture
def on_cpu_tensors(monkeypatch):
    """Take the GPU's way with torch's CPU tensors; the list is filled with how many statistics go there."""
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    from leanrank.engines.gpu import Gpu

    taken = []

    class OnCpu(Gpu):
        def __init__(self, _):
            super().__init__(torch.device("cpu"))

        def partials_of(self, statistics, block):
            taken.append(len(statistics))
            return super().partials_of(statistics, block)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr("leanrank.engines.gpu.Gpu", OnCpu)
    return taken


@pytest.fixture
def without_gpu(monkeypatch):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.mark.parametrize("similar", ["kendall", "spearman", Similarity(ties="tau-b"), Similarity("tau_ap")])
@pytest.mark.parametrize("important", ["map", "ndcg@10", Importance("map", direction="max"), "err"])
def test_the_graph_is_the_same_to_the_last_bit(on_cpu_tensors, important, similar):
    data = random_data(0, [1, 5, 40, 130, 2, 9], 5)
    expected = feature_graph(data, important, similar)
    graph = feature_graph(data, important, similar, AUTO)
    for name in ("importance", "importance_std", "similarity", "constant"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(expected, name))
    assert graph.computed_with == expected.computed_with
    assert (graph + expected).n_queries == 12  # sums of both kinds can be added
    n_there = (important != "err") + (similar != Similarity("tau_ap"))
    assert on_cpu_tensors == ([n_there + 1] if n_there else [])  # and which are constant


@pytest.mark.parametrize("similar", ["kendall", "spearman"])
def test_a_real_gpu_gives_the_same_graph(similar):
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    if not torch.cuda.is_available():
        pytest.skip("torch sees no CUDA GPU")
    data = random_data(8, [1, 5, 40, 130, 2, 9, 1500], 50)
    expected = feature_graph(data, "ndcg@10", similar)
    for engine in ("cuda", LocalEngine(2, block_rows=100, device="auto")):
        graph = feature_graph(data, "ndcg@10", similar, engine)
        for name in ("importance", "importance_std", "similarity", "constant"):
            np.testing.assert_array_equal(getattr(graph, name), getattr(expected, name))


def test_many_blocks_with_threads_beside_the_gpu(on_cpu_tensors):
    data = random_data(6, [9, 40, 3, 17, 130, 2, 9], 5)
    statistics = {"map": Importance(), "tau": Similarity("tau_ap"), "kendall": Similarity(), "f": AnovaF()}
    expected = fold(statistics, data)
    for threads in (1, 3):
        results = fold(statistics, data, LocalEngine(threads, block_rows=30, device="auto"))
        assert list(results) == list(expected)
        for name, result in results.items():
            for part, wanted in zip(result, expected[name], strict=True):
                np.testing.assert_array_equal(part, wanted)
    assert len(on_cpu_tensors) > 6
    assert set(on_cpu_tensors) == {2}


def test_partials_of_both_devices_merge(on_cpu_tensors):
    data = random_data(1, [4, 7, 30, 3], 6)
    first, second = data.take_queries([0, 1]), data.take_queries([2, 3])
    statistics = [Importance(), Similarity(), Constant()]
    there = partials_of(statistics, second, gpu_for(statistics, "cuda"))
    assert on_cpu_tensors == [3]
    for statistic, partial in zip(statistics, there, strict=True):
        merged = statistic.finish(statistic.merge(statistic.of(first), partial))
        for part, wanted in zip(merged, statistic.finish(statistic.of(data)), strict=True):
            np.testing.assert_array_equal(part, wanted)


@pytest.mark.parametrize("name", ON_GRAPH)
def test_selectors_do_not_see_where_the_graph_was_computed(on_cpu_tensors, name):
    data = make_ranking(12, n_informative=2, n_redundant=2, n_noise=2, random_state=0)[0]
    expected = registry.get(name, n_features_to_select=3).fit(data)
    selector = registry.get(name, n_features_to_select=3, engine="cuda").fit(data)
    assert selector.selected_.tolist() == expected.selected_.tolist()
    assert on_cpu_tensors


def test_auto_without_anything_to_gain_leaves_the_gpu_alone(on_cpu_tensors):
    data = random_data(5, [4, 7, 30], 4)
    np.testing.assert_array_equal(fold(Constant(), data, AUTO), fold(Constant(), data))
    np.testing.assert_array_equal(fold(AnovaF(), data, "cuda"), fold(AnovaF(), data))
    assert not on_cpu_tensors


def test_sparse_data(on_cpu_tensors, monkeypatch):
    sp = pytest.importorskip("scipy.sparse")
    data = random_data(2, [4, 7, 30], 6, decimals=0)
    expected = feature_graph(data)
    sparse = RankingData(sp.csr_array(data.X), data.y, data.query_ptr)
    for values in (4_000_000, 60):
        monkeypatch.setattr("leanrank.data.sources._DENSE_VALUES", values)
        graph = feature_graph(sparse, engine="cuda")
        for name in ("importance", "importance_std", "similarity", "constant"):
            np.testing.assert_array_equal(getattr(graph, name), getattr(expected, name))


def test_queries_too_long_for_a_gpu_stay_on_the_processor(on_cpu_tensors, monkeypatch):
    data = random_data(3, [4, 60, 8, 70], 4)
    monkeypatch.setattr("leanrank.engines.gpu.LONGEST", 20)
    for some in (data, data.take_queries([1, 3])):
        expected, graph = feature_graph(some, "ndcg@5"), feature_graph(some, "ndcg@5", engine="cuda")
        for name in ("importance", "importance_std", "similarity", "constant"):
            np.testing.assert_array_equal(getattr(graph, name), getattr(expected, name))


def test_what_the_kernels_refuse_is_an_error_of_ours(on_cpu_tensors, monkeypatch):
    from leanrank.kernels.cuda.program import GpuError

    data = random_data(4, [4, 7], 3)
    for error, ours, match in (
        (GpuError("The GPU refused (error 2): starting a kernel."), LeanRankError, "error 2.*Leave out engine='cuda'"),
        (
            OverflowError("A value of the importance is 1e+15: scale the features first."),
            DataError,
            r"is 1e\+15: scale",
        ),
    ):

        def refuse(*_, error=error):
            raise error

        monkeypatch.setattr("leanrank.engines.gpu.ranked_lists", refuse)
        with pytest.raises(ours, match=match):
            feature_graph(data, engine="cuda")


def test_missing_values_are_refused_by_the_statistic(on_cpu_tensors):
    data = random_data(4, [4, 7], 3)
    X = np.array(data.X)
    X[2, 1] = np.nan
    with pytest.raises(MissingValuesError, match="Importance cannot take missing values: feature '2' has 1 of 11"):
        feature_graph(RankingData(X, data.y, data.query_ptr, missing=True), engine="cuda")


def test_without_a_gpu_cuda_is_one_clear_sentence(without_gpu, tmp_path, capfd):
    data = random_data(4, [4, 7], 3)
    sentence = r"^engine='cuda' needs a CUDA GPU and torch sees none: leave it out to compute on the processor, or"
    for work in (
        lambda: feature_graph(data, engine="cuda"),
        lambda: fold(Constant(), data, LocalEngine(device="cuda")),
        lambda: GAS(2, engine="cuda").fit(data),
    ):
        with pytest.raises(LeanRankError, match=sentence):
            work()
    path = tmp_path / "train.txt"
    write_letor(data, path)
    for command in (["graph", str(path), "-o", str(tmp_path / "g.npz")], ["order", str(path), "--method", "gas"]):
        assert run([*command, "--engine", "cuda"]) == 2
        error = capfd.readouterr().err
        assert "needs a CUDA GPU" in error
        assert error.count("\n") == 1


def test_without_a_gpu_auto_is_the_processor(without_gpu):
    data = random_data(4, [4, 7], 3)
    np.testing.assert_array_equal(feature_graph(data, engine=AUTO).similarity, feature_graph(data).similarity)


def test_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError,
        match=r"engine='cuda' needs the package 'torch': pip install torch, or the extra: pip install '\.\[gpu\]'",
    ):
        gpu_for([Similarity()], "cuda")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert gpu_for([Similarity()], "auto") is None
    assert gpu_for([Similarity()], "cpu") is None


@pytest.mark.parametrize(
    "statistic",
    [Similarity("tau_ap"), Similarity("spearman", scope="pooled"), Importance("hinge"), Importance("err")],
    ids=repr,
)
def test_what_has_no_gpu_form_is_refused_by_name(statistic):
    data = random_data(4, [4, 7], 3)
    with pytest.raises(ParameterError) as refused:
        fold([Constant(), statistic], data, "cuda")
    assert str(refused.value).startswith("The 'device' parameter of LocalEngine must be 'cpu' or 'auto' for ")
    assert repr(statistic) in str(refused.value)
    fold([Constant(), statistic], data, AUTO)


def test_names_of_devices_and_engines():
    with pytest.raises(ParameterError, match=r"must be 'cpu', 'cuda' or 'auto'. Got 'gpu'"):
        LocalEngine(device="gpu")
    with pytest.raises(
        ParameterError, match=r"'engine' parameter of fold must be an engine, or the name of one. Got 7"
    ):
        fold(Constant(), random_data(4, [4, 7], 3), 7)
    for class_, parameter in ((Importance, "map"), (Similarity, "kendall")):
        with pytest.raises(TypeError, match="unexpected keyword argument 'device'"):
            class_(parameter, device="cuda")


def test_nothing_of_the_gpu_is_loaded_unless_asked_for():
    code = (
        "import sys; from leanrank import RankingData, feature_graph; "
        "feature_graph(RankingData([[1.0], [2.0]], [0, 1], [0, 2])); "
        "print(*(name for name in sys.modules if name.partition('.')[0] in ('torch', 'triton')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not loaded.strip()


def test_workers_of_a_cluster_compute_on_their_own_gpu(on_cpu_tensors):
    data, statistics = random_data(7, [4, 7, 30, 3], 6), (Importance(), Similarity(), Constant(), AnovaF())
    task = FoldTask.on(SimpleNamespace(device="auto", block_rows=10), statistics)
    halves = [task.of_block(block) for block in data.blocks(20)]
    assert on_cpu_tensors == [3] * len(halves)
    for statistic, partial in zip(statistics, task.merge(halves), strict=True):
        for part, wanted in zip(statistic.finish(partial), statistic.finish(statistic.of(data)), strict=True):
            np.testing.assert_array_equal(part, wanted)


def test_a_cluster_refuses_by_name_before_the_work():
    with pytest.raises(ParameterError, match=r"must be 'cpu' or 'auto' for Similarity\(kind='tau_ap'"):
        FoldTask.on(SimpleNamespace(device="cuda", block_rows=10), [Similarity("tau_ap")])
    with pytest.raises(ParameterError, match="'device' parameter of DaskEngine must be 'cpu', 'cuda' or 'auto'"):
        check_engine("DaskEngine", 10, "workers", "tpu")
