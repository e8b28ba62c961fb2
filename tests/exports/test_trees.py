"""Exported trees, read as each engine reads them, score as `predict` does: values that are 0, missing or unmatched."""

from __future__ import annotations

import json
import time
import warnings
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank import as_ranker, make_ranking, rankers
from leanrank.errors import LeanRankError
from leanrank.exports import Target, export_features
from leanrank.exports.solr import _thresholds
from leanrank.exports.trees.forest import forest_of
from leanrank.selectors.features_file import ChosenFeatures

LIBRARIES = ("lightgbm", "xgboost", "catboost")
NAMES = tuple(f"f{j}" for j in range(6))
CHOSEN = ChosenFeatures(NAMES, tuple(range(1, 7)), 6)
OPTIONS = {
    "lightgbm": {"n_estimators": 15, "num_leaves": 12, "min_child_samples": 5, "learning_rate": 0.3, "n_threads": 1},
    "xgboost": {"n_estimators": 15, "max_depth": 4, "learning_rate": 0.3, "n_threads": 1},
    "catboost": {"n_estimators": 15, "depth": 4, "n_threads": 1},
}


def values(seed, missing):
    """Counts, fractions and zeros, many values twice; with `missing`, NaN among them."""
    rng = np.random.default_rng(seed)
    data, _ = make_ranking(30, (8, 15), n_informative=4, n_redundant=1, n_noise=1, random_state=seed)
    X = data.dense().astype(np.float32).copy()
    X[:, 0] = np.round(X[:, 0])
    X[:, 1] = np.float32(0.1) * np.round(3 * X[:, 1])
    X[rng.random(X.shape) < 0.2] = 0.0
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, data.y, data.qid


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request):
    return request.param


@pytest.fixture(scope="module", params=["zero", "missing"])
def unmatched(request):
    return request.param


@pytest.fixture(scope="module")
def model(library, unmatched):
    X, y, qid = values(0, unmatched == "missing")
    return rankers.get(library, **OPTIONS[library]).fit(X, y, qid=qid)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    features = {"featureset": {"features": [{"name": n, "template": {}} for n in NAMES]}}
    for engine in ("elasticsearch", "opensearch"):
        (folder / engine).write_text(json.dumps(features))
    extractors = [{"query_extractor": {"feature_name": n, "query": {}}} for n in NAMES]
    (folder / "elasticsearch-ml").write_text(json.dumps({"learning_to_rank": {"feature_extractors": extractors}}))
    (folder / "solr").write_text(json.dumps([{"name": n, "class": "c", "params": {"q": "x"}} for n in NAMES]))
    (folder / "vespa").write_text(json.dumps(NAMES))
    (folder / "ranklib").write_text("".join(f"{n}\n" for n in NAMES))
    return folder


def exported(full, model, engine, **options):
    return export_features(CHOSEN, full / engine, to=Target(engine, **options), model=model)


def as_dump(text):
    content = json.loads(text)
    return json.loads(content["model"]["model"]["definition"]) if isinstance(content, dict) else content


def score_dump(trees, row, *, precision=np.float32, honours_missing=True):
    """As the plugins (single precision) and Vespa (double) read XGBoost's dump; old ones send NaN right."""
    score = 0.0
    for node in trees:
        while "children" in node:
            x = precision(row[NAMES.index(node["split"])])
            side = node["yes"] if x < precision(node["split_condition"]) else node["no"]
            if np.isnan(x):
                side = node["missing"] if honours_missing else node["no"]
            assert [child["nodeid"] for child in node["children"]] == [node["yes"], node["no"]]
            node = next(child for child in node["children"] if child["nodeid"] == side)
        score += node["leaf"]
    return score


def score_solr(model, row, *, nan_is_known):
    assert (model["params"].get("isNullSameAsZero") is False) == nan_is_known
    score = 0.0
    for tree in model["params"]["trees"]:
        node = tree["root"]
        while "feature" in node:
            x = np.float32(row[NAMES.index(node["feature"])])
            threshold = np.float32(node["threshold"]) + np.float32(1e-6)
            side = "left" if x <= threshold else "right"
            node = node[node["missing"] if nan_is_known and np.isnan(x) else side]
        score += float(node["value"])
    return score


def java_less(x, threshold):
    """Java's `Double.compare(x, threshold) < 0`: -0.0 is below 0.0."""
    return (x, not np.signbit(x)) < (threshold, not np.signbit(threshold))


