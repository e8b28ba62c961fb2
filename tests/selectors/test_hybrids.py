"""Hybrids of a filter and a ranker: made of their parts, from data alone or from parts computed before."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

from leanrank import (
    MRMR,
    BoosterImportance,
    FilteredRFE,
    Limits,
    RankingRFE,
    RankSVM,
    RelevanceMRMR,
    feature_graph,
    make_ranking,
)
from leanrank.errors import ParameterError
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY, STEP, shares

DATA, _ = make_ranking(60, n_informative=4, n_redundant=4, n_noise=12, random_state=1)
NAMES = list(DATA.feature_names)


class Parts:
    """Known graph and shares, which remember that they were asked for."""

    def __init__(self):
        self.asked = []

    @cached_property
    def graph(self):
        self.asked.append("graph")
        return feature_graph(DATA, IMPORTANCE, SIMILARITY)

    @cached_property
    def share(self):
        self.asked.append("share")
        return np.round(shares(BoosterImportance().fit(DATA).scores_), 12)


def alike(a, b):
    assert a.order_.tolist() == b.order_.tolist()
    np.testing.assert_allclose(a.scores_, b.scores_, rtol=1e-9)
    assert a.dropped_.tolist() == b.dropped_.tolist()


@pytest.mark.parametrize("relevance", ["ranker", "blend"])
def test_relevance_mrmr_is_mrmr_on_another_relevance(relevance):
    known = Parts()
    r = known.share if relevance == "ranker" else np.sqrt(known.graph.importance * known.share)
    expected = MRMR(collapse=False).fit_graph(replace(known.graph, importance=r / r.max()))
    alike(RelevanceMRMR(relevance=relevance, collapse=False).fit_known(known), expected)
    alike(RelevanceMRMR(relevance=relevance, collapse=False).fit(DATA), expected)


@pytest.mark.parametrize("by", ["importance", "mrmr"])
@pytest.mark.parametrize("wanted", [2, 4, None])
def test_filtered_rfe_is_a_filter_then_elimination(by, wanted):
    known = Parts()
    filtered = (
        np.argsort(-known.share, kind="stable")
        if by == "importance"
        else MRMR(collapse=False).fit_graph(known.graph).order_
    )
    first = np.sort(filtered[: 3 * (wanted or 20)])
    size = wanted if (wanted or len(first)) < len(first) else None  # down to the size asked for
    elimination = RankingRFE(n_features_to_select=size, step=STEP).fit(DATA.subset(first))
    expected = [*first[elimination.order_], *filtered[len(first) :]]
    selector = FilteredRFE(n_features_to_select=wanted, filter=by, collapse=False)
    assert selector.fit(DATA).order_.tolist() == expected
    assert selector.n_trained_ == elimination.n_trained_
    known.asked.clear()
    again = FilteredRFE(filter=by, collapse=False).fit_known(known, DATA, largest=wanted or 20)
    assert again.order_.tolist() == expected
    fresh = Parts()
    FilteredRFE(filter=by).fit_known(fresh, DATA, largest=2)
    assert fresh.asked == ["share" if by == "importance" else "graph"]


@pytest.mark.parametrize("make", [RelevanceMRMR, lambda **p: FilteredRFE(filter="mrmr", **p)])
def test_what_is_known_is_collapsed_as_data_are(make):
    """Copies come last, and what the ranker makes of them is theirs that stand for them."""
    twice = replace(DATA, X=np.column_stack([DATA.dense(), DATA.dense()[:, :2] ** 3]), feature_names=(*NAMES, "x", "y"))

    class Known:
        graph = feature_graph(twice, IMPORTANCE, SIMILARITY)
        share = np.round(shares(BoosterImportance().fit(twice).scores_), 12)

    more = (twice,) if make is not RelevanceMRMR else ()
    collapsed = make(ranker=RankSVM(C=1.0)).fit_known(Known, *more)
    stands = set(collapsed.stands_for_)
    copies = {j for others in collapsed.stands_for_.values() for j in others}
    assert {20, 21} <= copies
    assert not stands & copies
    assert set(collapsed.order_[-len(copies) :].tolist()) == copies
    assert make(ranker=RankSVM(C=1.0), collapse=False).fit_known(Known, *more).stands_for_ == {}


def test_no_more_than_thirty_features_are_eliminated_among():
    rng = np.random.default_rng(0)
    wide = replace(
        DATA,
        X=np.column_stack([DATA.dense(), rng.random((DATA.n_rows, 20))]),
        feature_names=tuple(map(str, range(40))),
    )
    selector = FilteredRFE().fit(wide)
    assert np.isfinite(selector.scores_).sum() == 30
    assert sorted(selector.order_.tolist()) == list(range(40))


@pytest.mark.parametrize("make", [RelevanceMRMR, FilteredRFE, lambda **p: FilteredRFE(filter="mrmr", **p)])
def test_limits_hold(make):
    free = make(ranker=RankSVM(C=1.0)).fit(DATA)
    last, first = int(free.order_[-1]), int(free.order_[0])
    ruled = make(ranker=RankSVM(C=1.0), limits=Limits(must_keep=[last], never=[NAMES[first]], budget=5)).fit(DATA)
    assert ruled.order_[0] == last
    assert first not in ruled.order_
    assert len(ruled.order_) == 5
    assert ruled.cost_ == 5
    costs = np.ones(20)
    costs[first] = 100.0
    dear = make(ranker=RankSVM(C=1.0), limits=Limits(costs=costs, budget=50)).fit(DATA)
    assert first not in dear.order_


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="'relevance' parameter of RelevanceMRMR must be one of 'ranker', 'blend'"):
        RelevanceMRMR(relevance="f").fit(DATA)
    with pytest.raises(ParameterError, match="'filter' parameter of FilteredRFE must be one of 'importance', 'mrmr'"):
        FilteredRFE(filter="gas").fit(DATA)
    with pytest.raises(ParameterError, match="'step' parameter of FilteredRFE must be a number of features >= 1"):
        FilteredRFE(step=0).fit(DATA)
