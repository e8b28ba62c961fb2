"""What `lint` says of categories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.data.categorical import with_categories

from leanrank.data import RankingData
from leanrank.stats.lint import lint


def findings(codes, texts, missing=False):
    n = len(codes)
    X = np.column_stack([np.random.default_rng(0).normal(size=n), codes])
    y = np.arange(n) % 2
    data = RankingData(X, y, np.arange(0, n + 1, 2), None, ["bm25", "c"], missing=missing, categories={"c": texts})
    return {f.kind: f for f in lint(data).findings if "c" in f.features}


def test_a_good_category_gets_a_note():
    report = lint(with_categories())
    told = {(f.kind, f.features): f for f in report.findings if set(f.features) & {"brand", "colour"}}
    assert list(told) == [("category", ("brand",)), ("category", ("colour",))]
    assert told["category", ("colour",)].severity == "note"
    assert "3 texts, the most frequent" in told["category", ("colour",)].message
    assert report.n_features == 4
    assert report.ok


def test_ids_many_and_rare_texts():
    n = 200
    own = findings(np.arange(n), [f"doc {i}" for i in range(n)])
    assert own["identifier"].severity == "warning"
    assert "200 of 200 documents have a text of their own: an id? Leave it out" in own["identifier"].message
    many = findings(np.arange(n) // 5, [f"t{i}" for i in range(n // 5)])
    assert "40 texts for 200 documents" in many["many categories"].message
    rare = findings(np.r_[np.zeros(n - 4), 1, 1, 2, 2], ["usual", "odd", "odder"])
    assert rare["rare categories"].message == "2 of 3 texts are in fewer than 10 documents: 'odd', 'odder'"
    assert rare["rare categories"].severity == "note"


def test_one_text_and_none():
    one = findings(np.zeros(20), ["always"])
    assert one["constant"].message == "always 'always': cannot rank anything"
    none = findings(np.full(20, np.nan), [], missing=True)
    assert "missing in every document" in none["empty category"].message


def test_codes_are_not_looked_at_as_numbers():
    data = with_categories(missing=False)
    X = data.X.copy()
    X[:, 3] = np.tile(np.arange(12), 60)  # would be positions
    X[:, 1] = X[:, 3] // 2  # would be alike
    texts = tuple("abcdefghijkl")
    report = lint(replace(data, X=X, categories={"brand": texts[:6], "colour": texts}))
    assert {f.kind for f in report.findings if set(f.features) & {"brand", "colour"}} == {"category"}
