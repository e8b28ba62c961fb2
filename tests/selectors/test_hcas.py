"""HCAS against the textbook clustering loop."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive.lance_williams import partition
from tests.selectors.random_graph import random_graph

from leanrank.selectors import HCAS
from leanrank.selectors.hcas import LINKAGES
from leanrank.stats.feature_graph import FeatureGraph


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_each_cluster_of_a_textbook_clustering(linkage, seed):
    graph = random_graph(seed, m=9)
    distance = 1 - graph.similarity
    for k in range(1, 10):
        clusters = partition(distance, linkage, k)
        expected = {max(cluster, key=lambda j: graph.importance[j]) for cluster in clusters}
        selector = HCAS(k, linkage=linkage).fit_graph(graph)
        assert set(selector.selected_.tolist()) == expected


def test_the_two_wards_differ():
    differ = 0
    for seed in range(60):
        graph = random_graph(seed, m=10)
        a, b = (HCAS(4, linkage=kind).fit_graph(graph).support_ for kind in ("ward.D", "ward.D2"))
        differ += not np.array_equal(a, b)
    assert 0 < differ < 40


def test_opposed_features_are_alike():
    graph = FeatureGraph([0.5, 0.4, 0.3], [[1, -0.9, 0.1], [-0.9, 1, 0.2], [0.1, 0.2, 1]])
    assert HCAS(2).fit_graph(graph).selected_.tolist() == [0, 2]


def test_one_feature():
    assert HCAS().fit_graph(FeatureGraph([0.5], [[1.0]])).order_.tolist() == [0]
