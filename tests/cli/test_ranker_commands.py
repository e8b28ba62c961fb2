"""`leanrank train`, `predict` and `evaluate` as a user runs them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from leanrank import (
    KernelRankSVM,
    RankingData,
    RankSVM,
    load_ranker,
    make_ranking,
    read_table,
    train_to_ship,
    write_parquet,
)
from leanrank.cli._unlike_scales import warn_of_unlike_scales
from leanrank.cli.app import run
from leanrank.data.letor.reader import read_letor, write_letor
from leanrank.metrics import metric


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranked")
    for seed, name in enumerate(("train", "valid", "test")):
        data, _ = make_ranking(n_queries=12, random_state=seed)
        write_letor(data, folder / f"{name}.txt")
    return folder


@pytest.fixture
def model(files, tmp_path):
    path = tmp_path / "model.json"
    assert run(["train", str(files / "train.txt"), "--set", "C=10", "-o", str(path)]) == 0
    return path


@pytest.mark.filterwarnings("default")  # as outside of tests
def test_features_of_unlike_scales_are_warned_of(files, tmp_path, capsys):
    data = read_letor(files / "train.txt")
    X = data.dense() * np.where(np.arange(data.n_features) == 2, 1e-5, 1.0)
    write_letor(replace(data, X=X), tmp_path / "raw.txt")
    given = ["train", str(tmp_path / "raw.txt"), "-o", str(tmp_path / "m.json")]
    assert run([*given, "--ranker", "kernelranksvm"]) == 0
    assert "The features differ in scale" in capsys.readouterr().err
    without = ["--ranker", "kernelranksvm", "--drop", "3"]
    for others in (["--ranker", "ranksvm"], ["--ranker", "lightgbm"], ["--ranker", "rankboost"], without):
        assert run([*given, *others]) == 0
        assert "scale" not in capsys.readouterr().err


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scales_are_those_of_what_is_there(form):
    X = np.array([[0.0, np.nan, -3e4, 0.0], [2.0, np.nan, 5.0, 0.0], [-1.0, np.nan, np.nan, 0.0]])
    data = RankingData(form(X), [1, 0, 0], [0, 3], missing=True)
    with pytest.warns(UserWarning, match="'3' goes up to 30000, '1' to 2. kernelranksvm learns less"):
        warn_of_unlike_scales(KernelRankSVM(), data)
    warn_of_unlike_scales(KernelRankSVM(), data.subset([0, 1, 3]))
    warn_of_unlike_scales(RankSVM(), data)


def test_no_option_is_offered_that_the_command_has_not(model, tmp_path, capsys):
    lines = ["1 qid:1 1:1\n", "0 qid:2 1:2\n", "0 qid:1 1:3\n"]
    (tmp_path / "apart.txt").write_text("".join(lines))
    apart = str(tmp_path / "apart.txt")
    assert run(["lint", apart]) == 2
    assert capsys.readouterr().err.endswith("Sort the rows by query, or regroup them (--regroup).\n")
    for command in ("predict", "evaluate"):
        assert run([command, apart, "--model", str(model)]) == 2
        assert capsys.readouterr().err.endswith("Sort the rows by query.\n")


def test_train_predict_evaluate(files, tmp_path, capsys):
    model, scores, tsv = tmp_path / "model.json", tmp_path / "scores.txt", tmp_path / "queries.tsv"
    arguments = ["--ranker", "ranksvm", "--set", "C=[0.1,1,10]", "--valid", str(files / "valid.txt")]
    assert run(["train", str(files / "train.txt"), *arguments, "-o", str(model)]) == 0
    out = capsys.readouterr().out
    assert "ranksvm on" in out
    assert "held out" in out
    train, valid, test = (read_letor(files / f"{name}.txt") for name in ("train", "valid", "test"))
    by_hand = train_to_ship(RankSVM(C=[0.1, 1, 10]), train, valid)
    assert f"C = {by_hand.C_:g}, chosen on {files / 'valid.txt'}." in out
    assert run(["predict", str(files / "test.txt"), "--model", str(model), "-o", str(scores)]) == 0
    np.testing.assert_array_equal(np.loadtxt(scores), by_hand.predict(test))
    command = ["evaluate", str(files / "test.txt"), "--scores", str(scores), "--metric", "ndcg@3,map"]
    assert run([*command, "--convention", "letor3", "--per-query", str(tsv), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = metric("ndcg@3", convention="letor3")(test.y, by_hand.predict(test), qid=test.qid)
    assert found["mean"]["ndcg@3"] == pytest.approx(expected, abs=1e-15)
    assert "convention='letor3'" in found["metrics"]["map"]
    rows = list(csv.DictReader(tsv.read_text().splitlines(), delimiter="\t"))
    assert [row["qid"] for row in rows] == [str(q) for q in test.query_ids]
    values = metric("map", convention="letor3").per_query(test.y, by_hand.predict(test), test.query_ptr)
    assert [float(row["map"]) for row in rows] == values.tolist()
    assert run(["evaluate", str(files / "test.txt"), "--model", str(model), "--convention", "letor3"]) == 0
    assert f"{found['mean']['map']:.4f}" in capsys.readouterr().out


def test_selected_features_go_into_the_model_and_are_found_again(files, tmp_path, capsys):
    features, model = tmp_path / "features.json", tmp_path / "model.json"
    assert run(["order", str(files / "train.txt"), "--method", "gas", "-k", "3", "-o", str(features)]) == 0
    names = json.loads(features.read_text())["names"]
    command = ["train", str(files / "train.txt"), "--features", str(features), "--valid", str(files / "valid.txt")]
    capsys.readouterr()
    assert run([*command, "-o", str(model), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert sorted(record["features"]) == sorted(names)
    assert set(record["quality"]) == {"training", "held out"}
    assert load_ranker(model).n_features_in_ == 3
    assert run(["predict", str(files / "test.txt"), "--model", str(model)]) == 0
    printed = np.array(capsys.readouterr().out.split(), dtype=float)
    test = read_letor(files / "test.txt").subset(load_ranker(model).feature_names_in_)
    np.testing.assert_array_equal(printed, load_ranker(model).predict(test))


def test_a_file_without_the_last_features_has_them_0(tmp_path, capsys):
    train, test, model = (tmp_path / name for name in ("train.txt", "test.txt", "model.json"))
    train.write_text("1 qid:1 1:0.5 3:1\n0 qid:1 1:0.7 3:0\n1 qid:2 1:0.1 3:2\n0 qid:2 1:0.2\n")
    test.write_text("1 qid:9 1:0.5\n0 qid:9 1:0.7\n")
    assert run(["train", str(train), "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(["predict", str(test), "--model", str(model)]) == 0
    w = load_ranker(model).coef_
    np.testing.assert_allclose(np.array(capsys.readouterr().out.split(), dtype=float), w[0] * np.array([0.5, 0.7]))


def test_tables_too(tmp_path, capsys):
    table, model = tmp_path / "train.csv", tmp_path / "model.json"
    table.write_text("label,qid,bm25,age\n2,a,3,1\n0,a,1,4\n1,b,5,2\n0,b,2,9\n")
    assert run(["train", str(table), "--ranker", "listnet", "-o", str(model), "--seed", "3"]) == 0
    assert load_ranker(model).random_state == 3
    parquet = tmp_path / "test.parquet"
    write_parquet(read_table(table, label="label", qid="qid"), parquet)
    assert run(["evaluate", str(parquet), "--model", str(model), "--metric", "ndcg", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["mean"]["ndcg"] == 1.0


def test_a_trec_run_and_qrels_come_out_and_go_in(files, model, tmp_path, capsys):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    trec, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    command = ["predict", str(files / "test.txt"), "--model", str(model), "--trec", "--tag", "mine", "-o", str(trec)]
    assert run([*command, "--qrels", str(qrels)]) == 0
    lines = [line.split() for line in trec.read_text().splitlines()]
    assert {line[1] for line in lines} == {"Q0"}
    assert {line[5] for line in lines} == {"mine"}
    capsys.readouterr()
    assert run(["evaluate", "--run", str(trec), "--qrels", str(qrels), "--metric", "map,ndcg@10,p@5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["mean"]
    judged = pytrec_eval.RelevanceEvaluator(read_qrels(qrels), {"map", "ndcg_cut.10", "P.5"}).evaluate(read_run(trec))
    for ours, theirs in (("map", "map"), ("ndcg@10", "ndcg_cut_10"), ("p@5", "P_5")):
        assert found[ours] == pytest.approx(np.mean([values[theirs] for values in judged.values()]), abs=1e-6)


def read_run(path):
    found = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        found.setdefault(query, {})[document] = float(score)
    return found


def read_qrels(path):
    found = {}
    for line in path.read_text().splitlines():
        query, _, document, label = line.split()
        found.setdefault(query, {})[document] = int(label)
    return found


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "{train}", "--ranker", "ransvm"], "did you mean 'ranksvm'"),
        (["train", "{train}", "--set", "CC=1"], "Unknown parameter of RankSVM 'CC'"),
        (["train", "{train}", "--set", "C"], "A setting is NAME=VALUE"),
        (["train", "{train}", "--features", "{train}"], "not a selection"),
        (["train", "{train}", "--features", "{odd}"], "the selection by name: 'nope' is not there"),
        (["train", "{train}", "--features", "{empty}"], "at least one text"),
        (["train", "{train}", "-o", "{none}/model.json"], "cannot be written"),
        (["predict", "{train}", "--model", "{train}"], "not a saved ranker"),
        (["predict", "{train}", "--model", "{none}"], "cannot be read"),
        (["predict", "{train}", "--model", "{model}", "--tag", "two words"], "one word"),
        (["evaluate", "{train}"], "one of --scores, --model and --run"),
        (["evaluate", "{train}", "--scores", "{short}"], "has 2 scores"),
        (["evaluate", "{train}", "--scores", "{odd}"], "is not a number"),
        (["evaluate", "{train}", "--scores", "{none}"], "none"),
        (["evaluate", "--scores", "{short}"], "Name the file with the labels"),
        (["evaluate", "{train}", "--run", "{short}"], "pass --run and --qrels, without FILE"),
        (["evaluate", "--run", "{short}", "--qrels", "{short}"], "line 1: a run has lines of six fields"),
        (["evaluate", "{train}", "--model", "{model}", "--metric", "ncdg"], "did you mean 'ndcg'"),
        (["evaluate", "{train}", "--model", "{model}", "--convention", "letor5"], "Unknown convention 'letor5'"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(files, model, tmp_path, capfd, arguments, sentence):
    paths = {"train": files / "train.txt", "model": model, "none": tmp_path / "none"}
    for name, text in [("odd", '{"names": ["nope"]}'), ("empty", '{"names": []}'), ("short", "1.0\n2.0\n")]:
        paths[name] = tmp_path / name
        paths[name].write_text(text)
    capfd.readouterr()
    assert run([argument.format(**paths) for argument in arguments]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("leanrank: ")
    assert captured.err.count("\n") == 1
    assert sentence in captured.err
