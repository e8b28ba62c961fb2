"""ForwardRegression against equations solved anew for every set, and what it must never do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import forward_regression as naive
from tests.selectors.metamorphic import tie_free

from leanrank import ForwardRegression, Limits, RankingData, fold
from leanrank.errors import ParameterError
from leanrank.stats.query_moments import QueryMoments


def tied(seed: int) -> RankingData:
    """Whole numbers, mostly 0, with a copy, an opposite and a feature constant in every query."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 12)
    n = int(sizes.sum())
    X = rng.poisson(0.7, size=(n, 7)).astype(float)
    X[:, 5] = X[:, 1]
    X[:, 6] = -X[:, 2]
    X[:, 4] = np.repeat(rng.random(12), sizes)
    return RankingData(X, rng.integers(0, 3, n), np.concatenate(([0], np.cumsum(sizes))))


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from(["minmax", "rank"]))
def test_moments_are_those_of_all_pairs(seed, scale):
    data = tied(seed)
    got = fold(QueryMoments(scale), data)
    features, labels, spread = naive.pair_moments(data.X, data.y, data.query_ptr, scale)
    np.testing.assert_allclose(got.features, features, atol=2e-10)
    np.testing.assert_allclose(got.labels, labels, atol=2e-10)
    assert got.spread == pytest.approx(spread, abs=2e-10)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from(["minmax", "rank"]))
def test_order_and_gains_are_those_of_equations_solved_anew(seed, scale):
    data = tie_free(seed)
    chosen = ForwardRegression(scale=scale).fit(data)
    kept = [j for j in range(data.n_features) if j != 4]
    features, labels, spread = naive.pair_moments(data.X[:, kept], data.y, data.query_ptr, scale)
    if spread == 0:
        return
    order, gains = naive.forward_order(features, labels, spread, chosen.ridge)
    assert [kept[j] for j in order] == chosen.order_.tolist()
    np.testing.assert_allclose(chosen.scores_[chosen.order_], gains, atol=1e-8)


@pytest.mark.parametrize("scale", ["minmax", "rank"])
def test_copies_and_opposites_come_last(scale):
    data = tied(3)
    taken = ForwardRegression(scale=scale).fit(data).order_.tolist()
    assert 4 not in taken
    assert {1, 5} & set(taken[-2:]), taken
    assert {2, 6} & set(taken[-2:]), taken


def test_ranks_do_not_see_increasing_functions():
    data = tie_free(5)
    bent = RankingData(np.exp(data.X), data.y, data.query_ptr)
    a, b = (ForwardRegression(scale="rank").fit(d) for d in (data, bent))
    assert a.order_.tolist() == b.order_.tolist()


def test_sparse_data_give_the_same():
    import scipy.sparse as sp

    data = tied(8)
    sparse = RankingData(sp.csr_array(data.X), data.y, data.query_ptr)
    assert ForwardRegression().fit(sparse).order_.tolist() == ForwardRegression().fit(data).order_.tolist()


def test_gain_per_cost():
    data = tie_free(1)
    first = int(ForwardRegression(1).fit(data).selected_[0])
    costs = {str(j + 1): 1000.0 if j == first else 1.0 for j in range(data.n_features)}
    assert int(ForwardRegression(1, limits=Limits(costs=costs)).fit(data).selected_[0]) != first


def test_labels_that_are_all_equal_leave_the_order_of_columns():
    data = tie_free(2)
    flat = RankingData(data.X, np.zeros(data.n_rows), data.query_ptr)
    assert ForwardRegression().fit(flat).order_.tolist() == [0, 1, 2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize("bad", [{"scale": "log"}, {"ridge": 0.0}, {"ridge": float("nan")}])
def test_parameters_are_checked(bad):
    with pytest.raises(ParameterError):
        ForwardRegression(**bad).fit(tie_free(0))
