"""Where the graph is computed is a parameter of the selectors, and changes nothing."""

from __future__ import annotations

import pytest

from leanrank import GAS, make_ranking
from leanrank.cli.app import run
from leanrank.errors import LeanRankError
from leanrank.selectors import registry
from leanrank.selectors._graph_selector import GraphSelector

DATA = make_ranking(12, n_informative=2, n_redundant=2, n_noise=2, random_state=0)[0]
ON_GRAPH = [name for name in registry.names() if issubclass(registry.selector_class(name), GraphSelector)]


@pytest.mark.parametrize("name", ON_GRAPH)
def test_auto_gives_what_the_cpu_gives(name):
    on_cpu = registry.get(name, n_features_to_select=3).fit(DATA)
    auto = registry.get(name, n_features_to_select=3, device="auto").fit(DATA)
    assert auto.selected_.tolist() == on_cpu.selected_.tolist()


def test_without_a_gpu_cuda_is_one_sentence(tmp_path, capfd):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(LeanRankError, match="device='cuda' needs a CUDA GPU"):
        GAS(3, device="cuda").fit(DATA)
    from leanrank import write_letor

    path = tmp_path / "train.txt"
    write_letor(DATA, path)
    for command in (["graph", str(path), "-o", str(tmp_path / "g.npz")], ["order", str(path), "--method", "gas"]):
        option = ["--device", "cuda"] if command[0] == "graph" else ["--set", "device=cuda"]
        assert run([*command, *option]) == 2
        error = capfd.readouterr().err
        assert "needs a CUDA GPU" in error
        assert error.count("\n") == 1
