"""`leanrank convert`: each format to each, all features or the selected ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from leanrank import RankingData, read_table, write_parquet
from leanrank.cli.app import run
from leanrank.data.letor.reader import read_letor, write_letor
from leanrank.data.letor.writer import write_lightgbm
from leanrank.data.tabular.csv_files import write_csv

# Values that float32 and float64 read alike, a zero, and queries whose ids a LightGBM file can keep.
X = np.array([[0.5, 0.0, 3.0, 4.25], [1.5, 2.5, 0.0, 1.0], [0.25, 0.0, 7.0, 8.0]], dtype=np.float32)
DATA = RankingData(X, [2, 0, 1], [0, 2, 3], [1, 2], comments=["docid = GX1", "docid = GX2", "docid = GX3"])
WRITERS = {"letor": write_letor, "csv": write_csv, "parquet": write_parquet, "lightgbm": write_lightgbm}
NAMES = {"letor": "d.txt", "csv": "d.csv", "parquet": "d.parquet", "lightgbm": "d.train"}


def read(path: Path, kind: str) -> RankingData:
    if kind in ("letor", "lightgbm"):
        return read_letor(path)
    columns = [] if kind == "parquet" else ["comment"]
    return read_table(path, comments=columns[0]) if columns and "comment" in path.read_text() else read_table(path)


def selection(folder: Path, ids: list[int]) -> str:
    path = folder / "features.json"
    record = {"names": [str(i) for i in ids], "ids": ids, "indices": [i - 1 for i in ids], "n_features_in": 4}
    path.write_text(json.dumps(record))
    return str(path)


@pytest.mark.parametrize("source", WRITERS)
@pytest.mark.parametrize("target", WRITERS)
def test_each_to_each(source, target, tmp_path):
    (tmp_path / "in").mkdir()
    file, out = tmp_path / "in" / NAMES[source], tmp_path / NAMES[target]
    WRITERS[source](DATA, file)
    more = ["--comments", "comment"] if source == "csv" else []
    assert run(["convert", str(file), "-o", str(out), "--to", target, *more]) == 0
    found = read(out, target)
    np.testing.assert_array_equal(found.dense(), X)
    np.testing.assert_array_equal(found.y, DATA.y)
    np.testing.assert_array_equal(found.query_ptr, DATA.query_ptr)
    # LightGBM's files have no query ids: queries count from 0.
    assert [str(q) for q in found.query_ids] == (["0", "1"] if "lightgbm" in (source, target) else ["1", "2"])
    if "lightgbm" not in (source, target):
        assert [text.strip() for text in found.comments] == list(DATA.comments)


def test_letor_keeps_ids_or_renumbers(tmp_path):
    write_letor(DATA, tmp_path / "all.txt")
    command = ["convert", str(tmp_path / "all.txt"), "--features", selection(tmp_path, [4, 2])]
    assert run([*command, "-o", str(tmp_path / "kept.txt")]) == 0
    lines = (tmp_path / "kept.txt").read_text().splitlines()
    assert lines[0].split("#")[0].split() == ["2", "qid:1", "2:0", "4:4.25"]
    assert lines[1].split("#")[0].split() == ["0", "qid:1", "2:2.5", "4:1"]
    assert run([*command, "--renumber", "-o", str(tmp_path / "new.txt")]) == 0
    lines = (tmp_path / "new.txt").read_text().splitlines()
    assert lines[1].split("#")[0].split() == ["0", "qid:1", "1:2.5", "2:1"]
    assert "GX2" in lines[1]


def test_tables_keep_names_or_renumber(tmp_path):
    write_letor(DATA, tmp_path / "all.txt")
    command = ["convert", str(tmp_path / "all.txt"), "--features", selection(tmp_path, [4, 2])]
    for flag, names in (("--keep-ids", ("2", "4")), ("--renumber", ("1", "2"))):
        assert run([*command, flag, "-o", str(tmp_path / "out.parquet")]) == 0
        found = read_table(tmp_path / "out.parquet")
        assert found.feature_names == names
        np.testing.assert_array_equal(found.dense(), X[:, [1, 3]])


def test_lightgbm_with_kept_ids(tmp_path, capsys):
    write_letor(DATA, tmp_path / "all.txt")
    command = ["convert", str(tmp_path / "all.txt"), "--features", selection(tmp_path, [4, 2]), "--json"]
    assert run([*command, "--to", "lightgbm", "-o", str(tmp_path / "rank.train")]) == 0
    assert json.loads(capsys.readouterr().out)["ids"] == [2, 4]
    assert (tmp_path / "rank.train").read_text().splitlines()[1].split() == ["0", "2:2.5", "4:1"]
    assert (tmp_path / "rank.train.query").read_text() == "2\n1\n"


def test_sparse_data_and_a_feature_that_is_never_there(tmp_path):
    (tmp_path / "sparse.txt").write_text("1 qid:1 2:0.5\n0 qid:1 1:3\n")
    command = ["convert", str(tmp_path / "sparse.txt"), "--features", selection(tmp_path, [4, 2])]
    assert run([*command, "-o", str(tmp_path / "out.txt")]) == 0
    found = read_letor(tmp_path / "out.txt")
    assert found.n_features == 4
    np.testing.assert_array_equal(found.dense(), [[0, 0.5, 0, 0], [0, 0, 0, 0]])


def test_lightgbm_itself_reads_what_is_written(tmp_path):
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    data = RankingData(rng.random((60, 3)).round(3), rng.integers(0, 3, 60), [0, 20, 40, 60])
    write_lightgbm(data, tmp_path / "rank.train")
    dataset = lightgbm.Dataset(str(tmp_path / "rank.train"), params={"verbosity": -1}).construct()
    assert dataset.get_group().tolist() == [20, 20, 20]
    np.testing.assert_array_equal(dataset.get_label(), data.y)
    assert dataset.get_feature_name() == ["Column_0", "Column_1", "Column_2", "Column_3"]


def test_lightgbm_rows_with_tabs(tmp_path):
    (tmp_path / "rank.train").write_text("1\t1:2\t3:4\r\n0\t2:1\n")
    (tmp_path / "rank.train.query").write_text("2\n")
    np.testing.assert_array_equal(read_letor(tmp_path / "rank.train").dense(), [[2, 0, 4], [0, 1, 0]])


def test_missing_values_survive(tmp_path):
    data = RankingData([[np.nan, 1.0], [2.0, 0.5]], [1, 0], [0, 2], [1], missing=True)
    write_parquet(data, tmp_path / "a.parquet")
    place = tmp_path / "a.parquet"
    for name, kind in (("b.csv", "csv"), ("c.txt", "letor"), ("d.train", "lightgbm"), ("e.parquet", "parquet")):
        assert run(["convert", str(place), "--to", kind, "-o", str(tmp_path / name)]) == 0
        place = tmp_path / name
    np.testing.assert_array_equal(read_table(place).dense(), data.X)
    assert ":nan" in (tmp_path / "d.train").read_text()


def test_qrels(tmp_path):
    write_letor(DATA, tmp_path / "all.txt")
    assert run(["convert", str(tmp_path / "all.txt"), "-o", str(tmp_path / "judged.qrels")]) == 0
    assert (tmp_path / "judged.qrels").read_text() == "1 0 GX1 2\n1 0 GX2 0\n2 0 GX3 1\n"


def test_tabs_and_compression(tmp_path):
    write_letor(DATA, tmp_path / "all.txt")
    assert run(["convert", str(tmp_path / "all.txt"), "-o", str(tmp_path / "t.tsv.gz")]) == 0
    np.testing.assert_array_equal(read_table(tmp_path / "t.tsv.gz", comments="comment").dense(), X)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["-o", "out.xyz"], "does not say the format"),
        (["-o", "out.txt", "--to", "leto"], "did you mean 'letor'"),
        (["-o", "out.txt", "--features", "all.txt"], "not a selection"),
        (["-o", "all.txt"], "would be written over"),
    ],
)
def test_bad_input(tmp_path, monkeypatch, capsys, more, sentence):
    monkeypatch.chdir(tmp_path)
    write_letor(DATA, tmp_path / "all.txt")
    assert run(["convert", "all.txt", *more]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("query", "rows", "sentence"),
    [
        ("2\n2\n", "1 1:2\n0 1:3\n", r"The sizes in .*query sum to 4 rows, but .*bad.train ends after 2"),
        ("two\n", "1 1:2\n0 1:3\n", "found 'two'"),
        ("1\n", "1 1:2\n0 qid:3 1:3\n", "bad.train, line 2, column 3: found 'qid:3', expected no query id"),
        ("2\n", "1 1:2\n0 1:x\n", "bad.train, line 2"),
    ],
)
def test_bad_lightgbm_files(tmp_path, capsys, query, rows, sentence):
    (tmp_path / "bad.train").write_text(rows)
    (tmp_path / "bad.train.query").write_text(query)
    assert run(["convert", str(tmp_path / "bad.train"), "-o", str(tmp_path / "out.txt")]) == 2
    error = capsys.readouterr().err
    assert re.search(sentence, error), error
    assert error.count("\n") == 1
