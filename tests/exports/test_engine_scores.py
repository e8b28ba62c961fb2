"""Scores that engines' own classes gave, where their plugins are not to be had everywhere: kept, and still ours.

The cases are those of `tests/engines_jvm`, as they were when the engines scored them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.engines_jvm.cases import digest, kept

GOLDEN = Path(__file__).parent / "golden" / "engines"
ENGINES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def cases():
    return {case.name: case for case in kept(GOLDEN)}


@pytest.mark.parametrize("which", ENGINES)
def test_the_file_is_the_one_the_engine_scored_and_predict_agrees(which, cases, tmp_path):
    engine, version = which.split("-")
    digests = json.loads((GOLDEN / which / "models.json").read_text())
    assert len(digests) >= 5
    for name, expected in digests.items():
        assert digest(cases[name], engine, version, tmp_path) == expected, f"{name}: another file than was scored"
        cases[name].close(np.loadtxt(GOLDEN / which / f"{name}.scores.txt"))
