"""Every registered selector: same answer whatever the order of rows, queries and columns, the blocks, the threads."""

from __future__ import annotations

import pytest
from tests.selectors.metamorphic import check_blocks_and_threads, check_columns, check_rows_and_queries, tie_free

from leanrank.rankers import registry as rankers
from leanrank.selectors import registry
from leanrank.selectors.fsmrank import Fitting
from leanrank.selectors.limits import Limits
from leanrank.stats.importance import Importance

DATA = tie_free(n_queries=40)
GRID = {"lambda1": [0.1, 0.01], "lambda2": [0.1, 0.01], "fitting": Fitting(cv=2)}
MAKERS = [pytest.param(lambda name=name: registry.get(name), id=name) for name in registry.names()]
MAKERS += [
    pytest.param(lambda: registry.get("gas", importance="cross-entropy", similarity="tau_ap", c=0.3), id="gas-loss"),
    pytest.param(lambda: registry.get("mpt", importance=Importance("ndcg@5", direction="max")), id="mpt-ndcg"),
    pytest.param(lambda: registry.get("fs-scpr", n_features_to_select="silhouette"), id="fs-scpr-silhouette"),
    pytest.param(lambda: registry.get("msd", n_features_to_select=5), id="msd-odd"),
    pytest.param(lambda: registry.get("greedy-wrapper", direction="backward", validation=2), id="wrapper-backward"),
    pytest.param(
        lambda: registry.get("fsm-rank", **GRID),
        id="fsm-rank-grid",
    ),
    pytest.param(lambda: registry.get("ranking-rfe", importance="permutation", step=0.5), id="rfe-permutation"),
]
LIMITS = Limits(costs={str(j + 1): j % 3 for j in range(9)}, budget=6)
# Those that name all features, or have a use for one that is constant inside queries.
ALL_FEATURES = [
    pytest.param(lambda: registry.get("gas", limits=LIMITS), id="gas-costs"),
    pytest.param(lambda: registry.get("booster-importance", ranker=_booster()), id="lightgbm-gain"),
    pytest.param(lambda: registry.get("ranking-rfe", ranker=_booster(), importance="shap"), id="lightgbm-shap-rfe"),
]


def _booster():
    return rankers.get("lightgbm", n_estimators=20, num_leaves=15, min_child_samples=5, n_threads=1)  # uses all


@pytest.mark.parametrize("make", MAKERS + ALL_FEATURES)
def test_rows_and_queries(make):
    check_rows_and_queries(make, DATA)


@pytest.mark.parametrize("make", MAKERS + ALL_FEATURES)
def test_columns(make):
    check_columns(make, DATA)


@pytest.mark.parametrize("make", MAKERS + ALL_FEATURES)
def test_blocks_and_threads(make):
    check_blocks_and_threads(make, DATA)


@pytest.mark.parametrize("make", MAKERS)
def test_a_constant_feature_changes_nothing(make):
    without = make().fit(DATA.subset([j for j in range(9) if j != 4]))
    with_it = make().fit(DATA)
    assert with_it.dropped_.tolist() == [4]
    assert [j - (j > 4) for j in with_it.order_] == without.order_.tolist()


def test_the_body_sees_a_difference():
    from leanrank.selectors import GAS

    calls = iter([0.0, 5.0, 0.0, 5.0])
    with pytest.raises(AssertionError):
        check_columns(lambda: GAS(c=next(calls)), DATA)
