"""diff: which features, which queries, how sure."""

import dataclasses
import json

import numpy as np
import pytest

from leanrank import GAS, Limits, RankingData, RankSVM, diff, load_selection, make_ranking, select
from leanrank.cli.app import run
from leanrank.errors import DataError, LeanRankError
from leanrank.evaluation.significance import paired_bootstrap
from leanrank.metrics.names import metric


@pytest.fixture(scope="module")
def planted():
    data, truth = make_ranking(90, n_informative=3, n_redundant=2, n_noise=5, random_state=0)
    roles = {entry.name: entry.role for entry in truth}
    return data.take_queries(range(50)), data.take_queries(range(50, 90)), roles


@pytest.fixture(scope="module")
def chosen(planted):
    costs = {name: float(j + 1) for j, name in enumerate(planted[0].feature_names)}
    return select(planted[0], "ranksvm", methods=["gas"], n_features=3, costs=costs, progress=False)


def test_features_by_name_and_what_they_cost(planted, chosen, tmp_path):
    train, _, _ = planted
    other = select(train, "ranksvm", methods=["gas"], n_features=5, costs=chosen.settings["costs"], progress=False)
    chosen.save(tmp_path / "three.json")
    other.save(tmp_path / "five.json")
    told = diff(tmp_path / "three.json", tmp_path / "five.json")
    assert (told.a, told.b) == ("three.json", "five.json")
    assert set(told.both) == set(chosen.features) & set(other.features)
    assert set(told.only_b) == set(other.features) - set(chosen.features)
    assert told.costs == {name: chosen.settings["costs"][name] for name in (*told.only_a, *told.only_b)}
    assert (told.cost_a, told.cost_b) == (chosen.cost, other.cost)
    assert told.quality is None
    assert told.sentence() == f"3 features in a, 5 in b, {len(told.both)} in both"
    assert told.to_dict() == diff(load_selection(tmp_path / "three.json"), other).to_dict() | {
        "a": "three.json",
        "b": "five.json",
    }


def test_sets_are_tried_in_the_same_folds(planted):
    train, test, roles = planted
    noise = [name for name, role in roles.items() if role == "noise"]
    good, bad = GAS(3).fit(train), GAS(3).fit(train.subset(noise))
    told = diff(good, bad, test, ranker="ranksvm")
    assert told.quality.high < 0
    assert "b ranks worse than a by NDCG@10" in told.sentence()
    assert told.quality.n_queries == told.quality.better + told.quality.worse + told.quality.same
    back = diff(bad, good, test, ranker="ranksvm").quality
    assert (back.difference, back.better) == (-told.quality.difference, told.quality.worse)
    assert back.a == told.quality.b
    changes = [query["b"] - query["a"] for query in told.quality.queries]
    assert changes == sorted(changes)
    alike = diff(good, good, test, ranker="ranksvm")
    assert alike.sentence().endswith(f"a and b rank alike by NDCG@10: no query of {alike.quality.n_queries} differs")


def test_the_order_of_queries_changes_nothing(planted):
    train, test, _ = planted
    few, many = GAS(1).fit(train), GAS(4).fit(train)
    there = diff(few, many, test, ranker="ranksvm", n_jobs=1)
    back = diff(few, many, test.take_queries(np.arange(test.n_queries)[::-1]), ranker="ranksvm", n_jobs=2)
    assert there.quality.a == pytest.approx(back.quality.a)
    assert there.quality.queries[0] == back.quality.queries[0]


def test_models_score_the_data_as_they_are(planted, tmp_path):
    train, test, _ = planted
    few, many = train.feature_names[:2], train.feature_names[::-1][:6]
    a, b = RankSVM().fit(train.subset(few)), RankSVM().fit(train.subset(many))
    a.save(tmp_path / "a.json")
    b.save(tmp_path / "b.json")
    told = diff(tmp_path / "a.json", tmp_path / "b.json", test, metric="map").quality
    values = [
        metric("map").per_query(test.y, model.predict(test.subset(names)), test.query_ptr)
        for model, names in ((a, few), (b, many))
    ]
    expected = paired_bootstrap(values[1], values[0])
    assert told.difference == pytest.approx(expected.difference, abs=1e-6)
    assert (told.low, told.high, told.p) == pytest.approx((expected.low, expected.high, expected.p), abs=1e-6)
    assert told.how == "as trained"


def test_what_flatters_is_said(planted, chosen):
    train, test, _ = planted
    with_fewer = GAS(1).fit(train)
    notes = " ".join(diff(chosen, with_fewer, train).notes)
    assert "a was chosen by these very queries" in notes
    assert diff(chosen, with_fewer, test).notes == ()
    assert "a was chosen for another ranker" in " ".join(diff(chosen, with_fewer, test, ranker=RankSVM(C=3.0)).notes)


def test_few_queries_are_not_believed(planted):
    train, test, _ = planted
    told = diff(GAS(1).fit(train), GAS(4).fit(train), test.take_queries(range(6)), ranker="ranksvm", cv=3)
    assert told.sentence().endswith("6 queries say nothing for sure")
    assert json.loads(json.dumps(told.to_dict(), allow_nan=False))["quality"]["n_queries"] == 6


def test_refusals(planted, chosen, tmp_path):
    train, test, _ = planted
    model = RankSVM().fit(train)
    with pytest.raises(DataError, match="b is a model, a a selection"):
        diff(chosen, model)
    with pytest.raises(DataError, match="Got an object of type int"):
        diff(chosen, 3)
    lacking = test.subset([name for name in test.feature_names if name != chosen.features[0]])
    with pytest.raises(LeanRankError, match=f"no feature {chosen.features[0]!r}, which a needs"):
        diff(chosen, GAS(1).fit(train), lacking)
    with pytest.raises(LeanRankError, match="'cv' parameter of diff must be at most"):
        diff(chosen, GAS(1).fit(train), test.take_queries(range(3)))


def test_numbers_of_tables_of_other_widths_are_doubted(planted):
    train, _, _ = planted
    numbered = dataclasses.replace(train, feature_names=())
    a, b = GAS(2).fit(numbered), GAS(2).fit(numbered.subset(range(6)))
    assert "they may not mean the same" in diff(a, b).notes[0]


def test_copies_of_what_the_other_has_are_told(planted, capsys, tmp_path):
    data, _, _ = planted
    names = (*data.feature_names, "copy", "copy of copy", "none")
    more = np.column_stack([data.X, np.exp(data.X[:, 0]), data.X[:, 0] ** 3, data.y * 0])
    wide = RankingData(more, data.y, data.query_ptr, feature_names=names)
    first = data.feature_names[0]
    a = GAS(limits=Limits(must_keep=[first]), n_features_to_select=3).fit(wide)
    b = GAS(limits=Limits(must_keep=["copy of copy"], never=[first]), n_features_to_select=3).fit(wide)
    told = diff(a, b)
    assert told.copies == {first: "copy of copy", "copy of copy": first}
    assert f"{first} is a copy of copy of copy" in repr(told)
    assert told.to_dict()["copies"] == told.copies
    for selector, name in ((a, "a.json"), (b, "b.json")):
        (tmp_path / name).write_text(json.dumps(selector.to_dict()))
    assert run(["diff", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    assert "copy of" in capsys.readouterr().out
    assert diff(a, a).copies == {}
    damaged = {**a.to_dict(), "stands_for": {"copy": 3}}
    (tmp_path / "a.json").write_text(json.dumps(damaged))
    with pytest.raises(DataError, match="its 'stands_for' cannot be read"):
        diff(tmp_path / "a.json", tmp_path / "b.json")
