"""Timings to costs: profiles, requests for one feature, tables; `select` reads what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leanrank.cli._limits import read_costs
from leanrank.cli.app import run
from leanrank.data.logs.timings import costs_text, read_timings
from leanrank.errors import LeanRankError

RECORDED = Path(__file__).parent / "recorded"
FEATURES = ("title", "body", "title_again")


def profile(*nanos, shards=1):
    """As Elasticsearch and OpenSearch document it, with the plugin's query inside a bool."""
    texts = ("title:blue", "body:blue", "title:blue")
    children = [
        {"type": "TermQuery", "description": text, "time_in_nanos": n, "breakdown": {"score": n}}
        for text, n in zip(texts, nanos, strict=True)
    ]
    ranker = {"type": "RankerQuery", "description": "rankerquery:", "time_in_nanos": sum(nanos), "children": children}
    whole = {"type": "BooleanQuery", "description": "+a #r", "time_in_nanos": 2 * sum(nanos), "children": [ranker]}
    search = {"query": [whole], "rewrite_time": 5, "collector": [{"name": "SimpleTopScoreDocCollector"}]}
    return {"took": 9, "profile": {"shards": [{"id": f"[n][shop][{k}]", "searches": [search]} for k in range(shards)]}}


def keyed(path, *pairs):
    path.write_text("".join(json.dumps({"feature": name, "response": response}) + "\n" for name, response in pairs))
    return path


def test_profiles(tmp_path):
    paths = []
    for number, nanos in enumerate([(1_000_000, 4_000_000, 1_000_000), (3_000_000, 6_000_000, 3_000_000)]):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(profile(*nanos, shards=2), indent=1))
    timings = read_timings(paths, FEATURES)
    assert timings.by_feature == {"title": [2.0, 6.0], "body": [8.0, 12.0], "title_again": [2.0, 6.0]}
    (tmp_path / "costs.csv").write_text(costs_text(timings, 100))
    costs, groups = read_costs(tmp_path / "costs.csv")
    shared = "shared:title+title_again"
    assert costs == {"body": 10.0, shared: 4.0}
    assert groups == {shared: ["title", "title_again"]}
    assert "body,10,,11.96,2,100" in (tmp_path / "costs.csv").read_text()


def solr(time):
    return {"responseHeader": {"QTime": 9}, "debug": {"timing": {"time": 9.0, "process": {"query": {"time": time}}}}}


def vespa(time):
    return {"timing": {"querytime": time, "summaryfetchtime": 0.001, "searchtime": 0.02}, "root": {}}


@pytest.mark.parametrize(
    ("response", "unit"), [(solr, 1.0), (vespa, 0.001), (lambda time: {"took": time, "hits": {}}, 1.0)]
)
def test_requests_for_one_feature_less_those_for_none(response, unit, tmp_path):
    pairs = [(None, 2), ("title", 5), ("title", 7), ("body", 1), ("title", 6), (None, 2)]
    path = keyed(tmp_path / "t.jsonl", *((name, response(time * unit)) for name, time in pairs))
    (tmp_path / "costs.csv").write_text(costs_text(read_timings([path])))
    costs, groups = read_costs(tmp_path / "costs.csv")
    assert costs == pytest.approx({"title": 4.0, "body": 0.0})  # no cost below 0
    assert groups is None


def test_what_solr_really_answered():
    """Recorded from an embedded Solr 8.11.4 (tests/engines_jvm): three queries, each with no feature and with one."""
    timings = read_timings([RECORDED / "solr_timings.jsonl"])
    assert set(timings.by_feature) == {"title_bm25", "body_bm25", "clicks", "age", "margin"}
    assert len(timings.baseline) == 3
    assert all(len(times) == 3 for times in timings.by_feature.values())
    assert len(costs_text(timings).splitlines()) == 6


def test_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("feature,milliseconds\na,1\na,3\nb,2.5\n")
    assert read_timings([tmp_path / "t.csv"]).by_feature == {"a": [1.0, 3.0], "b": [2.5]}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.csv", "feature,ms\na,1\n", "must be feature and milliseconds"),
        ("t.csv", "feature,milliseconds\na,-1\n", "line 2: the time '-1' is not a number from 0"),
        ("t.csv", "feature,milliseconds\n", "no timing of a feature"),
        ("t.jsonl", '{"feature": "a", "response": {"took": 1}}\n{"feature": "a", "response": {}}', "line 2: no timing"),
        ("t.jsonl", '{"feature": "a", "response": {"took": "x"}}', "line 1: the time 'x'"),
        ("t.jsonl", json.dumps(profile(1, 2, 3)), "give the feature set"),
    ],
)
def test_what_is_wrong_is_said_by_line(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    with pytest.raises(LeanRankError, match=sentence):
        read_timings([tmp_path / name])


def test_a_profile_of_another_set(tmp_path):
    (tmp_path / "p.json").write_text(json.dumps(profile(1, 2, 3)))
    with pytest.raises(LeanRankError, match="3 sub-queries, the set 2 features"):
        read_timings([tmp_path / "p.json"], FEATURES[:2])


def test_the_command(tmp_path, capsys):
    (tmp_path / "p.json").write_text(json.dumps(profile(1_000_000, 2_000_000, 1_000_000)))
    features = [{"name": name, "template": {}} for name in FEATURES]
    (tmp_path / "full.json").write_text(json.dumps({"featureset": {"features": features}}))
    files = ["--featureset", str(tmp_path / "full.json"), "-o", str(tmp_path / "costs.csv")]
    assert run(["costs", str(tmp_path / "p.json"), *files, "--window", "100"]) == 0
    said = capsys.readouterr().out
    assert "2 costs in milliseconds (median). Dearest:" in said
    assert "body: 2 ms, p99 2 ms, 1 requests" in said
    assert run(["costs", str(tmp_path / "p.json"), *files, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["costs"]) == 4
    assert run(["costs", str(tmp_path / "p.json"), "-o", str(tmp_path / "p.json")]) == 2
    assert "would be written over" in capsys.readouterr().err
