"""The door of select: what cannot be is refused before any training; a journal knows its run to the last setting."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from leanrank import GAS, NDCG, RankingData, RankSVM, make_ranking, select
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.select import request
from leanrank.evaluation.select import run as select_features
from leanrank.rankers.adapters import as_ranker
from leanrank.rankers.registry import get
from leanrank.selectors.features_file import plain
from leanrank.selectors.limits import Limits, cegb_params

QUICK = {"ranker": RankSVM(C=1.0), "methods": ["gas"], "cv": 3, "n_features": 2, "progress": False}


@pytest.fixture(scope="module")
def data():
    return make_ranking(40, (5, 8), n_informative=3, n_redundant=2, n_noise=5, random_state=0)[0]


@pytest.fixture
def no_training(monkeypatch):
    """Whoever gets past the door fails the test."""

    def begun(*args, **kwargs):
        raise AssertionError("the run began")

    monkeypatch.setattr(select_features, "Run", begun)
    monkeypatch.setattr(select_features, "Journal", begun)


def settings_of(data, **change):
    return select(data, **{**QUICK, **change}).settings


def test_a_plain_call_writes_what_it_always_wrote(data):
    expected = {
        "metric": repr(NDCG(k=10)),
        "metric_name": "ndcg@10",
        "ranker": "RankSVM()",
        "scaled": True,
        "methods": ["gas"],
        "effort": "normal",
        "n_features": 2,
        "max_loss": 0.002,
        "level": 0.95,
        "answer": "recommended",
        "costs": None,
        "groups": None,
        "budget": None,
        "must_keep": [],
        "never": [],
        "collapse": True,
        "cv": 3,
        "random_state": 0,
        "fingerprint": data.fingerprint(),
        "valid": None,
    }
    found = settings_of(data)
    found.pop("version")
    assert found == expected


def test_a_journal_tells_selectors_apart_by_their_parameters(tmp_path, data):
    path = tmp_path / "run.db"
    select(data, **{**QUICK, "methods": [GAS(c=0.0)]}, journal=path)
    with pytest.raises(DataError, match=r"another run: its selectors\[0\]\.c is 0\.0, here it is 5\.0"):
        select(data, **{**QUICK, "methods": [GAS(c=5.0)]}, journal=path)
    with pytest.raises(DataError, match="another run: its selectors"):
        select(data, **QUICK, journal=path)
    again = select(data, **{**QUICK, "methods": GAS(c=0.0)}, journal=path)  # one selector is a list of one
    assert again.settings["methods"] == ["gas"]


def test_parameters_that_a_repr_leaves_out_are_kept():
    names = [f"f{j:02}" for j in range(50)]
    one, other = (get("lightgbm", **cegb_params(np.ones(50) + tail, names)) for tail in (0, np.arange(50) > 45))
    assert repr(one) == repr(other)
    assert request.ranker_settings(one) == request.ranker_settings(get("lightgbm", **cegb_params(np.ones(50), names)))
    assert request.ranker_settings(one) != request.ranker_settings(other)
    short = as_ranker("lightgbm", n_threads=1)
    assert request.ranker_settings(short) == {"ranker": repr(short)}


def test_parameters_are_spelled_to_the_last():
    nested = request.spelled({"ranker": RankSVM(C=tuple(range(40))), "far": [float("inf"), float("nan")]})
    assert nested["ranker"]["class"] == "leanrank.rankers.ranksvm.RankSVM"
    assert nested["ranker"]["C"] == list(range(40))
    assert nested["far"] == ["inf", "nan"]


class Nameless:
    """A ranker's part without a repr of its own."""

    def get_params(self, deep=True):
        return {"depth": 3}


def test_a_place_in_memory_is_no_setting():
    one, other = (request.ranker_settings(Nameless()) for _ in range(2))
    assert one == other
    assert one["ranker_parameters"]["depth"] == 3


def test_plain_values_of_sets_and_series():
    assert plain({"b", "a", 10, 9}) == [9, 10, "a", "b"]
    long = list(range(100))
    assert plain(pd.Series(long)) == long
    assert plain(pd.Series) == repr(pd.Series)


def test_costs_and_groups_are_kept_by_name(data):
    names = data.feature_names
    by_name = {name: float(j) for j, name in enumerate(names)}
    for costs in (
        by_name,
        dict(reversed(by_name.items())),
        dict(enumerate(range(10))),
        np.arange(10, dtype=np.float32),
        list(range(10)),
        pd.Series(range(10)),
        pd.Series(by_name),
        pd.Series(by_name)[::-1],
    ):
        found = limited(names, costs=costs)
        assert list(found["costs"].items()) == list(by_name.items())
    rules = {"costs": {"log": 2, **by_name}, "groups": {"log": {names[3], names[1]}, "a": [2]}}
    found = limited(names, **rules)
    assert found["groups"] == {"a": [names[2]], "log": [names[1], names[3]]}
    assert found["costs"] == {**by_name, "log": 2.0}
    json.dumps(found, allow_nan=False)
    assert Limits(**rules).bound("select", names).total([1, 3]) == 6
    with pytest.raises(ParameterError, match="Group 1 of select reads like the feature '1'"):
        limited(["1", "2"], groups={1: [0]})


