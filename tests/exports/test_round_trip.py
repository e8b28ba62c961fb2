"""Scores computed from the exported files alone equal `predict`."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from functools import partial

import lightgbm
import numpy as np
import pytest
import xgboost

from leanrank import ListNet, RankSVM, make_ranking, rankers
from leanrank.errors import LeanRankError
from leanrank.exports import export_features
from leanrank.selectors.features_file import ChosenFeatures

IDS = (9, 2, 7, 5)  # in order of selection


@pytest.fixture(scope="module")
def case():
    named, _ = make_ranking(n_queries=15, random_state=3)
    data = replace(named, feature_names=())
    names = [data.feature_names[i - 1] for i in IDS]
    pruned = data.subset(sorted(i - 1 for i in IDS))
    return data, pruned, ChosenFeatures(tuple(names), IDS, data.n_features)


def engine_name(name: str) -> str:
    return f"engine_{name}"


@pytest.fixture(scope="module")
def full(case, tmp_path_factory):
    """Full feature sets of all engines, their names not those of the data: found by position."""
    data, _, _ = case
    folder = tmp_path_factory.mktemp("full")
    names = [engine_name(name) for name in data.feature_names]
    features = [{"name": n, "params": [], "template": {"match": {"f": n}}} for n in names]
    (folder / "elasticsearch").write_text(json.dumps({"featureset": {"features": features}}))
    (folder / "solr").write_text(json.dumps([{"name": n, "class": "c", "params": {}} for n in names]))
    (folder / "opensearch").write_text((folder / "elasticsearch").read_text())
    for engine in ("ranklib", "lightgbm", "xgboost"):
        (folder / engine).write_text("".join(f"{n}\n" for n in names))
    (folder / "vespa").write_text(json.dumps(names))
    return folder


exported = partial(export_features, by_position=True)


def columns(case):
    """Values of the full data by the engine's name of a feature."""
    data, _, _ = case
    return {engine_name(n): data.dense()[:, j].astype(np.float64) for j, n in enumerate(data.feature_names)}


@pytest.fixture(scope="module")
def linear(case):
    return ListNet(n_epochs=20).fit(case[1])


@pytest.fixture(scope="module")
def scaled(case):
    """Constants of the training data, and a model of data scaled by them."""
    _, pruned, _ = case
    X = pruned.dense().astype(np.float64)
    low, high, mean, std = X.min(axis=0), X.max(axis=0), X.mean(axis=0), X.std(axis=0)
    constants, Z = {}, np.empty_like(X)
    for j, name in enumerate(pruned.feature_names):
        if j % 2:
            constants[name] = {"standard": {"mean": mean[j], "standard_deviation": std[j]}}
            Z[:, j] = (X[:, j] - mean[j]) / std[j]
        else:
            constants[name] = {"min_max": {"minimum": low[j], "maximum": high[j]}}
            Z[:, j] = (X[:, j] - low[j]) / (high[j] - low[j])
    model = RankSVM(C=0.1).fit(Z, pruned.y, qid=pruned.qid)
    return constants, model, model.predict(Z)


def read_elasticsearch_linear(text, values):
    inside = json.loads(text)["model"]["model"]
    assert inside["type"] == "model/linear"
    score = 0.0
    for name, weight in json.loads(inside["definition"]).items():
        x = values[name]
        norm = inside.get("feature_normalizers", {}).get(name, {})
        if "min_max" in norm:
            low, high = norm["min_max"]["minimum"], norm["min_max"]["maximum"]
            x = (x - low) / (high - low)
        elif "standard" in norm:
            x = (x - norm["standard"]["mean"]) / norm["standard"]["standard_deviation"]
        score = score + weight * x
    return score


def read_solr_linear(text, values):
    model = json.loads(text)
    score = 0.0
    for feature in model["features"]:
        x = values[feature["name"]]
        if "norm" in feature:
            p = {key: float(value) for key, value in feature["norm"]["params"].items()}
            if feature["norm"]["class"].endswith(".MinMaxNormalizer"):
                x = (x - p["min"]) / (p["max"] - p["min"])
            else:
                x = (x - p["avg"]) / p["std"]
        score = score + model["params"]["weights"][feature["name"]] * x
    return score


def read_vespa_expression(text, values):
    body = re.search(r"expression \{\n(.*?)\n        \}", text, re.DOTALL)[1]
    return eval(compile(ast.parse(" ".join(body.split()), mode="eval"), "profile", "eval"), {}, values)


