"""The planted truth: ten useful families among copies and noise, and who finds them."""

from __future__ import annotations

import pytest

from leanrank.data.synthetic import make_ranking
from leanrank.selectors import FSSCPR, GAS, TopK
from leanrank.stats.feature_graph import feature_graph


@pytest.fixture(scope="module", params=range(5), ids="seed {}".format)
def planted(request):
    data, truth = make_ranking(n_informative=10, n_redundant=20, n_noise=20, random_state=request.param)
    family = [t.name if t.role == "informative" else t.source for t in truth]
    return feature_graph(data), family


def n_sources(selector, planted):
    graph, family = planted
    return len({family[j] for j in selector.fit_graph(graph).selected_} - {None})


def test_gas_and_fsscpr_find_nine_of_ten_sources(planted):
    assert n_sources(GAS(10), planted) >= 9
    assert n_sources(FSSCPR(10), planted) >= 9


def test_importance_alone_does_not(planted):
    assert n_sources(TopK(10), planted) <= 6
