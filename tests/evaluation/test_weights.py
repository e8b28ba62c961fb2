"""Whole weights equal repetition, weights of 1 change no bit, and what knows no weights refuses them by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.naive.repeated import repeated_documents, repeated_queries
from tests.naive.weights_page import said

from leanrank import Importance, RankingData, RankSVM, Similarity, evaluate, feature_graph, fold
from leanrank.data.arrangement import Arrangement
from leanrank.data.side_columns import SideColumns
from leanrank.data.weights import DOCUMENTS, QUERIES
from leanrank.errors import DataError
from leanrank.metrics.names import names as metric_names
from leanrank.rankers.registry import get as ranker
from leanrank.rankers.registry import names as ranker_names
from leanrank.stats.anova import AnovaF
from leanrank.stats.query_moments import QueryMoments
from leanrank.stats.value_counts import ValueCounts

CLOSE = {"rtol": 0, "atol": 1e-10}


def made(seed=0, n_queries=14, **beside):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, n_queries)
    n = int(sizes.sum())
    X = np.round(rng.normal(size=(n, 5)), 1)  # with ties
    y = rng.integers(0, 3, n)
    X[:, 0] += y
    X[:, 1] += 0.5 * y
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    side = {
        QUERIES: rng.integers(0, 4, n_queries).astype(float),
        DOCUMENTS: rng.integers(1, 4, n).astype(float),
    }
    return RankingData(X, y, ptr, beside=SideColumns(**{role: side[role] for role in beside if beside[role]}))


def with_ones(data, *roles):
    sizes = {QUERIES: data.n_queries, DOCUMENTS: data.n_rows}
    return replace(data, beside=SideColumns(**{role: np.ones(sizes[role]) for role in roles}))


@pytest.mark.parametrize("name", metric_names([3]))
def test_a_metric_of_weighted_queries_is_that_of_repeated_ones(name):
    data = made(query_weight=True)
    again = repeated_queries(data)
    weighted, repeated = (evaluate(d, d.X[:, 0] + 0.01 * d.X[:, 1], name).mean for d in (data, again))
    np.testing.assert_allclose(list(weighted.values()), list(repeated.values()), **CLOSE)
    plain = replace(data, beside=SideColumns())
    one = evaluate(with_ones(data, QUERIES), data.X[:, 0], name).mean
    assert one == evaluate(plain, data.X[:, 0], name).mean


STATISTICS = {
    **{f"importance {name}": Importance(name, direction="max") for name in ("map", "ndcg@3", "error", "hinge")},
    "importance of pairs": Importance("error", average="pairs"),
    **{f"kendall {ties}": Similarity(ties=ties) for ties in ("signed", "strict", "half", "clipped", "tau-b")},
    **{kind: Similarity(kind) for kind in ("tau_ap", "spearman", "pearson")},
    **{f"pooled {kind}": Similarity(kind, scope="pooled") for kind in ("pearson", "spearman")},
    "moments": QueryMoments(),
    "moments of ranks": QueryMoments("rank"),
    "analysis of variance": AnovaF(),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_of_weighted_queries_is_that_of_repeated_ones(name):
    statistic, data = STATISTICS[name], made(query_weight=True)
    plain = replace(data, beside=SideColumns())
    same(fold(statistic, data), fold(statistic, repeated_queries(data)), exact=False)
    same(fold(statistic, with_ones(data, QUERIES)), fold(statistic, plain), exact=True)
    sparse = replace(data, X=sp.csr_array(data.X))
    same(fold(statistic, sparse), fold(statistic, data), exact=True)
    parts = [statistic.of(block) for block in data.blocks(7)]
    merged = parts[0]
    for part in parts[1:]:
        merged = statistic.merge(merged, part)
    same(statistic.finish(merged), fold(statistic, data), exact=False)


@pytest.mark.parametrize(
    "name", ["pooled pearson", "pooled spearman", "moments", "moments of ranks", "analysis of variance"]
)
def test_a_statistic_of_weighted_documents_is_that_of_repeated_ones(name):
    statistic, data = STATISTICS[name], made(weight=True)
    same(fold(statistic, data), fold(statistic, repeated_documents(data)), exact=False)
    same(fold(statistic, with_ones(data, DOCUMENTS)), fold(statistic, replace(data, beside=SideColumns())), exact=True)


def same(one, other, *, exact):
    """Means, deviations and directions; of how many queries they are means is another question."""
    pairs = [(one, other)] if isinstance(one, np.ndarray) else zip(one, other, strict=True)
    for number, (a, b) in enumerate(pairs):
        if number == 2 and not isinstance(one, np.ndarray) and len(one) == 4 and np.shape(a) != np.shape(b):
            continue  # the weight of an importance
        if exact:
            np.testing.assert_array_equal(a, b)
        elif number < 3:
            np.testing.assert_allclose(a, b, **CLOSE)


def test_queries_of_many_weights_and_of_one_are_summed_alike():
    data = made(n_queries=200, query_weight=True)
    rng = np.random.default_rng(1)
    weight = np.where(np.arange(200) < 120, 2.0, rng.integers(1, 9, 200))
    data = replace(data, beside=SideColumns(query_weight=weight))
    same(fold(Similarity(), data), fold(Similarity(), repeated_queries(data)), exact=False)
    part = feature_graph(data.take_queries(np.arange(90))) + feature_graph(data.take_queries(np.arange(90, 200)))
    whole = feature_graph(data)
    np.testing.assert_allclose(part.similarity, whole.similarity, **CLOSE)
    with pytest.raises(DataError, match="One of the graphs has weights of queries"):
        whole + feature_graph(replace(data, beside=SideColumns(), query_ids=np.arange(200) + 1000))


def test_a_weighted_graph_is_saved_and_read(tmp_path):
    graph = feature_graph(made(query_weight=True))
    graph.save(tmp_path / "graph.npz")
    again = type(graph).load(tmp_path / "graph.npz")
    np.testing.assert_array_equal(again.similarity, graph.similarity)
    np.testing.assert_array_equal((again + again).importance, graph.importance)


def test_coefficients_of_ranksvm_are_those_of_repeated_queries_and_documents():
    for roles, repeat in (({QUERIES: True}, repeated_queries), ({DOCUMENTS: True}, repeated_documents)):
        data = made(3, **roles)
        one, other = (RankSVM(C=3.0, tol=1e-14).fit(d) for d in (data, repeat(data)))
        np.testing.assert_allclose(one.coef_, other.coef_, **CLOSE)
        np.testing.assert_allclose(one.objective_, other.objective_, **CLOSE)
        plain = RankSVM(C=3.0).fit(replace(data, beside=SideColumns()))
        np.testing.assert_array_equal(RankSVM(C=3.0).fit(with_ones(data, *roles)).coef_, plain.coef_)
    both = made(3, query_weight=True, weight=True)
    documents = replace(repeated_documents(both), beside=SideColumns(query_weight=both.beside.query_weight))
    one, other = (RankSVM(C=3.0, tol=1e-14).fit(d) for d in (both, repeated_queries(documents)))
    np.testing.assert_allclose(one.coef_, other.coef_, **CLOSE)


@pytest.mark.parametrize("name", [name for name, (queries, _) in said("ranker").items() if queries == "so often"])
def test_a_ranker_of_weighted_queries_is_that_of_repeated_ones(name):
    exact = {"ranksvm": {"tol": 1e-14}, "ordersvm": {"tol": 1e-12}, "svmmap": {"eps": 1e-8}}.get(name, {})
    data = made(4, n_queries=30, query_weight=True)
    one, other = (ranker(name, **exact).fit(d) for d in (data, repeated_queries(data)))
    scores, again = one.predict(data), other.predict(data)
    np.testing.assert_allclose(scores, again, rtol=0, atol=1e-10)


def test_a_document_without_weight_is_not_there_to_ranksvm():
    data = made(3, weight=True)
    weight = data.beside.weight.copy()
    weight[data.query_ptr[:-1][data.query_sizes > 1]] = 0
    data = replace(data, beside=SideColumns(weight=weight))
    one, other = (RankSVM(C=3.0, tol=1e-14).fit(d) for d in (data, repeated_documents(data)))
    np.testing.assert_allclose(one.coef_, other.coef_, **CLOSE)


#: Which weights each ranker takes, as the page says.
RANKERS = {
    name: [role for role, how in zip((QUERIES, DOCUMENTS), answers, strict=True) if how != "refused"]
    for name, answers in said("ranker").items()
}


@pytest.mark.parametrize("name", ranker_names())
@pytest.mark.parametrize("role", [QUERIES, DOCUMENTS])
def test_rankers_take_weights_or_refuse_them_by_name(name, role):
    data = made(5, n_queries=30, **{role: True})
    few = {"n_estimators": 5, "n_threads": 1} if name in ("lightgbm", "xgboost", "catboost") else {}
    learner = ranker(name, **few)
    if role not in RANKERS[name]:
        what = "queries" if role == QUERIES else "documents"
        with pytest.raises(DataError, match=rf"{learner._title} cannot take weights of {what}"):
            learner.fit(data)
        return
    weighted = learner.fit(data).predict(data)
    plain = replace(data, beside=SideColumns())
    unweighted = ranker(name, **few).fit(plain).predict(plain)
    assert not np.allclose(weighted, unweighted)
    np.testing.assert_array_equal(ranker(name, **few).fit(with_ones(data, role)).predict(data), unweighted)


def test_boosters_are_given_weights_as_the_libraries_take_them():
    import lightgbm
    import xgboost

    data = made(5, n_queries=30, query_weight=True, weight=True)
    weight = np.repeat(data.beside.query_weight, data.query_sizes) * data.beside.weight
    ours = ranker("lightgbm", n_estimators=5, n_threads=1, min_child_samples=2).fit(data).predict(data)
    params = {"objective": "lambdarank", "min_child_samples": 2, "learning_rate": 0.05, "verbosity": -1, "seed": 0}
    params |= {"num_threads": 1, "deterministic": True, "force_row_wise": True}
    theirs = lightgbm.train(params, lightgbm.Dataset(data.X, data.y, weight=weight, group=data.query_sizes), 5)
    np.testing.assert_allclose(ours, theirs.predict(data.X), rtol=0, atol=1e-12)
    queries = replace(data, beside=data.beside.without(DOCUMENTS))
    model = xgboost.XGBRanker(objective="rank:ndcg", n_estimators=5, learning_rate=0.05, max_depth=6, n_jobs=1)
    model.fit(data.X, data.y, qid=data.qid, sample_weight=data.beside.query_weight)
    ours = ranker("xgboost", n_estimators=5, n_threads=1).fit(queries).predict(queries)
    np.testing.assert_allclose(ours, model.predict(data.X), rtol=0, atol=1e-6)


def test_shap_values_are_averaged_by_weight():
    data = made(5, n_queries=30, query_weight=True)
    few = {"n_estimators": 5, "n_threads": 1, "min_child_samples": 2}
    fitted = ranker("lightgbm", **few).fit(data)
    for own in (data, replace(data, X=sp.csr_array(data.X))):
        got = fitted.importances("shap", data=own)
        np.testing.assert_allclose(got, fitted.importances("shap", data=repeated_queries(data)), **CLOSE)


def test_statistics_that_do_not_say_that_they_know_weights_refuse_them():
    with pytest.raises(DataError, match="ValueCounts cannot take weights of queries"):
        fold(ValueCounts(), made(query_weight=True))
    with pytest.raises(DataError, match="Similarity cannot take weights of documents"):
        fold(Similarity("pearson"), made(weight=True))
    with pytest.raises(DataError, match="evaluate cannot take weights of documents"):
        evaluate(made(weight=True), np.zeros(made().n_rows))


def test_rows_that_differ_in_weight_alone_have_one_canonical_order():
    X, y = np.zeros((6, 1)), np.array([1, 1, 0, 1, 1, 0])
    weight = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    data = RankingData(X, y, [0, 3, 6], beside=SideColumns(weight=weight, query_weight=np.array([2.0, 1.0])))
    rows = np.array([4, 3, 5, 1, 0, 2])
    side = SideColumns(weight=weight[rows], query_weight=np.array([1.0, 2.0]))
    other = RankingData(X[rows], y[rows], [0, 3, 6], np.array([1, 0]), beside=side)
    assert Arrangement.of(data).data.equals(Arrangement.of(other).data)
