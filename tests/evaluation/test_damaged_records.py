"""Selections, journals and cross-validations that are not what was written: one sentence each, never a traceback."""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import replace

import pytest

from leanrank import cross_validate, load_selection, make_ranking, select
from leanrank.errors import DataError
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.records import CrossValidation
from leanrank.report.loading import load_results

DATA, _ = make_ranking(24, docs_per_query=8, n_informative=2, n_redundant=2, n_noise=2, random_state=0)
ASKED = {"ranker": "ranksvm", "methods": ["gas"], "cv": 3, "max_loss": 0.1, "progress": False}


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """A folder with a selection and its journal."""
    folder = tmp_path_factory.mktemp("answered")
    select(DATA, journal=folder / "run.db", **ASKED).save(folder / "features.json")
    return folder


def changed(record, *places, value):
    inside = record
    for place in places[:-1]:
        inside = inside[place]
    inside[places[-1]] = value
    return record


@pytest.mark.parametrize(
    ("places", "value", "message"),
    [
        (("curve",), {}, "curve is {}, expected a list"),
        (("curve", 0, "k"), "2", r"curve\[0\].k is '2', expected a whole number"),
        (("answers", "safe"), [], r"answers.safe is \[\], expected an object"),
        (("answers", "safe", "cost"), None, "answers.safe.cost is None, expected a finite number"),
        (("answers", "safe", "indices"), [10**9], "features and their indices are not those of 'feature_names'"),
        (("answer",), "other", "it has no answer called 'other'"),
        (("forecast",), {}, "'forecast.n_queries' is absent"),
        (("pareto",), [10**9], "its 'pareto' must be places of its 'curve'"),
        (("stands_for",), {"a": 1}, "stands_for.a is 1, expected a list"),
        (("settings",), {}, "'settings.metric' is absent"),
        (("settings", "methods"), "gas", "settings.methods is 'gas', expected a list"),
        (("curve", 0, "evidence"), {"stability": {}}, r"curve\[0\].evidence is .*, expected an object or null"),
        (("curve", 0, "evidence", "stability", "frequency"), {"no such": 1.0}, "its 'stability' names features"),
        (("names",), ["no such"], "features and their indices are not those of 'feature_names'"),
        (("indices",), [10**9], "features and their indices are not those of 'feature_names'"),
        (("path",), ["no such"], "its 'path' must be different features"),
        (("test",), [], r"test is \[\], expected an object or null"),
        (("baseline", "mean"), 10**400, "baseline.mean is 1"),
    ],
)
def test_a_selection_with_a_field_that_is_something_else(answered, tmp_path, places, value, message):
    record = changed(json.loads((answered / "features.json").read_text()), *places, value=value)
    path = tmp_path / "features.json"
    path.write_text(json.dumps(record))
    for opened in (load_selection, load_results):
        with pytest.raises(DataError, match=rf"features\.json: damaged.*{message}"):
            opened(path)


def test_a_selection_whose_names_are_none(answered, tmp_path):
    record = changed(json.loads((answered / "features.json").read_text()), "names", value=[1])
    (tmp_path / "features.json").write_text(json.dumps(record))
    with pytest.raises(DataError, match=r"features\.json: not a selection.*whose 'names' are a list"):
        load_selection(tmp_path / "features.json")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format": NaN}', '{"a":' * 500 + "1" + "}" * 500])
def test_a_selection_that_is_no_json_of_ours(tmp_path, text):
    (tmp_path / "features.json").write_text(text)
    with pytest.raises(
        DataError, match=r"features\.json: not a selection.*(not JSON|its JSON is nested more than 100 deep)"
    ):
        load_selection(tmp_path / "features.json")


def test_a_selection_of_a_file_whose_name_is_no_text(answered, tmp_path):
    name = os.fsdecode(b"judged-\xff.txt")
    selection = replace(load_selection(answered / "features.json"), source={"data": name})
    selection.save(tmp_path / "features.json")
    assert load_selection(tmp_path / "features.json").source == {"data": name}


def rewritten(journal, path, table, column, where, text):
    """A copy of a journal with one value changed."""
    path.write_bytes(journal.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (text,))
    database.close()
    return path


