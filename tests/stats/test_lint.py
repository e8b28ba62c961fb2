"""lint: every finding, on data made to have it and only it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leanrank import RankingData
from leanrank.stats.copies import groups_of_copies
from leanrank.stats.like_findings import like_findings
from leanrank.stats.lint import lint


def clean(n_queries=20, n_docs=12, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    n = n_queries * n_docs
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    y = np.tile(np.arange(n_docs) % 3, n_queries)
    return X, y, np.arange(0, n + 1, n_docs)


def findings(X, y, ptr, **kwargs):
    report = lint(RankingData(X, y, ptr, **kwargs))
    return {finding.kind: finding for finding in report.findings}, report


def test_clean_data_have_no_findings():
    X, y, ptr = clean()
    found, report = findings(X, y, ptr)
    assert found == {}
    assert report.ok
    assert (report.n_rows, report.n_queries, report.n_features) == (240, 20, 3)
    assert report.labels == {"0": 80, "1": 80, "2": 80}
    assert report.documents_per_query == {"min": 12, "median": 12.0, "mean": 12.0, "max": 12}


def test_constant_feature():
    X, y, ptr = clean()
    X[:, 1] = 4
    found, report = findings(X, y, ptr)
    assert set(found) == {"constant"}
    assert found["constant"].features == ("2",)
    assert "always 4" in found["constant"].message
    assert not report.ok


def test_query_level_feature_is_a_note_and_never_called_useless():
    X, y, ptr = clean()
    X[:, 0] = np.repeat(np.arange(20), 12)
    found, report = findings(X, y, ptr)
    assert set(found) == {"query-level"}
    assert found["query-level"].severity == "note"
    assert report.ok


def test_duplicates_and_monotone_duplicates():
    X, y, ptr = clean(n_features=6)
    X[:, 1] = X[:, 0]
    X[:, 2] = np.exp(X[:, 0] / 10)  # same order
    X[:, 4] = -3 * X[:, 3]  # reversed order
    found, _ = findings(X, y, ptr)
    assert set(found) == {"duplicates", "monotone duplicates", "reversed"}
    assert found["duplicates"].features == ("1", "2")
    assert found["monotone duplicates"].features == ("1", "3")
    assert found["reversed"].features == ("4", "5")


def test_like_findings_are_one_line():
    X, y, ptr = clean(n_features=8)
    X[:, 1], X[:, 3], X[:, 4], X[:, 5] = X[:, 0], X[:, 2], 0.0, 7.0
    X[: len(X) * 2 // 3, 6], X[: len(X) * 3 // 4, 7] = np.nan, np.nan
    _, report = findings(X, y, ptr, missing=True)
    lines = {like.kind: like for like in like_findings(report.findings)}
    assert len(lines) == len(like_findings(report.findings)) == 3
    assert lines["duplicates"].where == "2 groups of features: 1, 2; 3, 4"
    assert lines["constant"].where == "features 5, 6"
    assert lines["constant"].message == "always one value, from 0 to 7: cannot rank anything"
    assert lines["mostly missing"].message == "66.7% to 75.0% of the values are missing"
    assert "2 groups of features: 1, 2; 3, 4" in report._repr_html_()


def test_two_exchanged_documents_are_no_duplicate():
    X, y, ptr = clean()
    X[:, 1] = X[:, 0]
    X[[7, 8], 1] = X[[8, 7], 1]
    assert findings(X, y, ptr)[0] == {}


def test_mostly_missing():
    X, y, ptr = clean()
    X[: len(X) * 2 // 3, 2] = np.nan
    found, report = findings(X, y, ptr, missing=True)
    assert set(found) == {"mostly missing"}
    assert report.missing_values == 160


@pytest.mark.parametrize("sign", [1, -1])
def test_leaking_feature_in_either_direction(sign):
    X, y, ptr = clean()
    X[:, 1] = sign * (y + 0.01 * X[:, 1])
    found, _ = findings(X, y, ptr)
    assert set(found) == {"leaking"}
    assert found["leaking"].features == ("2",)


def test_a_merely_good_feature_is_not_leaking():
    X, y, ptr = clean()
    X[:, 1] += y
    assert findings(X, y, ptr)[0] == {}


def test_easy_queries_do_not_make_features_leak():
    # with one irrelevant document in twelve almost any order has NDCG near 1
    X, _, ptr = clean(n_features=8)
    y = np.tile(np.r_[0, np.full(11, 2)], 20)
    assert "leaking" not in findings(X, y, ptr)[0]


def test_query_findings_name_the_queries():
    X, y, ptr = clean()
    y[:12] = 0
    X[13] = X[12]
    ptr = np.r_[ptr[:-1], ptr[-1] - 1, ptr[-1]]
    ids = [f"q{i}" for i in range(21)]
    found, _ = findings(X, y, ptr, query_ids=ids)
    assert found["no relevant document"].queries == ("q0",)
    assert found["single document"].queries == ("q20",)
    assert found["duplicate documents"].queries == ("q1",)
    assert "1 surplus" in found["duplicate documents"].message


def test_blocks_and_threads_do_not_matter():
    from leanrank.engines.local import LocalEngine
    from leanrank.stats.lint import Lint

    X, y, ptr = clean(n_features=5)
    X[:, 1], X[:, 2] = X[:, 0], X[:, 0] ** 3
    data = RankingData(X, y, ptr)
    whole = lint(data)
    statistic = Lint(data.feature_names)
    partials = [statistic.of(block) for block in data.blocks(30)]
    merged = partials[-1]
    for partial in partials[-2::-1]:
        merged = statistic.merge(partial, merged)
    assert statistic.finish(merged) == whole
    assert lint(data, engine=LocalEngine(n_threads=2)) == whole


def test_report_is_plain_json():
    X, y, ptr = clean()
    X[:, 0] = 0
    text = json.dumps(lint(RankingData(X, y, ptr)).to_dict())
    assert json.loads(text)["findings"][0]["kind"] == "constant"


def test_ohsumed_names_its_empty_features(data_dir):
    from leanrank import read_letor

    report = lint(read_letor(sorted((data_dir / "ohsumed").glob("S*.txt.gz"))))
    assert (report.n_rows, report.n_queries, report.n_features) == (16140, 106, 45)
    constant = [f.features for f in report.findings if f.kind == "constant"]
    assert constant == [("5", "6", "7", "20", "21", "22", "35", "36", "37")]


def test_what_orders_the_other_way_round_is_told_apart_from_copies():
    """Copies are what select takes for them; what is reversed is not."""
    X, y, ptr = clean(n_features=6)
    X[:, 1], X[:, 2], X[:, 3] = np.exp(X[:, 0] / 10), -X[:, 0], -3 * X[:, 0]
    report = lint(RankingData(X, y, ptr))
    said = {f.kind: f for f in report.findings}
    assert [f.features for f in report.findings if f.kind == "monotone duplicates"] == [("1", "2"), ("3", "4")]
    assert (said["reversed"].features, said["reversed"].severity) == (("1", "3"), "note")
    assert groups_of_copies(RankingData(X, y, ptr)) == [[0, 1], [2, 3]]


def test_no_two_of_many_query_level_features_are_compared(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((20, 40)), 12, axis=0)
    X[:, 39], X[:, 38] = X[:, 7] ** 3, -X[:, 7]
    data, compared, array_equal = RankingData(X, np.arange(240) % 3, np.arange(0, 241, 12)), [], np.array_equal
    monkeypatch.setattr(np, "array_equal", lambda a, b: compared.append(np.size(a)) or array_equal(a, b))
    report = lint(data)
    assert data.n_rows not in compared
    assert [f.features for f in report.findings if f.kind == "duplicates"] == [("8", "40")]


def test_duplicates_among_query_level_features_and_categories():
    X, y, ptr = clean(n_features=7)
    level = np.repeat(np.arange(20.0), 12)
    X[:, 0], X[:, 1], X[:, 2] = level, level**2, -level
    X[:, 3], X[:, 4] = np.arange(len(X)) % 3, (np.arange(len(X)) + 1) % 3
    kinds = {"4": ("a", "b", "c"), "5": ("x", "y", "z")}
    report = lint(RankingData(X, y, ptr, categories=kinds))
    said = {f.features: f.message for f in report.findings if f.kind == "duplicates"}
    assert said == {
        ("1", "2"): "grow together from query to query: keep one",
        ("4", "5"): "part the documents alike: keep one",
    }
