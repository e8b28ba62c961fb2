"""The worked examples, to the printed digits."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank.data.ranking_data import RankingData
from leanrank.selectors import FSSCPR, GAS, HCAS, MMR, MPT, MSD, NGAS, XGAS
from leanrank.selectors.pagerank import BiasedPageRank
from leanrank.stats.feature_graph import FeatureGraph

# T1: two queries, four features, the last one constant.
T1 = RankingData(
    [
        [0.9, 0.8, 0.1, 0.5],
        [0.5, 0.6, 0.9, 0.5],
        [0.4, 0.2, 0.5, 0.5],
        [0.1, 0.2, 0.3, 0.5],
        [0.3, 0.4, 0.9, 0.5],
        [0.7, 0.6, 0.2, 0.5],
        [0.1, 0.2, 0.4, 0.5],
    ],
    [2, 1, 0, 0, 0, 1, 0],
    [0, 4, 7],
)
# MAP with ties in file order and strict concordance; nothing marked constant, so that f3 stays.
T1_MAP = [1.0, 1.0, 13 / 24, 0.75]
T1_STRICT = [[1, 11 / 12, 5 / 12, 0], [11 / 12, 11 / 12, 1 / 3, 0], [5 / 12, 1 / 3, 1, 0], [0, 0, 0, 0]]
T1_GRAPH = FeatureGraph(T1_MAP, T1_STRICT)

FOUR = FeatureGraph(
    [0.5, 0.45, 0.3, 0.4], [[1, 0.9, 0.1, 0.3], [0.9, 1, 0.2, 0.4], [0.1, 0.2, 1, 0.8], [0.3, 0.4, 0.8, 1]]
)
FIVE = FeatureGraph(
    [0.5, 0.4, 0.3, 0.45, 0.2],
    [
        [1, 0.9, 0.2, 0.1, 0.05],
        [0.9, 1, 0.2, 0.1, 0.05],
        [0.2, 0.2, 1, 0.8, 0.05],
        [0.1, 0.1, 0.8, 1, 0.05],
        [0.05, 0.05, 0.05, 0.05, 1],
    ],
)


@pytest.mark.parametrize(
    ("c", "order", "weights"),
    [
        (0.1, [0, 1, 3, 2], [1, 0.816667, 0.75, 0.391667]),
        (1.0, [0, 3, 2, 1], [1, 0.75, -0.291667, -1.5]),
        (0.3, [0, 3, 1, 2], [1, 0.75, 0.45, 0.091667]),
        (0.0, [0, 1, 3, 2], [1, 1, 0.75, 0.541667]),
    ],
)
def test_gas_on_t1(c, order, weights):
    selector = GAS(c=c).fit_graph(T1_GRAPH)
    assert selector.order_.tolist() == order
    assert selector.scores_[order].round(6).tolist() == weights


def test_gas_on_t1_drops_the_constant_feature_and_says_so():
    selector = GAS(c=0.3, similarity="strict").fit(T1)
    assert selector.graph_.importance[:3].round(6).tolist() == [1, 1, 0.541667]
    assert selector.graph_.similarity.round(6)[0].tolist() == [1, 0.916667, 0.416667, 0]
    assert selector.order_.tolist() == [0, 1, 2]
    assert selector.dropped_.tolist() == [3]
    assert selector.to_dict()["dropped"] == ["4"]
    assert np.isnan(selector.scores_[3])


def test_ngas_xgas_hcas():
    assert NGAS().fit_graph(FOUR).order_.tolist() == [0, 3, 1, 2]
    assert XGAS(p=0.05).fit_graph(FOUR).order_.tolist() == [0, 2, 1, 3]
    assert HCAS(2).fit_graph(FOUR).selected_.tolist() == [0, 3]


def test_fsscpr():
    selector = FSSCPR(3, pagerank=BiasedPageRank(scale="none")).fit_graph(FIVE)
    assert selector.eigenvalues_.round(6).tolist() == [0, 0, 0.346786, 1.818182, 1.835032]
    assert sorted(cluster.tolist() for cluster in selector.clusters_) == [[0, 1], [2, 3], [4]]
    assert selector.relevance_.round(6).tolist() == [0.236915, 0.232133, 0.246612, 0.176233, 0.016216]
    assert round(selector.relevance_.sum(), 6) == 0.908108
    assert selector.scores_[:4].round(6).tolist() == [0.618457, 0.616066, 0.612215, 0.577026]
    assert selector.get_support(indices=True).tolist() == [0, 2, 4]
    assert FSSCPR("eigengap").fit_graph(FIVE).n_clusters_ == 3


def test_mmr_on_t1_by_hand():
    selector = MMR(lam=0.5).fit_graph(T1_GRAPH)
    assert selector.order_.tolist() == [0, 3, 2, 1]
    assert selector.scores_[[0, 3, 2, 1]].round(6).tolist() == [1, 0.375, 0.0625, 0.041667]


def test_msd_on_t1_by_hand():
    selector = MSD(lam=0.5).fit_graph(T1_GRAPH)
    assert selector.order_.tolist() == [0, 3, 1, 2]
    assert selector.scores_[[0, 3, 1, 2]].round(6).tolist() == [1.875, 1.875, 1.4375, 1.4375]
    assert MSD(3, lam=0.5).fit_graph(T1_GRAPH).order_.tolist() == [0, 3, 1]


def test_mpt_on_t1_by_hand():
    # AP of f2 is 3/4 and 1/3, of f3 1 and 1/2; f0 and f1 are perfect in both queries.
    graph = FeatureGraph(T1_MAP, T1_STRICT, importance_std=[0, 0, 5 / 24, 1 / 4])
    selector = MPT(b=1).fit_graph(graph)
    assert selector.order_.tolist() == [0, 1, 3, 2]
    assert selector.scores_[[0, 1, 3, 2]].round(6).tolist() == [1, 1, 0.71875, 0.522974]
    # The same r with deviation 0.2 for f0 and f1: their likeness, 11/12, now costs 2 * 0.2 * 0.2 * 11/12.
    graph = FeatureGraph(T1_MAP, T1_STRICT, importance_std=[0.2, 0.2, 0.1, 0.3])
    selector = MPT(b=1).fit_graph(graph)
    assert selector.order_[:2].tolist() == [0, 1]
    assert selector.scores_[[0, 1]].round(6).tolist() == [0.96, 0.901429]
