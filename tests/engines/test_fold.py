"""fold and the local engine: one pass, order of queries, errors from workers."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import pytest
from tests.stats.toy import random_data

from leanrank.data.ranking_data import BLOCK_ROWS, RankingData
from leanrank.engines.fold import fold
from leanrank.engines.local import LocalEngine
from leanrank.errors import DataError, ParameterError
from leanrank.stats.similarity import Similarity


@dataclass(frozen=True)
class Queries:
    """The query ids seen, in the order of merging: not commutative, to see that order."""

    wait_for: int = -1
    event: threading.Event = field(default_factory=threading.Event)

    def of(self, block):
        if self.wait_for in block.query_ids:
            assert self.event.wait(10)
        elif block.query_ids[-1] == 39:
            self.event.set()
        return block.query_ids.tolist()

    def merge(self, a, b):
        return a + b

    def finish(self, partial):
        return partial


@dataclass(frozen=True)
class Rows(Queries):
    def of(self, block):
        return block.n_rows

    def finish(self, partial):
        return f"{partial} rows"


class Once:
    """A source that can be read only once, and says how far it was read."""

    def __init__(self, data, rows=10):
        self.data, self.rows, self.read, self.most_open = data, rows, 0, 0
        self.feature_names = data.feature_names

    def blocks(self, n_rows=BLOCK_ROWS):
        assert self.read == 0, "read twice"
        for block in self.data.blocks(self.rows):
            self.read += 1
            yield block


DATA = random_data(0, [5] * 40, 2)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_several_statistics_in_one_pass(threads):
    engine = LocalEngine(threads)
    found = fold({"ids": Queries(), "rows": Rows()}, Once(DATA), engine)
    assert found == {"ids": list(range(40)), "rows": "200 rows"}
    assert fold([Rows(), Queries()], Once(DATA), engine) == ["200 rows", list(range(40))]
    assert fold((Rows(),), Once(DATA), engine) == ("200 rows",)
    assert fold(Rows(), Once(DATA), engine) == "200 rows"


def test_a_slow_first_block_is_still_merged_first():
    first_waits = Queries(wait_for=0, event=threading.Event())
    pieces = RankingData(np.zeros((4000, 1)), np.zeros(4000), np.arange(0, 4001, 100))
    assert fold(first_waits, pieces, LocalEngine(2, block_rows=2000)) == list(range(40))


def test_a_single_block_is_shared_among_threads():
    seen = set()

    @dataclass(frozen=True)
    class Threads(Rows):
        def of(self, block):
            seen.add(block.n_rows)
            return block.n_rows

    data = RankingData(np.zeros((40_000, 1)), np.zeros(40_000), np.arange(0, 40_001, 100))
    assert fold(Threads(), data, LocalEngine(2)) == "40000 rows"
    assert seen == {5000}


def test_a_query_never_crosses_a_block():
    data = random_data(1, [3, 50, 2, 7], 2)

    @dataclass(frozen=True)
    class Sizes(Queries):
        def of(self, block):
            return block.query_sizes.tolist()

    for rows in (1, 4, 10, 1000):
        assert fold(Sizes(), data, LocalEngine(2, block_rows=rows)) == [3, 50, 2, 7]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_worker_reaches_the_caller_and_stops_reading(threads):
    @dataclass(frozen=True)
    class Fails(Rows):
        def of(self, block):
            raise DataError(f"query {block.query_ids[0]} is bad")

    source = Once(DATA, rows=5)
    with pytest.raises(DataError, match="query 0 is bad"):
        fold(Fails(), source, LocalEngine(threads))
    assert source.read <= 2 * threads + 1


def test_an_error_of_the_source_reaches_the_caller():
    class Broken(Once):
        def blocks(self, n_rows=BLOCK_ROWS):
            yield from self.data.blocks(100)
            raise DataError("line 201 is cut off")

    with pytest.raises(DataError, match="line 201 is cut off"):
        fold(Rows(), Broken(DATA), LocalEngine(2))


def test_reading_does_not_run_ahead_of_computing():
    gate = threading.Event()

    @dataclass(frozen=True)
    class Waits(Rows):
        def of(self, block):
            assert gate.wait(10)
            return block.n_rows

    source = Once(random_data(2, [5] * 100, 1), rows=5)
    read_when_full = []

    def open_the_gate():
        read_when_full.append(source.read)
        gate.set()

    threading.Timer(0.3, open_the_gate).start()
    assert fold(Waits(), source, LocalEngine(2)) == "500 rows"
    assert read_when_full[0] <= 5  # two pieces a worker, and one in hand


def test_bad_arguments():
    with pytest.raises(ParameterError, match="'source' parameter of fold must be a RankingData or a RankingSource"):
        fold(Rows(), np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="objects with of, merge and finish"):
        fold(["map"], DATA)
    with pytest.raises(ParameterError, match="at least one statistic"):
        fold([], DATA)
    with pytest.raises(ParameterError, match="'n_threads' parameter of LocalEngine must be >= 1 or None"):
        LocalEngine(0)
    with pytest.raises(ParameterError, match="'block_rows' parameter of LocalEngine must be >= 1"):
        LocalEngine(block_rows=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_empty_source_is_an_error(threads):
    class Empty(Once):
        def blocks(self, n_rows=BLOCK_ROWS):
            yield from ()

    with pytest.raises(DataError, match="no block"):
        fold(Rows(), Empty(DATA), LocalEngine(threads))


def test_progress_on_a_terminal_changes_nothing(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    expected = fold(Similarity(), DATA)
    np.testing.assert_array_equal(fold(Similarity(), DATA, progress=True), expected)
