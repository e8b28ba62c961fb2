"""Tables on disk: CSV and Parquet, whole and streamed."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import weakref
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank import RankingData, read_table, scan_parquet, write_parquet
from leanrank.data.ranking_data import concatenate
from leanrank.data.tabular.frames import from_frame, to_frame
from leanrank.data.whole_queries import Rows, whole_query_blocks
from leanrank.errors import DataError, LeanRankError, MissingValuesError, UnknownNameError

HEAD = b"label,qid,a,b\n"


def judged(sizes, *, n_features=3, ids=None, dtype=np.float32, comments=False, seed=0):
    rng = np.random.default_rng(seed)
    n = int(np.sum(sizes))
    return RankingData(
        rng.normal(size=(n, n_features)).astype(dtype),
        rng.integers(0, 3, n),
        np.concatenate(([0], np.cumsum(sizes))),
        ids,
        [f"f{j}" for j in range(n_features)],
        [f"doc {i}" for i in range(n)] if comments else None,
    )


def same(blocks, others):
    blocks, others = list(blocks), list(others)
    assert [block.n_rows for block in blocks] == [other.n_rows for other in others]
    return all(block.equals(other) for block, other in zip(blocks, others, strict=True))


class TestRealData:
    def test_fluccs(self, data_dir):
        data = read_table(data_dir / "fluccs" / "fluccs.csv.gz", label="fault", qid="bug", comments="method")
        assert (data.n_rows, data.n_queries, data.n_features) == (5852, 156, 41)
        assert data.query_ids[0] == "Lang_1"
        assert data.comments[0].startswith("org.apache.commons.lang3")
        assert set(data.y.tolist()) == {0.0, 1.0}

    def test_fluccs_through_parquet(self, data_dir, tmp_path):
        data = read_table(data_dir / "fluccs" / "fluccs.csv.gz", label="fault", qid="bug", comments="method")
        write_parquet(data, tmp_path / "fluccs.parquet")
        assert read_table(tmp_path / "fluccs.parquet").equals(data)
        assert same(scan_parquet(tmp_path / "fluccs.parquet").blocks(500), data.blocks(500))


class TestCsv:
    def read(self, tmp_path, content, name="judged.csv", **arguments):
        file = tmp_path / name
        file.write_bytes(content)
        return read_table(file, **arguments)

    @pytest.mark.parametrize(
        ("name", "pack", "separator"),
        [
            ("judged.csv", bytes, b","),
            ("judged.csv.gz", gzip.compress, b","),
            ("JUDGED.CSV", bytes, b","),
            ("judged.tsv", bytes, b"\t"),
            ("judged.tsv.gz", gzip.compress, b"\t"),
        ],
    )
    @pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
    def test_names_say_what_a_file_is(self, tmp_path, name, pack, separator, newline):
        content = (HEAD + b"1,x,3,-4e-2\n0,x,5,.5\n").replace(b",", separator).replace(b"\n", newline)
        data = self.read(tmp_path, pack(content), name)
        np.testing.assert_array_equal(data.X, [[3, -0.04], [5, 0.5]])
        assert data.X.dtype == np.float64
        assert data.query_ids.tolist() == ["x"]

    @pytest.mark.parametrize(
        ("ids", "expected"),
        [
            (["7", "-3"], [7, -3]),
            (["007", "7"], ["007", "7"]),
            (["1e3", "1000"], ["1e3", "1000"]),
            (["99999999999999999999", "1"], ["99999999999999999999", "1"]),
            (["NA", "null"], ["NA", "null"]),
            (["2024-01-01", "true"], ["2024-01-01", "true"]),
        ],
    )
    def test_query_ids_stay_what_is_written(self, tmp_path, ids, expected):
        content = HEAD + "".join(f"1,{one},3,4\n" for one in ids).encode()
        assert self.read(tmp_path, content).query_ids.tolist() == expected

    def test_missing_values_need_consent(self, tmp_path):
        content = HEAD + b"1,1,3,NaN\n0,1,,4\n"
        with pytest.raises(MissingValuesError, match=r"judged.csv: NaN in feature 'b', line 2 \(query 1\)"):
            self.read(tmp_path, content)
        np.testing.assert_array_equal(self.read(tmp_path, content, missing=True).X, [[3, np.nan], [np.nan, 4]])

    def test_texts_are_left_out_with_a_warning_or_kept_as_comments(self, tmp_path):
        content = HEAD + b"1,1,3,title\n"
        with pytest.warns(UserWarning, match="Left out 'b'"):
            assert self.read(tmp_path, content).feature_names == ("a",)
        assert self.read(tmp_path, content, comments="b").comments.tolist() == ["title"]

    def test_only_named_features_are_converted(self, tmp_path):
        assert self.read(tmp_path, HEAD + b"1,1,3,x\n", features=["a"]).feature_names == ("a",)

    def test_queries_by_sizes(self, tmp_path):
        data = self.read(tmp_path, b"label,a\n1,2\n0,3\n1,4\n", group=[1, 2])
        assert data.query_ptr.tolist() == [0, 1, 3]

    def test_regroup(self, tmp_path):
        content = HEAD + b"1,x,1,0\n0,y,2,0\n1,x,3,0\n"
        with pytest.raises(DataError, match="query x are not adjacent: it begins at line 2 and again at line 4"):
            self.read(tmp_path, content)
        assert self.read(tmp_path, content, regroup=True).X[:, 0].tolist() == [1, 3, 2]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "the file is empty"),
            (b"\n\n", "the file is empty"),
            (HEAD, "only a line of column names"),
            (HEAD + b"1,1,3,4\n1,1,3\n", ", line 3: 3 cells where the line of column names has 4"),
            (HEAD + b"1,1,3,4\n1,1,3,4,5\n", ", line 3: 5 cells where"),
            (HEAD + b"1,1,3,4\n\nbad,1,3,4\n", ", line 4: 'bad' in column 'label' is not a number"),
            (HEAD + b'1,"1\n",3,4\nbad,1,3,4\n', ", line 4: 'bad' in column 'label' is not a number"),
            (HEAD + b"1,1,3,4\n,1,3,4\n", "label of line 3 is nan"),
            (HEAD + b"inf,1,3,4\n", "label of line 2 is inf"),
            (HEAD + b"1e300,1,3,4\n", r"label of line 2 is 1e\+300"),
            (HEAD + b"1,,3,4\n", "query id in column 'qid', line 2, is missing"),
            (HEAD + b"1,1,3,4\n0,1,-inf,4\n", r"-inf in feature 'a', line 3 \(query 1\)"),
            (HEAD + b"1,1,3,1e999\n", "inf in feature 'b', line 2"),
            (HEAD + b"1,1,3,4\n0,1,4,5\n0,1,3:abc,5\n", "'3:abc' in column 'a', line 4, is not a number"),
            (HEAD + b"1,1," + b"3" * 40_000_000 + b",4\n", "a line is longer than 16 MiB"),
            (b"label,qid,a,a\n1,1,1,1\n", "Column names must be unique, but 'a' occurs twice"),
            (b"label,qid\n1,1\n", "There are no features"),
            (b"label,qid,title\n1,1,x\n", "There are no features"),
            (b"foo,bar\n1,2\n", "Say which column is the label"),
            (b"label;qid;a\n1;1;2\n", "pass delimiter=';'"),
            (b"label,qid,\xff\n1,1,2\n", "cannot be read as CSV"),
            (HEAD + b"1,\xff,3,4\n", "line 2: cannot be read as CSV.*UTF8"),
            (bytes(range(256)) * 50, "line 3: 2 cells"),
        ],
    )
    def test_bad_files(self, tmp_path, content, message):
        with pytest.raises(DataError, match=f"(?s)judged.csv.*{message}"):
            self.read(tmp_path, content)

    def test_bad_gzip(self, tmp_path):
        packed = gzip.compress(HEAD + b"".join(b"1,1,%d,4\n" % i for i in range(5000)))
        with pytest.raises(DataError, match=r"judged.csv.gz: .*Truncated"):
            self.read(tmp_path, packed[: len(packed) // 2], "judged.csv.gz")
        with pytest.raises(DataError, match=r"judged.csv.gz: cannot be read"):
            self.read(tmp_path, b"plain text", "judged.csv.gz")

    def test_value_that_is_no_number_in_a_named_feature(self, tmp_path):
        with pytest.raises(DataError, match=r"judged.csv, line 2: 'x' in column 'b' is not a number"):
            self.read(tmp_path, HEAD + b"1,1,3,x\n", features=["b"])

    def test_unknown_column(self, tmp_path):
        with pytest.raises(UnknownNameError, match=r"judged.csv: Unknown qid column 'quid': did you mean 'qid'"):
            self.read(tmp_path, HEAD + b"1,1,3,4\n", qid="quid")

    def test_unknown_kind_of_file(self, tmp_path):
        with pytest.raises(DataError, match="neither Parquet nor CSV by its name"):
            self.read(tmp_path, HEAD, "judged.txt")
        with pytest.raises(DataError, match="no such file"):
            read_table(tmp_path / "nothing.csv")
        data = self.read(tmp_path, HEAD.replace(b",", b"|") + b"1|2|3|4\n", "judged.txt", delimiter="|")
        assert data.n_features == 2

    @pytest.mark.parametrize("name", ['say "hi"', "a,b", "line\nbreak", "naïve 𝛽", " spaced ", "a.b", "'"])
    def test_feature_names_survive(self, tmp_path, name):
        data = RankingData([[1.5], [2.5]], [1, 0], [0, 2], ["q,1"], [name], ['x\n"y"', ""])
        pyarrow.csv.write_csv(to_frame(data), tmp_path / "judged.csv")
        assert read_table(tmp_path / "judged.csv", comments="comment").equals(data)
        write_parquet(data, tmp_path / "judged.parquet")
        assert read_table(tmp_path / "judged.parquet").equals(data)


class TestWriteParquet:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("ids", [["tea", "cüp", "q3"], [7, -3, 2**62]])
    @pytest.mark.parametrize("comments", [True, False])
    def test_round_trip_bit_for_bit(self, tmp_path, dtype, ids, comments):
        tiny = np.finfo(dtype).smallest_subnormal
        X = np.array([[1 / 3, -0.0], [tiny, np.nan], [np.finfo(dtype).max, 0.1], [-tiny, 2]]).astype(dtype)
        texts = ["# a", "", "ünï\ncode", "d"] if comments else None
        data = RankingData(X, [1, 0, 2, 0.5], [0, 1, 3, 4], ids, ["label", "qid"], texts, missing=True)
        file = tmp_path / "judged.parquet"
        write_parquet(data, file)
        for back in (read_table(file), concatenate(list(scan_parquet(file).blocks(1)))):
            assert back.equals(data)
            assert back.X.tobytes() == data.X.tobytes()
            assert back.fingerprint() == data.fingerprint()
        assert os.listdir(tmp_path) == ["judged.parquet"]

    def test_the_file_says_which_column_is_what_for_some_features_too(self, tmp_path):
        data = RankingData([[1.0, 2.0, 3.0]], [5], [0, 1], [7], ["label", "qid", "a"])
        write_parquet(data, tmp_path / "judged.parquet")
        assert read_table(tmp_path / "judged.parquet", features=["a", "label"]).equals(data.subset(["a", "label"]))

    def test_csr_comes_back_dense(self, tmp_path):
        data = RankingData(sp.csr_array([[0.0, 2.0], [1.0, 0.0]]), [1, 0], [0, 2])
        write_parquet(data, tmp_path / "judged.parquet")
        back = read_table(tmp_path / "judged.parquet")
        assert not back.is_sparse
        assert back.equals(data)

    def test_a_source_is_streamed_into_row_groups_of_whole_queries(self, tmp_path):
        class Source:
            feature_names = ("f0", "f1", "f2")
            data = judged([3, 4, 5, 2], comments=True)

            def blocks(self, n_rows=7):
                return self.data.blocks(n_rows)

        write_parquet(Source(), tmp_path / "judged.parquet")
        metadata = pq.ParquetFile(tmp_path / "judged.parquet").metadata
        assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [7, 7]
        assert read_table(tmp_path / "judged.parquet").equals(Source.data)

    def test_nothing_is_left_of_a_failed_write(self, tmp_path):
        class Broken:
            feature_names = ("f0", "f1", "f2")

            def blocks(self, n_rows=10):
                yield judged([2, 3])
                raise RuntimeError("no more")

        (tmp_path / "judged.parquet").write_bytes(b"before")
        with pytest.raises(RuntimeError, match="no more"):
            write_parquet(Broken(), tmp_path / "judged.parquet")
        assert (tmp_path / "judged.parquet").read_bytes() == b"before"
        assert os.listdir(tmp_path) == ["judged.parquet"]

    def test_no_folder(self, tmp_path):
        with pytest.raises(DataError, match="cannot be written"):
            write_parquet(judged([2]), tmp_path / "nowhere" / "judged.parquet")


class TestScanParquet:
    @pytest.mark.parametrize("n_rows", [1, 2, 5, 6, 100])
    @pytest.mark.parametrize("row_group", [1, 3, 100])
    def test_blocks_are_those_of_memory(self, tmp_path, n_rows, row_group):
        data = judged([3, 1, 1, 6, 2, 2], ids=["a", "b", "c", "d", "e", "f"], comments=True)
        pq.write_table(to_frame(data), tmp_path / "judged.parquet", row_group_size=row_group)
        source = scan_parquet(tmp_path / "judged.parquet", comments="comment")
        assert source.feature_names == data.feature_names
        assert source.n_rows == data.n_rows
        assert same(source.blocks(n_rows), data.blocks(n_rows))
        assert same(source.blocks(n_rows), data.blocks(n_rows)), "a second pass gives the same"

    def test_a_folder_is_read_in_the_order_of_names(self, tmp_path):
        parts = [judged([2, 3], ids=[1, 2]), judged([1], ids=[3], seed=1), judged([4, 2], ids=[4, 5], seed=2)]
        (tmp_path / "deep").mkdir()
        for name, part in zip(["a.parquet", "b.pq", "deep/a.parquet"], parts, strict=True):
            write_parquet(part, tmp_path / name)
        (tmp_path / "_SUCCESS").touch()
        (tmp_path / ".hidden.parquet").write_bytes(b"junk")
        whole = concatenate(parts)
        assert same(scan_parquet(tmp_path).blocks(4), whole.blocks(4))
        assert read_table(tmp_path).equals(whole)

    def test_a_query_in_two_files_is_refused_unless_regrouped(self, tmp_path):
        write_parquet(judged([2, 3], ids=[1, 2]), tmp_path / "a.parquet")
        write_parquet(judged([1, 2], ids=[2, 9], seed=1), tmp_path / "b.parquet")
        with pytest.raises(DataError, match=r"Query 2 is in .*a.parquet and again in .*b.parquet.*regroup=True"):
            list(scan_parquet(tmp_path).blocks())
        (block,) = scan_parquet(tmp_path, regroup=True).blocks()
        assert block.query_ids.tolist() == [1, 2, 9]
        assert block.query_sizes.tolist() == [2, 4, 2]

    def test_a_query_that_comes_back_is_named(self, tmp_path):
        table = pa.table({"label": [1.0] * 4, "qid": ["x", "y", "z", "x"], "a": [1.0, 2.0, 3.0, 4.0]})
        for row_group in (1, 4):
            pq.write_table(table, tmp_path / "judged.parquet", row_group_size=row_group)
            with pytest.raises(DataError, match="query x are not adjacent: it comes back after query z"):
                list(scan_parquet(tmp_path / "judged.parquet").blocks(1))
        with pytest.raises(DataError, match="query x are not adjacent: it begins at row 0 and again at row 3"):
            read_table(tmp_path / "judged.parquet")

    @pytest.mark.parametrize("text", [True, False])
    @pytest.mark.parametrize("n_rows", [1, 4, 1000])
    def test_regroup_gives_the_blocks_of_memory(self, tmp_path, text, n_rows):
        rng = np.random.default_rng(3)
        ids = rng.integers(0, 9, 60)
        table = pa.table(
            {
                "label": rng.integers(0, 3, 60),
                "qid": [f"q{i}" for i in ids] if text else ids,
                "a": rng.normal(size=60),
                "note": [f"doc {i}" for i in range(60)],
            }
        )
        pq.write_table(table.slice(0, 25), tmp_path / "1.parquet", row_group_size=7)
        pq.write_table(table.slice(25), tmp_path / "2.parquet", row_group_size=11)
        whole = from_frame(table, comments="note", regroup=True)
        source = scan_parquet(tmp_path, comments="note", regroup=True)
        assert same(source.blocks(n_rows), whole.blocks(n_rows))
        assert read_table(tmp_path, comments="note", regroup=True).equals(whole)

    def test_folders_may_name_the_query(self, tmp_path):
        for query, rows in (("10", 2), ("9", 1)):
            folder = tmp_path / f"qid={query}"
            folder.mkdir()
            pq.write_table(pa.table({"label": [1.0] * rows, "a": [0.5] * rows}), folder / "part.parquet")
        for regroup in (False, True):
            (block,) = scan_parquet(tmp_path, regroup=regroup).blocks()
            assert block.query_ids.tolist() == [10, 9]
            assert block.query_sizes.tolist() == [2, 1]

    def test_files_of_different_types_agree_on_the_widest(self, tmp_path):
        pq.write_table(pa.table({"label": [1], "qid": [7], "a": pa.array([0.5], pa.float32())}), tmp_path / "1.parquet")
        pq.write_table(pa.table({"label": [1.0], "qid": ["x"], "a": [0.1]}), tmp_path / "2.parquet")
        (block,) = scan_parquet(tmp_path).blocks()
        assert block.query_ids.tolist() == ["7", "x"]
        assert block.X.ravel().tolist() == [0.5, 0.1]

    def test_queries_by_sizes(self, tmp_path):
        pq.write_table(pa.table({"label": [1, 0, 1], "a": [1.0, 2.0, 3.0]}), tmp_path / "judged.parquet")
        assert read_table(tmp_path / "judged.parquet", group=[1, 2]).query_ptr.tolist() == [0, 1, 3]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"label": ["x"], "qid": [1], "a": [1.0]}, "column 'label' is not numeric: its type is string"),
            ({"label": [None, 1.0], "qid": [1, 1], "a": [1.0, 2.0]}, "label in column 'label', row 0, is nan"),
            ({"label": [1e300], "qid": [1], "a": [1.0]}, r"row 0, is 1e\+300"),
            ({"label": [1, 1], "qid": [1, None], "a": [1.0, 2.0]}, r"Query id \('qid'\) is missing in row 1"),
            ({"label": [1], "qid": [0.5], "a": [1.0]}, "no whole numbers"),
            ({"label": [1, 1], "qid": [1, 1], "a": [1.0, np.inf]}, r"inf in feature 'a', row 1 \(query 1\)"),
            ({"label": [1, 1], "qid": [1, 1], "a": [1.0, None]}, r"NaN in feature 'a', row 1 \(query 1\)"),
            ({"label": [1], "qid": [1]}, "There are no features"),
            ({"label": [1], "a": [1.0]}, "Say which column is the qid"),
            ({"label": pa.array([], pa.int64()), "qid": [], "a": []}, "there are no documents"),
        ],
    )
    def test_bad_columns(self, tmp_path, columns, message):
        file = tmp_path / "judged.parquet"
        pq.write_table(pa.table(columns), file)
        for read in (read_table, lambda path: list(scan_parquet(path).blocks())):
            with pytest.raises(DataError, match=f"judged.parquet: .*{message}"):
                read(file)

    def test_rows_are_counted_in_the_file_not_the_batch(self, tmp_path):
        values = np.zeros(200_000)
        values[150_001] = np.nan
        table = pa.table({"label": np.ones(200_000), "qid": np.arange(200_000) // 100, "a": values})
        pq.write_table(table, tmp_path / "judged.parquet", row_group_size=70_000)
        for regroup in (False, True):
            with pytest.raises(MissingValuesError, match=r"feature 'a', row 150001 \(query 1500\)"):
                list(scan_parquet(tmp_path / "judged.parquet", regroup=regroup).blocks())

    def test_files_must_have_the_same_columns(self, tmp_path):
        pq.write_table(pa.table({"label": [1], "qid": [1], "a": [1.0], "b": [1.0]}), tmp_path / "1.parquet")
        pq.write_table(pa.table({"label": [1], "qid": [2], "b": [1.0]}), tmp_path / "2.parquet")
        with pytest.raises(DataError, match=r"2.parquet: column 'a' is missing, which the first file has"):
            scan_parquet(tmp_path)
        assert next(scan_parquet(tmp_path, features=["b"]).blocks()).n_rows == 2

    def test_duplicate_columns(self, tmp_path):
        table = pa.table([pa.array([1]), pa.array([1]), pa.array([1])], names=["label", "qid", "qid"])
        pq.write_table(table, tmp_path / "judged.parquet")
        with pytest.raises(DataError, match="'qid' occurs twice"):
            scan_parquet(tmp_path / "judged.parquet")

    def test_a_name_with_a_dot_is_not_a_path(self, tmp_path):
        data = RankingData([[1.0, 2.0, 3.0]], [1], [0, 1], feature_names=["a", "a.b", "a.b.c"])
        write_parquet(data, tmp_path / "judged.parquet")
        only = read_table(tmp_path / "judged.parquet", features=["a.b"])
        assert only.X.tolist() == [[2.0]]

    def test_nothing_there(self, tmp_path):
        with pytest.raises(DataError, match="no such file or folder"):
            scan_parquet(tmp_path / "nothing")
        with pytest.raises(DataError, match=r"no Parquet file \(.parquet, .pq\) in this folder"):
            scan_parquet(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"label,qid\n1,2\n", b"PAR1" + bytes(100) + b"PAR1"])
    def test_not_parquet(self, tmp_path, content):
        (tmp_path / "judged.parquet").write_bytes(content)
        with pytest.raises(DataError, match=r"judged.parquet: cannot be read as Parquet"):
            read_table(tmp_path / "judged.parquet")

    def test_truncated(self, tmp_path):
        write_parquet(judged([50, 50]), tmp_path / "judged.parquet")
        whole = (tmp_path / "judged.parquet").read_bytes()
        for length in (len(whole) - 1, len(whole) // 2, 12):
            (tmp_path / "cut.parquet").write_bytes(whole[:length])
            with pytest.raises(DataError, match=r"cut.parquet: cannot be read as Parquet"):
                read_table(tmp_path / "cut.parquet")

    @pytest.mark.parametrize("stated", [-7, 5, 9])
    def test_a_footer_that_lies_about_its_rows(self, tmp_path, stated):
        file = tmp_path / "judged.parquet"
        pq.write_table(to_frame(judged([3, 4])), file)
        whole = file.read_bytes()
        footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
        lie = bytes([0x16, 2 * abs(stated) - (stated < 0)])  # a Thrift i64 field in zigzag code, as 7 is 16 0e
        for at in range(footer, len(whole)):
            if whole[at : at + 2] == b"\x16\x0e":
                broken = whole[:at] + lie + whole[at + 2 :]
                file.write_bytes(broken)
                try:
                    lying = pq.ParquetFile(file).metadata.row_group(0).num_rows == stated
                except OSError:
                    continue
                if lying:
                    break
        else:
            pytest.fail("the footer's row count was not found")
        with pytest.raises(DataError, match=rf"judged.parquet: the file states 7 rows in all but {stated} in its row"):
            read_table(file)

    def test_a_flipped_bit_in_the_values_is_noticed(self, tmp_path):
        data = judged([50, 50])
        write_parquet(data, tmp_path / "judged.parquet")
        column = pq.ParquetFile(tmp_path / "judged.parquet").metadata.row_group(0).column(3)
        broken = bytearray((tmp_path / "judged.parquet").read_bytes())
        broken[column.data_page_offset + column.total_compressed_size - 5] ^= 1
        (tmp_path / "judged.parquet").write_bytes(broken)
        with pytest.raises(DataError, match="could not verify page integrity, CRC checksum verification failed"):
            read_table(tmp_path / "judged.parquet")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_damaged_files_are_refused_or_read(tmp_path, suffix):
    """Whatever bytes a file has, it is read or refused with a LeanRankError that names it."""
    data = judged([3, 4], ids=["a", "b"])
    file = tmp_path / f"judged.{suffix}"
    if suffix == "csv":
        pyarrow.csv.write_csv(to_frame(data), file)
    else:
        write_parquet(data, file)
    whole, rng, messages = file.read_bytes(), random.Random(0), []
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(rng.choice([1, 2, 8])):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        file.write_bytes(broken)
        try:
            read_table(file, features=None if suffix == "parquet" else data.feature_names)
        except LeanRankError as error:
            messages.append(str(error))
    assert len(messages) > 50
    assert [message for message in messages if not message.startswith(str(file))] == []


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=12),
    cuts=st.lists(st.integers(0, 72), max_size=12),
    n_rows=st.integers(1, 30),
)
def test_blocks_do_not_depend_on_where_the_stream_is_cut(sizes, cuts, n_rows):
    data = judged(sizes, n_features=2)
    edges = sorted({0, data.n_rows, *(cut for cut in cuts if cut < data.n_rows)})
    stream = [Rows(data.X[a:b], data.y[a:b], data.qid[a:b]) for a, b in pairwise(edges)]
    blocks = whole_query_blocks(stream, n_rows, feature_names=data.feature_names, missing=False)
    assert same(blocks, data.blocks(n_rows))


def test_a_stream_is_not_held():
    """Rows are let go once their block is out, however long the stream."""
    given, most = [], 0

    def stream():
        nonlocal most
        for i in range(200):
            X = np.full((10, 2), float(i))
            given.append(weakref.ref(X))
            most = max(most, sum(reference() is not None for reference in given))
            yield Rows(X, np.ones(10), np.full(10, i // 2))

    blocks = whole_query_blocks(stream(), 50, feature_names=("a", "b"), missing=False)
    assert sum(block.n_rows for block in blocks) == 2000
    assert most < 20


def test_importing_leanrank_loads_no_table_library():
    code = (
        "import sys, leanrank, leanrank.data.door, leanrank.data.tables, leanrank.data.parquet.writer;"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'narwhals'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
