"""Identifiers and positions among the features: told from counts and from measures, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank import RankingData
from leanrank.stats.id_like import MANY_PAIRS, Numbering
from leanrank.stats.lint import lint

RNG = np.random.default_rng(0)


def judged(n_queries=12, n_docs=8):
    """doc_id, position from 1, a rank from 0 in another order, a count that repeats, a measure."""
    n = n_queries * n_docs
    position = np.tile(np.arange(1.0, n_docs + 1), n_queries)
    rank = np.concatenate([RNG.permutation(n_docs) for _ in range(n_queries)])
    X = np.column_stack([1000 + RNG.permutation(n), position, rank, RNG.integers(0, 5, n), RNG.normal(size=n)])
    names = ["doc_id", "shown_at", "old_rank", "n_links", "bm25"]
    return RankingData(X, RNG.integers(0, 3, n), np.arange(0, n + 1, n_docs), feature_names=names)


def of_kind(report, kind):
    return [name for finding in report.findings if finding.kind == kind for name in finding.features]


def test_ids_and_positions_are_told_from_features():
    report = lint(judged())
    assert of_kind(report, "position") == ["shown_at", "old_rank"]
    assert of_kind(report, "identifier") == ["doc_id"]
    assert not report.ok


def test_ids_need_a_name_or_many_chances_to_repeat():
    data = judged()
    nameless = RankingData(data.X, data.y, data.query_ptr)
    assert of_kind(lint(nameless), "identifier") == []
    large = judged(40, 30)
    assert Numbering.of(large, large.X).pairs >= MANY_PAIRS
    assert of_kind(lint(RankingData(large.X, large.y, large.query_ptr)), "identifier") == ["1"]


@pytest.mark.parametrize("spoil", [0.5, np.nan, "repeat"])
def test_one_value_that_is_no_number_of_a_document_is_enough(spoil):
    data = judged()
    X = data.X.copy()
    X[3, :3] = X[4, :3] if spoil == "repeat" else spoil
    report = lint(RankingData(X, data.y, data.query_ptr, feature_names=data.feature_names, missing=True))
    assert of_kind(report, "identifier") + of_kind(report, "position") == []


def test_few_short_queries_tell_no_positions():
    X = [[1.0], [2.0], [2.0], [1.0]]
    assert of_kind(lint(RankingData(X, [1, 0, 0, 1], [0, 2, 4])), "position") == []


def test_blocks_add_up():
    data = judged()
    whole = Numbering.of(data, data.X)
    parts = [Numbering.of(block, block.X) for block in data.blocks(20)]
    merged = sum(parts[1:], parts[0])
    assert (merged.pairs, merged.long_queries) == (whole.pairs, whole.long_queries)
    np.testing.assert_array_equal(merged.positions(), whole.positions())
    np.testing.assert_array_equal(merged.identifiers(data.feature_names), whole.identifiers(data.feature_names))
