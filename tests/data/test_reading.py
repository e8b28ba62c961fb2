"""`read` and `scan`: any format by its name, else by its first bytes."""

from __future__ import annotations

import gzip
import os
import shutil
import threading

import numpy as np
import pytest

import leanrank
from leanrank import RankingData, read, scan, write_parquet
from leanrank.data.formats import COMPRESSIONS, ENDINGS, format_of, format_of_name
from leanrank.data.letor.writer import write_lightgbm
from leanrank.data.ranking_data import RankingSource, concatenate
from leanrank.data.reading import write
from leanrank.errors import DataError, MissingValuesError, ParameterError, UnknownNameError

X = np.array([[0.5, 0.0], [1.5, 2.5], [0.25, 7.0]], dtype=np.float32)
DATA = RankingData(X, [2, 0, 1], [0, 2, 3], [7, 9])
TEXT_ENDINGS = [one for one, kind in ENDINGS.items() if kind in ("letor", "csv")]


def whole(source: RankingSource) -> RankingData:
    return concatenate(list(source.blocks(2)))


def assert_same(data: RankingData) -> None:
    np.testing.assert_array_equal(data.dense(), X)
    np.testing.assert_array_equal(data.y, DATA.y)
    np.testing.assert_array_equal(data.query_ptr, DATA.query_ptr)
    assert data.query_ids.tolist() == [7, 9]


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS, ".GZ"])
@pytest.mark.parametrize("ending", [*TEXT_ENDINGS, ".TXT"])
def test_text_by_its_name(tmp_path, ending, compression):
    path = tmp_path / f"judged{ending}{compression}"
    write(DATA, path)
    assert_same(read(path))
    assert_same(whole(scan(str(path))))


@pytest.mark.parametrize("name", ["judged.parquet", "judged.pq", "folder", "judged"])
def test_parquet_by_its_name_and_by_its_first_bytes(tmp_path, name):
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
        write_parquet(DATA.take_queries([0]), path / "0.parquet")
        write_parquet(DATA.take_queries([1]), path / "1.parquet")
    else:
        write_parquet(DATA, path)
    assert_same(read(path))
    assert_same(whole(scan(path)))


@pytest.mark.parametrize("text", ["2 qid:7 1:0.5\n", "\n# a note\n2 qid:7 1:0.5\n", "2\t1:0.5\n", "-1.5e0\n2 1:2\n"])
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_text_without_an_ending_is_known_by_its_first_line(tmp_path, text, pack):
    path = tmp_path / "fold1.train"
    path.write_bytes(pack(text))
    assert format_of(path) == "letor"
    if "qid" in text:
        assert read(path).query_ids.tolist() == [7]


def test_rows_with_the_sizes_of_queries_beside(tmp_path):
    write_lightgbm(DATA, tmp_path / "rank.train")
    for data in (read(tmp_path / "rank.train"), whole(scan(tmp_path / "rank.train"))):
        np.testing.assert_array_equal(data.dense(), X)
        assert data.query_ids.tolist() == [0, 1]


def test_a_pipe_is_text(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("2 qid:7 1:0.5\n"))
    writer.start()
    assert read(tmp_path / "pipe").query_ids.tolist() == [7]
    writer.join(10)


