"""Charts of the feature graph: what is beside what, and that they render."""

from __future__ import annotations

import numpy as np
import pytest
import vl_convert
from tests.stats.toy import random_data

from leanrank.errors import ParameterError
from leanrank.stats.feature_graph import FeatureGraph, feature_graph
from leanrank.stats.graph_layout import cluster_order, clusters, drawn_edges, layout

# Two families, their members mixed up: {0, 2, 4} and {1, 3}.
FAMILY = np.array([0, 1, 0, 1, 0])
SIMILARITY = np.where(FAMILY[:, None] == FAMILY, 0.9, 0.1)
np.fill_diagonal(SIMILARITY, 1.0)
GRAPH = FeatureGraph([0.5, 0.4, 0.3, 0.2, 0.1], SIMILARITY, ["a", "b", "c", "d", "e"])


def test_families_stay_together():
    ordered = FAMILY[cluster_order(SIMILARITY)]
    assert np.count_nonzero(np.diff(ordered)) == 1
    assert clusters(SIMILARITY, 2).tolist() == FAMILY.tolist()
    position = layout(SIMILARITY)
    distance = np.linalg.norm(position[:, None] - position[None], axis=2)
    same = FAMILY[:, None] == FAMILY
    assert distance[same].max() < distance[~same].min()


def test_edges_reach_every_feature():
    assert {j for edge in drawn_edges(SIMILARITY, None) for j in edge} == set(range(5))
    assert drawn_edges(SIMILARITY, 0.5) == [(0, 2), (0, 4), (1, 3), (2, 4)]
    assert drawn_edges(SIMILARITY, 2.0) == []


def test_number_of_clusters_is_checked():
    with pytest.raises(
        ParameterError, match="'n_clusters' parameter of draw must be from 1 to the number of features, 5"
    ):
        GRAPH.draw(n_clusters=6)


def test_heatmap_holds_every_pair_in_clustered_order():
    chart = GRAPH.heatmap().to_dict()
    order = [GRAPH.feature_names[j] for j in cluster_order(SIMILARITY)]
    assert chart["encoding"]["x"]["scale"]["domain"] == chart["encoding"]["y"]["scale"]["domain"] == order
    values = {(row["feature"], row["other"]): row["similarity"] for row in chart["data"]["values"]}
    assert len(values) == 25
    assert values["a", "c"] == 0.9


@pytest.mark.parametrize("n_features", [1, 2, 3, 12])
@pytest.mark.parametrize("kind", ["kendall", "pearson"])
def test_charts_render(n_features, kind):
    graph = feature_graph(random_data(0, [20, 30], n_features), similarity=kind)
    for chart in (graph.heatmap(), graph.draw(), graph.draw(n_clusters=1, sigma=0.3)):
        assert vl_convert.vegalite_to_svg(chart.to_json()).startswith("<svg")
