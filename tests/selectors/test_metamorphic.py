"""Every registered selector: same answer whatever the order of rows, queries and columns, the blocks, the threads."""

from __future__ import annotations

import pytest
from tests.selectors.metamorphic import check_blocks_and_threads, check_columns, check_rows_and_queries, tie_free

from leanrank.selectors import registry
from leanrank.selectors.mrmr import MRMR
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity

DATA = tie_free(n_queries=40)
MAKERS = [pytest.param(lambda name=name: registry.get(name), id=name) for name in registry.names()]
MAKERS += [
    pytest.param(lambda: MRMR(relevance="f", similarity=Similarity("pearson", scope="pooled")), id="mrmr-f"),
    pytest.param(lambda: registry.get("gas", importance="cross-entropy", similarity="tau_ap", c=0.3), id="gas-loss"),
    pytest.param(lambda: registry.get("mpt", importance=Importance("ndcg@5", direction="max")), id="mpt-ndcg"),
    pytest.param(lambda: registry.get("fs-scpr", n_features_to_select="silhouette"), id="fs-scpr-silhouette"),
    pytest.param(lambda: registry.get("msd", n_features_to_select=5), id="msd-odd"),
]


@pytest.mark.parametrize("make", MAKERS)
def test_rows_and_queries(make):
    check_rows_and_queries(make, DATA)


@pytest.mark.parametrize("make", MAKERS)
def test_columns(make):
    check_columns(make, DATA)


@pytest.mark.parametrize("make", MAKERS)
def test_blocks_and_threads(make):
    check_blocks_and_threads(make, DATA)


@pytest.mark.parametrize("make", MAKERS)
def test_a_constant_feature_changes_nothing(make):
    without = make().fit(DATA.subset([j for j in range(9) if j != 4]))
    with_it = make().fit(DATA)
    assert with_it.dropped_.tolist() == [4]
    assert [j - (j > 4) for j in with_it.ranking_] == without.ranking_.tolist()


def test_the_body_sees_a_difference():
    from leanrank.selectors import GAS

    calls = iter([0.0, 5.0, 0.0, 5.0])
    with pytest.raises(AssertionError):
        check_columns(lambda: GAS(c=next(calls)), DATA)
