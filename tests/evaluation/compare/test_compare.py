"""compare: every cell once, whatever happens in between."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from leanrank import GAS, Protocol, RankSVM, cross_validate, make_ranking
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, LeanRankError, ParameterError, UnknownNameError
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.significance import holm, paired_bootstrap, paired_t_test

METHODS = ["gas", "mmr", "fcbf", "top-k"]
THREE = CompareSettings(n_splits=3)
SMALL = {"methods": METHODS, "rankers": ["ranksvm"], "k": [2, 4], "metrics": ["ndcg@5", "map"], "settings": THREE}


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=18, docs_per_query=12, random_state=3)[0]


@pytest.fixture(scope="module")
def journal(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "results.db"
    compare(data, journal=path, **SMALL)
    return path


@pytest.fixture(scope="module")
def found(journal):
    return Comparison.load(journal)


def test_every_combination_is_there(found):
    assert set(found.runs) == {("ranksvm", None, ALL_FEATURES)} | {("ranksvm", k, m) for k in (2, 4) for m in METHODS}
    assert found.unfinished == 0


def test_one_graph_a_fold_for_all_methods(found):
    assert found.n_graphs == 3


def test_cells_equal_cross_validation(found, data):
    alone = cross_validate(GAS(), "ranksvm", data, ["ndcg@5", "map"], k=4, grid=None, protocol=Protocol(n_splits=3))
    assert found.runs["ranksvm", 4, "gas"].mean == alone.mean
    assert found.runs["ranksvm", 4, "gas"].feature_sets == alone.feature_sets


def test_a_relevance_of_its_own_is_not_that_of_the_graph(data):
    some = {**SMALL, "methods": ["mrmr", "mrmr-f"], "k": [4], "n_jobs": None}
    got = compare(data, **some)
    for name in ("mrmr", "mrmr-f"):
        alone = cross_validate(name, "ranksvm", data, ["map"], k=4, grid=None, protocol=Protocol(n_splits=3))
        assert got.runs["ranksvm", 4, name].feature_sets == alone.feature_sets
    assert got.runs["ranksvm", 4, "mrmr"].feature_sets != got.runs["ranksvm", 4, "mrmr-f"].feature_sets


def test_weighted_queries_are_compared_by_every_filter(data):
    weighted = replace(data, beside=SideColumns(query_weight=np.arange(1.0, 19.0)))
    got = compare(weighted, **{**SMALL, "methods": ["filters"], "k": [2], "metrics": ["map"]})
    names = {method for _, _, method in got.runs} - {ALL_FEATURES}
    assert {"gas", "mrmr", "mrmr-f", "forward-regression", "best-gain", "relieff", "fcbf"} <= names


def test_processes_change_nothing(found, data, tmp_path):
    again = compare(data, journal=tmp_path / "two.db", n_jobs=2, **SMALL)
    assert {key: run.mean for key, run in again.runs.items()} == {key: run.mean for key, run in found.runs.items()}
    assert {key: run.feature_sets for key, run in again.runs.items()} == {
        key: run.feature_sets for key, run in found.runs.items()
    }
    assert again.n_graphs == 3


def test_nothing_is_done_twice_and_more_is_added(journal, data, tmp_path, monkeypatch):
    journal = shutil.copy(journal, tmp_path / "results.db")  # the other tests have theirs as it was
    about = Comparison.load(journal).about
    with Journal(journal, about) as file:
        n_before = len(file)
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "put", lambda *arguments: pytest.fail("computed twice"))
        compare(data, journal=journal, **SMALL)
    with Journal(journal, about) as file:
        assert len(file) == n_before
    more = compare(data, journal=journal, **{**SMALL, "k": [2, 3, 4]})
    assert ("ranksvm", 3, "gas") in more.runs
    assert more.n_graphs == 3


def test_other_data_and_settings_are_refused(journal, data):
    with pytest.raises(DataError, match="journal of another run: its folds"):
        compare(make_ranking(n_queries=18, random_state=4)[0], journal=journal, **SMALL)
    with pytest.raises(DataError, match="journal of another run: its metrics"):
        compare(data, journal=journal, **{**SMALL, "metrics": ["map"]})
    with pytest.raises(DataError, match="journal of another run: its tune"):
        compare(data, journal=journal, **{**SMALL, "settings": replace(THREE, tune=True)})


def test_an_interrupted_run_goes_on(data, tmp_path, monkeypatch):
    path = tmp_path / "results.db"
    put = Journal.put

    def interrupt(journal, *arguments):
        put(journal, *arguments)
        if len(journal) == 20:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Journal, "put", interrupt)
        compare(data, journal=path, **SMALL)
    half = Comparison.load(path)
    assert half.unfinished + len(half.runs) > 0
    whole = compare(data, journal=path, **SMALL)
    assert len(whole.runs) == 9
    assert whole.n_graphs == 3


def test_tables_agree_with_the_runs(found):
    rows = {(row.k, row.method): row for row in found.means()}
    assert rows[None, ALL_FEATURES].n_features == 30
    assert rows[4, "gas"].n_features == 4
    assert rows[4, "fcbf"].n_features <= 4
    column = {m: round(rows[2, m].scores["map"], 4) for m in METHODS}
    column[ALL_FEATURES] = round(rows[None, ALL_FEATURES].scores["map"], 4)
    ranks = found.ranks()["ranksvm", 2, "map"]
    for method, value in column.items():
        assert ranks[method] == 1 + sum(other > value for other in column.values())
    unified = found.unified()
    assert unified.counts.sum() == len(unified.methods) * 4  # two sizes, two metrics


def test_tests_are_those_of_the_queries(found, data):
    rows = found.tests("map", n_resamples=500)
    reference = found.runs["ranksvm", None, ALL_FEATURES].per_query("map")
    row = next(r for r in rows if (r.k, r.method) == (4, "gas"))
    ours = found.runs["ranksvm", 4, "gas"].per_query("map")
    assert row.t == paired_t_test(ours, reference)
    assert row.t.n == data.n_queries
    assert row.bootstrap.p == pytest.approx(paired_bootstrap(ours, reference, n_resamples=500).p)
    np.testing.assert_allclose([r.t_holm for r in rows], holm([r.t.p for r in rows]))
    with pytest.raises(UnknownNameError, match="metric of this comparison"):
        found.tests("ndcg@50")


def test_features_and_stability(found):
    row = next(r for r in found.features() if (r.k, r.method) == (2, "gas"))
    assert row.repetition.sizes == (2, 2, 2)
    assert sum(r * n for r, n in enumerate(row.repetition.counts, 1)) == 6
    assert row.stability.kuncheva == pytest.approx(row.stability.nogueira)


def test_frames_and_files(found, data, tmp_path):
    table = found.to_frame()
    assert table.num_rows == 9 * 3
    assert table.column_names[:4] == ["method", "ranker", "k", "fold"]
    frame = found.to_frame("pandas")
    means = frame[(frame.method == "gas") & (frame.k == 4)]["map"].mean()
    assert means == pytest.approx(found.runs["ranksvm", 4, "gas"].mean["map"])
    queries = found.to_frame("polars", per_query=True)
    assert queries.shape == (9 * data.n_queries, 7)
    found.write(tmp_path / "all.parquet")
    assert pq.read_table(tmp_path / "all.parquet").equals(table)
    found.write(tmp_path / "all.json", "ndcg@5")
    assert json.loads((tmp_path / "all.json").read_text()) == found.to_dict("ndcg@5")
    with pytest.raises(UnknownNameError, match=r"kind of file.*'\.txt'"):
        found.write(tmp_path / "all.txt")


def test_tuning_chooses_by_validation(data):
    tuned = compare(data, **{**SMALL, "methods": ["gas"], "k": [3], "settings": replace(THREE, tune=True)})
    alone = cross_validate("gas", "ranksvm", data, ["ndcg@5", "map"], k=3, protocol=Protocol(n_splits=3))
    assert tuned.runs["ranksvm", 3, "gas"].mean == alone.mean
    assert any(r.selector_parameters for r in tuned.runs["ranksvm", 3, "gas"].records)


def test_failed_tasks_are_told_and_tried_again(data, monkeypatch, tmp_path):
    path = tmp_path / "results.db"
    fit = RankSVM._fit

    def broken(self, train, valid):
        if train.n_features == 4:
            raise DataError("four is too many.")
        fit(self, train, valid)

    monkeypatch.setattr(RankSVM, "_fit", broken)
    with pytest.raises(LeanRankError, match=r"tasks failed, the first .*four is too many"):
        compare(data, journal=path, **SMALL)
    assert ("ranksvm", 2, "gas") in Comparison.load(path).runs
    monkeypatch.undo()
    assert ("ranksvm", 4, "gas") in compare(data, journal=path, **SMALL).runs


def test_bad_input_is_refused_before_any_work(data):
    for wrong, message in [
        ({"methods": ["gaz"]}, "did you mean 'gas'"),
        ({"methods": []}, "'methods' parameter"),
        ({"rankers": ["ranksvn"]}, "did you mean 'ranksvm'"),
        ({"rankers": []}, "'rankers' parameter"),
        ({"k": [0]}, "'k' parameter"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
    ]:
        with pytest.raises((ParameterError, UnknownNameError), match=message):
            compare(data, **{**SMALL, **wrong})
