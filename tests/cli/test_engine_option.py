"""--engine: the same answer, and no file is read as a whole."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from leanrank import FeatureGraph, make_ranking, write_letor, write_parquet
from leanrank.cli.app import app

FORMS = ("judged.txt", "judged.parquet", "folder")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    data = make_ranking(20, (4, 9), n_informative=2, n_redundant=1, n_noise=2, random_state=1)[0]
    write_letor(data, folder / "judged.txt")
    write_parquet(data, folder / "judged.parquet")
    (folder / "folder").mkdir()
    for i in range(2):
        write_parquet(data.take_queries(np.arange(10 * i, 10 * i + 10)), folder / "folder" / f"{i}.parquet")
    return folder


@pytest.fixture
def nothing_is_read_whole(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("the file was read as a whole")

    monkeypatch.setattr("leanrank.data.reading.read_table", refuse)
    monkeypatch.setattr("leanrank.data.letor.reader.read_letor", refuse)


def call(command):
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


@pytest.fixture(scope="module")
def expected(files, tmp_path_factory):
    """What comes out without an engine."""
    folder = tmp_path_factory.mktemp("expected")
    for form in FORMS:
        call(f"order {files / form} --method gas -k 2 -o {folder / form}.json")
        call(f"graph {files / form} -o {folder / form}.npz")
    return folder


@pytest.mark.usefixtures("nothing_is_read_whole")
@pytest.mark.parametrize("form", FORMS)
def test_the_same_answer(form, files, expected, tmp_path):
    call(f"order {files / form} --method gas -k 2 --engine local:1 -o {tmp_path}/kept.json")
    found, whole = (json.loads(path.read_text()) for path in (tmp_path / "kept.json", expected / f"{form}.json"))
    for key in ("names", "scores", "fingerprint"):
        assert found[key] == whole[key]
    call(f"graph {files / form} --engine local:2 -o {tmp_path}/graph.npz")
    one, other = FeatureGraph.load(tmp_path / "graph.npz"), FeatureGraph.load(expected / f"{form}.npz")
    np.testing.assert_array_equal(one.similarity, other.similarity)
    np.testing.assert_array_equal(one.importance, other.importance)