def score_ensemble(content, row):
    """As Elasticsearch's own learning to rank reads an ensemble: double precision, nodes by their index."""
    ensemble = content["definition"]["trained_model"]["ensemble"]
    assert ensemble["feature_names"] == list(NAMES)
    score = 0.0
    weights = ensemble["aggregate_output"]["weighted_sum"]["weights"]
    for weight, one in zip(weights, ensemble["trained_models"], strict=True):
        nodes = {node["node_index"]: node for node in one["tree"]["tree_structure"]}
        node = nodes[0]
        while "left_child" in node:
            x = float(row[node["split_feature"]])
            assert node["decision_type"] == "lt"
            left = node["default_left"] if np.isnan(x) else java_less(x, node["threshold"])
            node = nodes[node["left_child" if left else "right_child"]]
        score += weight * node["leaf_value"]
    return score


def score_ranklib(text, row):
    score = 0.0
    for tree in ElementTree.fromstring(text[text.index("<ensemble>") :]):
        node = tree.find("split")
        while node.find("output") is None:
            x = np.float32(row[int(node.find("feature").text) - 1])
            left, right = node.findall("split")
            assert (left.get("pos"), right.get("pos")) == ("left", "right")
            node = left if x <= np.float32(node.find("threshold").text) else right
        score += float(node.find("output").text)
    return score


def check(score, model, X, *, engine_sees):
    """`engine_sees`: the rows as they are in the engine, where `X` is what `predict` gets."""
    expected = model.predict(X)
    scores = np.array([score(row) for row in engine_sees])
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6 * abs(expected).max())


def zeros(X):
    return np.where(np.isnan(X), np.float32(0), X)


@pytest.mark.parametrize(
    ("engine", "version"),
    [("elasticsearch", None), ("opensearch", "3.8"), ("opensearch", "3.5"), ("vespa", None)],
)
def test_engines_that_know_missing_values(engine, version, model, full, unmatched):
    trees = as_dump(exported(full, model, engine, unmatched=unmatched, version=version).model)
    X, *_ = values(1, missing=True)  # NaN: what does not match
    known = X if unmatched == "missing" else zeros(X)
    precision = np.float64 if engine == "vespa" else np.float32
    check(lambda row: score_dump(trees, row, precision=precision), model, known, engine_sees=X)
    if version == "3.5":  # where it goes right in any case
        check(lambda row: score_dump(trees, row, honours_missing=False), model, known, engine_sees=X)


@pytest.mark.parametrize(
    ("engine", "version"), [("elasticsearch", "8.9"), ("opensearch", "2.19"), ("opensearch", "3.5")]
)
def test_engines_that_see_zero(engine, version, library, full):
    X, y, qid = values(0, missing=False)
    model = rankers.get(library, **OPTIONS[library]).fit(X, y, qid=qid)
    trees = as_dump(exported(full, model, engine, version=version).model)
    check(lambda row: score_dump(trees, row), model, X, engine_sees=X)


def test_solr(model, full, unmatched):
    X, *_ = values(1, missing=True)
    found = exported(full, model, "solr", unmatched=unmatched)
    content, features = json.loads(found.model), json.loads(found.feature_set)
    assert content["class"] == "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"
    nan_is_known = unmatched == "missing"
    assert [f["params"].get("defaultValue") for f in features] == ["NaN" if nan_is_known else None] * 6
    sees = X if nan_is_known else zeros(X)  # without a default a feature that does not match is 0 in Solr
    check(lambda row: score_solr(content, row, nan_is_known=nan_is_known), model, sees, engine_sees=sees)


def test_elasticsearch_of_its_own(model, full, unmatched):
    X, *_ = values(1, missing=True)
    got = exported(full, model, "elasticsearch-ml", unmatched=unmatched)
    content = json.loads(got.model)
    assert content["inference_config"] == json.loads(got.feature_set)
    known = X if unmatched == "missing" else zeros(X)
    check(partial(score_ensemble, content), model, known, engine_sees=X)


@pytest.mark.parametrize(("version", "listed"), [(None, False), ("8.12", True), ("8.14.3", True), ("8.15.0", False)])
def test_a_model_of_its_own_lists_its_features_only_where_it_has_to(version, listed, model, full, unmatched):
    content = json.loads(exported(full, model, "elasticsearch-ml", unmatched=unmatched, version=version).model)
    assert content.get("input") == ({"field_names": list(NAMES)} if listed else None)


