"""The portfolio: names of the registry, fitted to what may be seen of a fold, sharing what they have in common."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from leanrank import FSSCPR, GAS, MRMR, BestGain, RankSVM, make_ranking, metric
from leanrank.errors import UnknownNameError
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.select import held_out as held_out_module
from leanrank.evaluation.select.effort import EFFORTS, EVERY
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.evaluation.select.portfolio import Sight, portfolio
from leanrank.evaluation.tasks import Tasks
from leanrank.evaluation.training import prepared
from leanrank.selectors import registry
from leanrank.selectors._ranker_selector import RankerSelector
from leanrank.selectors.booster_importance import BoosterImportance
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY
from leanrank.stats.copies import Copies


@pytest.fixture(scope="module")
def data():
    return make_ranking(30, 10, n_informative=3, n_redundant=2, n_noise=3, random_state=2)[0]


@pytest.fixture
def held_out(data):
    held_out = HeldOut(Material(data, None, RankSVM(C=1.0), Copies.none(8)), metric("ndcg@10"), cv=3, random_state=0)
    with Tasks(Journal(None, {})) as tasks:
        held_out.reference(tasks)
    return held_out


def sight(held_out, i, largest=8):
    return Sight(held_out, i, ColumnLimits.none(8), largest, held_out.share(i))


def test_every_name_is_a_selector_of_the_registry():
    assert set(EVERY) <= set(registry.names())
    for name, selector in portfolio("auto").items():
        assert repr(selector) == repr(registry.get(name, collapse=False))
    assert list(portfolio("auto")) == list(EVERY)
    assert list(portfolio("gas, mrmr-f")) == ["gas", "mrmr-f"]
    assert list(portfolio([GAS(c=0.3), "gas", GAS(c=0.4)])) == ["gas", "gas-2", "gas-3"]
    with pytest.raises(UnknownNameError, match="did you mean 'blend"):
        portfolio("blend+mrm")


@pytest.mark.parametrize("effort", EFFORTS.values(), ids=EFFORTS)
def test_efforts_keep_the_order_of_preference(effort):
    for methods in (effort.methods, effort.at_a_size):
        assert list(methods) == sorted(methods, key=EVERY.index)
    assert list(portfolio("auto", effort.methods)) == list(effort.methods)


def test_methods_by_name_draw_from_the_seed_of_the_run_and_objects_from_their_own():
    chosen = portfolio(["fs-scpr", "ranking-boruta", FSSCPR(random_state=3)], seed=7)
    assert [selector.random_state for selector in chosen.values()] == [7, 7, 3]


@pytest.mark.parametrize(
    "name", [name for name in EVERY if not issubclass(registry.selector_class(name), RankerSelector)]
)
def test_a_filter_is_the_same_as_fitted_alone(held_out, data, name):
    for i in (0, None):
        seen = held_out.folds(None).learned(i)
        alone = registry.get(name).fit(seen).order_
        np.testing.assert_array_equal(sight(held_out, i).order(registry.get(name)), alone)


def test_the_share_is_that_of_the_ranker_trained_on_all_features(held_out):
    ranker = held_out.ranker(1)
    train, valid = (prepared(part, ranker) for part in held_out.folds(1).train_valid(1))
    weight = BoosterImportance(ranker).fit(train, eval_set=valid).scores_
    np.testing.assert_allclose(held_out.share(1), weight / weight.sum(), atol=1e-9)
    np.testing.assert_allclose(held_out.share(None), np.mean([held_out.share(i) for i in range(3)], axis=0), atol=1e-9)
    order = sight(held_out, 1).order(registry.get("importance"))
    np.testing.assert_array_equal(order, np.argsort(-held_out.share(1), kind="stable"))


def test_graphs_are_computed_once_for_all(held_out, monkeypatch):
    graphs, feature_graph = [], held_out_module.feature_graph
    monkeypatch.setattr(held_out_module, "feature_graph", lambda *a, **k: graphs.append(1) or feature_graph(*a, **k))
    alike = {"importance": IMPORTANCE, "similarity": SIMILARITY}
    named = ("blend+mrmr", "importance+mrmr", "importance", "rfe", "mrmr>rfe")
    for selector in (MRMR(**alike), GAS(**alike), *map(registry.get, named)):
        for i in (0, 1, 2):
            assert len(sight(held_out, i).order(selector)) == 8
    assert len(graphs) == 3  # one a part; a fold's is the sum of two


def test_the_graph_of_a_fold_is_that_of_its_queries(held_out):
    from leanrank.stats.feature_graph import feature_graph

    whole = feature_graph(held_out.folds(None).learned(2), IMPORTANCE, SIMILARITY)
    np.testing.assert_allclose(sight(held_out, 2).graph.similarity, whole.similarity, atol=1e-12)
    np.testing.assert_allclose(sight(held_out, 2).graph.importance, whole.importance, atol=1e-12)


def test_a_selector_with_a_ranker_of_its_own_keeps_it(held_out):
    own = BoosterImportance(RankSVM(C=100.0))
    train, valid = (prepared(part, own.ranker) for part in held_out.folds(0).train_valid(0))
    np.testing.assert_array_equal(sight(held_out, 0).order(own), own.fit(train, eval_set=valid).order_)


def test_a_method_that_stops_by_itself_is_told_to_go_on(held_out):
    assert len(sight(held_out, 0, largest=7).order(BestGain())) >= 7
    short = BestGain(delta=1e-6, max_features=2)
    assert len(sight(held_out, 0, largest=3).order(short)) <= 3


def test_only_the_data_as_given_travel(held_out, data):
    held_out.fit(0, [0, 1])
    sight(held_out, 0).order(registry.get("blend+mrmr"))
    again = pickle.loads(pickle.dumps(held_out))
    assert set(vars(again.material)) == {"data", "valid", "ranker", "copies", "scales"}
    assert not again._graphs
    assert not again._shares
    np.testing.assert_array_equal(again.fit(0, [0, 1])[0], held_out.fit(0, [0, 1])[0])
