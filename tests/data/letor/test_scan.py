"""Scanning LETOR files block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank import read_letor, scan_letor
from leanrank.data.letor.options import checked
from leanrank.data.letor.scan import LetorSource
from leanrank.data.ranking_data import RankingSource, concatenate, fingerprint
from leanrank.errors import DataError, ParameterError


@pytest.mark.data
@pytest.mark.parametrize("name", ["ohsumed-null/S2.txt.gz", "mq2008/S1.txt.gz", "lightgbm-rank/rank.test.gz"])
@pytest.mark.parametrize("n_rows", [1, 100, 1000, 100_000])
def test_blocks_are_those_of_the_whole(data_dir: Path, name: str, n_rows: int) -> None:
    whole = read_letor(data_dir / name)
    source = scan_letor(data_dir / name)
    assert isinstance(source, RankingSource)
    assert source.feature_names == whole.feature_names
    blocks = list(source.blocks(n_rows))
    assert len(blocks) == len(list(whole.blocks(n_rows)))
    assert all(a.equals(b) for a, b in zip(blocks, whole.blocks(n_rows), strict=True))
    assert concatenate(blocks).equals(whole)
    assert all(block.missing == whole.missing for block in blocks)


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=12),
    st.integers(1, 12),
    st.integers(1, 60),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_blocks_whatever_the_sizes_and_pieces(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], n_rows: int, piece_bytes: int, counted: bool
) -> None:
    rows = [(query, i) for query, size in enumerate(sizes) for i in range(size)]
    path = tmp_path_factory.mktemp("scan") / "a.txt"
    path.write_text("".join(f"{i} qid:{query} 1:{query}.{i} {'3:1' if i % 2 else ''} #{i}\n" for query, i in rows))
    n_features = None if counted else 3
    source = LetorSource([path], checked("test", sparse=False, n_features=n_features), piece_bytes=piece_bytes)
    blocks = list(source.blocks(n_rows))
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    first = 0
    for block in blocks:
        assert block.y.tolist() == [i for _, i in rows[first : first + block.n_rows]]
        first += block.n_rows
        assert first in bounds  # a query never crosses a block
        assert block.n_rows <= n_rows or block.n_queries == 1
    assert first == len(rows)


@pytest.mark.data
def test_the_same_again_and_by_any_block(data_dir: Path) -> None:
    paths = sorted((data_dir / "ohsumed").glob("S*.gz"))
    source = scan_letor(paths, n_features=45)
    whole = read_letor(paths)
    assert fingerprint(source) == whole.fingerprint() == fingerprint(source)
    assert sum(block.n_rows for block in source.blocks(500)) == whole.n_rows
    assert repr(source).endswith("S1.txt.gz and 4 more, 45 features")


def test_one_storage_for_all_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0 qid:1 1:1 2:1 3:1 4:1 5:1\n" + "".join(f"0 qid:{i}\n" for i in range(2, 9)))
    assert [block.is_sparse for block in scan_letor(path).blocks(1)] == [True] * 8
    assert [block.is_sparse for block in scan_letor(path, n_features=5).blocks(1)] == [False] * 8
    assert [block.is_sparse for block in scan_letor(path, sparse=True, n_features=5).blocks(1)] == [True] * 8


def test_names_nulls_and_parameters(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0 qid:1 1:NULL\n0 qid:2 2:1\n")
    assert [block.missing for block in scan_letor(path).blocks(1)] == [True, True]
    assert [block.dense()[0, 0] for block in scan_letor(path, null=5).blocks(1)] == [5, 0]
    assert not next(scan_letor(path, null=5).blocks(1)).missing
    assert next(scan_letor(path, feature_names=["a", "b"]).blocks()).feature_names == ("a", "b")
    with pytest.raises(ParameterError, match="'n_rows' parameter of blocks must be >= 1"):
        scan_letor(path).blocks(0)
    with pytest.raises(ParameterError, match="'sparse' parameter of scan_letor"):
        scan_letor(path, sparse="no")  # type: ignore[arg-type]


def test_a_late_fault_comes_after_the_blocks_before_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"0 qid:{i} 1:1\n" for i in range(60_000)) + "0 qid:x 1:y\n")
    blocks = scan_letor(path, n_features=1).blocks(100)
    assert next(blocks).n_rows == 100
    with pytest.raises(DataError, match="line 60,001, column 9: found '1:y'"):
        list(blocks)
    with pytest.raises(DataError, match="line 60,001, column 9: found '1:y'"):
        scan_letor(path)
