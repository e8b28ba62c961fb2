"""Parquet files and folders, streamed and whole."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.data.judged import judged, same

from leanrank import RankingData, read_table, scan_parquet, write_parquet
from leanrank.data.ranking_data import concatenate
from leanrank.data.tabular.frames import from_frame, to_frame
from leanrank.errors import DataError, MissingValuesError


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
