"""select on sources larger than the memory allowed: whole queries drawn by content, and said in the answer."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from leanrank import RankingData, RankSVM, load_selection, make_ranking, scan_parquet, select, write_parquet
from leanrank.data import query_sample
from leanrank.data.query_sample import COPIES, drawn, stored_bytes
from leanrank.errors import DataError, JournalMismatch, ParameterError
from leanrank.evaluation.tasks import Tasks
from leanrank.report._summary import summarize

QUICK = {"ranker": "ranksvm", "methods": ["gas", "mrmr"], "cv": 3, "n_features": 2, "progress": False}


@pytest.fixture(scope="module")
def data():
    return make_ranking(90, (5, 9), n_informative=2, n_redundant=2, n_noise=3, random_state=1)[0]


@pytest.fixture(scope="module")
def memory(data):
    return int(stored_bytes(data).sum()) * COPIES // 2


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables")
    for i, part in enumerate(data.blocks(100)):
        write_parquet(part, path / f"{i}.parquet")
    return path


def test_a_source_is_the_same_as_the_queries_drawn_from_it(data, folder, memory, tmp_path):
    ours = select(scan_parquet(folder), memory=memory, **QUICK)
    theirs = select(drawn(data, memory).data, **QUICK)
    assert (ours.features, ours.curve) == (theirs.features, theirs.curve)
    assert ours.settings == theirs.settings
    assert ours.sample["of_queries"] == 90
    assert 35 < ours.sample["queries"] < 50
    assert "trained on" in repr(ours)
    assert theirs.sample == {}
    ours.save(tmp_path / "features.json")
    assert load_selection(tmp_path / "features.json").sample == ours.sample
    assert summarize(ours)["notes"][0] == f"{ours.sample['sentence']}."


def test_the_order_of_queries_makes_no_difference(data, memory):
    order = np.random.default_rng(0).permutation(90)
    ours, theirs = (select(given, memory=memory, **QUICK) for given in (data, data.take_queries(order)))
    assert (ours.features, ours.curve, ours.settings) == (theirs.features, theirs.curve, theirs.settings)


def test_a_source_that_fits_is_taken_whole(data, folder):
    ours, theirs = select(scan_parquet(folder), **QUICK), select(data, **QUICK)
    assert ours.settings == theirs.settings
    assert ours.sample == theirs.sample == {}


def test_it_goes_on_with_the_same_sample_and_refuses_another(folder, memory, tmp_path, monkeypatch):
    book = tmp_path / "select.db"
    first = select(scan_parquet(folder), memory=memory, journal=book, **QUICK)
    computed = []
    close = Tasks.close
    monkeypatch.setattr(Tasks, "close", lambda self: (computed.append(self.computed), close(self)))
    again = select(scan_parquet(folder), memory=memory, journal=book, **QUICK)
    assert computed == [0]
    assert (again.features, again.sample) == (first.features, first.sample)
    with pytest.raises(JournalMismatch, match="fingerprint"):
        select(scan_parquet(folder), memory=memory // 2, journal=book, **QUICK)


def test_no_more_threads_than_memory_holds_copies_for(data, memory, monkeypatch):
    asked = []
    init = Tasks.__init__
    monkeypatch.setattr(
        Tasks, "__init__", lambda self, *args, **given: (asked.append(given["n_jobs"]), init(self, *args, **given))[1]
    )
    select(data, memory=memory, n_jobs=16, **QUICK)
    select(data, memory="1GB", n_jobs=3, **QUICK)
    assert asked == [2, 3]


def test_what_cannot_be_is_refused(data, folder):
    with pytest.raises(ParameterError, match="The 'memory' parameter of select must be a size such as '2GB'"):
        select(data, memory="lots", **QUICK)
    with pytest.raises(DataError, match=r"documents, which take .* allow more than 100 bytes of memory"):
        select(scan_parquet(folder), memory=100, **QUICK)


def test_the_limit_that_nobody_named_is_said(folder, memory, monkeypatch):
    monkeypatch.setattr(query_sample, "default_limit", lambda: memory)
    chosen = select(scan_parquet(folder), **QUICK)
    assert "half of what is free" in chosen.sample["sentence"]


def test_folds_are_cut_one_at_a_time_and_nothing_else_is_copied():
    """Beside the data: the parts of one fold as they were cut, or as they are prepared, and what a fit computes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 24_000).astype(np.float32)
    X = rng.standard_normal((24_000, 100), dtype=np.float32)
    X[:, ::2] += 0.3 * y[:, None]
    large = RankingData(X, y, np.arange(0, 24_001, 60))
    options = {**QUICK, "ranker": RankSVM(C=1.0, tol=1e-3), "methods": ["mrmr"], "n_jobs": 1}
    select(large.take_queries(np.arange(20)), **options)  # compiled kernels are loaded
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        select(large, **options)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 1.8 * X.nbytes
