"""Folds of which a part weighs nothing, or next to nothing: what is learned is that of the queries that count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leanrank import RankSVM, feature_graph, make_ranking, metric, select
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.stats.copies import Copies


@pytest.fixture(scope="module")
def data():
    return make_ranking(20, n_informative=2, n_redundant=0, n_noise=4, random_state=0)[0]


def with_weights(data, weight):
    return replace(data, beside=SideColumns(query_weight=weight))


def held_out_of(data, cv=5):
    material = Material(data, None, RankSVM(C=1.0), Copies.none(data.n_features))
    return HeldOut(material, metric("ndcg@10"), cv=cv, random_state=1)


def test_select_takes_data_of_which_a_part_weighs_nothing(data):
    weight = np.zeros(20)
    weight[np.random.default_rng(1).choice(20, 6, replace=False)] = 1
    weighted = with_weights(data, weight)
    how = {"methods": ["gas", "mrmr"], "n_features": 2, "effort": "quick", "random_state": 1, "progress": False}
    assert select(weighted, "ranksvm", **how).n_features == 2


@pytest.mark.parametrize("least", [0.0, 1e-11])
def test_the_graph_of_a_fold_is_that_of_the_queries_it_learns_from(data, least):
    part = held_out_of(with_weights(data, np.ones(20))).parts[0]
    weight = np.full(20, 1 / 3)
    weight[part] = least
    held_out = held_out_of(with_weights(data, weight))
    for i in (None, 0, 1):
        graph, own = held_out.graph(i, "map", "kendall"), feature_graph(held_out.folds(i).learned(i), "map", "kendall")
        assert graph.n_queries == own.n_queries
        for name in ("importance", "importance_std", "similarity", "constant"):
            np.testing.assert_array_equal(getattr(graph, name), getattr(own, name))


def test_queries_that_all_weigh_next_to_nothing_are_refused_with_what_they_weigh(data):
    light = SideColumns(query_weight=np.full(20, 1e-12), time=np.arange(20.0))
    for cv, fold in ((5, 0), ("time", None)):
        with pytest.raises(DataError, match="weigh 2e-11 together, too little for a similarity"):
            held_out_of(replace(data, beside=light), cv).graph(fold, "map", "kendall")
