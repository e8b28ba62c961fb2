"""Models of other libraries with a digest that agrees and a structure that does not: refused before they see them."""

from __future__ import annotations

import json
import re
from hashlib import blake2b

import numpy as np
import pytest

from leanrank import load_ranker, make_ranking
from leanrank.errors import DataError
from leanrank.rankers import registry

SMALL = {
    "lightgbm": {"n_estimators": 3, "num_leaves": 5, "min_child_samples": 2},
    "xgboost": {"n_estimators": 3, "max_depth": 3},
    "catboost": {"iterations": 3, "depth": 3},
}
DATA, _ = make_ranking(24, docs_per_query=8, n_informative=2, n_redundant=2, n_noise=2, random_state=0)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Small models of the three libraries, as documents."""
    folder = tmp_path_factory.mktemp("models")
    documents = {}
    for name, settings in SMALL.items():
        pytest.importorskip(name)
        registry.get(name, **settings).fit(DATA).save(folder / "model.json")
        documents[name] = json.loads((folder / "model.json").read_text())
    return documents


def forged(document, path, change):
    """Write the model with its text changed and a digest that agrees."""
    text = change(document["learned"]["model_text_"]["text"])
    assert text != document["learned"]["model_text_"]["text"]
    model = {"text": text, "digest": blake2b(text.encode(), digest_size=16).hexdigest()}
    path.write_text(json.dumps({**document, "learned": {"model_text_": model}}))
    return path


def line(name, value, which=0):
    """Change the line `name` of the first tree; sizes of trees that agree."""

    def change(text):
        places = list(re.finditer(rf"^{name}=(.*)$", text, re.MULTILINE))
        at = places[which]
        new = value(at[1]) if callable(value) else value
        text = text[: at.start(1)] + new + text[at.end(1) :]
        trees = re.split(r"^(?=Tree=)", text.split("end of trees")[0], flags=re.MULTILINE)[1:]
        sizes = " ".join(str(len(tree.encode())) for tree in trees)
        return re.sub(r"^tree_sizes=.*$", f"tree_sizes={sizes}", text, flags=re.MULTILINE)

    return change


@pytest.mark.parametrize(
    "change",
    [
        line("left_child", lambda value: "999999 " + value.split(" ", 1)[1]),
        line("left_child", lambda value: "0 " + value.split(" ", 1)[1]),
        line("right_child", lambda value: "-99 " + value.split(" ", 1)[1]),
        line("right_child", lambda value: value.rsplit(" ", 1)[0]),
        line("split_feature", lambda value: "6 " + value.split(" ", 1)[1]),
        line("split_feature", lambda value: "-1 " + value.split(" ", 1)[1]),
        line("num_leaves", "2000000000"),
        line("num_leaves", "x"),
        line("num_leaves", "0"),
        line("num_cat", "3"),
        line("decision_type", lambda value: "1 " + value.split(" ", 1)[1]),
        line("threshold", lambda value: "a" + value),
        line("leaf_value", ""),
        line("is_linear", "1"),
        line("Tree", "7"),
        line("max_feature_idx", "1000000"),
        line("num_class", "3"),
        line("num_tree_per_iteration", "-1"),
        line("feature_names", "a b"),
        lambda text: re.sub(r"^tree_sizes=.*$", "tree_sizes=9999999 1 1", text, flags=re.MULTILINE),
        lambda text: text.replace("leaf_value=", "leaf_worth=", 1),
        lambda text: text[: len(text) // 3],
        lambda text: text.replace("end of trees", "end of tree"),
        lambda text: text.replace("[objective: lambdarank]", '[objective: "]'),
        lambda text: text.replace("[objective: lambdarank]", "num_cat=0"),
        lambda text: text.replace("[objective: lambdarank]", "feature_importances:"),
        lambda text: text.replace("feature_importances:", "[objective: lambdarank]"),
        lambda text: text.replace("end of parameters", ""),
        lambda text: "",
    ],
)
def test_forged_lightgbm(saved, tmp_path, change):
    path = forged(saved["lightgbm"], tmp_path / "model.json", change)
    with pytest.raises(DataError, match=r"model\.json: the LightGBM model is damaged: .*Save it again"):
        load_ranker(path)


def node(*places, value):
    """Set a node of JSON; `value` may be a function of what is there."""

    def change(text):
        document = json.loads(text)
        inside = document
        for place in places[:-1]:
            inside = inside[place]
        inside[places[-1]] = value(inside[places[-1]]) if callable(value) else value
        return json.dumps(document)

    return change


TREE = ("learner", "gradient_booster", "model", "trees", 0)


@pytest.mark.parametrize(
    "change",
    [
        node(*TREE, "left_children", 0, value=10**6),
        node(*TREE, "left_children", 0, value=0),
        node(*TREE, "right_children", 0, value=-5),
        node(*TREE, "split_indices", 0, value=77),
        node(*TREE, "split_indices", value=lambda values: values[:-1]),
        node(*TREE, "parents", 1, value=2),
        node(*TREE, "split_conditions", 0, value=10**60),
        node(*TREE, "split_type", 0, value=1),
        node(*TREE, "tree_param", "num_nodes", value="2000000000"),
        node(*TREE, "tree_param", "size_leaf_vector", value="9"),
        node(*TREE, value={}),
        node("learner", "gradient_booster", "model", "gbtree_model_param", "num_trees", value="4"),
        node("learner", "gradient_booster", "model", "tree_info", value=[0, 0, 5]),
        node("learner", "gradient_booster", "model", "iteration_indptr", value=[0, 9]),
        node("learner", "gradient_booster", "name", value="gbforest"),
        node("learner", "learner_model_param", "num_feature", value="4294967295"),
        node("learner", "learner_model_param", "base_score", value="x"),
        node("learner", "learner_model_param", "num_class", value="3"),
        node("learner", "objective", "lambdarank_param", value=[]),
        node("learner", "feature_names", value=["a"]),
        node("version", value=[1]),
        lambda text: "[" * 100_000,
        lambda text: "{}",
    ],
)
def test_forged_xgboost(saved, tmp_path, change):
    path = forged(saved["xgboost"], tmp_path / "model.json", change)
    with pytest.raises(DataError, match=r"model\.json: the XGBoost model"):
        load_ranker(path)


@pytest.mark.parametrize(
    "change",
    [
        node("oblivious_trees", 0, "splits", 0, "float_feature_index", value=99),
        node("oblivious_trees", 0, "splits", 0, "split_index", value=10**6),
        node("oblivious_trees", 0, "splits", 0, "border", value=1e300),
        node("oblivious_trees", 0, "leaf_values", value=lambda values: values[:-1]),
        node("oblivious_trees", 0, "splits", value=lambda splits: splits * 9),
        node("oblivious_trees", value=[]),
        node("features_info", "float_features", value=lambda features: features[:-1]),
        node("features_info", "float_features", 0, "flat_feature_index", value=10**9),
        node("ctr_data", value={}),
        node("scale_and_bias", value=[1, [0, 0]]),
        lambda text: text[: len(text) // 2],
    ],
)
def test_forged_catboost(saved, tmp_path, change):
    path = forged(saved["catboost"], tmp_path / "model.json", change)
    with pytest.raises(DataError, match=r"model\.json: the CatBoost model"):
        load_ranker(path)


KINDS = [
    *(("lightgbm", kind) for kind in ({"boosting_type": "dart"}, {"linear_tree": True}, {"objective": "rank_xendcg"})),
    *(("xgboost", kind) for kind in ({"booster": "dart"}, {"booster": "gblinear"}, {"num_parallel_tree": 2})),
    *(("xgboost", kind) for kind in ({"tree_method": "exact", "gamma": 5.0}, {"grow_policy": "lossguide"})),
    *(
        ("catboost", kind)
        for kind in ({"grow_policy": "Lossguide"}, {"nan_mode": "Max"}, {"loss_function": "PairLogit"})
    ),
]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_what_libraries_write_is_taken(tmp_path, name, kind):
    pytest.importorskip(name)
    model = registry.get(name, **{**SMALL[name], **kind}).fit(DATA)
    model.save(tmp_path / "model.json")
    again = load_ranker(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(DATA), model.predict(DATA))
