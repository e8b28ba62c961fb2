"""Logged features to judged data: what did not match stays apart from 0, and a bad line is named."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.data.logs.engines import elasticsearch, solr, vespa

from leanrank.cli.app import run
from leanrank.data.logs.table import import_logs
from leanrank.data.reading import read_table
from leanrank.data.trec import read_judgements
from leanrank.errors import LeanRankError

RECORDED = Path(__file__).parent / "recorded"
VALUES = {"d1": {"bm25": 1.5, "clicks": 0.0}, "d2": {"bm25": None, "clicks": 7.0}, "d3": {"bm25": 0.0, "clicks": None}}
GRADES = {"1": {"d1": 2.0, "d2": 0.0, "d3": 1.0}, "2": {"d2": 1.0}}


def lines(path, *pairs):
    path.write_text("".join(json.dumps({"qid": qid, "response": response}) + "\n" for qid, response in pairs))
    return path


@pytest.mark.parametrize("engine", [elasticsearch, solr, vespa])
def test_unmatched_and_zero_are_kept_apart(engine, tmp_path):
    log = lines(tmp_path / "log.jsonl", ("1", engine(VALUES)), (2, engine(VALUES)))
    done = import_logs([log], GRADES, tmp_path / "out.csv")
    assert (done.n_queries, done.n_rows, done.n_unjudged) == (2, 4, 2)
    assert done.unmatched == {"bm25": 2, "clicks": 1}
    data = read_table(tmp_path / "out.csv", missing=True)
    assert data.feature_names == ("bm25", "clicks")
    assert data.y.tolist() == [2, 0, 1, 1]
    assert data.query_sizes.tolist() == [3, 1]
    np.testing.assert_array_equal(data.dense(), [[1.5, 0], [np.nan, 7], [0, np.nan], [np.nan, 7]])
    import_logs([log], GRADES, tmp_path / "zero.csv", unmatched="zero", unjudged=0.0)
    data = read_table(tmp_path / "zero.csv")
    np.testing.assert_array_equal(data.dense()[:3], [[1.5, 0], [0, 7], [0, 0]])
    assert data.query_sizes.tolist() == [3, 3]


def test_one_response_a_file_goes_by_its_name(tmp_path):
    (tmp_path / "1.json").write_text(json.dumps(elasticsearch(VALUES), indent=2))
    with gzip.open(tmp_path / "2.json.gz", "wt") as file:
        json.dump(elasticsearch(VALUES), file)
    done = import_logs([tmp_path / "1.json", tmp_path / "2.json.gz"], GRADES, tmp_path / "out.csv")
    assert done.n_queries == 2


def test_an_older_log_is_a_table(tmp_path):
    response = elasticsearch({"d1": {}})
    response["hits"]["hits"][0]["fields"]["_ltrlog"] = [{"log_entry1": {"bm25": 2.5}}]
    done = import_logs([lines(tmp_path / "log.jsonl", ("1", response))], GRADES, tmp_path / "out.csv")
    assert done.unmatched == {"bm25": 0}


def test_what_solr_really_answered(tmp_path):
    """Recorded from an embedded Solr 8.11.4 (tests/engines_jvm)."""
    grades = {f"solr_{q}": {f"d{n:03}": float(n % 3) for n in range(12)} for q in (1, 2)}
    done = import_logs(sorted(RECORDED.glob("solr_*.json")), grades, tmp_path / "out.csv")
    assert (done.n_queries, done.n_rows) == (2, 24)
    assert set(done.unmatched) == {"title_bm25", "body_bm25", "clicks", "age", "margin"}
    assert done.unmatched["body_bm25"] >= 8  # every third has no body
    assert done.unmatched["clicks"] == 0
    data = read_table(tmp_path / "out.csv", missing=True)
    first = json.loads((RECORDED / "solr_1.json").read_text())["response"]["docs"][2]["[features]"]
    row = dict(zip(data.feature_names, data.dense()[2], strict=True))
    for pair in first.split(","):
        name, value = pair.split("=")
        assert row[name] == float(value)


def test_memory_does_not_grow_with_the_log(tmp_path):
    def peak(n):
        values = {f"d{j}": {f"f{k}": 0.5 for k in range(20)} for j in range(50)}
        path = tmp_path / f"{n}.jsonl"
        with open(path, "w") as file:
            for qid in range(n):
                file.write(json.dumps({"qid": qid, "response": elasticsearch(values)}) + "\n")
        tracemalloc.start()
        import_logs([path], {}, tmp_path / "out.csv", unjudged=0.0)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(60) < 1.5 * peak(10)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"qid": 1, "response": {"hits": {"hits": []}}}\n{"qid": 2, ', "line 2: not JSON"),
        ('{"qid": 1, "response": {"hits": {"hits": []}}}\n{"response": {}}', "line 2: expected {'qid'"),
        ('{"qid": 1, "response": {"took": 1}}', "line 1: not a response of Elasticsearch .* found 'took'"),
        ('{"qid": 1.5, "response": {}}', "must be a text or a whole number"),
        ('{"qid": 1, "response": {"hits": {"hits": 1}}}', "line 1: its hits are not a list"),
        ('{"qid": 1, "response": {"hits": {"hits": [{"_id": "a"}]}}}', "'a' has no one '_ltrlog'"),
        ('{"qid": 1, "response": {"response": {"docs": [{"id": "a"}]}}}', r"no '\[features\]'"),
        ('{"qid": 1, "response": {"response": {"docs": [{"a": "a"}]}}}', "has no 'id'"),
        ('{"qid": 1, "response": {"response": {"docs": [{"id": "a", "[features]": "b"}]}}}', "expected name=value"),
        ('{"qid": 1, "response": {"response": {"docs": [{"id": "a", "[features]": "b=x"}]}}}', "'b' is 'x', not a"),
        ('{"qid": 1, "response": {"root": {"children": [{"id": "a", "fields": {}}]}}}', "no 'matchfeatures'"),
        ('{"qid": 1, "response": {"hits": {"hits": []}}}', "no document with features"),
        ("[]", "expected a response"),
        ("", "not JSON"),
    ],
)
def test_bad_lines_are_refused_by_line(tmp_path, text, sentence):
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(LeanRankError, match=sentence) as caught:
        import_logs([tmp_path / "log.jsonl"], GRADES, tmp_path / "out.csv")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out.csv").exists()


def test_a_query_or_a_document_twice(tmp_path):
    log = lines(tmp_path / "log.jsonl", ("1", solr(VALUES)), ("1", solr(VALUES)))
    with pytest.raises(LeanRankError, match=r"line 2: query '1' is there a second time"):
        import_logs([log], GRADES, tmp_path / "out.csv")
    twice = solr(VALUES)
    twice["response"]["docs"] *= 2
    with pytest.raises(LeanRankError, match=r"document 'd1' is there a second time"):
        import_logs([lines(log, ("1", twice))], GRADES, tmp_path / "out.csv")
    with pytest.raises(LeanRankError, match="None of the 3 documents of the responses is judged"):
        import_logs([lines(log, ("9", solr(VALUES)))], GRADES, tmp_path / "out.csv")
    with pytest.raises(LeanRankError, match="called 'label'"):
        import_logs([lines(log, ("1", solr({"d1": {"label": 1.0}})))], GRADES, tmp_path / "out.csv")


def test_judgements_of_both_kinds(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n2 0 d2 1\n")
    (tmp_path / "list").write_text(
        "# qid:1: rambo\n\n2 qid:1 # d1 Rambo\n0\tqid:1 1:3.5 2:0 # d2\n1 qid:1 # d3\n1 qid:2 # d2\n"
    )
    assert read_judgements(tmp_path / "qrels") == read_judgements(tmp_path / "list") == GRADES
    for line, sentence in [
        ("1 qid:1 d1", "line 2: expected 'grade qid:query # document'"),
        ("x qid:1 # d1", "line 2: the grade 'x'"),
        ("1 qid:1 # d0", "line 2: document 'd0' of query '1' is judged a second time"),
    ]:
        (tmp_path / "bad").write_text(f"1 qid:1 # d0\n{line}\n")
        with pytest.raises(LeanRankError, match=sentence):
            read_judgements(tmp_path / "bad")


def test_the_command(tmp_path, capsys):
    log = lines(tmp_path / "log.jsonl", ("1", solr(VALUES)))
    (tmp_path / "qrels").write_text("1 0 d1 2\n1 0 d2 0\n")
    command = ["import", str(log), "--judgements", str(tmp_path / "qrels"), "-o", str(tmp_path / "out.csv")]
    assert run(command) == 0
    said = capsys.readouterr().out
    assert "2 documents of 1 queries, 2 features. 1 documents without a grade are left out." in said
    assert "Did not match, and are missing: bm25 50%." in said
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unmatched"] == {"bm25": 1, "clicks": 0}
    assert run([*command, "--unmatched", "gone"]) == 2
    assert "'missing' or 'zero'" in capsys.readouterr().err
    assert run([*command[:-1], str(tmp_path / "out.txt")]) == 2
    assert "import writes CSV" in capsys.readouterr().err
