"""Tables on disk, CSV and Parquet alike."""

from __future__ import annotations

import random
import subprocess
import sys

import pyarrow.csv
import pytest
from tests.data.judged import judged, same

from leanrank import read_table, scan_parquet, write_parquet
from leanrank.data.tabular.frames import to_frame
from leanrank.errors import LeanRankError


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


def test_importing_leanrank_loads_no_table_library():
    code = (
        "import sys, leanrank, leanrank.data.door, leanrank.data.reading, leanrank.data.parquet.files;"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'narwhals'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
