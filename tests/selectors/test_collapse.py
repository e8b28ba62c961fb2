"""Copies become one feature before a method begins: never two of them are chosen, unless that is asked for."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.data.ranking_data import RankingData
from leanrank.data.reading import read_table
from leanrank.data.synthetic import make_ranking
from leanrank.selectors import (
    FSMSVM,
    FSSCPR,
    GAS,
    HCAS,
    MMR,
    MPT,
    MRMR,
    MSD,
    NGAS,
    XGAS,
    FSMRank,
    Limits,
    TopK,
    registry,
)
from leanrank.stats.feature_graph import feature_graph

METHODS = [GAS, MMR, MPT, MRMR, MSD, NGAS, XGAS, TopK, HCAS]


@st.composite
def full_of_copies(draw):
    """Zeros in most places; six features, three of which come again, once changed by an increasing function."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((120, 6)) * (rng.random((120, 6)) < rng.choice([0.1, 0.4, 1.0], 6))
    X[:2] = [[0.0] * 6, [1.0] * 6]  # no feature is constant
    again = np.column_stack([X[:, 0], np.exp(X[:, 1]), X[:, 2] ** 3, X[:, 0] + 1])
    columns = rng.permutation(10)
    family = np.array([0, 1, 2, 3, 4, 5, 0, 1, 2, 0])[columns]
    return RankingData(np.hstack([X, again])[:, columns], rng.integers(0, 3, 120), np.arange(0, 121, 20)), family


@given(full_of_copies())
@settings(max_examples=25, deadline=None)
def test_no_method_takes_two_copies_before_all_else(case):
    data, family = case
    graph = feature_graph(data)
    for method in METHODS:
        fitted = method(6).fit_graph(graph)
        assert len(set(family[fitted.selected_])) == 6, method
        assert method().fit_graph(graph).selected_.shape == (6,), method  # all, but no copy
        standing = {int(family[kept]): len(copies) for kept, copies in fitted.stands_for_.items()}
        assert standing == {0: 2, 1: 1, 2: 1}
        assert all(family[copy] == family[kept] for kept, copies in fitted.stands_for_.items() for copy in copies)
        assert method(collapse=False).fit_graph(graph).stands_for_ == {}
        assert sorted(method(collapse=False).fit_graph(graph).order_) == list(range(10))


@pytest.fixture(scope="module")
def bm25_twice():
    data = make_ranking(20, n_informative=2, n_redundant=0, n_noise=2, random_state=0)[0]
    X = np.hstack([data.X, np.exp(data.X[:, [0]]), data.X[:, [0]]])
    names = ["bm25", "age", "n1", "n2", "exp", "again"]
    return RankingData(X, data.y, data.query_ptr, feature_names=names)


def test_the_answer_says_what_a_feature_stands_for_and_the_others_come_last(bm25_twice):
    fitted = GAS(2).fit(bm25_twice)
    assert fitted.stands_for_ == {0: (4, 5)}
    assert fitted.order_[-2:].tolist() == [4, 5]
    assert fitted.trace_[-1]["reason"] == "copy of 'bm25'"
    assert fitted.select(6).tolist() == fitted.order_.tolist()  # asked for
    record = json.loads(json.dumps(fitted.to_dict()))
    assert record["stands_for"] == {"bm25": ["exp", "again"]}
    assert record["dropped"] == []
    assert "copies      bm25, exp, again" in repr(fitted.graph_)


def test_the_cheapest_stays_and_what_must_be_kept(bm25_twice):
    costs = [3, 1, 1, 1, 2, 2]
    assert GAS(limits=Limits(costs=costs)).fit(bm25_twice).stands_for_ == {4: (0, 5)}
    assert GAS(limits=Limits(costs=costs, never=["exp"])).fit(bm25_twice).stands_for_ == {5: (0,)}
    assert GAS(limits=Limits(must_keep=["again"])).fit(bm25_twice).stands_for_ == {5: (0, 4)}
    both = GAS(3, limits=Limits(must_keep=["again", "exp"])).fit(bm25_twice)
    assert both.stands_for_ == {4: (0,)}
    assert {4, 5} < set(both.selected_.tolist())
    rich = GAS(limits=Limits(budget=5)).fit(bm25_twice)
    assert sorted(rich.selected_.tolist()) == [0, 1, 2, 3]


def test_methods_whose_sets_are_not_nested_drop_copies_too(bm25_twice):
    fitted = FSSCPR(2).fit(bm25_twice)
    assert fitted.dropped_.tolist() == [4, 5]
    assert len(fitted.select(6)) == 6
    stopped = GAS(min_weight=0.2, c=0.5).fit(bm25_twice)
    assert stopped.stands_for_ == {0: (4, 5)}


def test_the_papers_count_knows_no_copies(bm25_twice):
    assert GAS(similarity="strict").fit(bm25_twice).stands_for_ == {}
    assert GAS(similarity="strict", collapse=True).fit(bm25_twice).stands_for_ == {0: (4, 5)}  # looked for in the data
    graph = feature_graph(bm25_twice, similarity="strict")
    assert GAS(collapse=True).fit_graph(graph).stands_for_ == {}
    assert GAS(collapse=True).fit_graph(graph, bm25_twice).stands_for_ == {0: (4, 5)}


@pytest.mark.filterwarnings("ignore:The clustering into 20")
@pytest.mark.parametrize("method", [*METHODS, FSSCPR, FSMRank, FSMSVM, partial(registry.get, "mrmr-f")])
def test_fluccs_no_two_identical_columns_among_the_first_twenty(data_dir, method):
    data = read_table(data_dir / "fluccs" / "fluccs.csv.gz", label="fault", qid="bug", comments="method")
    chosen = method(n_features_to_select=20).fit(data).selected_
    assert len(chosen) == 20 or method is FSMRank  # which gives others no weight
    assert len({data.X[:, j].tobytes() for j in chosen}) == len(chosen) > 5
