"""The summary: complete, plain, and true to the selection; what features stand for, for every size."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.report.made_up import HOSTILE, made_up

from leanrank import FeatureGraph, RankingData, make_ranking, select
from leanrank.errors import DataError
from leanrank.report import charts, tables
from leanrank.report._summary import summarize
from leanrank.report.alike import STANDS_FOR, alike, groups, nearest, nearest_kept, representatives, spread, stands_for
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.importance import Importance

NAMES = [f"f{j}" for j in range(20)]


@pytest.fixture(scope="module")
def planted():
    data, truth = make_ranking(60, n_informative=3, n_redundant=6, n_noise=3, n_constant=1, random_state=1)
    return data, truth, select(data, "ranksvm", methods=["gas", "mrmr"], n_features=3, cv=3, progress=False)


def test_it_is_plain_and_says_what_the_selection_says(planted):
    data, _, selection = planted
    summary = summarize(selection, data)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["sentence"] == selection.sentence()
    assert summary["kept"] == list(selection.features)
    assert [f["name"] for f in summary["features"]] == list(data.feature_names)
    by_name = {f["name"]: f for f in summary["features"]}
    for position, name in enumerate(selection.path, start=1):
        assert by_name[name]["position"] == position
        assert by_name[name]["kept"] == (position <= selection.n_features)
    graph = feature_graph(data, Importance("ndcg@10", direction="max"), SIMILARITY)  # in the metric asked for
    np.testing.assert_allclose([f["importance"] for f in summary["features"]], graph.importance, atol=1e-6)
    assert summary["lint"]["n_queries"] == 60
    assert sum(summary["per_query"]["counts"]) == summary["per_query"]["better"] + summary["per_query"]["worse"]
    assert sum(point["chosen"] for point in summary["curve"]) == 1
    at_choice = {s["k"]: s["sentence"] for s in summary["sentences"]}[selection.n_features]
    assert at_choice == selection.sentence()


def test_clusters_are_the_planted_families(planted):
    data, truth, selection = planted
    cluster = {f["name"]: f["cluster"] for f in summarize(selection, data)["features"]}
    families = {}
    for entry in truth:
        if entry.role in ("informative", "redundant"):
            families.setdefault(entry.source or entry.name, set()).add(cluster[entry.name])
        else:
            assert cluster[entry.name] is None
    assert all(len(numbers) == 1 and None not in numbers for numbers in families.values())
    assert len(set.union(*families.values())) == len(families)


def test_what_a_kept_feature_replaces(planted):
    data, _, selection = planted
    summary = summarize(selection, data)
    S = feature_graph(data, IMPORTANCE, SIMILARITY).similarity
    column = {name: j for j, name in enumerate(data.feature_names)}
    kept = [column[name] for name in selection.features]
    expected = {j: [] for j in kept}
    for j in range(data.n_features):
        if j not in kept:
            best = max(kept, key=lambda i: (round(S[i, j], 12), -kept.index(i)))
            if S[best, j] >= STANDS_FOR:
                expected[best].append(j)
    for j in kept:
        replaces = summary["features"][j]["replaces"]
        assert replaces["n"] == len(expected[j])
        assert {other["name"] for other in replaces["nearest"]} <= {data.feature_names[i] for i in expected[j]}
    assert sum(map(len, expected.values())) > 0


def test_the_nearest_kept_for_every_size():
    rng = np.random.default_rng(3)
    S = rng.random((15, 15))
    S = np.round((S + S.T) / 2, 4)
    np.fill_diagonal(S, 1)
    path = rng.permutation(15)[:11]
    records = nearest(S, path)
    for k in range(1, 12):
        kept = path[:k]
        for j in set(range(15)) - set(kept.tolist()):
            position, similarity = nearest_kept(records[j], k)
            assert similarity == S[j, kept].max()
            assert position == int(np.argmax(S[j, kept]))
        features = [{"nearest": record} for record in records]
        found = stands_for(features, path.tolist(), k)
        assert sorted(found) == sorted(kept.tolist())
        counted = sum(S[j, kept].max() >= STANDS_FOR for j in set(range(15)) - set(kept.tolist()))
        assert sum(map(len, found.values())) == counted
    assert nearest_kept([], 3) == (0, 0.0)


def test_groups_layout_and_representatives_of_degenerate_graphs():
    assert groups(np.ones((1, 1))).tolist() == [0]
    assert groups(np.ones((3, 3))).tolist() == [1, 1, 1]
    assert groups(np.eye(3)).tolist() == [0, 0, 0]
    assert spread(np.ones((1, 1))).shape == (1, 2)
    assert np.isfinite(spread(np.ones((5, 5)))).all()
    S = np.full((6, 6), 0.5)
    S[:3, :3], S[3:, 3:] = 0.9, 0.9
    np.fill_diagonal(S, 1)
    graph = FeatureGraph([0.1, 0.9, 0.2, 0.3, 0.4, 0.5], S)
    assert representatives(graph, np.array([2]), 2).tolist() == [2, 5]  # the kept one, and the most important
    assert representatives(graph, np.array([2]), 6).tolist() == list(range(6))


def test_constant_features_only():
    names = ["a", "b", "c"]
    graph = FeatureGraph([0.5] * 3, np.zeros((3, 3)), names, constant=[True] * 3)
    found = alike(graph, np.arange(3), 1, [])
    assert found["drawing"]["columns"] == [0, 1, 2]
    assert found["cluster"] == [None] * 3


def test_without_data_it_says_what_is_missing():
    selection, _ = made_up(NAMES)
    summary = summarize(selection)
    assert summary["graph"] is None
    assert summary["lint"] is None
    assert "need the data" in summary["notes"][0]


def test_other_data_are_refused():
    selection, _ = made_up(NAMES)
    _, other = made_up(NAMES, n_queries=20)
    with pytest.raises(DataError, match="not the data the selection was made from"):
        summarize(selection, other)


def test_missing_values_are_filled_for_the_graph_as_select_fills_them(planted):
    data, _, selection = planted
    X = np.array(data.X)
    X[0, 0] = np.nan
    holed = RankingData(X, data.y, data.query_ptr, feature_names=data.feature_names, missing=True)
    settings = {**selection.settings, "fingerprint": holed.fingerprint()}
    summary = summarize(replace(selection, settings=settings), holed)
    least = np.array(data.X)
    least[0, 0] = least[1 : data.query_ptr[1], 0].min()
    whole = RankingData(least, data.y, data.query_ptr, feature_names=data.feature_names)
    expected = feature_graph(whole, Importance("ndcg@10", direction="max")).importance
    np.testing.assert_allclose([feature["importance"] for feature in summary["features"]], expected, atol=1e-6)
    assert summary["lint"]["missing_values"] == 1
    assert any("the least of the feature in the query stands for them" in note for note in summary["notes"])


def test_costs_of_a_group_are_paid_once():
    selection, _ = made_up(["a", "b", "c", "d"], 2, costs={"a": 1, "b": 1, "log": 5})
    selection.settings["groups"] = {"log": ["c", "d"]}
    features = {f["name"]: f for f in summarize(selection)["features"]}
    first, second = sorted(("c", "d"), key=lambda name: features[name]["position"])
    assert (features[first]["cost"], features[second]["cost"], features["a"]["cost"]) == (5, 0, 1)


def test_many_features_are_thinned_out():
    selection, data = made_up([f"f{j}" for j in range(450)], 10, n_queries=6)
    graph = summarize(selection, data)["graph"]
    assert graph["heatmap"]["thinned"]
    assert len(graph["heatmap"]["columns"]) == len(graph["heatmap"]["similarity"]) <= 200
    assert set(graph["heatmap"]["columns"]) & set(selection.indices)
    assert len(graph["drawing"]["columns"]) <= 100
    assert max(max(edge[:2]) for edge in graph["drawing"]["edges"]) < len(graph["drawing"]["columns"])


def test_hostile_names_stay_what_they_are():
    selection, data = made_up(list(HOSTILE))
    assert [f["name"] for f in summarize(selection, data)["features"]] == list(HOSTILE)


def test_where_all_features_stay_the_path_of_what_could_be_proven_is_shown():
    data, _ = make_ranking(40, n_informative=4, n_redundant=0, n_noise=6, random_state=0)
    asked = {"methods": ["gas", "mrmr"], "cv": 3, "max_loss": 0, "answer": "certified", "progress": False}
    selection = select(data, "ranksvm", **asked)
    assert selection.provable is not None
    summary = summarize(selection, data)
    assert summary["path_method"] == selection.provable["method"]
    assert summary["kept"] == [data.feature_names[j] for j in summary["path"]]
    sizes = {point.k for point in selection.walked}
    assert [said["k"] for said in summary["sentences"]] == [*sorted(sizes), 10]
    assert summary["sentences"][-1]["sentence"] == summary["sentence"] == selection.sentence()
    assert [point["method"] for point in summary["curve"] if point["chosen"]] == ["all features"]
    drawn = charts.curve(summary)
    assert [row["k"] for row in drawn["datasets"]["points"] if row["chosen"]] == [10]


def test_the_answers_and_every_size_of_the_path_have_their_numbers(planted):
    data, _, selection = planted
    summary = summarize(selection, data)
    assert [answer["name"] for answer in summary["answers"]] == ["safe", "recommended", "certified"]
    assert summary["answers"][1]["features"] == summary["kept"]
    for point in summary["curve"]:
        assert point["on_path"] == (point["evidence"] is not None)
    rows = tables.answers(summary).rows
    assert rows[1][0] == "recommended (this page)"
    assert rows[1][-1] == ", ".join(selection.features)


def test_what_is_the_same_in_every_query_stands_for_its_copies_alone():
    graph = FeatureGraph(
        [0.5, 0.4, 0.1, 0.1],
        [[1, 0.2, 0, 0], [0.2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]],
        ["bm25", "tf", "length", "age of the query"],
        constant=[False, False, True, True],
    )
    shown = alike(graph, np.array([0, 2]), 2, [])
    assert shown["cluster"] == [None, None, None, None]
    assert all(similarity < 1 for _, similarity in shown["nearest"][3])
    copies = alike(graph, np.array([0, 2]), 2, [[2, 3]])
    assert copies["cluster"] == [None, None, 1, 1]
    assert copies["nearest"][3][-1] == [1, 1.0]
