"""The official LETOR folds, from both layouts of files."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from leanrank.data.folds import Fold, letor_folds
from leanrank.data.letor.reader import read_letor
from leanrank.errors import DataError


def _lines(query, width=2):
    return "".join(f"{label} qid:{query} 1:{query}.{label} {width}:{label}.5\n" for label in (0, 1))


def _parts(folder, *, packed=False, widths=(2, 2, 2, 2, 2)):
    for i, width in enumerate(widths, start=1):
        text = _lines(10 * i, width) + _lines(10 * i + 1, width)
        if packed:
            (folder / f"S{i}.txt.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"S{i}.txt").write_text(text)


def _parts_of(data):
    return sorted(set(data.query_ids // 10))


ROTATION = [
    ([1, 2, 3], [4], [5]),
    ([2, 3, 4], [5], [1]),
    ([3, 4, 5], [1], [2]),
    ([1, 4, 5], [2], [3]),
    ([1, 2, 5], [3], [4]),
]


@pytest.mark.parametrize("packed", [False, True])
def test_the_official_rotation_of_five_parts(tmp_path, packed):
    _parts(tmp_path, packed=packed)
    folds = letor_folds(tmp_path)
    assert len(folds) == 5
    assert [fold.name for fold in folds] == ["Fold1", "Fold2", "Fold3", "Fold4", "Fold5"]
    for fold, rotation in zip(folds, ROTATION, strict=True):
        assert isinstance(fold, Fold)
        assert (_parts_of(fold.train), _parts_of(fold.valid), _parts_of(fold.test)) == rotation
    assert folds[3].train.query_ids.tolist() == [40, 41, 50, 51, 10, 11]  # S4, S5, S1
    assert folds[-1].name == "Fold5"
    assert [fold.name for fold in folds[1:3]] == ["Fold2", "Fold3"]
    with pytest.raises(IndexError, match="out of range"):
        folds[5]


def test_parts_are_read_once_and_only_when_asked(tmp_path, monkeypatch):
    _parts(tmp_path)
    read = []
    monkeypatch.setattr(
        "leanrank.data.letor.reader.read_letor", lambda path, **kw: read.append(path.name) or read_letor(path)
    )
    folds = letor_folds(tmp_path)
    assert repr(folds).startswith("LetorFolds: 5 folds of")
    assert read == []
    list(folds)
    list(folds)
    assert sorted(read) == ["S1.txt", "S2.txt", "S3.txt", "S4.txt", "S5.txt"]


def _folders(root, n=2, *, names=("train", "vali", "test"), width=2):
    for f in range(1, n + 1):
        folder = root / f"Fold{f}"
        folder.mkdir()
        for role, name in enumerate(names):
            (folder / f"{name}.txt").write_text(_lines(100 * f + role, width if role == 2 else 2))


@pytest.mark.parametrize("names", [("train", "vali", "test"), ("train", "valid", "test")])
def test_fold_folders(tmp_path, names):
    _folders(tmp_path, names=names)
    folds = letor_folds(tmp_path)
    assert [fold.name for fold in folds] == ["Fold1", "Fold2"]
    found = [(fold.train.query_ids[0], fold.valid.query_ids[0], fold.test.query_ids[0]) for fold in folds]
    assert found == [(100, 101, 102), (200, 201, 202)]


@pytest.mark.parametrize("sparse", [False, True])
def test_all_parts_of_a_fold_have_the_features_of_the_widest(tmp_path, sparse):
    (tmp_path / "parts").mkdir()
    _parts(tmp_path / "parts", widths=(2, 2, 4, 2, 3))
    for fold in letor_folds(tmp_path / "parts", sparse=sparse):
        assert fold.train.feature_names == fold.valid.feature_names == fold.test.feature_names == ("1", "2", "3", "4")
        assert fold.test.is_sparse == sparse
    narrow = letor_folds(tmp_path / "parts", sparse=sparse)[0].valid  # S4
    np.testing.assert_array_equal(narrow.dense()[:, 2:], 0)
    np.testing.assert_allclose(narrow.dense()[:, 1], [0.5, 1.5, 0.5, 1.5])
    _folders(tmp_path, width=3)
    assert {part.n_features for part in (letor_folds(tmp_path)[0].train, letor_folds(tmp_path)[1].test)} == {3}


def test_options_reach_the_reader(tmp_path):
    _parts(tmp_path)
    assert letor_folds(tmp_path, n_features=7)[2].test.n_features == 7


def test_where_both_layouts_are_there_the_parts_are_used(tmp_path):
    _parts(tmp_path)
    _folders(tmp_path)
    assert len(letor_folds(tmp_path)) == 5


def test_incomplete_folders_say_what_is_missing(tmp_path):
    with pytest.raises(DataError, match="There is no folder"):
        letor_folds(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"has neither S1\.txt\.\.S5\.txt nor Fold1/train\.txt"):
        letor_folds(tmp_path)
    _folders(tmp_path)
    (tmp_path / "Fold2" / "vali.txt").unlink()
    with pytest.raises(DataError, match=r"Fold2 has no vali\.txt"):
        letor_folds(tmp_path)
    (tmp_path / "S2.txt").write_text(_lines(1))
    with pytest.raises(DataError, match=r"has S2 but no S1\.txt: the rotation needs S1\.\.S5"):
        letor_folds(tmp_path)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "queries"), [("ohsumed", [21, 21, 21, 21, 22]), ("mq2008", [157, 157, 157, 157, 156])]
)
def test_real_folds_have_the_published_number_of_queries(data_dir, name, queries):
    folds = letor_folds(data_dir / name)
    for i, fold in enumerate(folds):
        assert fold.test.n_queries == queries[(i + 4) % 5]
        assert fold.valid.n_queries == queries[(i + 3) % 5]
        assert fold.train.n_queries == sum(queries[(i + step) % 5] for step in range(3))
        ids = [set(part.query_ids.tolist()) for part in (fold.train, fold.valid, fold.test)]
        assert len(ids[0] | ids[1] | ids[2]) == sum(queries)
