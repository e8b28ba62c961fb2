"""Queries drawn by content: the same whatever the order of files, blocks, queries and rows, and never too many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.selectors.metamorphic import shuffled_rows

from leanrank import scan_letor, scan_parquet, write_letor, write_parquet
from leanrank.data import query_sample
from leanrank.data.query_sample import COPIES, drawn, sample_of, stored_bytes
from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.data.synthetic import make_ranking
from leanrank.errors import DataError, ParameterError


class Blocks:
    """A source with blocks of its own choice, which counts how often it is read."""

    def __init__(self, blocks):
        self._blocks = blocks
        self.feature_names = blocks[0].feature_names
        self.times = 0

    def blocks(self, n_rows=0):
        self.times += 1
        return iter(self._blocks)


@pytest.fixture(scope="module")
def data():
    made, _ = make_ranking(60, (3, 9), n_informative=3, n_redundant=2, n_noise=3, random_state=3)
    return replace(made, X=np.round(made.X, 3).astype(np.float32), query_ids=[f"q{i}" for i in range(60)])


@pytest.fixture(scope="module")
def memory(data):
    """What a third of the queries need."""
    return int(stored_bytes(data).sum()) * COPIES // 3


def ids(sample):
    return sample.data.query_ids.tolist()


def test_the_same_queries_whatever_the_blocks(data, memory):
    whole = drawn(data, memory, 5)
    assert (whole.n_queries, whole.n_rows) == (60, data.n_rows)
    for n_rows in (1, 7, 50, 10_000):
        source = Blocks(list(data.blocks(n_rows)))
        cut = drawn(source, memory, 5)
        assert cut.data.equals(whole.data)
        assert source.times == 1


def test_the_same_queries_whatever_their_order_and_that_of_rows(data, memory):
    rng = np.random.default_rng(0)
    whole = drawn(data, memory)
    for _ in range(5):
        moved = shuffled_rows(data, rng).take_queries(rng.permutation(60))
        assert ids(drawn(Blocks(list(moved.blocks(20))), memory)) == ids(whole)


def test_the_same_queries_whatever_the_files(data, memory, tmp_path):
    text, tables = tmp_path / "train.txt", tmp_path / "tables"
    numbered = replace(data, query_ids=np.arange(60))
    write_letor(numbered, text)
    tables.mkdir()
    for i, part in enumerate(reversed(list(numbered.blocks(60)))):
        write_parquet(part, tables / f"{i}.parquet")
    named = [drawn(source, memory) for source in (numbered, scan_letor(text, sparse=False), scan_parquet(tables))]
    assert ids(named[0]) == ids(named[1]) == ids(named[2])
    np.testing.assert_array_equal(named[0].data.X, named[2].data.X)


def test_another_seed_draws_other_queries(data, memory):
    assert set(ids(drawn(data, memory, 0))) != set(ids(drawn(data, memory, 1)))


@pytest.mark.parametrize("sparse", [False, True])
def test_as_many_as_fit_and_no_more(data, sparse):
    given = replace(data, X=sp.csr_array(data.X)) if sparse else data
    total = int(stored_bytes(given).sum())
    longest = int(stored_bytes(given).max())
    for share in (0.2, 0.5, 0.9):
        sample = drawn(Blocks(list(given.blocks(30))), int(total * COPIES * share))
        held = int(stored_bytes(sample.data).sum())
        assert total * share - longest <= held <= total * share
        assert sample.data.is_sparse is sparse


def test_more_memory_only_adds_queries(data, memory):
    few, many = ids(drawn(data, memory)), ids(drawn(data, 2 * memory))
    assert many[: len(few)] == few
    assert len(few) < len(many) < 60


def test_not_much_more_than_what_fits_is_held_while_reading(data, memory, monkeypatch):
    held = []
    add = query_sample._Held.add

    def watched(self, *block):
        add(self, *block)
        held.append(sum(int(stored_bytes(part).sum()) for part, _, _ in self._parts))

    monkeypatch.setattr(query_sample._Held, "add", watched)
    source = Blocks(list(data.blocks(10)))
    drawn(source, memory)
    assert max(held) <= 1.125 * memory / COPIES + max(int(stored_bytes(block).sum()) for block in data.blocks(10))


def test_a_query_kept_alone_does_not_hold_on_to_its_block(data):
    kept = query_sample._Held(1 << 40)
    kept._end = np.uint64(5)
    block = next(data.blocks(100))
    places = np.full(block.n_queries, 9, dtype=np.uint64)
    places[2] = 1
    kept.add(block, places, stored_bytes(block))
    assert not np.shares_memory(kept._parts[0][0].X, block.X)
    assert kept._parts[0][0].query_ids.tolist() == ["q2"]


def test_all_queries_stay_as_they_are_where_they_fit(data):
    sample = drawn(Blocks(list(data.blocks(30))), 10**9)
    assert sample.data.equals(data)
    assert sample.is_all
    assert sample.summary() == {}


def test_the_summary_says_what_was_left_out(data, memory):
    sample = drawn(data, memory)
    said = sample.summary()
    assert (said["queries"], said["of_queries"], said["of_rows"]) == (sample.data.n_queries, 60, data.n_rows)
    assert said["sentence"].startswith(f"Selected and trained on {sample.data.n_queries} of 60 queries, as many as ")


def test_a_query_larger_than_the_limit_is_refused_in_one_sentence(data):
    with pytest.raises(
        DataError, match=r"^Query q\d+ has \d documents, which take .* allow more than 500 bytes"
    ) as error:
        drawn(data, 500)
    assert str(error.value).count(". ") == 0
    assert error.value.parameter == "memory"


def test_data_in_memory_have_no_limit_but_one_that_is_named(data, memory):
    assert sample_of(data).data is data
    assert ids(sample_of(data, memory)) == ids(drawn(data, memory))
    assert sample_of(drawn(data, memory), memory // 2).data.n_queries == drawn(data, memory).data.n_queries
    with pytest.raises(ParameterError, match="'memory' parameter of select"):
        sample_of(data, "much")


def test_a_source_has_a_limit_by_default_which_is_said(data, memory, monkeypatch):
    monkeypatch.setattr(query_sample, "default_limit", lambda: memory)
    sample = sample_of(Blocks(list(data.blocks(30))))
    assert ids(sample) == ids(drawn(data, memory))
    assert "half of what is free: name more or less with memory= or --memory" in sample.summary()["sentence"]


def test_threads_fit_into_the_memory(data, memory):
    assert drawn(data, memory).threads(64) in (2, 3)  # a query less than fits may leave room for one more
    assert drawn(data, 10**9).threads(64) == 64
    assert sample_of(data).threads(64) == 64
    tight = drawn(concatenate([data]), int(stored_bytes(data).sum()) * COPIES)
    assert tight.threads(1) == 1


def test_ids_that_are_numbers_in_some_blocks_only(data, memory):
    """LETOR's blocks hold whole numbers where all ids of the block are."""
    mixed = replace(data, query_ids=[str(i) if i < 50 else f"q{i}" for i in range(60)])
    blocks = [
        replace(block, query_ids=block.query_ids.astype(np.int64))
        if not str(block.query_ids[-1]).startswith("q")
        else block
        for block in mixed.blocks(20)
    ]
    assert isinstance(blocks[0], RankingData)
    assert ids(drawn(Blocks(blocks), memory)) == ids(drawn(mixed, memory))