@pytest.mark.parametrize("engine", ["elasticsearch", "solr", "vespa"])
def test_linear(engine, case, full, linear, scaled):
    _, pruned, chosen = case
    read = {"elasticsearch": read_elasticsearch_linear, "solr": read_solr_linear, "vespa": read_vespa_expression}
    constants, scaled_model, scaled_scores = scaled
    for model, norms, scores in [
        (linear, None, linear.predict(pruned)),
        (scaled_model, constants, scaled_scores),
    ]:
        found = exported(chosen, full / engine, to=engine, model=model, normalizers=norms)
        text = found.feature_set if engine == "vespa" else found.model
        np.testing.assert_allclose(read[engine](text, columns(case)), scores, atol=1e-6, rtol=1e-6)


def test_ranklib(case, full, linear):
    data, pruned, chosen = case
    text = exported(chosen, full / "ranklib", to="ranklib", model=linear).model
    score = 0.0
    for pair in next(line for line in text.splitlines() if not line.startswith("##")).split():
        number, weight = pair.split(":")
        score = score + float(weight) * data.dense()[:, int(number) - 1].astype(np.float64)
    np.testing.assert_allclose(score, linear.predict(pruned), atol=1e-6)


@pytest.fixture(scope="module", params=[None, 0.5])
def xgb(request, case):
    extra = {} if request.param is None else {"base_score": request.param}
    return rankers.get("xgboost", n_estimators=12, max_depth=3, learning_rate=0.3, n_threads=1, **extra).fit(case[1])


def test_xgboost_booster(case, full, xgb):
    _, pruned, chosen = case
    found = exported(chosen, full / "xgboost", to="xgboost", model=xgb)
    booster = xgboost.Booster()
    booster.load_model(bytearray(found.model, "utf-8"))
    names = [line.split("\t")[1] for line in found.feature_set.splitlines()]
    assert booster.feature_names == names == [engine_name(n) for n in pruned.feature_names]
    X = np.column_stack([columns(case)[name] for name in names])
    scores = booster.predict(xgboost.DMatrix(X, feature_names=names))
    np.testing.assert_allclose(scores, xgb.predict(pruned), atol=1e-6)


@pytest.fixture(scope="module")
def lgb(case):
    options = {"n_estimators": 12, "num_leaves": 7, "learning_rate": 0.3, "min_child_samples": 5, "n_threads": 1}
    return rankers.get("lightgbm", **options).fit(case[1])


def test_lightgbm_booster(case, full, lgb, tmp_path):
    _, pruned, chosen = case
    found = exported(chosen, full / "lightgbm", to="lightgbm", model=lgb)
    (tmp_path / "m.txt").write_text(found.model)
    booster = lightgbm.Booster(model_file=tmp_path / "m.txt")
    assert booster.feature_name() == found.feature_set.split() == [engine_name(n) for n in pruned.feature_names]
    X = np.column_stack([columns(case)[name] for name in booster.feature_name()])
    np.testing.assert_allclose(booster.predict(X, num_threads=1), lgb.predict(pruned), atol=1e-6)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_a_library_takes_its_own_model(engine, case, full, linear):
    with pytest.raises(LeanRankError, match="model is needed"):
        exported(case[2], full / engine, to=engine, model=linear)


def test_weights_are_not_enough_to_be_linear(case, full):
    voters = rankers.get("committeeperceptron", combine="vote", n_epochs=2).fit(case[1])
    assert voters.coef_.shape == (4,)
    with pytest.raises(LeanRankError, match="CommitteePerceptron is not one"):
        exported(case[2], full / "solr", to="solr", model=voters)


def test_a_constant_term_is_left_out(case, full):
    model = rankers.get("expectedrankregression", degree=1).fit(case[1])
    text = exported(case[2], full / "solr", to="solr", model=model).model
    rest = model.predict(case[1]) - read_solr_linear(text, columns(case))
    np.testing.assert_allclose(rest, model.intercept_, atol=1e-6)


@pytest.mark.parametrize(
    ("normalizers", "sentence"),
    [
        (["min_max"], "table of feature names"),
        ({"nonsense": {"min_max": {"minimum": 0, "maximum": 1}}}, "'nonsense' belongs to no feature"),
        ({"2": {"query_min_max": {}}}, "Scaling by query cannot be exported"),
        ({"2": {"min_max": {"minimum": 1, "maximum": 1}}}, "divides by 0"),
        ({"2": {"min_max": {"low": 1, "maximum": 1}}}, "'minimum' and 'maximum'"),
        ({"2": {"standard": {"mean": 1, "standard_deviation": "x"}}}, "finite numbers"),
    ],
)
def test_bad_normalizers(normalizers, sentence, case, full, linear):
    with pytest.raises(LeanRankError, match=sentence):
        exported(case[2], full / "solr", to="solr", model=linear, normalizers=normalizers)
