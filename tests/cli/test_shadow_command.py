"""`leanrank shadow`: the whole loop on files, its exit codes and what it refuses."""

from __future__ import annotations

import json

import pytest
from tests.evaluation.shadow.logs import fill, true_loss

import leanrank
from leanrank.cli.app import run
from leanrank.rankers._saving import load_ranker


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A log, an older one, one that drifted, and the models of all features and of some."""
    place = tmp_path_factory.mktemp("shadow")
    data, _ = leanrank.make_ranking(150, (6, 20), n_informative=3, n_redundant=2, n_noise=2, random_state=0)
    log = data.take_queries(range(50, 150))
    comments = [f"docid = d{row}" for row in range(log.n_rows)]
    log = leanrank.RankingData(log.X.astype("float32"), log.y, log.query_ptr, log.query_ids, comments=comments)
    leanrank.write_letor(log, place / "log.txt")
    leanrank.write_letor(log.take_queries(range(40)), place / "older.txt")
    gone = leanrank.RankingData(log.X + 5, log.y, log.query_ptr, log.query_ids, comments=comments)
    leanrank.write_letor(gone, place / "gone.txt")
    leanrank.write_letor(data.take_queries(range(50)), place / "train.txt")
    for name, columns in (("all", range(7)), ("some", range(4))):
        train = leanrank.read(place / "train.txt").subset(list(columns))
        leanrank.RankSVM().fit(train).save(place / f"{name}.json")
    (place / "slices.csv").write_text("qid,slice\n" + "".join(f"{q},head\n" for q in log.query_ids[:30]))
    return place


@pytest.fixture
def shadow(folder, monkeypatch, capsys):
    """A function that runs the command on the log: exit code, output, errors."""
    monkeypatch.chdir(folder)

    def call(*options, log="log.txt"):
        code = run(["shadow", log, "--full", "all.json", "--pruned", "some.json", *options])
        seen = capsys.readouterr()
        return code, seen.out, seen.err

    return call


def test_tables_for_people(shadow):
    code, out, err = shadow("--slices", "slices.csv", "--show", "1")
    assert (code, err) == (0, "")
    assert out.startswith("The pruned ranker changes the first 10 places of ")
    for text in ("all queries", "head", "other", "overlap", "Query "):
        assert text in out


def test_json_for_machines(shadow):
    code, out, _ = shadow("--json", "-k", "5", "--show", "2")
    record = json.loads(out)
    assert code == 0
    assert (record["kind"], record["k"], len(record["most_changed"])) == ("shadow", 5, 2)
    assert record["loss"] is None
    assert all(name is None or name.startswith("d") for name in record["most_changed"][0]["full"])
    assert sum(record["first_places"]) == record["n_changed"]


def test_ask_judge_estimate(shadow, folder, tmp_path):
    asked, judged, machine = tmp_path / "asked.csv", tmp_path / "judged.csv", tmp_path / "machine.csv"
    code, out, _ = shadow("--ask", str(asked), "--judge", "40")
    assert code == 0
    assert f"{asked}: 40 queries" in out
    assert '"d' in asked.read_text()
    log = leanrank.read(folder / "log.txt")
    fill(asked.read_text(), judged, log)
    shadow("--ask", str(machine))
    fill(machine.read_text(), machine, log)
    code, out, _ = shadow("--judged", str(judged), "--json")
    loss = json.loads(out)["loss"]
    truth = true_loss(log, load_ranker(folder / "all.json"), load_ranker(folder / "some.json")).mean()
    assert loss["low"] <= truth <= loss["high"]
    assert (loss["n_judged"], loss["metric"]) == (40, "dcg@10")
    code, out, _ = shadow("--judged", str(judged), "--labels", str(machine), "--json")
    assert json.loads(out)["loss"]["mean"] == pytest.approx(truth)
    code, out, _ = shadow("--judged", str(judged), "--metric", "ndcg", "--max-label", "4")
    assert "NDCG@10" in out
    assert "Assumed: NDCG@10 needs the ideal list" in out


def test_drift_has_an_exit_code(shadow):
    assert shadow("--before", "older.txt")[0] == 0
    code, out, _ = shadow("--before", "older.txt", log="gone.txt")
    assert code == 1
    assert "the distribution of '1' changed" in out
    code, out, _ = shadow("--before", "older.txt", "--max-distribution", "1000", "--json", log="gone.txt")
    assert (code, json.loads(out)["drift"]["alarms"]) == (0, [])


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_reports(shadow, tmp_path, form):
    path = tmp_path / f"report.{form}"
    assert shadow("--report", str(path), "--before", "older.txt")[0] == 0
    text = path.read_text()
    assert "Nothing drifted beyond the limits" in text
    assert "The pruned ranker changes the first 10 places" in text


def test_parquet_and_threads_say_the_same(shadow, folder):
    leanrank.write_parquet(leanrank.read(folder / "log.txt"), folder / "log.parquet")
    one = json.loads(shadow("--json", "--engine", "local:1")[1])
    two = json.loads(shadow("--json", "--engine", "local:2", log="log.parquet")[1])
    assert {**one, "source": None} == {**two, "source": None}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_without_labels_is_a_log(shadow, folder, ending):
    frame = leanrank.data.to_frame(leanrank.read(folder / "log.txt"), "pandas").drop(columns=["label", "comment"])
    path = folder / f"unlabelled.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path, index=False)
    code, out, err = shadow("--json", log=str(path))
    assert code == 0, err
    assert json.loads(out)["overlap"] == json.loads(shadow("--json")[1])["overlap"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--judge", "3"], "name the file with --ask"),
        (["--labels", "slices.csv"], "name people's judgements with --judged"),
        (["--judged", "slices.csv"], "there is no column 'document'"),
        (["--slices", "log.txt"], "there is no column 'qid'"),
        (["--ask", "log.txt"], "log.txt"),
        (["-k", "0"], "-k must be a whole number >= 1"),
        (["--ask", "asked.csv", "--judge", "0"], "must be a whole number >= 1 or None"),
        (["--max-missing", "0", "--before", "older.txt"], "'missing' parameter of DriftLimits must be > 0"),
        (["--ask", "-", "--json"], "both go to standard output"),
    ],
)
def test_what_cannot_be_is_refused(shadow, options, sentence):
    code, _, err = shadow(*options)
    assert code == 2
    assert sentence in err


def test_a_log_without_a_feature_of_the_models_is_refused(shadow, tmp_path):
    path = tmp_path / "narrow.csv"
    path.write_text("label,qid,1,2\n0,1,0.5,0.5\n0,1,0.1,0.2\n")
    code, _, err = shadow(log=str(path))
    assert code == 2
    assert "lacks the feature '3', which a model was trained with" in err
