"""Columns beside the features come out of every reader as they went in, whole or by blocks; LETOR refuses them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leanrank import RankingData, read, read_table, scan, scan_parquet, write_letor, write_parquet
from leanrank.cli.app import run
from leanrank.data.parquet.parts import parquet_parts
from leanrank.data.ranking_data import concatenate
from leanrank.data.side_columns import SideColumns
from leanrank.data.tabular.csv_files import write_csv
from leanrank.data.tabular.frames import to_frame
from leanrank.errors import DataError, ParameterError

NAMES = {
    "weight": "weight",
    "position": "position",
    "query_weight": "query_weight",
    "time": "time",
    "query_group": "query_group",
    "slices": ["country"],
}
OPTIONS = [
    *["--weight", "weight", "--position", "position", "--query-weight", "query_weight", "--time", "time"],
    *["--query-group", "query_group", "--slice", "country"],
]


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 6, 40)
    n = int(sizes.sum())
    beside = SideColumns(
        weight=rng.integers(0, 3, n).astype(float),
        position=np.concatenate([np.arange(size) + 1 for size in sizes]),
        query_weight=np.where(np.arange(40) < 15, 0.0, rng.random(40)),  # the first blocks have no weight at all
        time=np.round(1e9 + rng.random(40) * 1e6, 3),
        query_group=np.array([f"g{i // 3}" for i in range(40)]),
        slices={"country": np.array(["de", "fr", "it"])[rng.integers(0, 3, 40)]},
    )
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    return RankingData(rng.random((n, 3)), rng.integers(0, 3, n), ptr, feature_names=list("abc"), beside=beside)


def test_parquet_says_itself_what_is_what(data, tmp_path):
    file = tmp_path / "judged.parquet"
    write_parquet(data, file)
    assert read(file, missing=False).equals(data)
    assert read_table(file).equals(data)
    for n_rows in (1, 7, 1000):
        blocks = list(scan_parquet(file).blocks(n_rows))
        assert concatenate(blocks).equals(data)
        assert concatenate(list(scan_parquet(file, regroup=True).blocks(n_rows))).equals(data)
    assert concatenate(list(scan_parquet(file).subset([0, 1, 2]).blocks(9))).equals(data)


def test_an_empty_name_is_no_column(data, tmp_path):
    file = tmp_path / "judged.parquet"
    write_parquet(data, file)
    for got in (read_table(file, weight=""), next(iter(scan_parquet(file, weight="").blocks()))):
        assert got.beside.weight is None
        assert got.feature_names == data.feature_names
    assert "beside    weight, position, query_weight, time, query_group, country" in repr(data)


def test_parts_for_workers_know_them(data, tmp_path):
    file = tmp_path / "judged.parquet"
    pq.write_table(to_frame(data), file, row_group_size=11)  # cut anywhere, and the file does not say what is what
    source = scan_parquet(file, **NAMES)
    parts = parquet_parts(source, 4)
    assert len(parts) > 2
    assert concatenate([block for part in parts for block in part.blocks(5)]).equals(data)
    assert read_table(file, **NAMES).equals(data)


def test_scattered_rows_find_their_queries(data, tmp_path):
    file = tmp_path / "judged.parquet"
    table = to_frame(data)
    rows = np.random.default_rng(0).permutation(data.n_rows)
    pq.write_table(table.take(rows), file, row_group_size=20)
    whole = read_table(file, regroup=True, **NAMES)
    assert concatenate(list(scan_parquet(file, regroup=True, **NAMES).blocks(13))).equals(whole)
    back = np.argsort(whole.query_ids)
    for name in ("query_weight", "time", "query_group"):
        np.testing.assert_array_equal(getattr(whole.beside, name)[back], getattr(data.beside, name))


def test_csv_in_names_and_out_again(data, tmp_path):
    file = tmp_path / "judged.csv"
    write_csv(data, file)
    assert read_table(file, **NAMES).equals(data)
    assert read_table(file, features=["a", "b", "c"], **NAMES).equals(data)
    assert scan(file, missing=False, **NAMES).equals(data)
    with pytest.raises(DataError, match=r"judged.csv: Column 'weight' belongs to queries, but query"):
        read_table(file, features=["a"], query_weight="weight")


def test_dates_and_missing_kinds(tmp_path):
    file = tmp_path / "judged.csv"
    file.write_text("label,qid,f,day,kind\n1,1,2,2026-01-02,\n0,1,3,2026-01-02,\n1,2,2,2026-01-03,x\n")
    data = read_table(file, time="day", slices=["kind"])
    assert np.diff(data.beside.time).tolist() == [86400.0]
    assert data.beside.slices["kind"].tolist() == ["", "x"]
    numbers = pa.table({"label": [1, 0], "qid": [1, 1], "f": [1.0, 2.0], "market": pa.array([None, None], pa.int64())})
    pq.write_table(numbers, tmp_path / "market.parquet")
    assert read_table(tmp_path / "market.parquet", slices=["market"]).beside.slices["market"].tolist() == ["nan"]


def test_letor_text_refuses_them(data, tmp_path):
    text = tmp_path / "judged.txt"
    text.write_text("1 qid:7 1:2.5\n0 qid:7 1:0.5\n")
    for reader in (read, scan):
        for name, value in NAMES.items():
            with pytest.raises(ParameterError, match=f"The '{name}' parameter of {reader.__name__} must be left out"):
                reader(text, **{name: value})
    with pytest.raises(DataError, match=r"LETOR text has no place for 'weight', 'position'"):
        write_letor(data, tmp_path / "other.txt")
    assert not (tmp_path / "other.txt").exists()


def test_the_command_line_names_them(data, tmp_path, capsys):
    table, written = tmp_path / "judged.csv", tmp_path / "judged.parquet"
    write_csv(data, table)
    assert run(["convert", str(table), "-o", str(written), *OPTIONS]) == 0
    assert read(written, missing=False).equals(data)
    assert run(["convert", str(written), "-o", str(tmp_path / "judged.txt")]) == 2
    text = tmp_path / "plain.txt"
    text.write_text("1 qid:7 1:2.5\n0 qid:7 1:0.5\n")
    capsys.readouterr()
    assert run(["lint", str(text), "--slice", "country"]) == 2
    assert "--slice must be left out for LETOR text" in " ".join(capsys.readouterr().err.split())
