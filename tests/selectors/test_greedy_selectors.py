"""Every greedy selector takes, at each step, what a brute-force search over all candidates would take."""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest
from tests.naive import greedy_selection as naive
from tests.selectors.random_graph import random_graph

from leanrank.errors import DataError
from leanrank.selectors import GAS, MMR, MPT, MRMR, MSD, NGAS, XGAS, TopK
from leanrank.selectors.greedy import greedy
from leanrank.stats.feature_graph import FeatureGraph

SEEDS = range(40)


def test_gas_takes_the_largest_marginal_objective_on_200_instances():
    for seed in range(200):
        graph = random_graph(seed)
        c = float(np.random.default_rng(seed).choice([0, 0.01, 0.1, 0.5, 2]))
        assert GAS(c=c).fit_graph(graph).order_.tolist() == naive.gas(graph.importance, graph.similarity, c)


@pytest.mark.parametrize("seed", SEEDS)
def test_diversification_methods_against_brute_force(seed):
    graph = random_graph(seed)
    r, s, sigma = graph.importance, graph.similarity, graph.importance_std
    lam = float(np.random.default_rng(seed).random())
    assert MMR(lam=lam).fit_graph(graph).order_.tolist() == naive.mmr(r, s, lam)
    assert MMR(lam=lam, aggregate="mean").fit_graph(graph).order_.tolist() == naive.mmr(r, s, lam, mean)
    assert MPT(b=3 * lam).fit_graph(graph).order_.tolist() == naive.mpt(r, sigma, s, 3 * lam)
    for form in ("quotient", "difference"):
        for offset in (0.0, 0.3, 1.0):
            assert MRMR(form=form, offset=offset).fit_graph(graph).order_.tolist() == naive.mrmr(r, s, form, offset)
    for size in range(1, graph.n_features + 1):
        assert MSD(size, lam=lam).fit_graph(graph).order_.tolist() == naive.msd(r, s, lam, size)
    assert NGAS().fit_graph(graph).order_.tolist() == naive.ngas(r, s)
    assert XGAS(p=0.3).fit_graph(graph).order_.tolist() == naive.xgas(r, s, 0.3)


@pytest.mark.parametrize("selector", [GAS(c=0), MMR(lam=0), MPT(b=0), XGAS(p=1), MSD(lam=0)], ids=lambda s: repr(s))
def test_without_a_price_for_likeness_every_method_is_top_k(selector):
    graph = random_graph(7, m=8)
    assert selector.fit_graph(graph).order_.tolist() == TopK().fit_graph(graph).order_.tolist()


def test_equal_gains_fall_to_the_lowest_index():
    graph = FeatureGraph(np.full(4, 0.5), np.ones((4, 4)))
    for selector in (GAS(), MMR(), MPT(), MRMR(), MSD(), TopK(), NGAS(), XGAS()):
        assert selector.fit_graph(graph).order_.tolist() == [0, 1, 2, 3], selector


def test_rounding_errors_do_not_decide_a_tie():
    assert [j for j, _ in greedy(lambda _: np.array([0.3, 0.1 + 0.2]), 2)] == [0, 1]


def test_a_copy_of_a_feature_taken_pays_twice_its_similarity():
    w, e = np.array([0.9, 0.9, 0.5]), np.array([[0.8, 0.8, 0.1], [0.8, 0.8, 0.1], [0.1, 0.1, 1.0]])
    selector = GAS(c=0.25).fit_graph(FeatureGraph(w, e))
    assert selector.order_.tolist() == [0, 1, 2]
    assert selector.scores_[1] == pytest.approx(0.9 - 2 * 0.25 * 0.8)


def test_a_copy_of_a_feature_taken_comes_last_when_novelty_is_all():
    graph = FeatureGraph(
        [0.9, 0.9, 0.5, 0.4], [[1, 1, 0.3, 0.2], [1, 1, 0.3, 0.2], [0.3, 0.3, 1, 0.6], [0.2, 0.2, 0.6, 1]]
    )
    assert MMR(lam=0.99).fit_graph(graph).order_.tolist() == [0, 3, 2, 1]


def test_gas_stops_before_the_first_weight_below_min_weight():
    graph = random_graph(3, m=9)
    whole = GAS(c=0.2).fit_graph(graph)
    weights = whole.scores_[whole.order_]
    for stop in range(1, 9):
        short = GAS(c=0.2, min_weight=float(weights[stop - 1])).fit_graph(graph)
        assert short.order_.tolist() == whole.order_[:stop].tolist()
        assert short.support_.sum() == stop
    nothing = GAS(min_weight=2.0).fit_graph(graph)
    assert nothing.selected_.tolist() == []
    assert not nothing.support_.any()


@pytest.mark.parametrize("cls", [GAS, MMR, MPT, MRMR, TopK, NGAS, XGAS])
def test_every_size_is_a_prefix(cls):
    graph = random_graph(11, m=9)
    path = cls().fit_graph(graph).order_
    for k in range(1, 10):
        selector = cls(k).fit_graph(graph)
        assert selector.selected_.tolist() == path[:k].tolist()
        assert selector.select(k).tolist() == path[:k].tolist()


def test_msd_is_nested_for_even_sizes_and_ends_odd_ones_with_the_most_important_left():
    graph = random_graph(5, m=9)
    selector = MSD().fit_graph(graph)
    for k in (2, 4, 6, 8):
        assert selector.select(k).tolist() == selector.order_[:k].tolist()
        left = [j for j in range(9) if j not in selector.order_[:k]]
        assert selector.select(k + 1)[-1] == left[int(np.argmax(graph.importance[left]))]


def test_losses_are_stretched_to_the_unit_interval():
    graph = random_graph(2, m=6)
    scaled = FeatureGraph(-5 + 3 * graph.importance, graph.similarity, importance_std=3 * graph.importance_std)
    low, high = graph.importance.min(), graph.importance.max()
    unit = FeatureGraph(
        (graph.importance - low) / (high - low),
        graph.similarity,
        importance_std=graph.importance_std / (high - low),
    )
    for selector in (MMR(), MSD(), MPT()):
        assert selector.fit_graph(scaled).order_.tolist() == selector.fit_graph(unit).order_.tolist()


def test_a_quotient_of_negative_relevance_is_refused():
    graph = FeatureGraph([-0.5, 0.5], np.eye(2))
    with pytest.raises(DataError, match=r"smallest relevance is -0\.5.*Use 'difference'"):
        MRMR().fit_graph(graph)
    assert MRMR(form="difference").fit_graph(graph).order_.tolist() == [1, 0]
