"""Rankers under scikit-learn's metadata routing: qid is asked for without being told to; weights are refused."""

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.rankers.conformance import judged

from leanrank import CohenOrder, QueryKFold, RankNet, RankSVM
from leanrank.errors import ParameterError


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_a_pipeline_and_a_search_pass_qid_on():
    data = judged()
    pipeline = make_pipeline(StandardScaler(), RankSVM())
    search = GridSearchCV(pipeline, {"ranksvm__C": [0.1, 10.0]}, cv=QueryKFold(4))
    search.fit(data.X, data.y, qid=data.qid)
    assert search.score(data.X, data.y, qid=data.qid) > 0.9
    assert search.best_estimator_.score(data.X, data.y, qid=data.qid) > 0.9
    scores = cross_val_score(RankNet(n_epochs=5), data.X, data.y, params={"qid": data.qid}, cv=QueryKFold(4))
    assert scores.min() > 0.8


@pytest.mark.usefixtures("routing")
def test_a_pipeline_hands_qid_to_predict():
    data = judged()
    pipeline = make_pipeline(StandardScaler(), CohenOrder()).fit(data.X, data.y, qid=data.qid)
    scaled = StandardScaler().fit_transform(data.X)
    by_hand = CohenOrder().fit(scaled, data.y, qid=data.qid).predict(scaled, qid=data.qid)
    np.testing.assert_array_equal(pipeline.predict(data.X, qid=data.qid), by_hand)


def test_score_takes_no_weights():
    data = judged()
    ranker = RankSVM().fit(data)
    assert ranker.score(data, sample_weight=None) == ranker.score(data)
    with pytest.raises(ParameterError, match="score has no weights of documents: leave out sample_weight"):
        ranker.score(data.X, data.y, qid=data.qid, sample_weight=np.ones(160))
