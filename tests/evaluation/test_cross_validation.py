"""cross_validate: nothing of a fold's test queries is used but to score them."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pyarrow.parquet
import pytest

from leanrank import GAS, Protocol, RankSVM, TopK, cross_validate, make_ranking
from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.data.scaling import QueryMinMaxScaler
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.evaluation import protocol as grids
from leanrank.evaluation.fold_run import FeatureSet, feature_sets, run_fold
from leanrank.evaluation.folds import folds_of
from leanrank.evaluation.records import CrossValidation
from leanrank.metrics import metric
from leanrank.stats import feature_graph as graph_module


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=24, docs_per_query=15, n_constant=1, random_state=3)[0]


def test_test_labels_change_nothing_but_the_scores(data):
    """The test part's labels and the order of its documents are out of reach of selection, tuning and training."""
    fold = folds_of(data, 3)[0]
    other = RankingData(fold.test.X, fold.test.y[::-1].copy(), fold.test.query_ptr, fold.test.query_ids)
    other = RankingData(other.X, other.y, other.query_ptr, other.query_ids, fold.test.feature_names)
    found = cross_validate("gas", "ranksvm", [fold], k=[2, 4])
    again = cross_validate("gas", "ranksvm", [Fold(fold.name, fold.train, fold.valid, other)], k=[2, 4])
    first, second = found.records[0], again.records[0]
    assert (first.features, first.valid_score, first.ranker_parameters) == (
        second.features,
        second.valid_score,
        second.ranker_parameters,
    )
    assert first.scores != second.scores


def test_equals_doing_it_by_hand(data):
    ndcg, ap = metric("ndcg@5"), metric("map")
    found = cross_validate(GAS(3, c=0.2), RankSVM(C=0.5), data, [ndcg, "map"], grid=None, protocol=Protocol(n_splits=3))
    for fold, record in zip(folds_of(data, 3), found.records, strict=True):
        chosen = GAS(3, c=0.2).fit(fold.train).selected_
        ranker = RankSVM(C=0.5).fit(fold.train.subset(chosen))
        test = fold.test.subset(chosen)
        values = ndcg.per_query(test.y, ranker.predict(test), test.query_ptr)
        assert record.features == tuple(chosen)
        assert record.feature_names == tuple(data.feature_names[j] for j in chosen)
        np.testing.assert_allclose(np.array(record.per_query["ndcg@5"], dtype=float), values, atol=1e-11)
        assert record.valid_score == pytest.approx(ranker.score(fold.valid.subset(chosen), metric=ap))
    assert found.mean["map"] == pytest.approx(np.mean([r.scores["map"] for r in found.records]))
    assert len(found.per_query("map")) == data.n_queries


def test_validation_chooses_the_size_and_the_setting(data):
    fold = folds_of(data, 3)[0]
    rankers = grids.rankers_of("ranksvm", metric("map"))
    tried = feature_sets(GAS(), fold.train, [1, 2, 5], grids.points({"c": [0.0, 0.5]}))
    assert [(c.size, c.parameters["c"]) for c in tried] == [(s, c) for c in (0.0, 0.5) for s in (1, 2, 5)]
    alone = [run_fold(fold, "GAS", [c], rankers, {"map": metric("map")}, metric("map")) for c in tried]
    best = max(alone, key=lambda record: (record.valid_score, -record.n_features))
    found = cross_validate("gas", "ranksvm", [fold], "map", k=[1, 2, 5], grid={"c": [0.0, 0.5]}).records[0]
    assert (found.valid_score, found.n_features) == (best.valid_score, best.n_features)


def test_of_equals_fewer_features_win(data):
    fold = folds_of(data, 3)[0]
    constant = int(np.flatnonzero(np.ptp(fold.train.X, axis=0) == 0)[0])
    same = [FeatureSet((0, constant), 2), FeatureSet((0,), 1)]
    assert run_fold(fold, "x", same, [RankSVM()], {"map": metric("map")}, metric("map")).features == (0,)


def test_shared_fits_change_nothing_and_train_once(data, monkeypatch):
    fold, measures, by = folds_of(data, 3)[0], {"map": metric("map")}, metric("map")
    first, again = [FeatureSet((3, 0), 2), FeatureSet((1,), 1)], [FeatureSet((0, 3), 2), FeatureSet((2,), 1)]
    alone = [run_fold(fold, "x", choice, [RankSVM()], measures, by) for choice in (first, again)]
    trained = []
    fit = RankSVM._fit
    monkeypatch.setattr(RankSVM, "_fit", lambda self, *parts: trained.append(1) or fit(self, *parts))
    fits = {}
    shared = [run_fold(fold, "x", choice, [RankSVM()], measures, by, fits) for choice in (first, again)]
    assert len(trained) == 3  # {0, 3}, {1} and {2}
    for one, other in zip(alone, shared, strict=True):
        assert (one.features, one.valid_score) == (other.features, pytest.approx(other.valid_score))
        assert one.scores == pytest.approx(other.scores)


def test_no_features_rank_nothing(data):
    record = run_fold(folds_of(data, 3)[0], "x", [FeatureSet(())], [RankSVM()], {"map": metric("map")}, metric("map"))
    assert record.features == record.feature_names == ()
    assert 0 < record.scores["map"] < 1