def test_ranklib(library, full):
    X, y, qid = values(0, missing=False)
    model = rankers.get(library, **OPTIONS[library]).fit(X, y, qid=qid)
    text = exported(full, model, "ranklib").model
    check(lambda row: score_ranklib(text, row), model, X, engine_sees=X)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(LIBRARIES), st.booleans())
def test_whatever_the_data(full, seed, library, missing):
    X, y, qid = values(seed, missing)
    options = {**OPTIONS[library], "n_estimators": 4}
    model = rankers.get(library, **options).fit(X, y, qid=qid)
    unmatched = "missing" if missing else "zero"
    sample, *_ = values(seed + 1, missing=True)
    sample = sample[:40]
    known = sample if missing else zeros(sample)
    trees = as_dump(exported(full, model, "opensearch", unmatched=unmatched, version="3.5").model)
    for honours in (True, False):
        check(partial(score_dump, trees, honours_missing=honours), model, known, engine_sees=sample)
    trees = as_dump(exported(full, model, "vespa", unmatched=unmatched).model)
    for precision in (np.float32, np.float64):
        check(partial(score_dump, trees, precision=precision), model, known, engine_sees=sample)
    own = json.loads(exported(full, model, "elasticsearch-ml", unmatched=unmatched).model)
    check(partial(score_ensemble, own), model, known, engine_sees=sample)
    solr = json.loads(exported(full, model, "solr", unmatched=unmatched).model)
    check(partial(score_solr, solr, nan_is_known=missing), model, known, engine_sees=known)
    if not missing:
        check(partial(score_ranklib, exported(full, model, "ranklib").model), model, known, engine_sees=known)


FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**100), max_value=2.0**100)


@settings(max_examples=300, deadline=None)
@given(FLOATS, FLOATS)
def test_a_threshold_of_solr_has_its_slack_taken_off(threshold, x):
    threshold, x = np.float32(threshold), np.float32(x)
    (written,) = _thresholds(np.array([threshold]))
    compared = np.float32(written) + np.float32(1e-6)
    if compared == threshold:  # no number says exactly this: the last one below it, of fewer digits, stays there
        assert len(str(np.nextafter(threshold, np.float32(-np.inf)))) < len(str(threshold))
    else:
        assert not threshold < compared  # the threshold itself goes right
    assert (compared >= 0) == (threshold > 0)  # and 0 where it should
    near = max(float(abs(np.spacing(threshold))) * 4, 3e-13)
    if x > threshold or float(x) < float(threshold) - near:
        assert (x <= compared) == (x < threshold)


@pytest.mark.parametrize("value", [-1.0, -0.25, -7.0, 0.1, 3.0, 1e-3])
def test_a_value_at_a_border_of_solr_stays_on_its_side(value):
    """Borders are often values of a feature: `x <= -1` of CatBoost, and `x < -1` of XGBoost."""
    border = np.float32(value)
    above = np.nextafter(border, np.float32(np.inf))
    including, excluding = _thresholds(np.array([above, border])) + np.float32(1e-6)
    assert border <= including
    assert not border <= excluding


def test_a_value_at_a_threshold_of_lightgbm_stays_on_its_side(full):
    X = np.array([[0.1], [0.2], [0.3], [0.4]] * 10, dtype=np.float32)
    X = np.hstack([X, np.zeros((40, 5), dtype=np.float32)])
    options = {"n_estimators": 3, "num_leaves": 4, "min_child_samples": 1, "n_threads": 1, "min_data_in_bin": 1}
    model = rankers.get("lightgbm", **options).fit(X, [0, 1, 2, 3] * 10, qid=np.repeat(np.arange(10), 4))
    near = [t for x in X[:4, 0] for t in (np.nextafter(x, np.float32(-1)), x, np.nextafter(x, np.float32(1)))]
    for tree in forest_of(model).trees:
        near += tree.threshold[tree.feature >= 0].tolist()
    rows = np.zeros((len(near), 6), dtype=np.float32)
    rows[:, 0] = near
    trees = as_dump(exported(full, model, "elasticsearch").model)
    for precision in (np.float32, np.float64):
        check(partial(score_dump, trees, precision=precision), model, rows, engine_sees=rows)


