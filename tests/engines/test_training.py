"""LightGBM and XGBoost trained on a real Dask cluster."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from leanrank import as_ranker, load_ranker, make_ranking, scan_parquet, write_parquet
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, ParameterError
from leanrank.rankers import get

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


def test_what_cannot_be_asked_for(data, make_engine):
    pytest.importorskip("lightgbm")
    engine = make_engine("dask", 10_000)
    with pytest.raises(ParameterError, match="Training with engine= takes no eval_set"):
        get("lightgbm", engine=engine).fit(data, eval_set=data)
    from leanrank import LocalEngine

    with pytest.raises(ParameterError, match="'engine' parameter of as_ranker must be a DaskEngine"):
        get("lightgbm", engine=LocalEngine(1)).fit(data)
    from sklearn.linear_model import LinearRegression

    with pytest.raises(ParameterError, match="RegressorAdapter cannot train on a cluster: leave out engine="):
        as_ranker(LinearRegression(), engine=engine).fit(data)