def test_one_graph_a_fold_whatever_the_grid(data, monkeypatch):
    import leanrank.selectors._graph_selector as module

    calls = []

    def counted(*args, **kwargs):
        calls.append(1)
        return graph_module.feature_graph(*args, **kwargs)

    monkeypatch.setattr(module, "feature_graph", counted)
    cross_validate("gas", RankSVM(), data, k=[2, 3], protocol=Protocol(n_splits=3))
    assert len(calls) == 3
    calls.clear()
    cross_validate("gas", RankSVM(), data, k=2, grid={"importance": ["map", "ndcg@10"]}, protocol=Protocol(n_splits=3))
    assert len(calls) == 6


def test_a_method_that_stops_short_stands_for_larger_sizes(data):
    found = cross_validate("fcbf", RankSVM(), data, k=7, protocol=Protocol(n_splits=3))
    assert all(1 <= record.n_features <= 7 and record.k == 7 for record in found.records)
    varying = data.n_features - 1
    assert (
        cross_validate(TopK(), RankSVM(), data, k=data.n_features, protocol=Protocol(n_splits=3)).n_features == varying
    )


def test_scaler_is_applied(data):
    raw = RankingData(data.X * 1000 + 7, data.y, data.query_ptr, data.query_ids, data.feature_names)
    once = cross_validate(TopK(4), RankSVM(), raw, protocol=Protocol(scaler=QueryMinMaxScaler(), n_splits=3))
    folds = [
        Fold(f.name, *(QueryMinMaxScaler().fit_transform(p) for p in (f.train, f.valid, f.test)))
        for f in folds_of(raw, 3)
    ]
    assert once.mean == cross_validate(TopK(4), RankSVM(), folds).mean


def test_threads_change_nothing(data):
    kwargs = {"k": [2, 4], "protocol": Protocol(n_splits=4)}
    one, two = (cross_validate("gas", "ranksvm", data, n_jobs=n, **kwargs) for n in (1, 2))
    assert one.mean == two.mean
    assert one.feature_sets == two.feature_sets


def test_records_go_out_and_come_back(data, tmp_path):
    found = cross_validate("mmr", "ranksvm", data, ["ndcg@5", "map"], k=3, grid=None, protocol=Protocol(n_splits=3))
    assert CrossValidation.from_json(found.to_json()) == found
    found.write(tmp_path / "cv.json")
    assert json.loads((tmp_path / "cv.json").read_text())["records"][0]["selector"] == "MMR"
    found.write(tmp_path / "cv.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "cv.parquet")
    assert table.column("map").to_pylist() == [record.scores["map"] for record in found.records]
    assert table.column("features").to_pylist() == [list(record.features) for record in found.records]
    queries = found.to_frame("pandas", per_query=True)
    assert queries["map"].tolist() == found.per_query("map").tolist()
    assert found.to_frame("polars").height == 3
    assert found.repetition.sizes == (3, 3, 3)
    assert found.stability.kuncheva == pytest.approx(found.stability.nogueira)
    with pytest.raises(FrozenInstanceError, match="cannot assign"):
        found.records[0].k = 5


def test_bad_input_is_refused(data):
    with pytest.raises(ParameterError, match="'n_splits' parameter of cross_validate must be >= 3"):
        cross_validate("gas", "ranksvm", data, protocol=Protocol(n_splits=2))
    with pytest.raises(DataError, match="no folds"):
        cross_validate("gas", "ranksvm", [])
    with pytest.raises(ParameterError, match="'data_or_folds' parameter"):
        cross_validate("gas", "ranksvm", 7)
    with pytest.raises(UnknownNameError, match="did you mean 'gas'"):
        cross_validate("gaz", "ranksvm", data)
    with pytest.raises(ParameterError, match="'selector' parameter"):
        cross_validate(RankSVM(), "ranksvm", data)
    with pytest.raises(ParameterError, match="'k' parameter"):
        cross_validate("gas", "ranksvm", data, k=[])
    with pytest.raises(UnknownNameError, match="kind of file"):
        cross_validate(None, RankSVM(), data, protocol=Protocol(n_splits=3)).write("cv.xlsx")
    with pytest.raises(DataError, match="not the JSON of a cross-validation"):
        CrossValidation.from_json("{}")


def test_whole_data_set_is_tested_once(data):
    found = cross_validate(None, RankSVM(), data, "map", protocol=Protocol(n_splits=6))
    ids = [q for record in found.records for q in record.query_ids]
    assert sorted(ids) == sorted(data.query_ids.tolist())
    assert concatenate([f.test for f in folds_of(data, 6)]).n_rows == data.n_rows


@pytest.mark.data
def test_published_ranksvm_row(data_dir):
    """Table 5 of the FS-SCPR paper, through the whole machinery."""
    measures = ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map"]
    found = cross_validate(None, "ranksvm", data_dir / "ohsumed", measures, protocol=Protocol(convention="letor3"))
    assert [round(found.mean[name], 4) for name in measures] == [0.5460, 0.4855, 0.4689, 0.4504, 0.4446]
