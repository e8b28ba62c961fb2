"""Tables of text: CSV and TSV."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow.csv
import pytest

from leanrank import RankingData, read_table, write_parquet
from leanrank.data.tabular.frames import to_frame
from leanrank.errors import DataError, MissingValuesError, UnknownNameError

HEAD = b"label,qid,a,b\n"


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
        with pytest.raises(DataError, match=r"judged.csv.gz is cut off: its gzip stream ends too early"):
            self.read(tmp_path, packed[: len(packed) // 2], "judged.csv.gz")
        with pytest.raises(DataError, match=r"judged.csv.gz is damaged: its gzip stream does not decompress"):
            self.read(tmp_path, b"\x1f\x8bplain text", "judged.csv.gz")
        with pytest.raises(DataError, match=r"judged.csv.gz: the file is empty"):  # bytes tell what it is, not names
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
