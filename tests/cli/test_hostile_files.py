"""Commands on files that ask for the impossible, or that nothing can be learned from."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leanrank import RankingData, write_letor
from leanrank.cli.app import run
from leanrank.errors import DataError
from leanrank.selectors import registry


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 40)
    write_letor(RankingData(rng.random((40, 3)), y, range(0, 41, 8)), tmp_path / "train.txt")
    write_letor(RankingData(rng.random((40, 3)), np.ones(40), range(0, 41, 8)), tmp_path / "equal.txt")
    return tmp_path


@pytest.mark.parametrize("name", ["2000000000", "9" * 5000])
def test_a_feature_with_a_number_that_no_file_has(folder, capsys, name):
    features = folder / "features.json"
    features.write_text(json.dumps({"names": ["1", name], "ids": [1, 2], "n_features_in": 3}))
    convert = ["convert", str(folder / "train.txt"), "-o", str(folder / "out.txt"), "--features", str(features)]
    assert run(convert) == 2
    assert "a feature beyond number 1,000,000 is asked for" in capsys.readouterr().err
    assert not (folder / "out.txt").exists()


@pytest.mark.parametrize("method", ["cfs", "fcbf", "consistency", "fsm-rank"])
@pytest.mark.filterwarnings("ignore")
def test_an_empty_selection_is_not_written(folder, capsys, method):
    output = folder / "features.json"
    assert run(["order", str(folder / "equal.txt"), "-m", method, "-o", str(output)]) == 2
    assert f"{method} keeps no feature of" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize("scale", [1e307, 1e200, 1e-200, 5e-324])
@pytest.mark.parametrize("method", ["fsm-rank", "fsm-svm"])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_values_that_cannot_be_multiplied(method, scale):
    rng = np.random.default_rng(0)
    X = np.round(9 * rng.random((40, 5))) * scale
    data = RankingData(X, rng.integers(0, 3, 40), range(0, 41, 8))
    with pytest.raises(DataError, match="too large or too small to be multiplied"):
        registry.get(method).fit(data)


def test_features_that_cancel_can_be_multiplied():
    rng = np.random.default_rng(0)
    X = rng.random((40, 3))
    data = RankingData(np.hstack([X, -X]), rng.integers(0, 3, 40), range(0, 41, 8))
    assert len(registry.get("fsm-rank", n_features_to_select=2).fit(data).selected_) == 2
