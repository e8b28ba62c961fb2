"""Numbers of features: order, names and renumbering, whatever the selection."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.errors import LeanRankError
from leanrank.exports import Target, engines
from leanrank.exports.export import _engine
from leanrank.exports.featureset import FullSet, align, mapping_text
from leanrank.selectors.features_file import ChosenFeatures, read_selection

NAMES = st.lists(st.text("abcxyz", min_size=1, max_size=4), min_size=1, max_size=12, unique=True)


@st.composite
def situations(draw):
    """Names of the data, of the engine (in another order, with more), a selection, the model's order."""
    data = draw(NAMES)
    full = draw(st.permutations([*data, "more"]))
    ids = draw(st.lists(st.integers(1, len(data)), min_size=1, unique=True))
    chosen = ChosenFeatures(tuple(data[i - 1] for i in ids), tuple(ids), len(data))
    model = draw(st.one_of(st.none(), st.permutations(chosen.names)))
    return data, FullSet(tuple(full), None), chosen, model


@settings(max_examples=100, deadline=None)
@given(situations())
def test_by_name(situation):
    data, full, chosen, model = situation
    kept = align(chosen, full, model)
    assert [f.new_id for f in kept] == list(range(1, len(chosen.ids) + 1))
    assert {f.data_name for f in kept} == set(chosen.names)
    for feature in kept:
        assert full.names[feature.place] == feature.name == feature.data_name == data[feature.old_id - 1]
    if model is None:
        assert [f.old_id for f in kept] == sorted(chosen.ids)
    else:
        assert [f.data_name for f in kept] == list(model)
    assert json.loads(mapping_text(kept))["old_to_new"] == {str(f.old_id): f.new_id for f in kept}


@settings(max_examples=100, deadline=None)
@given(NAMES, st.data())
def test_by_position(names, data):
    ids = data.draw(st.lists(st.integers(1, len(names)), min_size=1, unique=True))
    chosen = ChosenFeatures(tuple(map(str, ids)), tuple(ids), len(names))
    kept = align(chosen, FullSet(tuple(names), None), by_position=True)
    assert [f.name for f in kept] == [names[i - 1] for i in sorted(ids)]
    assert [f.place + 1 for f in kept] == [f.old_id for f in kept] == sorted(ids)


def full_text(engine: str, names: list[str]) -> str:
    if engine in ("elasticsearch", "opensearch"):
        return json.dumps({"featureset": {"features": [{"name": n, "template": {"was": n}} for n in names]}})
    if engine == "elasticsearch-ml":
        extractors = [{"query_extractor": {"feature_name": n, "query": {"was": n}}} for n in names]
        return json.dumps({"inference_config": {"learning_to_rank": {"feature_extractors": extractors}}})
    if engine == "solr":
        return json.dumps([{"name": n, "class": "c", "params": {"was": n}} for n in names])
    return "".join(f"{n}\n" for n in names)


@pytest.mark.parametrize("engine", [name for name in engines() if name != "vespa"])
@settings(max_examples=30, deadline=None)
@given(situation=situations())
def test_the_pruned_file_holds_the_features_in_the_order_of_the_model(engine, situation):
    _, full, chosen, model = situation
    module = _engine(engine)
    parsed = module.parse(full_text(engine, list(full.names)), "full")
    kept = align(chosen, parsed, model)
    pruned = module.feature_set(parsed, kept, Target(engine))
    expected = list(model) if model is not None else [n for _, n in sorted(zip(chosen.ids, chosen.names, strict=True))]
    if engine == "ranklib":  # keeps the numbers of the full set
        rows = [line.split("\t") for line in pruned.splitlines()]
        assert [row[1] for row in rows] == expected
        assert all(full.names[int(number) - 1] == name for number, name in rows)
        return
    assert list(module.parse(pruned, "pruned").names) == expected
    if engine == "xgboost":
        assert [line.split("\t")[0] for line in pruned.splitlines()] == [str(j) for j in range(len(expected))]
    if engine in ("elasticsearch", "opensearch"):
        features = json.loads(pruned)["featureset"]["features"]
        assert [f["template"]["was"] for f in features] == expected
    if engine == "elasticsearch-ml":
        extractors = json.loads(pruned)["learning_to_rank"]["feature_extractors"]
        assert [e["query_extractor"]["query"]["was"] for e in extractors] == expected
    if engine == "solr":
        assert [f["params"]["was"] for f in json.loads(pruned)] == expected


@pytest.mark.parametrize(
    ("chosen", "names", "options", "sentence"),
    [
        ((("bm26",), (1,), 3), ("a", "bm25", "c"), {}, "'bm26': did you mean 'bm25'"),
        ((("a",), (1,), 3), ("a", "b", "a"), {}, "has 'a' twice"),
        ((("3",), (3,), 4), ("a", "b", "c"), {"by_position": True}, "these have 4, the set 3"),
        ((("4",), (4,), 4), ("a", "b", "c"), {"by_position": True}, "these have 4, the set 3"),
        ((("3",), (3,), 3), ("a", "b", "c"), {}, "none called '3'.* say --by-position"),
        ((("a", "b"), (1, 2), 3), ("a", "b", "c"), {"model_names": ["a"]}, "does not use feature 'b'"),
        ((("a", "b"), (1, 2), 3), ("a", "b", "c"), {"model_names": ["a", "b", "c"]}, "uses feature 'c', which is not"),
    ],
)
def test_refusals_name_the_feature(chosen, names, options, sentence):
    with pytest.raises(LeanRankError, match=sentence):
        align(ChosenFeatures(*chosen), FullSet(names, None), **options)


def test_position_counts_only_where_it_is_asked_for():
    chosen, full = ChosenFeatures(("3",), (3,), 3), FullSet(("3", "2", "1"), None)
    assert align(chosen, full)[0].place == 0
    assert align(chosen, full, by_position=True)[0].place == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "not JSON"),
        ("[]", "not a selection"),
        ('{"names": [], "ids": []}', "at least one text"),
        ('{"names": ["a"], "ids": ["1"], "n_features_in": 3}', "'ids' are whole numbers"),
        ('{"names": ["a"], "ids": [0], "n_features_in": 3}', "from 1 to"),
        ('{"names": ["a"], "ids": [4], "n_features_in": 3}', "from 1 to"),
        ('{"names": ["a", "b"], "ids": [1, 1], "n_features_in": 3}', "different numbers"),
        ('{"names": ["a"], "ids": [2], "feature_names": ["a", "b"]}', "feature 2 is not 'a'"),
    ],
)
def test_bad_selections(tmp_path, content, sentence):
    (tmp_path / "f.json").write_text(content)
    with pytest.raises(LeanRankError, match=sentence):
        read_selection(tmp_path / "f.json")


def test_the_mapping_says_what_stands_for_what(tmp_path):
    record = {"names": ["bm25", "tf"], "ids": [1, 3], "n_features_in": 5}
    standing = {"bm25": ["bm25f", "tf"], "age": ["days"]}  # one of them is kept, of another nothing is
    (tmp_path / "features.json").write_text(json.dumps({**record, "stands_for": standing}))
    chosen = read_selection(tmp_path / "features.json")
    kept = align(chosen, FullSet(("tf", "bm25"), None))
    features = json.loads(mapping_text(kept))["features"]
    assert [feature.get("stands_for") for feature in features] == [["bm25f"], None]
    (tmp_path / "features.json").write_text(json.dumps({**record, "stands_for": {"bm25": "tf"}}))
    with pytest.raises(LeanRankError, match="its 'stands_for' cannot be read"):
        read_selection(tmp_path / "features.json")
