"""`select` takes what `fit` takes: RankingData, a frame with names, X with y and qid, a tuple of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from leanrank import RankSVM, make_ranking, select
from leanrank.data import to_frame
from leanrank.errors import LeanRankError
from leanrank.evaluation.select import run as select_features
from leanrank.evaluation.select.judged import judged

QUICK = {"ranker": RankSVM(C=1.0), "methods": ["gas"], "cv": 3, "n_features": 2, "progress": False}


@pytest.fixture(scope="module")
def data():
    return make_ranking(40, (5, 8), n_informative=3, n_redundant=2, n_noise=5, random_state=0)[0]


@pytest.fixture(scope="module")
def chosen(data):
    return select(data, **QUICK)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_with_the_names_of_its_columns(data, chosen, kind):
    pytest.importorskip(kind)
    frame = to_frame(data, kind)
    for names in ({"label": "label", "qid": "qid"}, {}):
        again = select(frame, **QUICK, **names)
        assert again.features == chosen.features
        assert again.versus_all == chosen.versus_all
    assert judged(frame, label="label", qid="qid").fingerprint() == data.fingerprint()


def test_a_frame_with_texts_and_names_of_its_own(data):
    pd = pytest.importorskip("pandas")
    frame = to_frame(data, "pandas").rename(columns={"label": "grade", "qid": "ask"}).assign(title="tea")
    taken = judged(frame, label="grade", qid="ask", comments="title")
    assert taken.feature_names == data.feature_names
    assert taken.comments.tolist() == ["tea"] * data.n_rows
    by_ids = judged(frame.drop(columns=["ask", "title"]), label="grade", qid=pd.Series(data.qid))
    assert by_ids.fingerprint() == data.fingerprint()


def test_arrays_beside_each_other_or_in_a_tuple(data, chosen):
    numbers = tuple(data.feature_names.index(name) for name in chosen.features)
    for X in (data.X, sp.csr_array(data.X)):
        beside = select(X, **QUICK, y=data.y, qid=data.qid)
        together = select((X, data.y, data.qid), **QUICK)
        assert beside.indices == together.indices == numbers
    frame = to_frame(data, "pandas").drop(columns=["label", "qid"])
    assert select(frame, **QUICK, y=data.y, qid=data.qid).features == chosen.features


def test_missing_values_are_let_in(data):
    X = np.where(np.arange(data.X.size).reshape(data.X.shape) % 7 == 0, np.nan, data.X)
    assert judged((X, data.y, data.qid)).missing
    assert judged(X, y=data.y, qid=data.qid).missing_counts().sum() == np.isnan(X).sum()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (lambda d: ((d,), {"qid": d.qid}), r"A RankingData is complete: leave out qid=\. Pass a RankingData, a frame"),
        (lambda d: (((d.X, d.y),), {}), r"A tuple of 2 is not \(X, y, qid\)"),
        (lambda d: (((d.X, d.y, d.qid),), {"y": d.y, "label": "l"}), r"complete: leave out y= and label="),
        (lambda d: ((d.X,), {}), r"no labels: data is an object of type ndarray. Pass .* X with y= and qid="),
        (lambda d: ((d.X,), {"y": d.y}), "no qid, so which rows belong to one query is unknown. Pass"),
        (lambda d: ((d.X,), {"y": d.y, "qid": d.qid, "label": "grade"}), "complete: leave out label="),
        (lambda d: ((to_frame(d),), {"label": "grade", "qid": "qid"}), "Unknown label column 'grade'"),
        (lambda d: (("train.txt",), {}), "no labels: data is an object of type str"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_pass(monkeypatch, data, given, sentence):
    def begun(*args, **kwargs):
        raise AssertionError("the run began")

    monkeypatch.setattr(select_features, "Journal", begun)
    arguments, names = given(data)
    with pytest.raises(LeanRankError, match=sentence):
        select(*arguments, **QUICK, **names)
