"""Where the graph is computed is no business of the selectors."""

from __future__ import annotations

import pytest

from leanrank import make_ranking
from leanrank.cli.app import run
from leanrank.selectors import registry

DATA = make_ranking(12, n_informative=2, n_redundant=2, n_noise=2, random_state=0)[0]


@pytest.mark.parametrize("name", registry.names())
def test_a_selector_does_not_see_where_its_graph_is_computed(name):
    assert "device" not in registry.selector_class(name)._get_param_names()


def test_without_a_gpu_cuda_is_one_sentence(tmp_path, capfd):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    from leanrank import write_letor

    path = tmp_path / "train.txt"
    write_letor(DATA, path)
    assert run(["graph", str(path), "-o", str(tmp_path / "g.npz"), "--device", "cuda"]) == 2
    error = capfd.readouterr().err
    assert "needs a CUDA GPU" in error
    assert error.count("\n") == 1