@pytest.mark.parametrize(
    ("where", "text", "message"),
    [
        ("task LIKE '%\"fit\"%'", '{"values": [1], "share": null}', "a fit in the journal is not of these queries"),
        ("task LIKE '%\"fit\"%'", '{"values": "x"}', "values is 'x', expected a list"),
        ("task LIKE '%\"fit\"%'", "[" * 10_000, "an entry that is not JSON"),
        ("task LIKE '%\"fit\"%'", '{"values": [NaN]}', "an entry that is not JSON"),
        ("task LIKE '%\"path\"%'", "[0, 99]", "an order in the journal is not of these features"),
        ("task LIKE '%\"path\"%'", '{"a": 1}', "expected a list"),
    ],
)
def test_a_journal_to_go_on_from(answered, tmp_path, where, text, message):
    path = rewritten(answered / "run.db", tmp_path / "run.db", "tasks", "result", where, text)
    with pytest.raises(DataError, match=rf"run\.db: .*{message}"):
        select(DATA, journal=path, **ASKED)


def test_a_journal_whose_schema_holds_no_text(answered, tmp_path):
    path, whole = tmp_path / "run.db", (answered / "run.db").read_bytes()
    path.write_bytes(whole.replace(b"(key TEXT PRIMARY KEY", b"(key TEXT \xa0RIMARY KEY"))
    assert path.read_bytes() != whole
    with pytest.raises(DataError, match=r"run\.db: cannot be used as a journal"):
        load_results(path)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    path = tmp_path_factory.mktemp("compared") / "compare.db"
    compare(DATA, methods=["gas"], rankers=["ranksvm"], k=[2], metrics=["map"], journal=path)
    return path


@pytest.mark.parametrize(
    ("table", "column", "where", "text", "message"),
    [
        ("about", "value", "1", '{"what": "compare", "folds": 3}', "folds is 3, expected a list"),
        ("about", "value", "1", '{"what": "compare", "folds": [1]}', r"folds\[0\] is 1, expected a list of 2"),
        ("tasks", "result", "task LIKE '%cell%'", "{}", "'fold' is absent"),
        ("tasks", "task", "rowid = (SELECT MAX(rowid) FROM tasks)", '{"task": "cell"}', "'ranker' is absent"),
        ("tasks", "seconds", "1", "x", "no task of ours"),
    ],
)
def test_a_comparison(compared, tmp_path, table, column, where, text, message):
    path = rewritten(compared, tmp_path / "compare.db", table, column, where, text)
    with pytest.raises(DataError, match=rf"compare\.db: .*{message}"):
        Comparison.load(path)


@pytest.mark.parametrize(
    ("places", "value"),
    [
        (("records", 0, "query_ids"), 7),
        (("records", 0, "scores"), 0.5),
        (("records", 0, "per_query", "map"), [0.5]),
        (("records", 0, "features"), [10**12]),
        (("records", 0, "n_features_in"), 10**12),
        (("records", 0, "scores", "map"), 1e307),
        (("records", 0, "valid_score"), 10**30),
        (("records", 0, "k"), 10**30),
        (("records", 0, "selection_seconds"), 10**30),
        (("records", 0, "query_ids", 0), "tea"),
        (("records", 0, "query_ids", 0), 2**63),
        (("records", 0, "ranker_parameters", "C"), float("inf")),
        (("records",), []),
        (("metrics",), {}),
        (("metrics",), ["map"]),
    ],
)
def test_a_cross_validation(places, value):
    crossed = cross_validate("gas", "ranksvm", DATA, metrics=["map"], k=2)
    assert CrossValidation.from_json(crossed.to_json()) == crossed
    record = changed(json.loads(crossed.to_json()), *places, value=value)
    with pytest.raises(DataError, match="not the JSON of a cross-validation"):
        CrossValidation.from_json(json.dumps(record))


@pytest.mark.parametrize("number", [1e307, -1e300, 1e17])
def test_a_journal_whose_metrics_are_none_of_any_metric(answered, tmp_path, number):
    path = tmp_path / "run.db"
    path.write_bytes((answered / "run.db").read_bytes())
    with sqlite3.connect(path) as database:
        for key, text in database.execute("SELECT rowid, result FROM tasks").fetchall():
            record = json.loads(text)
            if isinstance(record, dict) and "values" in record:
                record["values"] = [number] * len(record["values"])
                database.execute("UPDATE tasks SET result = ? WHERE rowid = ?", (json.dumps(record), key))
    database.close()
    with pytest.raises(DataError, match=r"run\.db: damaged: -?1e\+\d+ is no metric"):
        select(DATA, journal=path, **ASKED)
