"""LightGBM and XGBoost trained on a real Dask cluster."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from leanrank import LocalEngine, as_ranker, fold, load_ranker, make_ranking, metric, scan_parquet, write_parquet
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, ParameterError
from leanrank.rankers import get
from leanrank.rankers._lightgbm_watching import StagedMetric

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of Dask

SETTINGS = {"n_estimators": 15, "learning_rate": 0.2, "n_threads": 1}


@pytest.fixture(scope="module")
def data() -> RankingData:
    return make_ranking(120, (8, 20), n_informative=4, n_redundant=0, n_noise=2, levels=3, random_state=5)[0]


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_as_good_as_on_one_machine(library, data, tmp_path, make_engine):
    pytest.importorskip(library)
    engine = make_engine("dask", 300)
    there = get(library, **SETTINGS, engine=engine)
    here = clone(get(library, **SETTINGS)).fit(data)
    for i in range(4):
        write_parquet(data.take_queries(np.arange(30 * i, 30 * i + 30)), tmp_path / f"{i}.parquet")
    for source in (data, scan_parquet(tmp_path)):
        there.fit(source)
        assert there.score(data) == pytest.approx(here.score(data), abs=0.02)
        assert there.feature_names_in_.tolist() == list(data.feature_names)
    there.save(tmp_path / "model.json")
    loaded = load_ranker(tmp_path / "model.json")
    assert loaded.engine is None
    np.testing.assert_array_equal(loaded.predict(data), there.predict(data))


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_labels_that_cannot_be(library, data, make_engine):
    pytest.importorskip(library)
    halves = RankingData(data.X, data.y / 2, data.query_ptr)
    with pytest.raises(DataError, match=r"takes whole labels from 0: a label is 0\.5.*labels='rank'"):
        get(library, **SETTINGS, engine=make_engine("dask", 10_000)).fit(halves)


@pytest.mark.parametrize(
    ("library", "eval_metric"), [("lightgbm", "ndcg@5"), ("lightgbm", "map"), ("xgboost", "ndcg@5")]
)
def test_the_best_iteration_is_kept(library, eval_metric, data, tmp_path, make_engine):
    pytest.importorskip(library)
    train, valid = data.take_queries(np.arange(80)), data.take_queries(np.arange(80, 120))
    write_parquet(valid, tmp_path / "valid.parquet")
    overfitting = {**SETTINGS, "n_estimators": 40, "learning_rate": 0.5, "eval_metric": eval_metric}
    engine = make_engine("dask", 300)
    there = get(library, **overfitting, engine=engine).fit(train, eval_set=scan_parquet(tmp_path / "valid.parquet"))
    booster, measure = there.estimator_, metric(eval_metric, convention=library)
    if library == "lightgbm":
        scores = [booster.predict(valid.X, num_iteration=n) for n in range(1, booster.num_trees() + 1)]
    else:
        rows = there._matrix(valid.X)
        scores = [booster.predict(rows, iteration_range=(0, n)) for n in range(1, booster.num_boosted_rounds() + 1)]
    means = [np.mean(measure.per_query(valid.y, one, valid.query_ptr)) for one in scores]
    assert len(means) <= 40
    assert means[-1] == pytest.approx(max(means), abs=1e-6)  # cut at the best one
    assert means[-1] > means[0]
    hasty = get(library, **overfitting, early_stopping_rounds=1, engine=engine).fit(train, eval_set=valid)
    assert len(hasty.model_text_) < len(there.model_text_)


def test_staged_metric_is_the_metric_of_each_stage(data):
    pytest.importorskip("lightgbm")
    ranker = get("lightgbm", **SETTINGS).fit(data)
    measure = metric("ndcg@5", convention="lightgbm")
    staged = StagedMetric(ranker.model_text_, measure, np.asarray)
    found = fold(staged, data, LocalEngine(2, block_rows=200))
    for n in (1, 7, 15):
        scores = ranker.estimator_.predict(data.X, num_iteration=n)
        assert found[n - 1] == pytest.approx(np.mean(measure.per_query(data.y, scores, data.query_ptr)), abs=1e-9)


def test_what_cannot_be_asked_for(data, make_engine, tmp_path):
    pytest.importorskip("lightgbm")
    engine = make_engine("dask", 10_000)
    write_parquet(data.subset([0, 1]), tmp_path / "other.parquet")
    with pytest.raises(DataError, match="eval_set has 2 features, the training data 6"):
        get("lightgbm", engine=engine).fit(data, eval_set=scan_parquet(tmp_path / "other.parquet"))
    with pytest.raises(ParameterError, match="'engine' parameter of as_ranker must be a DaskEngine"):
        get("lightgbm", engine=LocalEngine(1)).fit(data)
    from sklearn.linear_model import LinearRegression

    with pytest.raises(ParameterError, match="RegressorAdapter cannot train on a cluster: leave out engine="):
        as_ranker(LinearRegression(), engine=engine).fit(data)
