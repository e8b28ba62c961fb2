"""`select` on simulated clicks: with propensities it finds what labels find, without them what the engine orders by."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from leanrank import Propensities, estimate_propensities, make_ranking, per_click, read, select, simulate_clicks
from leanrank import write_parquet as write
from leanrank.cli.app import run
from leanrank.data.side_columns import SideColumns
from leanrank.stats.lint import lint

TRUE = Propensities(1.0 / np.arange(1, 11))
ASKED = {"ranker": "ranksvm", "methods": ["mrmr", "gas"], "n_features": 4, "effort": "quick", "n_jobs": 1}


def world(seed):
    """Judged data with four relevant features, and four that follow the order in which the engine shows documents."""
    judged, truth = make_ranking(200, 10, n_informative=4, n_redundant=0, n_noise=8, random_state=seed)
    rng = np.random.default_rng(seed)
    order = rng.normal(size=judged.n_rows)
    engine = [order + 0.3 * rng.normal(size=judged.n_rows) for _ in range(4)]
    names = (*judged.feature_names, *(f"engine{i}" for i in range(4)))
    relevant = {fact.name for fact in truth if fact.role == "informative"}
    return replace(judged, X=np.column_stack([judged.X, *engine]), feature_names=names), order, relevant


def test_the_planted_features_are_found_with_the_correction_and_not_without():
    share = {"labels": [], "known": [], "estimated": [], "naive": []}
    for seed in (0, 1):
        judged, order, relevant = world(seed)
        log = simulate_clicks(judged, order, TRUE, n_sessions=3_000, noise=0.05, random_state=seed)
        data = {
            "labels": judged,
            "known": per_click(log, TRUE),
            "estimated": per_click(log, estimate_propensities(log, max_iter=60)),
            "naive": per_click(log, Propensities(np.ones(10))),
        }
        for name, own in data.items():
            share[name].append(len(relevant & set(select(own, **ASKED).features)) / 4)
    means = {name: np.mean(values) for name, values in share.items()}
    assert abs(means["known"] - means["labels"]) <= 0.05
    assert abs(means["estimated"] - means["labels"]) <= 0.05
    assert means["naive"] < means["labels"] - 0.2


def test_lint_warns_of_a_feature_that_is_the_position(tmp_path, capsys):
    judged, order, _ = world(0)
    log = simulate_clicks(judged, order, TRUE, n_sessions=200)
    place = log.beside.position
    X = np.column_stack([log.X[:, 0], -np.log(place) + 1e-4 * log.X[:, 1], place + 5 * log.X[:, 2]])
    data = replace(log, X=X, feature_names=("f", "almost", "hardly"))
    warned = [finding.features for finding in lint(data).findings if finding.kind == "shown position"]
    assert warned == [("almost",)]
    bare = replace(data, beside=SideColumns())
    assert not [finding for finding in lint(bare).findings if finding.kind == "shown position"]
    write(data, tmp_path / "log.parquet")
    assert run(["lint", str(tmp_path / "log.parquet"), "--json"]) == 0
    kinds = [finding["kind"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert "shown position" in kinds


def test_the_command_line_corrects_clicks(tmp_path, capsys):
    judged, order, _ = world(0)
    log = simulate_clicks(judged, order, TRUE, n_sessions=300)
    file, table, converted = tmp_path / "log.parquet", tmp_path / "p.csv", tmp_path / "clicks.parquet"
    write(log, file)
    TRUE.write(table)
    assert run(["convert", str(file), "-o", str(converted), "--propensities", str(table)]) == 0
    assert read(converted, missing=False).equals(per_click(log, TRUE))
    model = tmp_path / "model.json"
    known = [str(file), "--propensities", str(table)]
    assert run(["train", *known, "--ranker", "ranksvm", "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(["evaluate", *known, "--model", str(model), "--metric", "mrr", "--json"]) == 0
    corrected = json.loads(capsys.readouterr().out)["mean"]["mrr"]
    assert run(["evaluate", str(file), "--model", str(model), "--metric", "mrr", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"]["mrr"] != pytest.approx(corrected)
    scores = tmp_path / "scores.txt"
    scores.write_text("1\n" * log.n_rows)
    assert run(["evaluate", *known, "--scores", str(scores)]) == 2
    assert "measure a model with --model" in " ".join(capsys.readouterr().err.split())
    assert run(["graph", *known, "-o", str(tmp_path / "graph.npz")]) == 0
    assert run(["order", *known, "--method", "mrmr", "-o", str(tmp_path / "f.json")]) == 0
    assert run(["order", *known, "--method", "relieff", "-o", str(tmp_path / "g.json")]) == 0
