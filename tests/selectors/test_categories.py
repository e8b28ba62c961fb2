"""Categories in selectors: every method takes them as one feature, or refuses them by name."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.data.categorical import in_parts, with_categories

from leanrank import RankingData, select
from leanrank.data.category_means import CategoryMeans, cross_fitted
from leanrank.errors import DataError
from leanrank.rankers import get
from leanrank.reducers import RCDR
from leanrank.selectors import registry
from leanrank.selectors._ranker_selector import RankerSelector, copies_of, idle_copies, importances, useless_to
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.stability_selection import StabilitySelection
from leanrank.stats.feature_graph import FeatureGraph, feature_graph


def fitted(name, data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return registry.get(name, **settings).fit(data)


@pytest.mark.parametrize("name", registry.names())
def test_every_method_takes_a_category_as_one_feature(name):
    data = with_categories(24, 8)
    selector = fitted(name, data)
    assert selector.n_features_in_ == 4
    assert set(selector.order_.tolist()) <= {0, 1, 2, 3}
    if not isinstance(selector, RankerSelector | StabilitySelection):  # which learns the means of every sample
        by_hand = fitted(name, cross_fitted(data))
        np.testing.assert_array_equal(selector.order_, by_hand.order_)
        np.testing.assert_array_equal(selector.scores_, by_hand.scores_)


@pytest.mark.parametrize("name", ["gas", "mrmr", "rrelieff", "information-gain"])
def test_filters_see_the_category_that_matters(name):
    data = with_categories(80)
    assert set(fitted(name, data).order_[:2].tolist()) == {0, 1}


@pytest.mark.parametrize("ranker", ["lightgbm", "ranksvm"])
@pytest.mark.parametrize("name", ["rfe", "importance", "ranking-boruta"])
def test_methods_that_train_rankers_hand_categories_to_them(name, ranker):
    pytest.importorskip("lightgbm")
    data = with_categories(60)
    trained = get(ranker, n_estimators=10, n_threads=1) if ranker == "lightgbm" else get(ranker)
    settings = {"n_rounds": 5} if name == "ranking-boruta" else {}
    selector = fitted(name, data, ranker=trained, **settings)
    assert set(selector.order_[:2].tolist()) == {0, 1}


def test_the_graph_is_that_of_means():
    data = with_categories(30)
    graph, by_hand = feature_graph(data), feature_graph(cross_fitted(data))
    np.testing.assert_array_equal(graph.importance, by_hand.importance)
    np.testing.assert_array_equal(graph.similarity, by_hand.similarity)


def test_fsmrank_scores_with_means():
    train, valid, test = in_parts(with_categories())
    selector = registry.get("fsmrank").fit(train, eval_set=valid)
    numbered = CategoryMeans.of(train).numbered(test)
    np.testing.assert_allclose(selector.predict(test), numbered.X @ selector.coef_)


def test_a_category_and_a_number_are_no_copies():
    from dataclasses import replace

    data = with_categories(missing=False)
    X = np.column_stack([data.X, data.X[:, 1], data.X[:, 1]])
    names = (*data.feature_names, "brand id", "maker")
    twins = replace(data, X=X, feature_names=names, categories={**data.categories, "maker": data.categories["brand"]})
    assert copies_of(twins, ColumnLimits.none(6)).standing(names) == {"brand": ("maker",)}
    assert idle_copies(get("lightgbm"), twins, ColumnLimits.none(6)).standing(names) == {"brand": ("maker",)}


def test_missing_is_a_value_to_what_is_constant():
    from dataclasses import replace

    data = with_categories(10, 4)
    X = data.X.copy()
    X[:, 1] = np.where(np.arange(len(X)) % 2, np.nan, 3)
    X[:, 3] = 1
    poor = replace(data, X=X)
    np.testing.assert_array_equal(useless_to(get("ranksvm"), poor), [False, False, False, True])
    np.testing.assert_array_equal(useless_to(get("lightgbm"), poor), [False, False, False, True])


@pytest.mark.parametrize("name", ["lightgbm", "ranksvm"])
def test_the_loss_without_a_category(name):
    pytest.importorskip("lightgbm")
    train, _, test = in_parts(with_categories(120))
    ranker = get(name, n_estimators=20, n_threads=1) if name == "lightgbm" else get(name)
    lost = importances(ranker.fit(train), "loss", test)
    assert lost[1] > 0.01 > abs(lost[3])


def test_sums_of_features_refuse_categories():
    with pytest.raises(DataError, match="RCDR makes sums of features, and the category 'brand' is no number"):
        RCDR(2).fit(with_categories())


def with_flag() -> RankingData:
    """A flag, categories that order queries as it does by their mean labels, and one that parts as another does."""
    rng = np.random.default_rng(0)
    flag, amount, query = rng.integers(0, 2, 600), rng.normal(size=600), np.repeat(np.arange(60), 10)
    X = np.column_stack([flag, flag, 2 * flag + query % 2, amount, 1 - flag])
    return RankingData(
        X,
        np.clip(np.round(flag * (1 + query % 2) + 0.6 * amount), 0, 2),
        np.arange(0, 601, 10),
        feature_names=("flag", "kind", "segment", "amount", "kind again"),
        categories={"kind": ("bad", "good"), "segment": tuple("abcd"), "kind again": ("g", "b")},
    )


@pytest.mark.parametrize("name", registry.names())
def test_no_number_stands_for_a_category_nor_one_for_another_that_parts_otherwise(name):
    assert fitted(name, with_flag(), collapse=True).stands_for_ == {1: (4,)}


def test_a_graph_knows_its_categories(tmp_path):
    data = with_flag()
    graph = feature_graph(data)
    assert graph.similarity[0, 1] == graph.similarity[0, 2] == 1.0
    assert graph.copies() == [[1, 4]]
    graph.save(tmp_path / "graph.npz")
    read = FeatureGraph.load(tmp_path / "graph.npz")
    for one in (read, fitted("gas", data).graph_, graph.with_kinds(graph.kinds)):
        assert one.copies() == [[1, 4]]
        assert one.partials is not None
    assert read.subset([4, 0, 1]).copies() == [[0, 2]]
    halves = [feature_graph(data.take_queries(np.arange(60)[part])) for part in (slice(0, 30), slice(30, 60))]
    assert (halves[0] + halves[1]).copies() == [[1, 4]]
    assert registry.get("gas").fit_graph(read).stands_for_ == {1: (4,)}
    strict = registry.get("gas", collapse=True).fit_graph(feature_graph(data, similarity="strict"), data)
    assert strict.stands_for_ == {1: (4,)}
    with pytest.raises(DataError, match="a category in one of the graphs and a number in the other"):
        graph + feature_graph(cross_fitted(data))


def test_select_and_its_methods_tell_the_same_of_categories():
    methods = [registry.get("mmr"), registry.get("mrmr>rfe"), registry.get("blend+mrmr")]
    answer = select(with_flag(), "ranksvm", methods=methods, n_features=4, cv=3, progress=False)
    assert answer.stands_for == {"kind": ("kind again",)}
    assert set(answer.features) == {"flag", "kind", "segment", "amount"}
