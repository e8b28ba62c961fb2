"""FS-SCPR and its parts: PageRank, the spectrum, clusters, automatic sizes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse.csgraph import laplacian
from sklearn.metrics import silhouette_score
from tests.selectors.random_graph import random_graph

from leanrank.errors import ParameterError
from leanrank.selectors import FSSCPR
from leanrank.selectors.fsscpr import Clustering
from leanrank.selectors.pagerank import BiasedPageRank, biased_pagerank
from leanrank.selectors.spectral import Spectrum
from leanrank.stats.feature_graph import FeatureGraph


def edges_of(seed: int, m: int, keep: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    w = np.triu(rng.random((m, m)) * (rng.random((m, m)) < keep), k=1)
    return w + w.T


def blocks(sizes, inside=0.9, outside=0.0, seed=0):
    """A graph of blocks: similar inside, (nearly) unrelated outside."""
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    same = label[:, None] == label
    noise = np.triu(rng.random(same.shape), k=1)
    noise = noise + noise.T
    s = np.where(same, inside + 0.05 * noise, outside * noise)
    np.fill_diagonal(s, 1.0)
    return FeatureGraph(rng.random(len(label)) + 0.1, s), label


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.85])
def test_pagerank_is_the_solution_of_the_linear_equations(seed, alpha):
    w = edges_of(seed, 8, keep=0.3)
    p = np.random.default_rng(seed).random(8)
    degree = w.sum(axis=1)
    P = np.divide(w, degree, out=np.zeros_like(w), where=degree > 0)
    expected = (1 - alpha) * np.linalg.inv(np.eye(8) - alpha * P) @ (p / p.sum())
    assert biased_pagerank(w, p, alpha=alpha) == pytest.approx(expected, abs=1e-8)
    assert biased_pagerank(w, p, alpha=alpha, max_iterations=0) == pytest.approx(expected, abs=1e-12)


def test_pagerank_sums_to_one_unless_a_vertex_leaks():
    w, p = edges_of(1, 6, keep=1.0), np.arange(1.0, 7.0)
    assert biased_pagerank(w, p).sum() == pytest.approx(1)
    w[2] = w[:, 2] = 0
    leaking = biased_pagerank(w, p, alpha=0.85)
    assert leaking[2] == pytest.approx(0.15 * 3 / 21)
    assert leaking.sum() < 0.999
    assert biased_pagerank(w, p, redistribute=True).sum() == pytest.approx(1)


def test_pagerank_of_no_preference_is_that_of_a_uniform_one():
    w = edges_of(3, 5)
    assert biased_pagerank(w, np.zeros(5)) == pytest.approx(biased_pagerank(w, np.ones(5)))


def test_redistributing_pagerank_is_that_of_networkx():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    w, p = edges_of(4, 7, keep=0.3), np.arange(1.0, 8.0)
    w[5] = w[:, 5] = 0
    theirs = networkx.pagerank(
        networkx.from_numpy_array(w), alpha=0.85, personalization=dict(enumerate(p)), tol=1e-12, max_iter=1000
    )
    ours = biased_pagerank(w, p, alpha=0.85, redistribute=True)
    assert ours == pytest.approx([theirs[i] for i in range(7)], abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_spectrum_is_that_of_scipys_normalised_laplacian(seed):
    w = edges_of(seed, 9, keep=0.25)
    ours = Spectrum.of(w)
    expected = np.linalg.eigvalsh(laplacian(w, normed=True))
    assert ours.eigenvalues == pytest.approx(expected, abs=1e-10)
    n_components = networkx_free_components(w)
    assert ours.n_components == n_components


def networkx_free_components(w):
    from scipy.sparse.csgraph import connected_components

    return connected_components(w, directed=False)[0]


@pytest.mark.parametrize("sizes", [(3, 3, 3), (1, 4, 2), (2, 2, 2, 5), (6, 1, 1)])
def test_blocks_are_recovered(sizes):
    graph, label = blocks(sizes)
    selector = FSSCPR(len(sizes)).fit_graph(graph)
    assert sorted(c.tolist() for c in selector.clusters_) == sorted(
        np.flatnonzero(label == b).tolist() for b in range(len(sizes))
    )
    assert sorted(label[selector.selected_]) == list(range(len(sizes)))
    assert (selector.eigenvalues_ < 1e-9).sum() == len(sizes)


@pytest.mark.parametrize("rule", ["eigengap", "silhouette"])
@pytest.mark.parametrize("n_blocks", [2, 3, 5])
def test_automatic_sizes_find_the_number_of_blocks(rule, n_blocks):
    graph, _ = blocks((4,) * n_blocks, outside=0.2)
    assert FSSCPR(rule).fit_graph(graph).n_clusters_ == n_blocks


def test_silhouette_is_the_best_of_all_sizes():
    graph = random_graph(8, m=12)
    selector = FSSCPR("silhouette", sigma=0.3, clustering=Clustering(k_min=3, k_max=9)).fit_graph(graph)
    edges = np.where(graph.similarity > 0.3, graph.similarity, 0.0)
    np.fill_diagonal(edges, 0)
    spectrum = Spectrum.of(edges)
    quality = {k: silhouette_score(spectrum.embedding(k), spectrum.clusters(k)) for k in range(3, 10)}
    # The selector works in an order of its own, so clusters may differ in a local optimum, not in quality.
    assert quality[selector.n_clusters_] == pytest.approx(max(quality.values()), abs=0.02)


def test_none_is_eigengap():
    graph, _ = blocks((3, 3, 3), outside=0.1)
    assert FSSCPR(None).fit_graph(graph).n_clusters_ == FSSCPR("eigengap").fit_graph(graph).n_clusters_ == 3


def test_every_feature_and_one_feature():
    graph = random_graph(4, m=7)
    everything = FSSCPR(7).fit_graph(graph)
    assert everything.support_.all()
    assert everything.n_clusters_ == 7
    one = FSSCPR(1).fit_graph(graph)
    assert one.n_clusters_ == 1
    # In one cluster all rows of Y are equal: PageRank decides.
    assert one.selected_.tolist() == [int(np.argmax(one.relevance_))]


def test_features_that_coincide_are_one_cluster_even_if_more_were_asked_for():
    similarity = np.kron(np.eye(2), np.ones((3, 3)))
    with pytest.warns(UserWarning, match="clustering into 4 is not determined"):
        FSSCPR(4).fit_graph(FeatureGraph(np.arange(1.0, 7.0), similarity))
    selector = FSSCPR(2).fit_graph(FeatureGraph(np.arange(1.0, 7.0), similarity))
    assert selector.selected_.tolist() == [5, 2]


def test_fewer_clusters_than_components_is_said():
    graph, _ = blocks((2, 2, 2, 2))
    with pytest.warns(UserWarning, match="the graph has 4 components"):
        FSSCPR(2).fit_graph(graph)


def test_sizes_are_not_nested_and_select_clusters_anew():
    graph = random_graph(6, m=10)
    selector = FSSCPR(4, sigma=0.0).fit_graph(graph)
    clusters = [c.tolist() for c in selector.clusters_]
    for k in (2, 5, 7):
        assert selector.select(k).tolist() == FSSCPR(k, sigma=0.0).fit_graph(graph).selected_.tolist()
    assert [c.tolist() for c in selector.clusters_] == clusters


def test_sigma_and_tau_prune_edges():
    similarity = np.array([[1, 0.9, 0.52], [0.9, 1, 0.4], [0.52, 0.4, 1]])
    graph = FeatureGraph([0.5, 0.4, 0.3], similarity)
    whole = FSSCPR(2).fit_graph(graph)
    assert (whole.eigenvalues_ < 1e-9).sum() == 1
    for pruned in (FSSCPR(2, edge_scale="tau"), FSSCPR(2, sigma=0.6)):
        pruned.fit_graph(graph)
        assert (pruned.eigenvalues_ < 1e-9).sum() == 2
        assert sorted(c.tolist() for c in pruned.clusters_) == [[0, 1], [2]]


def test_cluster_similarity_from_edges_by_hand():
    similarity = np.array([[1, 0.9, 0.3], [0.9, 1, 0.5], [0.3, 0.5, 1]])
    as_printed = FSSCPR(1, clustering=Clustering(centrality="edge"), pagerank=BiasedPageRank(scale="none"))
    selector = as_printed.fit_graph(FeatureGraph([0.5, 0.4, 0.3], similarity))
    centrality = np.array([0.6, 0.7, 0.4])
    assert selector.scores_ == pytest.approx(0.5 * selector.relevance_ + 0.5 * centrality, abs=1e-9)
    assert selector.selected_.tolist() == [1]


def test_relevance_scales_by_hand():
    graph, _ = blocks((3, 2), outside=0.2)
    s = FSSCPR(2).fit_graph(graph).relevance_
    none, largest, minmax = (
        FSSCPR(2, pagerank=BiasedPageRank(scale=scale)).fit_graph(graph).scores_
        for scale in ("none", "max", "cluster_minmax")
    )
    assert largest - none == pytest.approx(0.5 * (s / s.max() - s), abs=1e-9)
    for cluster in (slice(0, 3), slice(3, 5)):
        inside = s[cluster]
        stretched = (inside - inside.min()) / np.ptp(inside)
        assert (minmax - none)[cluster] == pytest.approx(0.5 * (stretched - inside), abs=1e-9)


def test_dangling_share_is_lost_or_returned():
    graph, _ = blocks((3, 3, 1))
    assert FSSCPR(3).fit_graph(graph).relevance_.sum() < 0.999
    assert FSSCPR(3, pagerank=BiasedPageRank(dangling="redistribute")).fit_graph(
        graph
    ).relevance_.sum() == pytest.approx(1)


def test_the_trace_says_who_won_each_cluster_and_by_how_much():
    graph, label = blocks((3, 2, 1), outside=0.3)
    selector = FSSCPR(3).fit_graph(graph)
    assert len(selector.trace_) == 3
    for record, cluster in zip(selector.trace_, selector.clusters_, strict=True):
        scores = np.sort(selector.scores_[cluster])[::-1]
        assert record["feature"] in cluster
        assert record["score"] == scores[0]
        if len(cluster) > 1:
            assert record["gain"] == pytest.approx(scores[0] - scores[1])
            assert "wins cluster" in record["reason"]
        else:
            assert "alone in cluster" in record["reason"]
    assert len({label[record["feature"]] for record in selector.trace_}) == 3


def test_constant_features_are_nan_in_what_is_learned():
    graph, _ = blocks((2, 2), outside=0.3)
    graph = FeatureGraph(
        np.insert(graph.importance, 1, 0.99),
        np.insert(np.insert(graph.similarity, 1, 0.0, axis=0), 1, 0.0, axis=1),
        constant=[False, True, False, False, False],
    )
    selector = FSSCPR(2).fit_graph(graph)
    assert np.flatnonzero(np.isnan(selector.relevance_)).tolist() == [1]
    assert sorted(c.tolist() for c in selector.clusters_) == [[0, 2], [3, 4]]


def test_it_does_not_depend_on_the_order_of_columns():
    for seed in range(15):
        graph = random_graph(seed, m=12)
        order = np.random.default_rng(seed).permutation(12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            a, b = (FSSCPR(5).fit_graph(g) for g in (graph, graph.subset(order)))
        assert order[b.order_].tolist() == a.order_.tolist()
        assert np.array_equal(b.scores_, a.scores_[order])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"pagerank": BiasedPageRank(alpha=1.0)},
            "'alpha' parameter of BiasedPageRank must be >= 0 and < 1. Got 1.0 instead",
        ),
        ({"sigma": "low"}, "'sigma' parameter of FSSCPR must be a number"),
        ({"n_features_to_select": "elbow"}, "must be one of 'eigengap', 'silhouette'. Got 'elbow'"),
        ({"edge_scale": "rho"}, "must be one of 'fraction', 'tau'"),
        ({"clustering": Clustering(k_max=1)}, "must be >= k_min, 2"),
        ({"n_features_to_select": 9}, "from 1 to 4, the number of features. Got 9"),
    ],
)
def test_impossible_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        FSSCPR(**parameters).fit_graph(random_graph(0, m=4))
