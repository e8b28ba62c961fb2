"""Exported files against files written by hand from the engines' documentation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from leanrank import RankSVM
from leanrank.errors import LeanRankError
from leanrank.exports import Target, engines, export_features
from leanrank.selectors.features_file import ChosenFeatures

GOLDEN = Path(__file__).parent / "golden"
FULL = {"vespa": "profile", "ranklib": "txt", "lightgbm": "txt", "xgboost": "txt"}
NORMALIZERS = {
    "body_query": {"min_max": {"minimum": 0, "maximum": 20}},
    "recency": {"min_max": {"minimum": 1900, "maximum": 2030}},  # of a feature that is not kept
    "user_rating": {"standard": {"mean": 6.5, "standard_deviation": 1.5}},
}
# In the order of selection, which is not that of the data.
CHOSEN = ChosenFeatures(("user_rating", "body_query"), (4, 2), 4)


def linear() -> RankSVM:
    model = RankSVM().fit([[1.0, 0.0], [0.0, 1.0]], [1, 0], qid=[1, 1])
    model.coef_ = np.array([0.5, -0.25])
    model.feature_names_in_ = np.array(["body_query", "user_rating"], dtype=object)
    return model


def same(text: str, file: str) -> bool:
    golden = (GOLDEN / file).read_text()
    if file.endswith(".json"):
        # As text too, but for line breaks: the order of keys and of features counts.
        return json.dumps(json.loads(text)) == json.dumps(json.loads(golden))
    return text == golden


@pytest.mark.parametrize("engine", [name for name in engines() if name != "vespa"])
def test_pruned_feature_set(engine):
    ending = FULL.get(engine, "json")
    found = export_features(CHOSEN, GOLDEN / f"{engine}_full.{ending}", to=engine)
    assert same(found.feature_set, f"{engine}_pruned.{ending}")
    assert found.model is None
    mapping = json.loads(found.mapping)
    assert mapping["old_to_new"] == {"2": 1, "4": 2}


@pytest.mark.parametrize("engine", ["elasticsearch", "opensearch", "solr"])
def test_linear_model(engine):
    found = export_features(
        CHOSEN,
        GOLDEN / f"{engine}_full.json",
        to=Target(engine, name="my_linear_model"),
        model=linear(),
        normalizers=NORMALIZERS,
    )
    assert same(found.model, f"{engine}_linear.json")


def test_ranklib_keeps_the_numbers_of_the_full_data():
    found = export_features(CHOSEN, GOLDEN / "ranklib_full.txt", to="ranklib", model=linear())
    assert same(found.model, "ranklib_linear.txt")


def test_vespa_profile():
    found = export_features(
        CHOSEN,
        GOLDEN / "vespa_full.profile",
        to=Target("vespa", name="my_linear_model"),
        model=linear(),
        normalizers=NORMALIZERS,
    )
    assert same(found.feature_set, "vespa_pruned.profile")
    assert found.model is None


def test_what_the_plugin_gives_back_can_be_sent(tmp_path):
    sent = json.loads((GOLDEN / "elasticsearch_full.json").read_text())
    got = {"_index": ".ltrstore", "_source": {"name": "movies", "type": "featureset", "featureset": sent["featureset"]}}
    (tmp_path / "got.json").write_text(json.dumps(got))
    found = json.loads(export_features(CHOSEN, tmp_path / "got.json", to="elasticsearch").feature_set)
    assert list(found) == ["featureset"]
    assert [f["name"] for f in found["featureset"]["features"]] == ["body_query", "user_rating"]


@pytest.mark.parametrize(
    "text",
    [
        "match-features: title_query nativeRank(title, body)\nrank-properties { a: 1 }",
        "schema s { rank-profile p {\n match-features inherits q {\n  title_query\n  nativeRank(title, body) } } }",
        '["title_query", "nativeRank(title, body)"]',
    ],
)
def test_vespa_lists_of_features(text):
    from leanrank.exports.vespa import parse

    assert parse(text, "full.profile").names == ("title_query", "nativeRank(title, body)")


def test_elasticsearch_of_its_own_knows_trees_alone():
    with pytest.raises(LeanRankError, match="knows trees alone: export a LightGBM"):
        export_features(CHOSEN, GOLDEN / "elasticsearch-ml_full.json", to="elasticsearch-ml", model=linear())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"trained_model_configs": []}', "expected one model, got 0"),
        ('{"inference_config": {"regression": {}}}', "expected .*feature_extractors"),
        (
            '{"learning_to_rank": {"feature_extractors": [{"query_extractor": 3}]}}',
            "feature 1 of the set has no 'name'",
        ),
        ("[]", "expected .*feature_extractors"),
    ],
)
def test_what_is_no_inference_configuration(text, sentence, tmp_path):
    (tmp_path / "full.json").write_text(text)
    with pytest.raises(LeanRankError, match=sentence):
        export_features(CHOSEN, tmp_path / "full.json", to="elasticsearch-ml")
