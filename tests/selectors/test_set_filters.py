"""IG, CHI, SU, FCBF, CFS, Consistency, INTERACT: worked examples, naive loops, degenerate cases."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import set_filters as naive

from leanrank import (
    CFS,
    FCBF,
    INTERACT,
    ChiSquared,
    Consistency,
    EqualWidthDiscretizer,
    InformationGain,
    RankingData,
    SymmetricalUncertainty,
)
from leanrank.errors import ParameterError
from leanrank.selectors import registry
from leanrank.selectors.cfs import merit

WIDTH = EqualWidthDiscretizer(n_bins=12)  # whole numbers 0..5 keep apart
Y = [1, 1, 1, 1, 0, 0, 0, 0]
A, C = [1, 1, 1, 1, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0, 0, 0]
D, E = [0, 1, 0, 1, 0, 1, 0, 1], [0] * 8


def of_columns(columns, y):
    return RankingData(np.array(columns, dtype=float).T, y, [0, len(y)])


ABCDE = of_columns([A, A, C, D, E], Y)


def random_columns(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(12, 40)), int(rng.integers(2, 8))
    base = rng.integers(0, 3, n)
    columns = [
        np.where(rng.random(n) < rng.random(), base, rng.integers(0, 1 + rng.integers(1, 4), n)) for _ in range(m)
    ]
    if seed % 3 == 0:
        columns[-1] = columns[0].copy()
    y = np.where(rng.random(n) < 0.7, base, rng.integers(0, 3, n))
    varying = [column.tolist() for column in columns if len(set(column.tolist())) > 1]
    return varying or [list(range(n))], y.tolist()


def test_scores_of_the_worked_example():
    ig, chi, su = (
        cls(discretizer=WIDTH).fit(ABCDE).scores_ for cls in (InformationGain, ChiSquared, SymmetricalUncertainty)
    )
    assert ig[0].round(6) == 0.548795
    assert chi[0].round(6) == 4.8
    assert su[:4].round(5).tolist() == [0.56159, 0.56159, 0.56159, 0.0]
    assert naive.su(A, C) == pytest.approx(0.364184, abs=5e-7)


def test_fcbf_worked_example():
    fcbf = FCBF(discretizer=WIDTH).fit(ABCDE)
    assert fcbf.order_.tolist() == [0, 2]
    assert fcbf.trace_[1]["gain"] == pytest.approx(0.56159 - 0.364184, abs=1e-5)


def test_cfs_worked_example():
    cfs = CFS(discretizer=WIDTH).fit(ABCDE)
    assert sorted(cfs.order_) == [0, 2]
    assert round(cfs.merit_, 6) == 0.679982
    relevance = np.array([naive.su(column, Y) for column in (A, A, C, D)])
    among = np.array([[naive.su(a, b) for b in (A, A, C, D)] for a in (A, A, C, D)])
    merits = [round(merit(group, relevance, among), 6) for group in ([0], [0, 1], [0, 2], [0, 2, 3])]
    assert merits == [0.56159, 0.56159, 0.679982, 0.566706]
    for search in ("exhaustive", "greedy"):
        assert CFS(search=search, discretizer=WIDTH).fit(ABCDE).merit_ == cfs.merit_


def test_consistency_and_interact_worked_example():
    # x3 of the example is the third column here: any function of nothing that matters
    data = of_columns([[0, 0, 1, 1] * 2, [0, 1, 0, 1] * 2, [0] * 4 + [1] * 4, [0, 0, 1, 1] * 2], [0, 1, 1, 0] * 2)
    columns = data.X.T.tolist()
    assert (
        naive.inconsistency([], columns, data.y.tolist()) == naive.inconsistency([0], columns, data.y.tolist()) == 0.5
    )
    for search in ("backward", "best_first"):
        found = Consistency(search=search, discretizer=WIDTH).fit(data)
        assert sorted(found.order_) == [0, 1]
        assert found.inconsistency_ == 0.0
    interact = INTERACT(discretizer=WIDTH).fit(data)
    assert sorted(interact.order_) == [0, 1]
    assert interact.scores_.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert naive.interact(columns, data.y.tolist())[1] == [(3, 0.0), (2, 0.0), (1, 0.5), (0, 0.5)]


@pytest.mark.parametrize("part", range(4))
def test_equal_naive_loops_on_random_sets(part):
    sizes = set()
    for seed in range(50 * part, 50 * part + 50):
        columns, y = random_columns(seed)
        data = of_columns(columns, y)
        fcbf = FCBF(discretizer=WIDTH, min_features=1).fit(data)
        if naive.fcbf(columns, y):
            assert fcbf.order_.tolist() == naive.fcbf(columns, y)
        cfs = CFS(discretizer=WIDTH, min_features=1).fit(data)
        if naive.cfs(columns, y):
            assert cfs.order_.tolist() == naive.cfs(columns, y)
        sizes |= {len(fcbf.order_), len(cfs.order_)}
    assert len(sizes) > 2


@pytest.mark.parametrize("seed", range(25))
def test_consistency_and_interact_equal_naive_loops(seed):
    columns, y = random_columns(seed)
    data = of_columns(columns, y)
    consistency = Consistency(discretizer=WIDTH).fit(data)
    assert sorted(consistency.order_) == naive.consistency(columns, y)
    assert consistency.inconsistency_ == naive.inconsistency(consistency.order_, columns, y)
    assert consistency.inconsistency_ == consistency.inconsistency_of_all_
    for delta in (0.0, 1e-4, 0.05):
        interact = INTERACT(delta=delta, discretizer=WIDTH, min_features=1).fit(data)
        kept, trace = naive.interact(columns, y, delta)
        assert sorted(interact.order_) == (kept or sorted(interact.order_))
        np.testing.assert_allclose(interact.scores_[[f for f, _ in trace]], [cc for _, cc in trace], atol=1e-12)
        assert interact.inconsistency_ == naive.inconsistency(kept, columns, y)
        if delta == 0.0:
            assert interact.inconsistency_ == interact.inconsistency_of_all_


def test_inconsistency_is_monotone():
    columns, y = random_columns(1)
    data = of_columns(columns, y)
    values = [naive.inconsistency(range(k), columns, y) for k in range(len(columns) + 1)]
    assert values == sorted(values, reverse=True)
    path = Consistency(discretizer=WIDTH).fit(data)
    along = [naive.inconsistency(path.order_[:k], columns, y) for k in range(len(path.order_) + 1)]
    assert along == sorted(along, reverse=True)


def test_exhaustive_is_the_best_of_all_and_best_first_is_near():
    for seed in range(20):
        columns, y = random_columns(seed)
        data = of_columns(columns, y)
        settings = {"discretizer": WIDTH, "min_features": 1, "locally_predictive": False}
        exhaustive = CFS(search="exhaustive", **settings).fit(data).merit_
        assert (
            exhaustive
            >= CFS(**settings).fit(data).merit_ - 1e-12
            >= CFS(search="greedy", **settings).fit(data).merit_ - 1e-5
        )
    wide = RankingData(np.random.default_rng(0).random((30, 16)), [0, 1, 2] * 10, [0, 30])
    with pytest.raises(ParameterError, match=r"'exhaustive' for at most 15 features; there are 16"):
        CFS(search="exhaustive").fit(wide)


def test_weka_zero_rule_counts_unrelated_features_as_copies():
    a, b = [0, 0, 1, 1] * 2, [0, 1, 0, 1] * 2  # unrelated to each other
    y = [0, 1, 1, 2] * 2
    plain, weka = (CFS(discretizer=WIDTH, weka_zero_rule=rule).fit(of_columns([a, b], y)) for rule in (False, True))
    assert plain.order_.tolist() == [0, 1]
    assert weka.order_.tolist() == [0]


@pytest.mark.parametrize("name", ["fcbf", "cfs", "consistency", "interact"])
def test_labels_that_nothing_tells_select_nothing(name):
    data = of_columns([D, C[::-1]], [1] * 8)
    with pytest.warns(UserWarning, match="selected no feature: .* Pass min_features=1"):
        none = registry.get(name, discretizer=WIDTH).fit(data)
    assert len(none.order_) == 0
    one = registry.get(name, discretizer=WIDTH, min_features=1).fit(data)
    assert one.order_.tolist() == [0]
    assert one.trace_[0]["reason"] == "min_features=1"


def test_short_names_and_scope():
    assert isinstance(registry.get("ig"), InformationGain)
    assert isinstance(registry.get("CHI"), ChiSquared)
    assert isinstance(registry.get("su"), SymmetricalUncertainty)
    two = RankingData(np.array([[1.0], [0.0], [5.0], [9.0]]), [1, 0, 0, 1], [0, 2, 4])
    scores = InformationGain(discretizer="equal_frequency", scope="query").fit(two).scores_
    assert scores.tolist() == [1.0]
    with pytest.raises(ParameterError, match="'scope' parameter of ChiSquared must be one of 'pooled', 'query'"):
        ChiSquared(scope="global").fit(two)


def test_a_smaller_set_is_a_prefix():
    data = ABCDE
    assert FCBF(1, discretizer=WIDTH).fit(data).selected_.tolist() == [0]
    assert InformationGain(2, discretizer=WIDTH).fit(data).support_.tolist() == [True, True, False, False, False]
