"""What was asked, kept in a report: the answers of judges tell the same without the log."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.evaluation.shadow.logs import fill, made

import leanrank
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation import Asked
from leanrank.report.shadow_tables import summarize_shadow


@pytest.fixture(scope="module")
def shadowed():
    return leanrank.shadow(*made(), k=5)


@pytest.fixture(scope="module")
def asked(shadowed):
    return shadowed.ask(40)


@pytest.fixture
def report(shadowed, asked, tmp_path):
    path = tmp_path / "shadow.json"
    path.write_text(json.dumps(summarize_shadow(shadowed, asked=asked)))
    return path


def test_a_report_has_all_that_was_asked(asked, report):
    again = Asked.read(report)
    assert again.query_ids.tolist() == asked.query_ids.astype(str).tolist()
    np.testing.assert_array_equal(again.probability, asked.probability)
    assert (again.reach, again.features, again.k) == (asked.reach, asked.features, 5)
    assert again.text() == asked.text()


@pytest.mark.parametrize("metric", ["dcg", "ndcg"])
@pytest.mark.parametrize("queries", [None, 25, 3])
def test_answers_tell_the_same_without_the_log(shadowed, asked, report, tmp_path, metric, queries):
    judged = leanrank.read_judged(fill(asked.text(), tmp_path / "answers.csv", made()[0], queries=queries))
    expected = shadowed.loss(judged, metric=metric, max_label=4)
    assert expected.bounded == (queries == 3)
    for known in (asked, Asked.read(report)):
        loss = known.loss(judged, metric=metric, max_label=4)
        assert loss.assumptions == expected.assumptions
        assert {**vars(loss), "assumptions": 0} == pytest.approx({**vars(expected), "assumptions": 0})


def test_judges_need_see_neither_places_nor_probabilities(shadowed, asked, report, tmp_path):
    whole = fill(asked.text(), tmp_path / "answers.csv", made()[0], queries=30)
    with whole.open(newline="") as file:
        rows = [{name: row[name] for name in ("qid", "document", "label")} for row in csv.DictReader(file)]
    with (tmp_path / "bare.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["qid", "document", "label"])
        writer.writeheader()
        writer.writerows(row for row in rows if row["label"] != "")  # and what was not judged is not sent back
    expected = leanrank.logged_loss(whole, shadowed, metric="ndcg@5")
    bare = leanrank.logged_loss(tmp_path / "bare.csv", report, metric="ndcg@5")
    assert bare.to_dict() == pytest.approx(expected.to_dict())
    assert bare.features == frozenset(made()[2].feature_names_in_)


def test_answers_to_something_else_are_refused(shadowed, asked, report, tmp_path):
    data = made()[0]
    judged = leanrank.read_judged(fill(asked.text(), tmp_path / "answers.csv", data))
    left_out = judged.query_ids != judged.query_ids[3]
    kept = judged.query != judged.query_ids[3]
    biased = leanrank.evaluation.Judged(
        judged.query[kept], judged.document[kept], judged.label[kept], judged.query_ids[left_out], np.ones(39), 39, "b"
    )
    with pytest.raises(DataError, match=f"b: query {judged.query_ids[3]} has no label, but queries that were drawn"):
        Asked.read(report).loss(biased)
    other = shadowed.ask(40, random_state=1)
    foreign = fill(other.text(), tmp_path / "other.csv", data)
    with pytest.raises(DataError, match=r"other\.csv: query \S+ is not among those that .*shadow\.json has drawn"):
        leanrank.logged_loss(foreign, report, metric="ndcg@5")
    with pytest.raises(ParameterError, match=r"The first 5 places were shadowed.*Got 'ndcg@10'"):
        leanrank.logged_loss(tmp_path / "answers.csv", report)
    nameless = leanrank.evaluation.Asked(asked.queries, asked.probability, asked.reach)
    with pytest.raises(DataError, match="does not know the names"):
        leanrank.logged_loss(judged, nameless, metric="ndcg@5")


def broken(change):
    def edit(record):
        change(record)
        return record

    return edit


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda record: [], "is no report of leanrank shadow"),
        (lambda record: {**record, "kind": "selection"}, "is no report of leanrank shadow"),
        (lambda record: {**record, "asked": None}, "nothing was asked"),
        (lambda record: {**record, "asked": {"queries": []}}, "nothing was asked"),
        (lambda record: {**record, "asked": [1]}, "nothing was asked"),
        (broken(lambda r: r["asked"].pop("reach")), "is broken"),
        (broken(lambda r: r.pop("n_queries")), "is broken"),
        (broken(lambda r: r.update(n_changed=3)), "do not fit together"),
        (broken(lambda r: r["asked"]["queries"][0].update(probability=1.5)), "do not fit together"),
        (broken(lambda r: r["asked"]["queries"][0].update(moved=[])), "do not fit together"),
        (broken(lambda r: r["asked"]["queries"][0].update(moved=[[1, 2]])), "is broken"),
        (broken(lambda r: r["asked"]["queries"][0].update(moved=[[1, 2, 10**30]])), "is broken"),
        (broken(lambda r: r["asked"]["queries"].append("x")), "is broken"),
        (broken(lambda r: r["asked"].update(reach=7)), "is broken"),
    ],
)
def test_a_damaged_report_is_refused(report, edit, sentence):
    report.write_text(json.dumps(edit(json.loads(report.read_text()))))
    with pytest.raises(DataError, match=sentence):
        Asked.read(report)


def test_nothing_was_drawn_where_nothing_changes(tmp_path):
    data, full, _ = made()
    same = leanrank.shadow(data, full, full)
    asked = same.ask(10)
    assert (len(asked), asked.reach, asked.to_dict()["queries"]) == (0, None, [])
    path = tmp_path / "shadow.json"
    path.write_text(json.dumps(summarize_shadow(same, asked=asked)))
    with pytest.raises(DataError, match="nothing was asked"):
        Asked.read(path)