def limited(names, **rules):
    """The limits as they are written, once they are checked."""
    limits = request.limits_of(**{**dict.fromkeys(("costs", "groups", "must_keep", "never", "budget")), **rules})
    request.check_limits(limits, names, None)
    return request.limit_settings(limits, names)


def test_select_writes_them_so(data, monkeypatch):
    written = []

    def refuse(path, about):
        written.append(about)
        raise InterruptedError("enough")

    monkeypatch.setattr(select_features, "Journal", refuse)
    names = data.feature_names
    wide = RankingData(np.tile(data.X, 5), data.y, data.query_ptr)
    priced = [
        get("lightgbm", **cegb_params(costs, wide.feature_names)) for costs in (np.ones(50), 1 + (np.arange(50) > 45))
    ]
    calls = [
        (data, {"costs": pd.Series(1.5, names), "groups": {"a": {names[1], names[0]}}}),
        (wide, {"ranker": priced[0]}),
        (wide, {"ranker": priced[1]}),
    ]
    for judged, change in calls:
        with pytest.raises(InterruptedError, match="enough"):
            select(judged, **{**QUICK, **change})
    assert written[0]["costs"] == dict.fromkeys(names, 1.5)
    assert written[0]["groups"] == {"a": [names[0], names[1]]}
    assert written[1]["ranker"] == written[2]["ranker"]
    assert written[1] != written[2]


class Backwards(set):
    """A set in another order, as another hash seed makes it."""

    def __iter__(self):
        return iter(sorted(super().__iter__(), reverse=True))


def test_the_order_of_a_set_is_no_setting():
    names = [f"f{j}" for j in range(10)]

    def text(kind):
        rules = {"must_keep": kind(names[:4]), "never": kind(names[7:]), "groups": {"a": kind(names[3:6])}}
        return json.dumps(limited(names, **rules))

    assert text(Backwards) == text(list) == text(set)
    assert plain(Backwards(names)) == names


def test_numbers_of_numpy_are_numbers(data, tmp_path):
    found = settings_of(
        data,
        random_state=np.int64(1),
        cv=np.int64(3),
        budget=np.float32(3),
        n_features=np.int64(2),
        level=np.float64(0.9),
        max_loss=np.float32(0.5),
        n_jobs=np.int64(1),
        journal=tmp_path / "run.db",
    )
    assert (found["random_state"], found["cv"], found["budget"], found["n_features"]) == (1, 3, 3.0, 2)
    assert type(found["budget"]) is float
    assert type(found["random_state"]) is int


@pytest.mark.parametrize(
    ("given", "kept"),
    [(np.array([7, 8]), [7, 8]), (np.arange(10) == 4, [4]), (0, [0]), (pd.Index(["f03"]), [2]), ("f03", [2]), ((), [])],
)
def test_features_are_named_in_any_way(data, given, kept):
    names = [data.feature_names[j] for j in kept]
    for rule in ("must_keep", "never"):
        found = limited(data.feature_names, **{rule: given})
        assert found[rule] == names
    if kept:
        chosen = select(data, **{**QUICK, "n_features": len(kept)}, must_keep=given)
        assert set(chosen.features) == set(names)


def test_data_to_stop_on_as_a_tuple(data):
    other = make_ranking(10, (5, 8), n_informative=3, n_redundant=2, n_noise=5, random_state=1)[0]
    frame = pd.DataFrame(other.X, columns=other.feature_names)
    for X in (other.X, frame):
        assert request.valid_of((X, other.y, other.qid), data).fingerprint() == other.fingerprint()
    chosen = select(data, **{**QUICK, "cv": 2}, valid=(other.X, other.y, other.qid))
    assert chosen.settings["valid"] == other.fingerprint()


