"""Full feature sets that are not what they should be: one sentence each."""

from __future__ import annotations

import json

import pytest

from leanrank.errors import LeanRankError
from leanrank.exports import export_features
from leanrank.selectors.features_file import ChosenFeatures

CHOSEN = ChosenFeatures(("a",), (1,), 2)


@pytest.mark.parametrize(
    ("engine", "text", "sentence"),
    [
        ("elasticsearch", "<xml/>", "full: not JSON"),
        ("elasticsearch", "[1]", "expected a feature set"),
        ("elasticsearch", '{"featureset": {"features": []}}', "at least one feature"),
        ("opensearch", '{"featureset": {"features": [{"template": {}}]}}', "feature 1 of the set has no 'name'"),
        ("solr", "{}", "expected a list of features"),
        ("solr", '[{"name": "a"}]', "'a' has no 'class'"),
        ("solr", '[{"store": "s", "name": "a", "class": "c"}, {"store": "t", "name": "b", "class": "c"}]', "several"),
        ("vespa", "rank-profile p { }", "expected a rank profile"),
        ("vespa", "match-features { }", "are empty"),
        ("vespa", "match-features { a }\nmatch-features { b }", "is there 2 times"),
        ("vespa", "[1]", "expected a rank profile"),
        ("vespa", '["a", "b }"]', "'b }' is not the name of a rank feature"),
        ("ranklib", "\n# a\n", "no features"),
        ("ranklib", "0\ta\n1\tb\n", "expected feature 1 as number"),
        ("xgboost", "1 a q\n2 b q\n", "expected feature 0 as number"),
        ("xgboost", "two words\n", "no blanks"),
        ("lightgbm", "b\nb\n", "has 'b' twice"),
        ("lightgbm", "b\nc\n", "Unknown feature of the feature set 'a'"),
        ("elastic", "", "did you mean 'elasticsearch'"),
    ],
)
def test_one_sentence(tmp_path, engine, text, sentence):
    path = tmp_path / "full"
    path.write_text(text)
    with pytest.raises(LeanRankError, match=sentence) as caught:
        export_features(CHOSEN, path, to=engine)
    assert "\n" not in str(caught.value)


def test_no_such_file_and_no_text(tmp_path):
    with pytest.raises(LeanRankError, match="cannot be read"):
        export_features(CHOSEN, tmp_path / "none", to="solr")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(LeanRankError, match="not text in UTF-8"):
        export_features(CHOSEN, tmp_path / "bytes", to="solr")


def test_a_feature_that_another_is_computed_from_is_missed(tmp_path):
    derived = {"name": "a", "template_language": "derived_expression", "template": "2 * b + bb"}
    path = tmp_path / "full.json"
    path.write_text(json.dumps({"featureset": {"features": [derived, {"name": "b", "template": {}}]}}))
    with pytest.raises(LeanRankError, match="'a' is derived from 'b', which is not selected"):
        export_features(CHOSEN, path, to="elasticsearch")
    both = export_features(ChosenFeatures(("a", "b"), (1, 2), 2), path, to="elasticsearch")
    assert len(both.features) == 2