@pytest.mark.filterwarnings("ignore:.*every feature is constant")
def test_a_single_leaf(library, full):
    X = np.zeros((8, 6), dtype=np.float32)
    model = rankers.get(library, n_estimators=2, n_threads=1).fit(X, [0, 1] * 4, qid=np.repeat(np.arange(4), 2))
    trees = as_dump(exported(full, model, "elasticsearch").model)
    check(lambda row: score_dump(trees, row), model, X, engine_sees=X)
    for engine in ("solr", "ranklib"):
        assert exported(full, model, engine).model


@pytest.mark.parametrize("engine", ["elasticsearch", "elasticsearch-ml", "opensearch", "solr", "vespa", "ranklib"])
def test_five_hundred_trees_in_two_seconds(engine, full):
    X, y, qid = values(0, missing=False)
    model = rankers.get("lightgbm", n_estimators=500, num_leaves=31, min_child_samples=2, n_threads=1)
    model.fit(X, y, qid=qid)
    start = time.process_time()
    exported(full, model, engine, version="3.8" if engine == "opensearch" else None)
    assert time.process_time() - start < 2


def test_warnings_say_what_cannot_be_right(full):
    X, y, qid = values(0, missing=True)
    learned = rankers.get("lightgbm", **OPTIONS["lightgbm"]).fit(X, y, qid=qid)
    with pytest.warns(UserWarning, match="trained with missing values.* say --unmatched missing"):
        exported(full, learned, "elasticsearch")
    for engine, version in (("elasticsearch", "1.5.8-es8.9.2"), ("opensearch", "2.19.3"), ("solr", "8.11")):
        with pytest.warns(UserWarning, match=f"{engine} {version} scores a feature without a value as 0"):
            exported(full, learned, engine, version=version, unmatched="missing")
    with pytest.warns(UserWarning, match="ranklib scores a feature without a value as 0"):
        exported(full, learned, "ranklib", unmatched="missing")
    with pytest.warns(UserWarning, match=r"OpenSearch 3\.2 to 3\.7 sends .* --engine-version"):
        exported(full, learned, "opensearch", unmatched="missing")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exported(full, learned, "elasticsearch", version="1.5.9-es8.11.4", unmatched="missing")


def categorical():
    import lightgbm

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 5, 200), *rng.random((5, 200))])
    y = (X[:, 0] % 2).astype(int)
    model = lightgbm.LGBMRanker(n_estimators=3, verbosity=-1, n_jobs=1, min_child_samples=2, cat_smooth=0.1)
    booster = model.fit(X, y, group=[10] * 20, categorical_feature=[0]).booster_
    ranker = rankers.get("lightgbm", n_estimators=1, n_threads=1).fit(X, y, qid=np.repeat(np.arange(20), 10))
    ranker.model_text_ = booster.model_to_string()
    return ranker


def zero_as_missing():
    X, y, qid = values(0, missing=False)
    return rankers.get("lightgbm", **OPTIONS["lightgbm"], zero_as_missing=True).fit(X, y, qid=qid)


def averaged():
    X, y, qid = values(0, missing=False)
    bagged = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
    return rankers.get("lightgbm", **OPTIONS["lightgbm"], **bagged).fit(X, y, qid=qid)


def dart():
    X, y, qid = values(0, missing=False)
    return rankers.get("xgboost", **OPTIONS["xgboost"], booster="dart").fit(X, y, qid=qid)


def lopsided():
    X, y, qid = values(0, missing=False)
    return rankers.get("catboost", **OPTIONS["catboost"], grow_policy="Depthwise").fit(X, y, qid=qid)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (categorical, "splits by category"),
        (zero_as_missing, "zero_as_missing"),
        (averaged, "rf averages"),
        (dart, "'dart', not 'gbtree'"),
        (lopsided, "symmetric trees"),
    ],
)
def test_trees_that_engines_cannot_be_told(make, sentence, full):
    with pytest.raises(LeanRankError, match=sentence):
        exported(full, make(), "elasticsearch")


def test_a_linear_model_has_no_missing_values(full):
    X, y, qid = values(0, missing=False)
    model = rankers.get("ranksvm").fit(X, y, qid=qid)
    with pytest.raises(LeanRankError, match="'missing' is for models of trees"):
        exported(full, model, "elasticsearch", unmatched="missing")


def test_what_is_neither_linear_nor_trees(full):
    from sklearn.tree import DecisionTreeRegressor

    X, y, qid = values(0, missing=False)
    model = as_ranker(DecisionTreeRegressor(max_depth=2)).fit(X, y, qid=qid)
    with pytest.raises(LeanRankError, match=r"RegressorAdapter is not one\. Leave out --model"):
        exported(full, model, "solr")
