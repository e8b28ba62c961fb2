"""Out of core: however long the source, only a few blocks are held."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

from leanrank import (
    GAS,
    RCDR,
    Importance,
    LocalEngine,
    MDLDiscretizer,
    RankingData,
    Similarity,
    fold,
    scan_parquet,
    write_parquet,
)
from leanrank.data.letor.reader import write_letor
from leanrank.data.letor.scan import scan_letor
from leanrank.errors import DataError
from leanrank.selectors import registry
from leanrank.stats.anova import AnovaF
from leanrank.stats.constant import Constant
from leanrank.stats.lint import Lint
from leanrank.stats.value_counts import ValueCounts

N_BLOCKS, QUERIES, DOCUMENTS, K = 30, 20, 50, 3


class Counting:
    """A source that makes blocks as they are asked for and counts how many of them still exist."""

    feature_names = tuple("abc")

    def __init__(self) -> None:
        self.alive = self.most = self.passes = 0

    def blocks(self, n_rows: int = 0):
        self.passes += 1
        rng = np.random.default_rng(0)
        for b in range(N_BLOCKS):
            X = rng.normal(size=(QUERIES * DOCUMENTS, K))
            self.alive += 1
            self.most = max(self.most, self.alive)
            weakref.finalize(X, self._gone)
            ptr = np.arange(0, len(X) + 1, DOCUMENTS)
            block = RankingData(X, rng.integers(0, 3, len(X)), ptr, np.arange(QUERIES) + b * QUERIES)
            assert block.X is X
            del X
            yield block
            del block

    def _gone(self) -> None:
        self.alive -= 1


STATISTICS = [Importance("ndcg@10"), Importance("hinge"), AnovaF(), Constant(), Lint(Counting.feature_names)] + [
    Similarity(kind) for kind in ("kendall", "tau_ap", "spearman", "pearson")
]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_fold_holds_a_few_blocks(threads):
    source = Counting()
    fold([*STATISTICS, Similarity("pearson", scope="pooled")], source, LocalEngine(threads))
    gc.collect()
    assert source.most <= 2 + 2 * threads  # one being read, and two pieces waiting for each thread
    assert source.alive == 0


@pytest.mark.parametrize("make", [lambda: GAS(2), lambda: RCDR(2), lambda: registry.get("best-gain", delta=0.001)])
def test_methods_of_several_passes_read_again_rather_than_keep(make):
    source = Counting()
    make().set_params(engine=LocalEngine(2)).fit(source)
    assert source.most <= 6


@pytest.mark.parametrize("method", ["information-gain", "chi-squared", "symmetrical-uncertainty", "fcbf", "cfs"])
@pytest.mark.parametrize("discretizer", [MDLDiscretizer(max_values=50), "equal_width"])
@pytest.mark.filterwarnings("ignore:.*selected no feature:UserWarning")
def test_methods_on_discretised_values_keep_tables_of_bounded_size(method, discretizer, monkeypatch):
    largest = []
    merge = ValueCounts.merge

    def watched(self, a, b):
        merged = merge(self, a, b)
        largest.append(max(len(table.values) for table in merged.tables))
        return merged

    monkeypatch.setattr(ValueCounts, "merge", watched)
    source = Counting()
    registry.get(method, discretizer=discretizer, engine=LocalEngine(2)).fit(source)
    assert source.most <= 6
    assert source.passes >= (2 if discretizer == "equal_width" else 1)
    assert max(largest) <= 50


def test_pooled_ranks_are_refused_rather_than_fill_the_memory(monkeypatch):
    monkeypatch.setattr("leanrank.stats.similarity.MAX_KEPT", 10_000)
    statistic = Similarity("spearman", scope="pooled")
    with pytest.raises(DataError, match=r"keeps all values.*Use scope='query' or kind='pearson'"):
        fold(statistic, Counting(), LocalEngine(1))
    whole = RankingData(np.random.default_rng(0).normal(size=(2000, K)), np.zeros(2000), np.arange(0, 2001, 10))
    fold(statistic, whole, LocalEngine(2))  # in memory anyway


@dataclass(frozen=True)
class Largest:
    """The most rows of a block, and how many blocks there were."""

    def of(self, block):
        return block.n_rows, 1

    def merge(self, a, b):
        return max(a[0], b[0]), a[1] + b[1]

    def finish(self, partial):
        return partial


def test_files_are_read_in_blocks(tmp_path):
    data = RankingData(np.ones((2000, 2)), np.zeros(2000), np.arange(0, 2001, 10))
    write_parquet(data, tmp_path / "a.parquet")
    write_letor(data, tmp_path / "a.txt")
    for source in (scan_parquet(tmp_path / "a.parquet"), scan_letor(tmp_path / "a.txt")):
        assert fold(Largest(), source, LocalEngine(1, block_rows=100)) == (100, 20)
        assert [part.n_rows for part in source.partitions(1)[0].blocks(100)] == [100] * 20
