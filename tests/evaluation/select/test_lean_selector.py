"""LeanSelector: what `select` says, in the manner of scikit-learn's RFECV; in a Pipeline, in a search, on frames."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from leanrank import LeanSelector, Limits, QueryKFold, RankSVM, make_ranking, select
from leanrank.errors import ParameterError

DATA, _ = make_ranking(30, (6, 9), n_informative=2, n_redundant=1, n_noise=3, random_state=0)
X, Y, QID = DATA.X, DATA.y, DATA.qid
SETTINGS = {"methods": ["gas"], "effort": "quick", "cv": 3, "n_jobs": 1}


def lean(**settings):
    return LeanSelector(RankSVM(), **{**SETTINGS, **settings})


def test_it_selects_what_select_selects():
    fitted = lean().fit(DATA)
    said = select(DATA, RankSVM(), progress=False, **SETTINGS)
    assert fitted.selection_.features == said.features
    assert fitted.get_feature_names_out().tolist() == [DATA.feature_names[j] for j in sorted(said.indices)]
    assert fitted.n_features_ == fitted.support_.sum() == said.n_features
    assert fitted.selected_.tolist() == list(said.indices)
    assert fitted.to_dict()["names"] == list(said.features)


def test_ranking_and_results_are_as_those_of_rfecv():
    fitted = lean(n_features_to_select=2).fit(X, Y, qid=QID)
    assert (fitted.ranking_[fitted.support_] == 1).all()
    assert sorted(fitted.ranking_[~fitted.support_].tolist()) == [2, 3, 4, 5]
    results = fitted.cv_results_
    assert results["n_features"].tolist() == [2, 6]
    splits = np.array([results[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
    assert results["mean_test_score"][-1] == pytest.approx(fitted.selection_.baseline["mean"])
    assert fitted.transform(X).shape == (len(Y), 2)


def test_limits_are_those_of_select():
    names = list(DATA.feature_names)
    fitted = lean(limits=Limits(must_keep=[names[5]], never=[names[0]]), n_features_to_select=2).fit(DATA)
    assert fitted.support_[5]
    assert not fitted.support_[0]


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(ParameterError, match="The 'answer' parameter of LeanSelector must be one of 'safe'"):
        lean(answer="bold").fit(DATA)
    with pytest.raises(ParameterError, match="The 'n_features_to_select' parameter of LeanSelector must be from 1"):
        lean(n_features_to_select=9).fit(DATA)


def test_missing_values_are_let_in_as_by_select():
    holes = X.copy()
    holes[::7, 1] = np.nan
    fitted = lean().fit(holes, Y, qid=QID)
    assert fitted.selection_.features == select(holes, RankSVM(), y=Y, qid=QID, progress=False, **SETTINGS).features
    assert fitted.transform(holes).shape == (len(Y), fitted.n_features_)


def test_data_to_stop_on_may_have_missing_values_where_the_others_have_none():
    holes = X.copy()
    holes[::7, 1] = np.nan
    assert select(DATA, RankSVM(), valid=(holes, Y, QID), progress=False, **SETTINGS).n_features


class Scoring(RankSVM):
    """Pipeline.score hands on sample_weight, even None, to a step that knows the name."""

    def score(self, X, y=None, *, qid=None, metric="ndcg@10", sample_weight=None):
        return super().score(X, y, qid=qid, metric=metric)


def test_in_a_pipeline_and_in_a_search():
    frame = pd.DataFrame(X, columns=list(DATA.feature_names))
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = Scoring().set_fit_request(qid=True).set_score_request(qid=True)
        steps = Pipeline([("lean", lean()), ("rank", ranker)])
        search = GridSearchCV(
            steps,
            {"lean__n_features_to_select": [1, 2]},
            cv=QueryKFold(2).set_split_request(qid=True),
            error_score="raise",
        )
        search.fit(frame, Y, qid=QID)
    best = search.best_estimator_["lean"]
    assert best.n_features_ == search.best_params_["lean__n_features_to_select"] == 2
    assert set(best.get_feature_names_out()) <= set(frame.columns)


class ThreeQueries(LeanSelector):
    """The common checks know no qid: for them, rows without one are three queries, one or two rows of each in turn."""

    def fit(self, X, y=None, *, qid=None, regroup=False):
        if y is not None and qid is None:
            qid, regroup = np.arange(len(np.asarray(y))) * 2 // 3 % 3, True
        return super().fit(X, y, qid=qid, regroup=regroup)


@parametrize_with_checks(
    [ThreeQueries("ranksvm", methods=["gas"], effort="quick", cv=3, n_jobs=1)],
    expected_failed_checks=lambda _: {
        "check_dtype_object": "an object that is no number is refused as a DataError (a ValueError) naming the column",
        "check_fit2d_1sample": "one document is refused by the number of judged queries, which folds are made of",
    },
)
def test_common_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"No features were selected")
        check(estimator)


def test_select_calls_back_with_every_path_and_every_fit():
    heard = []
    said = select(DATA, RankSVM(), progress=False, callback=heard.append, **SETTINGS)
    assert {one.kind for one in heard} == {"path", "fit"}
    whole = [one for one in heard if one.kind == "fit" and len(one.task["features"]) == DATA.n_features]
    assert np.mean([one.score for one in whole]) == pytest.approx(said.baseline["mean"], abs=0.02)
    assert not any(one.reused for one in heard)


def test_copies_become_one_unless_asked_otherwise():
    twice = np.hstack([X, np.exp(X[:, [0]]), X[:, [1]]])
    fitted = lean(n_features_to_select=4).fit(twice, Y, qid=QID)
    chosen = fitted.selected_.tolist()
    standing = {kept: others for kept, others in ((0, (6,)), (1, (7,))) if kept in chosen}
    assert fitted.stands_for_ == standing
    assert fitted.to_dict()["stands_for"] == {str(j + 1): [str(k + 1) for k in standing[j]] for j in standing}
    assert not {6, 7} & set(chosen)
    kept = lean(n_features_to_select=8, collapse=False).fit(twice, Y, qid=QID)
    assert kept.stands_for_ == {}
    assert kept.n_features_ == 8
