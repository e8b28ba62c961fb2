"""The split of a cluster in two: climbing finds the best of all, and no seed has a part in it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.naive import fsscpr as naive
from tests.selectors.random_graph import random_graph

from leanrank import letor_folds
from leanrank.selectors import FSSCPR
from leanrank.selectors.spectral import Spectrum
from leanrank.selectors.two_means import CLIMBED, best_split, climbed_split, halves
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.similarity import Similarity


def inertia_of(points, weight, second):
    parts = [(points[part], weight[part]) for part in (second, ~second)]
    return sum(float(w @ ((p - np.average(p, axis=0, weights=w)) ** 2).sum(axis=1)) for p, w in parts)


def rows_of_eigenvectors(seed, m, k):
    """Points as the clustering has them: rows of unit length, nearly at right angles where k is large."""
    graph = random_graph(seed, m=m)
    edges = graph.similarity.copy()
    np.fill_diagonal(edges, 0.0)
    return Spectrum.of(edges).embedding(k)


@pytest.mark.parametrize("seed", range(6))
def test_of_few_points_it_is_the_best_of_all_splits(seed):
    points = rows_of_eigenvectors(seed, 8, 3)
    _, second = naive.bisecting(points, 2)
    for split in (best_split, climbed_split):
        assert set(np.flatnonzero(split(points, np.ones(8)))) == set(second)


@pytest.mark.parametrize("m", [9, 12, 15])
def test_climbing_finds_the_best_of_all_splits_whatever_the_weights(m):
    rng = np.random.default_rng(m)
    missed = 0
    for seed in range(30):
        points = rows_of_eigenvectors(seed, m, int(rng.integers(2, m)))
        weight = rng.integers(1, 4, m).astype(np.float64)
        best, climbed = (inertia_of(points, weight, split(points, weight)) for split in (best_split, climbed_split))
        assert climbed >= best - 1e-9
        missed += climbed > best + 1e-9
    assert missed == 0


def test_no_single_move_and_no_known_start_of_lloyds_is_better():
    points = rows_of_eigenvectors(3, 40, 12)
    weight = np.ones(40)
    second = climbed_split(points, weight)
    reached = inertia_of(points, weight, second)
    for i in range(40):
        moved = second.copy()
        moved[i] ^= True
        assert inertia_of(points, weight, moved) >= reached - 1e-9
    assert reached <= KMeans(2, n_init=100, random_state=0).fit(points).inertia_ + 1e-9


def test_a_split_is_of_the_points_not_of_their_order():
    points = rows_of_eigenvectors(5, 30, 9)
    order = np.random.default_rng(0).permutation(30)
    weight = np.arange(1.0, 31.0)
    one, other = climbed_split(points, weight), climbed_split(points[order], weight[order])
    assert np.array_equal(one[order] ^ one[order[0]], other ^ other[0])


@pytest.mark.parametrize("k", [2, 9, 20])
def test_up_to_64_features_no_seed_and_no_restart_changes_a_cluster(k):
    graph = random_graph(1, m=46)
    spectrum = Spectrum.of(np.where(np.eye(46) == 1, 0.0, graph.similarity))
    expected = spectrum.clusters(k)
    for seed, n_init in ((1, 1), (2, 10), (None, 3)):
        assert np.array_equal(spectrum.clusters(k, n_init=n_init, random_state=seed), expected)
    assert FSSCPR(k, random_state=3).fit_graph(graph).order_.tolist() == FSSCPR(k).fit_graph(graph).order_.tolist()


def test_more_points_are_split_by_restarted_k_means():
    rng = np.random.default_rng(0)
    points = np.concatenate((rng.normal(0, 0.1, (CLIMBED, 2)), rng.normal(3, 0.1, (20, 2))))
    second = halves(points, np.ones(len(points)), 2, 0)
    assert len(set(second[:CLIMBED])) == len(set(second[CLIMBED:])) == 1
    assert second[0] != second[-1]


@pytest.mark.data
def test_on_features_of_ohsumed_climbing_finds_what_k_means_misses(data_dir):
    train = next(iter(letor_folds(data_dir / "ohsumed"))).train
    graph = feature_graph(train, "map", Similarity("kendall", ties="strict"))
    edges = graph.similarity[np.ix_(~graph.constant, ~graph.constant)]
    np.fill_diagonal(edges, 0.0)
    spectrum, rng, weight = Spectrum.of(edges), np.random.default_rng(0), np.ones(15)
    missed = {"climbing": 0, "k-means": 0}
    for k in range(2, 42):
        points = np.unique(spectrum.embedding(k), axis=0)
        points = points[np.sort(rng.choice(len(points), 15, replace=False))]
        best = inertia_of(points, weight, best_split(points, weight))
        restarted = KMeans(2, n_init=10, random_state=0).fit(points).labels_ == 1
        missed["climbing"] += inertia_of(points, weight, climbed_split(points, weight)) > best + 1e-9
        missed["k-means"] += inertia_of(points, weight, restarted) > best + 1e-9
    assert missed["climbing"] == 0
    assert missed["k-means"] > 10