@pytest.mark.parametrize("take", [read, scan])
class TestErrors:
    @pytest.mark.parametrize("content", ["label,qid,a\n1,2,3\n", "{}\n", "<html>\n", "1 2 3\n"])
    def test_unknown_formats_say_what_is_known(self, tmp_path, take, content):
        path = tmp_path / "judged.xyz"
        path.write_text(content)
        known = r"Known endings are \.txt, \.letor, .*\.csv, .*\.parquet, \.pq, compressed ones with \.gz, \.bz2, \.zst"
        with pytest.raises(DataError, match=rf"judged\.xyz: neither its name nor its first line .* {known}"):
            take(path)

    def test_no_file(self, tmp_path, take):
        with pytest.raises(DataError, match=r"There is no file .*absent\.txt"):
            take(tmp_path / "absent.txt")

    def test_judgements_without_features(self, tmp_path, take):
        write(RankingData(X, DATA.y, [0, 3], comments=["a", "b", "c"]), tmp_path / "judged.qrels")
        with pytest.raises(DataError, match="TREC judgements have no features"):
            take(tmp_path / "judged.qrels")

    def test_text_has_no_columns(self, tmp_path, take):
        write(DATA, tmp_path / "judged.txt")
        assert_same(whole(take(tmp_path / "judged.txt", label="grade", qid="query", comments="title")))
        with pytest.raises(ParameterError, match=f"'features' parameter of {take.__name__} must be left out for LETOR"):
            take(tmp_path / "judged.txt", features=["1"])

    @pytest.mark.parametrize("name", ["judged.csv", "judged.parquet"])
    def test_columns_that_are_not_there(self, tmp_path, take, name):
        write(DATA, tmp_path / name)
        with pytest.raises(UnknownNameError, match="did you mean 'label'"):
            take(tmp_path / name, label="lable")

    @pytest.mark.parametrize("name", ["judged.txt", "judged.csv", "judged.parquet"])
    def test_missing_values_are_let_in_or_refused(self, tmp_path, take, name):
        data = RankingData([[np.nan], [1.0]], [1, 0], [0, 2], feature_names=["1"], missing=True)
        write(data, tmp_path / name)
        assert np.isnan(whole(take(tmp_path / name)).dense()[0, 0])
        with pytest.raises((DataError, MissingValuesError), match=r"NULL|NaN|missing"):
            whole(take(tmp_path / name, missing=False))

    @pytest.mark.parametrize("name", ["judged.txt", "judged.csv", "judged.parquet"])
    def test_rows_apart_are_refused_or_brought_together(self, tmp_path, take, name):
        if name == "judged.txt":
            (tmp_path / name).write_text("1 qid:7 1:1\n2 qid:3 1:2\n3 qid:7 1:3\n")
        else:
            write(RankingData([[1], [2], [3]], [1, 2, 3], [0, 1, 2, 3], [7, 3, 8], ["1"]), tmp_path / name)
            table = leanrank.data.to_frame(read(tmp_path / name)).to_pydict() | {"qid": [7, 3, 7]}
            _write_table(table, tmp_path / name)
        assert whole(take(tmp_path / name, regroup=True)).y.tolist() == [1, 3, 2]
        with pytest.raises(DataError, match="not adjacent"):
            whole(take(tmp_path / name))


def _write_table(table, path):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    write_to = pa.parquet.write_table if path.suffix == ".parquet" else pa.csv.write_csv
    write_to(pa.table(table), path)


def test_number_of_features(tmp_path):
    write(DATA, tmp_path / "judged.txt")
    write(DATA, tmp_path / "judged.csv")
    assert read(tmp_path / "judged.txt", at_least=4).feature_names == ("1", "2", "3", "4")
    assert read(tmp_path / "judged.txt", at_least=1).n_features == 2
    assert read(tmp_path / "judged.csv", at_least=4).n_features == 2
    assert len(scan(tmp_path / "judged.txt", n_features=4).feature_names) == 4
    with pytest.raises(ParameterError, match="'n_features' parameter of scan must be left out for a table"):
        scan(tmp_path / "judged.csv", n_features=4)
    with pytest.raises(ParameterError, match="'at_least' parameter of read must be a whole number"):
        read(tmp_path / "judged.txt", at_least=-1)


def test_named_features_of_a_table(tmp_path):
    write(DATA, tmp_path / "judged.csv")
    shutil.copy(tmp_path / "judged.csv", tmp_path / "copy.tsv")
    assert read(tmp_path / "judged.csv", features=["2"]).feature_names == ("2",)
    with pytest.raises(DataError, match="pass delimiter=','"):
        read(tmp_path / "copy.tsv")


def test_a_compressed_parquet_file_is_no_parquet_by_name():
    assert format_of_name("judged.parquet.gz") is None
    assert format_of_name("judged.CSV.gz") == "csv"
