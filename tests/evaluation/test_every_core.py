"""Every core is taken by default, one a task, and no answer depends on how many there are."""

from __future__ import annotations

import re

import numpy as np
import pytest

from leanrank import Protocol, cross_validate, load_ranker, make_ranking, select, write_letor
from leanrank.cli.app import run
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.rankers.lightgbm_adapter import LightGBMAdapter

lightgbm = pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def data():
    return make_ranking(30, (10, 20), n_informative=3, n_redundant=2, n_noise=3, random_state=0)[0]


def mine():
    """A ranker that names no number of threads."""
    return lightgbm.LGBMRanker(n_estimators=10, min_child_samples=3, verbosity=-1)


def selected(data):
    kept = select(data, mine(), methods=["gas", "importance"], cv=3, n_features=3, progress=False).to_dict()
    return {name: value for name, value in kept.items() if name != "seconds"}


def compared(data):
    sizes = {"k": [2], "metrics": ["map"], "settings": CompareSettings(n_splits=3)}
    runs = compare(data, methods=["gas"], rankers=["ranksvm", "lightgbm"], **sizes).runs
    return {key: (one.mean, one.feature_sets) for key, one in runs.items()}


def validated(data):
    return cross_validate("gas", mine(), data, k=3, grid=None, protocol=Protocol(n_splits=3)).mean


@pytest.mark.parametrize("job", [selected, compared, validated])
def test_the_answer_is_the_same(monkeypatch, data, job):
    answers, threads = [], []
    keep = LightGBMAdapter._keep
    monkeypatch.setattr(LightGBMAdapter, "_keep", lambda self, text: threads.append(text) or keep(self, text))
    for cores in ("1", "2"):
        monkeypatch.setenv("LEANRANK_THREADS", cores)
        answers.append(job(data))
    assert answers[0] == answers[1]
    assert {re.search(r"\[num_threads: (.*)\]", text)[1] for text in threads} == {"1"}


def test_a_model_trained_alone_has_all_cores_and_is_the_same(monkeypatch, data, tmp_path):
    write_letor(data, tmp_path / "train.txt")
    models = []
    for cores in ("1", "2"):
        monkeypatch.setenv("LEANRANK_THREADS", cores)
        path = tmp_path / f"{cores}.json"
        arguments = ["--ranker", "lightgbm", "--ranker-set", "n_estimators=20", "-o", str(path)]
        assert run(["train", str(tmp_path / "train.txt"), *arguments]) == 0
        models.append(load_ranker(path))
        assert f"[num_threads: {cores}]" in models[-1].model_text_
    np.testing.assert_array_equal(models[0].predict(data.X), models[1].predict(data.X))
