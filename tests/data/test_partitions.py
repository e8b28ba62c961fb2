"""Parts of files: together they are the whole, whatever the cuts; a query is in one part only."""

from __future__ import annotations

import gzip
import io
import pickle

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.data.arrow_table import arrow_table, roles_of
from leanrank.data.letor.parts import letor_parts, query_start
from leanrank.data.letor.scan import scan_letor
from leanrank.data.parquet.scan import scan_parquet
from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.data.sources import Part, PartitionedSource, even_cuts
from leanrank.errors import DataError

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=25)


def data_of(sizes: list[int], ids=None) -> RankingData:
    n = sum(sizes)
    X = np.arange(2.0 * n, dtype=np.float32).reshape(n, 2) + 1
    return RankingData(X, np.arange(n) % 3, np.concatenate(([0], np.cumsum(sizes))), ids)


def joined(parts, n_rows=5) -> RankingData:
    """What the parts have, after a journey through pickle as clusters send them."""
    blocks = []
    for part in parts:
        assert isinstance(part, Part)
        there = pickle.loads(pickle.dumps(part))
        assert "Part" in repr(there)
        blocks += list(there.blocks(n_rows))
    return concatenate(blocks)


def write_groups(data: RankingData, path, rows: int) -> None:
    """Parquet whose row groups cut queries anywhere."""
    table = arrow_table(data, comments=False)
    schema = table.schema.with_metadata(roles_of(data, comments=False).to_metadata())
    pq.write_table(table.cast(schema), path, row_group_size=rows)


def letor_text(data: RankingData, end: str = "\n") -> bytes:
    lines = [f"{y:g} qid:{q} 1:{x[0]:g} 2:{x[1]:g}" for y, q, x in zip(data.y, data.qid.tolist(), data.X, strict=True)]
    return end.join([*lines, ""]).encode()


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(1, 30), st.integers(1, 9), st.integers(1, 3), st.booleans())
def test_parquet_parts_are_the_whole(tmp_path_factory, sizes, group_rows, n, n_files, text_ids):
    folder = tmp_path_factory.mktemp("parquet")
    ids = np.array([f"q{i}" for i in range(len(sizes))]) if text_ids else np.arange(len(sizes)) + 7
    data = data_of(sizes, ids)
    for i, queries in enumerate(np.array_split(np.arange(len(sizes)), n_files)):
        if len(queries):
            write_groups(data.take_queries(queries), folder / f"{i}.parquet", group_rows)
    source = scan_parquet(folder)
    assert isinstance(source, PartitionedSource)
    parts = source.partitions(n)
    assert 1 <= len(parts) <= n
    assert joined(parts).equals(data)


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(1, 9), st.integers(1, 3), st.sampled_from(["\n", "\r\n", "\n# a note\n", "\n\n"]))
def test_letor_parts_are_the_whole(tmp_path_factory, sizes, n, n_files, end):
    folder = tmp_path_factory.mktemp("letor")
    data = data_of(sizes)
    paths = []
    for i, queries in enumerate(np.array_split(np.arange(len(sizes)), n_files)):
        if len(queries):
            paths.append(folder / f"{i}.txt")
            paths[-1].write_bytes(letor_text(data.take_queries(queries), end))
    source = scan_letor(paths)
    assert isinstance(source, PartitionedSource)
    parts = letor_parts(source, n, least_bytes=1)
    assert 1 <= len(parts) <= n
    assert joined(parts).equals(data)


def test_every_byte_belongs_to_the_query_that_begins_at_or_before_it():
    text = b"\xef\xbb\xbf# head\n\n1 qid:1 1:2\n0 qid:1 1:3 # qid:9\n2 qid:22 1:1\n# foot\n"
    file = io.BytesIO(text)
    first, second = text.index(b"1 qid:1 "), text.index(b"2 qid:22")
    expected = [first] * (first + 1) + [second] * (second - first) + [len(text)] * (len(text) - second)
    assert [query_start(file, offset) for offset in range(len(text) + 1)] == expected


def test_a_query_longer_than_the_look_back_is_not_cut(tmp_path):
    data = data_of([3, 9000, 2])
    path = tmp_path / "long.txt"
    path.write_bytes(letor_text(data))
    parts = scan_letor(path).partitions(6)
    assert len(parts) > 1
    assert [[block.query_sizes.tolist() for block in part.blocks(10**6)] for part in parts][:2] == [[[3, 9000]], []]
    assert joined(parts).equals(data)


def test_parts_of_lines_without_rows_are_empty(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(b"# note\n" * 40 + b"1 qid:1 1:2\n" + b"# note\n" * 40)
    parts = letor_parts(scan_letor(path), 8, least_bytes=1)
    assert [sum(block.n_rows for block in part.blocks()) for part in parts].count(0) == len(parts) - 1


def test_what_cannot_be_cut_says_so(tmp_path):
    data = data_of([2, 3])
    packed, sized, two = tmp_path / "a.txt.gz", tmp_path / "b.txt", tmp_path / "c.txt.gz"
    packed.write_bytes(gzip.compress(letor_text(data.take_queries([0]))))
    two.write_bytes(gzip.compress(letor_text(data.take_queries([1]))))
    sized.write_text("1 1:2\n0 1:3\n2 1:4\n")
    (tmp_path / "b.txt.query").write_text("2\n1\n")
    assert scan_letor(packed).partitions(4) is None
    assert scan_letor(sized).partitions(4) is None
    assert scan_letor(sized, query=[2, 1]).partitions(4) is None
    parts = scan_letor([packed, two]).partitions(4)  # but several compressed files are one part each
    assert len(parts) == 2
    assert joined(parts).equals(data)
    write_groups(data, tmp_path / "d.parquet", 2)
    assert scan_parquet(tmp_path / "d.parquet", regroup=True).partitions(4) is None


def test_folders_that_name_the_query(tmp_path):
    data = data_of([4, 3, 5], np.array([5, 6, 7]))
    for i, query in enumerate(data.query_ids):
        (tmp_path / f"query={query}").mkdir()
        table = arrow_table(data.take_queries([i]), comments=False).drop_columns(["qid"])
        pq.write_table(table.replace_schema_metadata(None), tmp_path / f"query={query}" / "a.parquet", row_group_size=2)
    assert joined(scan_parquet(tmp_path, label="label", qid="query").partitions(5)).equals(data)


def test_an_error_in_a_part_says_where_the_part_begins(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"1 qid:1 1:2\n" * 3 + b"1 qid:2 1:x\n")
    part = letor_parts(scan_letor(path, n_features=1), 2, least_bytes=1)[-1]
    with pytest.raises(DataError, match=r"bad\.txt, from byte 36 on, line 1, column 9: found '1:x'"):
        list(part.blocks())


def test_even_cuts():
    assert even_cuts(np.array([1, 1, 1, 1]), 2) == [0, 2, 4]
    assert even_cuts(np.array([10]), 5) == [0, 1]
    assert even_cuts(np.array([0, 0, 6]), 2) == [0, 3]
