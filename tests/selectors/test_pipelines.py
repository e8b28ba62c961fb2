"""Selectors between a scaler and a ranker: Pipeline and GridSearchCV with qid routed, frames in and frames out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from tests.selectors.metamorphic import tie_free

from leanrank.data.scaling import QueryMinMaxScaler
from leanrank.data.splits import QueryKFold
from leanrank.rankers.ranksvm import RankSVM
from leanrank.selectors import FSSCPR, GAS

DATA = tie_free(2, n_queries=24)
X, Y, QID = DATA.X, DATA.y, DATA.qid
FRAME = pd.DataFrame(X, columns=[f"f{j}" for j in range(9)])


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Ranker(RankSVM):
    """A ranker that asks for qid. Pipeline.score hands on sample_weight, even None, to a step that knows the name."""

    def score(self, X, y=None, *, qid=None, metric="ndcg@10", sample_weight=None):
        assert sample_weight is None
        return super().score(X, y, qid=qid, metric=metric)


def pipeline(selector):
    ranker = Ranker().set_fit_request(qid=True).set_score_request(qid=True).set_predict_request(qid=False)
    return Pipeline([("scaler", QueryMinMaxScaler()), ("select", selector), ("rank", ranker)])


def by_hand(selector):
    scaled = QueryMinMaxScaler().fit_transform(DATA)
    chosen = selector.fit(scaled)
    return chosen, RankSVM().fit(chosen.transform(scaled)).predict(chosen.transform(scaled))


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("selector", [GAS(3), FSSCPR(3)], ids=["gas", "fs-scpr"])
def test_a_pipeline_is_the_three_steps_by_hand(selector):
    fitted = pipeline(selector).fit(X, Y, qid=QID)
    chosen, scores = by_hand(sklearn.clone(selector))
    assert fitted["select"].selected_.tolist() == chosen.selected_.tolist()
    np.testing.assert_allclose(fitted.predict(X, qid=QID), scores, rtol=1e-9)
    assert fitted.score(X, Y, qid=QID) == pytest.approx(
        fitted["rank"].score(fitted[:-1].transform(X, qid=QID), Y, qid=QID)
    )


@pytest.mark.usefixtures("routing")
def test_qid_is_routed_without_being_asked_for():
    selector = Pipeline([("select", GAS(2))])
    assert selector.fit(X, Y, qid=QID)["select"].selected_.tolist() == GAS(2).fit(DATA).selected_.tolist()


@pytest.mark.usefixtures("routing")
def test_a_search_over_sizes_and_prices_with_query_folds():
    search = GridSearchCV(
        pipeline(GAS()), {"select__n_features_to_select": [2, 4], "select__c": [0.0, 0.5]}, cv=QueryKFold(3)
    )
    search.fit(X, Y, qid=QID)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_["select"].support_.sum() == search.best_params_["select__n_features_to_select"]
    # The same figure by hand, for one fold and one setting.
    train, test = next(iter(QueryKFold(3).split(X, Y, qid=QID)))
    expected = pipeline(GAS(2, c=0.0)).fit(X[train], Y[train], qid=QID[train]).score(X[test], Y[test], qid=QID[test])
    assert search.cv_results_["split0_test_score"][_row(search, 2, 0.0)] == pytest.approx(expected)


def _row(search, size, c):
    wanted = {"select__n_features_to_select": size, "select__c": c}
    return [dict(params) for params in search.cv_results_["params"]].index(wanted)


def test_without_routing_qid_goes_by_the_name_of_the_step():
    fitted = Pipeline([("select", GAS(2)), ("rank", RankSVM())]).fit(X, Y, select__qid=QID, rank__qid=QID)
    assert fitted["select"].selected_.tolist() == GAS(2).fit(DATA).selected_.tolist()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_frames_out(library):
    frame = FRAME if library == "pandas" else pl.from_pandas(FRAME)
    steps = Pipeline([("scaler", QueryMinMaxScaler()), ("select", GAS(3))])
    steps.set_output(transform=library)
    out = steps.fit(frame, Y, qid=QID).transform(frame, qid=QID)
    assert type(out) is type(frame)
    assert list(out.columns) == steps["select"].get_feature_names_out().tolist()
    scaled = QueryMinMaxScaler().fit_transform(DATA)
    expected = GAS(3).fit(scaled)
    assert list(out.columns) == [f"f{j}" for j in expected.get_support(indices=True)]
    np.testing.assert_array_equal(out.to_numpy(), expected.transform(scaled).X)


def test_pandas_keeps_index_and_dtypes():
    frame = FRAME.astype("float32").set_index(np.arange(len(FRAME))[::-1])
    out = GAS(3).set_output(transform="pandas").fit(frame, Y, qid=QID).transform(frame)
    assert out.index.equals(frame.index)
    assert set(out.dtypes) == {np.dtype("float32")}
