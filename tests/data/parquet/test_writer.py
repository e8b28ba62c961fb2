"""Judged data as Parquet files that say what is what."""

from __future__ import annotations

import os

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from tests.data.judged import judged

from leanrank import RankingData, read_table, scan_parquet, write_parquet
from leanrank.data.ranking_data import concatenate
from leanrank.errors import DataError


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
