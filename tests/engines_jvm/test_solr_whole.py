"""The whole way in a running Solr: log, import, select, train, export, rerank; its scores are those of `predict`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.engines_jvm import java
from tests.engines_jvm.solr_home import TEXTS, documents, features, judgements, prepare, query, single_models, timed

from leanrank.cli._limits import read_costs
from leanrank.cli.app import run
from leanrank.data.reading import read_table
from leanrank.rankers._saving import load_ranker

RANKERS = ("ranksvm", "lightgbm", "xgboost", "catboost")
RECORDED = Path(__file__).resolve().parent.parent / "data" / "logs" / "recorded"


def serve(*homes: Path) -> None:
    paths = [str(home) for home in homes]
    java.run("java", "-Xmx1g", "-cp", java.classes("solr", "Serve"), "Serve", *paths, cwd=homes[0])


def answers(home: Path, n: int = len(TEXTS)) -> list[dict]:
    return [json.loads((home / f"response_{number}.json").read_text()) for number in range(n)]


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """The responses to all queries, and judgements."""
    folder = tmp_path_factory.mktemp("log")
    home = prepare(folder / "home", json.dumps(features()), [query(text) for text in TEXTS])
    serve(home)
    lines = [json.dumps({"qid": qid, "response": found}) for qid, found in enumerate(answers(home), start=1)]
    (folder / "responses.jsonl").write_text("\n".join(lines) + "\n")
    grades = judgements(documents())
    qrels = [f"{q} 0 {d} {g}" for q, text in enumerate(TEXTS, start=1) for d, g in grades[text].items()]
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    (folder / "full.json").write_text(json.dumps(features()))
    judged = [str(folder / "responses.jsonl"), "--judgements", str(folder / "qrels.txt")]
    assert run(["import", *judged, "--unmatched", "zero", "-o", str(folder / "log.csv")]) == 0
    if os.environ.get("LEANRANK_RECORD"):
        RECORDED.mkdir(parents=True, exist_ok=True)
        for number in (0, 1):
            found = json.loads((home / f"response_{number}.json").read_text())
            found["response"]["docs"] = found["response"]["docs"][:12]
            (RECORDED / f"solr_{number + 1}.json").write_text(json.dumps(found, indent=1) + "\n")
    return folder


@pytest.fixture(scope="module")
def reranked(logged):
    """Selected, trained, exported and uploaded for each ranker: the folder of its files, with Solr's answers."""
    folders = {ranker: logged / ranker for ranker in RANKERS}
    for ranker, folder in folders.items():
        folder.mkdir()
        commands(ranker, logged, folder)
        pruned, model_text = ((folder / f"pruned.{kind}").read_text() for kind in ("json", "model.json"))
        assert len(json.loads(pruned)) == 3
        prepare(folder / "home", pruned, [query(text, model="leanrank") for text in TEXTS], model_text)
    serve(*(folder / "home" for folder in folders.values()))
    return folders


def commands(ranker: str, logged: Path, folder: Path) -> None:
    log, chosen, model = str(logged / "log.csv"), str(folder / "features.json"), str(folder / "model.json")
    assert run(["order", log, "--method", "gas", "-k", "3", "-o", chosen]) == 0
    assert run(["train", log, "--features", chosen, "--ranker", ranker, "-o", model]) == 0
    files = ["--featureset", str(logged / "full.json"), "--model", model, "-o", str(folder / "pruned.json")]
    assert run(["export", chosen, "--to", "solr", "--engine-version", "8.11", *files]) == 0


@pytest.mark.parametrize("ranker", RANKERS)
def test_from_the_log_to_the_ranking(ranker, reranked):
    folder = reranked[ranker]
    data = read_table(folder.parent / "log.csv")
    model = load_ranker(folder / "model.json")
    kept = data.subset([data.feature_names.index(name) for name in model.feature_names_in_])
    expected = model.predict(kept).reshape(len(TEXTS), -1) - getattr(model, "intercept_", 0.0)
    order = {d["id"]: place for place, d in enumerate(documents())}
    for ours, response in zip(expected, answers(folder / "home"), strict=True):
        docs = response["response"]["docs"]
        assert len(docs) == len(order)
        scores = np.array([d["score"] for d in docs])
        assert (np.diff(scores) <= 0).all()
        for d in docs:
            assert {pair.split("=")[0] for pair in d["[features]"].split(",")} <= set(kept.feature_names)
        ours = ours[[order[d["id"]] for d in docs]]
        np.testing.assert_allclose(scores, ours, rtol=1e-6, atol=1e-6 * abs(ours).max())


def test_what_features_cost(logged, tmp_path):
    """Solr's own timings of a model of one feature each, and of none."""
    names = [feature["name"] for feature in features()]
    asked = [(feature, text) for text in TEXTS[:3] for feature in (None, *names)]
    queries = [timed(text, feature) for feature, text in asked]
    models = json.dumps(single_models())
    home = prepare(tmp_path / "home", json.dumps(features()), queries, models)
    serve(home)
    found = answers(home, len(asked))
    pairs = [{"feature": feature, "response": response} for (feature, _), response in zip(asked, found, strict=True)]
    text = "".join(json.dumps(pair) + "\n" for pair in pairs)
    (tmp_path / "timings.jsonl").write_text(text)
    assert run(["costs", str(tmp_path / "timings.jsonl"), "--window", "100", "-o", str(tmp_path / "costs.csv")]) == 0
    costs, groups = read_costs(tmp_path / "costs.csv")
    assert set(costs) == set(names)
    assert groups is None
    options = ["--ranker", "ranksvm", "-k", "2", "--costs", str(tmp_path / "costs.csv")]
    assert run(["select", str(logged / "log.csv"), *options, "-o", str(tmp_path / "features.json")]) == 0
    if os.environ.get("LEANRANK_RECORD"):
        (RECORDED / "solr_timings.jsonl").write_text(text)