@pytest.mark.usefixtures("no_training")
class TestRefused:
    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (
                {"n_features": 1, "must_keep": [7, 8, 9]},
                "'n_features' .* >= 3, the number of features that must be kept",
            ),
            ({"n_features": True}, "'n_features' parameter of select must be from 1 to 10.*Got True"),
            ({"n_features": 2.0}, "'n_features' parameter of select must be from 1 to 10.*Got 2.0"),
            ({"n_features": 10, "never": [0]}, "from 1 to 9, the number of features that may be taken"),
            ({"must_keep": [0, 1], "budget": 1}, "'budget' parameter of select must be >= 2, the cost of 'must_keep'"),
            ({"budget": 0.5}, "'budget' parameter of select must be >= 1, the cost of the cheapest feature. Got 0.5"),
            (
                {"budget": 4, "costs": np.arange(10) + 1, "never": [0, 1, 2, 3]},
                "must be >= 5, the cost of the cheapest",
            ),
            ({"budget": float("inf")}, "'budget' parameter of select must be a number >= 0 or None. Got inf"),
            ({"random_state": None}, "'random_state' parameter of select must be a whole number from 0.*Got None"),
            ({"random_state": -1}, "'random_state' parameter of select must be a whole number from 0.*Got -1"),
            ({"random_state": 2**32}, "'random_state' parameter of select must be a whole number from 0"),
            ({"max_loss": float("inf")}, "'max_loss' parameter of select must be >= 0 and finite. Got inf"),
            ({"max_loss": float("nan")}, "'max_loss' parameter of select must be >= 0 and finite. Got nan"),
            ({"max_loss": "0.1"}, "'max_loss' parameter of select must be >= 0 and finite. Got '0.1'"),
            ({"level": 1.5}, "'level' parameter of select must be between 0.5 and 1. Got 1.5"),
            ({"level": 0.5}, "'level' parameter of select must be between 0.5 and 1. Got 0.5"),
            ({"level": 1}, "'level' parameter of select must be between 0.5 and 1. Got 1 "),
            ({"cv": 2}, "'cv' parameter of select must be a number of folds >= 3. Got 2"),
            ({"cv": 3.0}, "'cv' parameter of select must be a number of folds >= 3. Got 3.0"),
            ({"cv": 41}, "'cv' parameter of select must be at most the number of queries, 40. Got 41"),
            ({"n_jobs": 0}, "'n_jobs' parameter of select must be a whole number >= 1. Got 0"),
            ({"metric": 3}, "'metric' parameter of select must be a name such as 'ndcg@10' or a metric. Got 3"),
            (
                {"methods": GAS},
                "'methods' parameter of select must be 'auto', names of methods or selectors. Got <class",
            ),
            ({"methods": None}, "'methods' parameter of select must be 'auto', names .*Got None"),
            ({"methods": ["gas", 3]}, "'methods' parameter of select must be 'auto', names .*Got 3"),
        ],
    )
    def test_parameters(self, data, change, sentence):
        with pytest.raises(ParameterError, match=sentence):
            select(data, **{**QUICK, **change})

    def test_data_to_stop_on(self, data):
        with pytest.raises(ParameterError, match=r"RankingData or a tuple \(X, y, qid\). Got a tuple of 2 instead"):
            select(data, **QUICK, valid=(data.X, data.y))
        with pytest.raises(ParameterError, match=r"tuple \(X, y, qid\). Got an object of type ndarray instead"):
            select(data, **QUICK, valid=data.X)
        with pytest.raises(DataError, match="valid has 4 features, data has 10"):
            select(data, **QUICK, valid=data.subset(range(4)))
        with pytest.raises(DataError, match="valid has 4 features, data has 10"):
            select(data, **QUICK, valid=(data.X[:, :4], data.y, data.qid))
        renamed = replace(data, feature_names=("f01", "x", *data.feature_names[2:]))
        with pytest.raises(DataError, match="both have 10 features, but not the same: column 1 is 'x' in valid, 'f02'"):
            select(data, **QUICK, valid=renamed)

    def test_labels_that_tell_nothing(self, data):
        nothing = "has two documents with different labels, so nothing can be told about any feature"
        with pytest.raises(DataError, match=f"No query of 40 {nothing}"):
            select(replace(data, y=np.repeat(np.arange(40) % 3, data.query_sizes)), **QUICK)
        alone = RankingData(data.X, data.y, np.arange(data.n_rows + 1), feature_names=data.feature_names)
        with pytest.raises(DataError, match=nothing):
            select(alone, **QUICK)

    @pytest.mark.parametrize("metric", ["ndcg@10", NDCG(k=10, convention="letor3"), "map"])
    def test_too_few_judged_queries(self, data, metric):
        y = data.y.copy()
        y[data.query_ptr[2] :] = 0
        y[data.query_ptr[:2]] = 1
        y[data.query_ptr[:2] + 1] = 0
        sentence = r"2 of 40 queries are judged .* counted by (ndcg@10|map)\), but 3 folds need at least 3: judge more"
        with pytest.raises(DataError, match=sentence):
            select(replace(data, y=y), **QUICK, metric=metric)

    def test_labels_that_the_metric_cannot_take(self, data):
        with pytest.raises(DataError, match="takes labels from 0"):
            select(replace(data, y=data.y - 1), **QUICK, metric="err@10")


def test_a_refused_call_leaves_no_journal(data, tmp_path):
    path = tmp_path / "run.db"
    with pytest.raises(ParameterError, match="at most the number of queries"):
        select(data, **{**QUICK, "cv": 50}, journal=path)
    assert not path.exists()


def test_a_journal_says_where_settings_differ(tmp_path):
    before = {"selectors": [{"c": 1}, {"ranker": {"C": 1.0, "a": 3}}], "names": ["a", "b"]}
    now = {"selectors": [{"c": 1}, {"ranker": {"C": 2.0, "a": 3}}], "names": ["a", "b"]}
    Journal(tmp_path / "run.db", before).close()
    with pytest.raises(DataError, match=r"its selectors\[1\]\.ranker\.C is 1\.0, here it is 2\.0"):
        Journal(tmp_path / "run.db", now)
    with pytest.raises(DataError, match=r'its names is \["a", "b"\], here it is \["a"\]'):
        Journal(tmp_path / "run.db", {**before, "names": ["a"]})
