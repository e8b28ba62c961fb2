"""Every method of the registry with weights: whole weights equal repetition, weights of 1 change no bit."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from tests.naive.repeated import repeated_documents, repeated_queries
from tests.naive.weights_page import said

from leanrank import GAS, LocalEngine, Neighbours, RankingData, RankSVM, Similarity, scan_parquet, write_parquet
from leanrank.data.side_columns import SideColumns
from leanrank.data.weights import DOCUMENTS, QUERIES
from leanrank.errors import DataError
from leanrank.selectors.registry import get, names
from leanrank.stats.discretize import EqualFrequencyDiscretizer, MDLDiscretizer

CLOSE = {"rtol": 0, "atol": 1e-10}

#: Trained to the last digit: what is left of the way to the minimum is not that of the repeated data.
SVM = RankSVM(tol=1e-14)
#: Where the defaults do not say it: repeated queries are dealt to folds of their own, so rankers are judged on the
#: queries that they learned from.
SETTINGS = {
    "booster-importance": {"ranker": SVM},
    "importance": {"ranker": SVM},
    "importance+mrmr": {"ranker": SVM},
    "blend+mrmr": {"ranker": SVM},
    "rfe": {"ranker": SVM},
    "mrmr>rfe": {"ranker": SVM},
    "ranking-rfe": {"ranker": SVM},
    "rank-wrapper": {"ranker": SVM},
    "greedy-wrapper": {"ranker": SVM, "validation": "train", "n_features_to_select": 3},
    "stability-selection": {"selector": GAS(2), "n_resamples": 5},
    "ranking-boruta": {"ranker": SVM, "n_rounds": 3},
}
#: These draw queries, or shuffle rows, at random: with a query more there are other draws.
DRAWING = ["ranking-boruta", "stability-selection"]
PAGE = said("method")


def made(role, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 11, 24)
    n = int(sizes.sum())
    y = rng.integers(0, 3, n)
    X = np.round(rng.normal(size=(n, 6)), 1)  # with ties
    X[:, 0] += 1.3 * y
    X[:, 1] += 0.7 * (y > 0)
    X[:, 2] += y == 2
    X[:, 3] = X[:, 0] + np.round(0.4 * rng.normal(size=n), 1)
    times = rng.integers(0, 4, 24 if role == QUERIES else n).astype(float)
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    if role == DOCUMENTS:
        times[ptr[:-1]] = 2.0  # no query loses all of its documents
    return RankingData(X, y, ptr, beside=SideColumns(**{role: times}))


def fitted(name, data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of sets that are empty, or of one feature that all agree on
        return get(name, **{**SETTINGS.get(name, {}), **settings}).fit(data)


def the_same(one, other, **close):
    np.testing.assert_array_equal(one.order_, other.order_)
    np.testing.assert_array_equal(one.selected_, other.selected_)
    np.testing.assert_allclose(one.scores_, other.scores_, **(close or {"rtol": 0, "atol": 0}))


@pytest.mark.parametrize("name", [name for name in names() if name not in DRAWING])
def test_queries_that_weigh_are_queries_so_often(name):
    data = made(QUERIES)
    one = fitted(name, data)
    the_same(one, fitted(name, repeated_queries(data)), **CLOSE)
    assert len(one.order_) > 0


@pytest.mark.parametrize("name", names())
def test_weights_of_one_change_no_bit(name):
    data = made(QUERIES)
    plain, ones = replace(data, beside=SideColumns()), SideColumns(query_weight=np.ones(data.n_queries))
    one, other = fitted(name, replace(data, beside=ones)), fitted(name, plain)
    the_same(one, other)
    assert [step["reason"] for step in one.trace_] == [step["reason"] for step in other.trace_]


@pytest.mark.parametrize("name", names())
def test_weights_matter(name):
    data = made(QUERIES, seed=1)
    plain = fitted(name, replace(data, beside=SideColumns()))
    one = fitted(name, data)
    assert not np.array_equal(one.scores_, plain.scores_, equal_nan=True)


@pytest.mark.parametrize("name", names())
def test_documents_that_weigh_are_documents_so_often_or_refused_by_name(name):
    data, how = made(DOCUMENTS), PAGE[name][1]
    if how.startswith("so often"):
        the_same(fitted(name, data), fitted(name, repeated_documents(data)), **CLOSE)
        plain, ones = replace(data, beside=SideColumns()), SideColumns(weight=np.ones(data.n_rows))
        the_same(fitted(name, replace(data, beside=ones)), fitted(name, plain))
        return
    if name == "stability-selection":  # refused by the selector it has here
        how = "refused"
    if how == "refused":
        with pytest.raises(DataError, match="cannot take weights of documents"):
            fitted(name, data)
    else:
        assert len(fitted(name, data).order_) > 0


VARIANTS = {
    **{f"{way} bins": ("cfs", {"discretizer": way}) for way in ("equal_frequency", "equal_width")},
    "few bins": ("interact", {"discretizer": EqualFrequencyDiscretizer(3, max_values=4)}),
    "better encoding": ("consistency", {"discretizer": MDLDiscretizer(better_encoding=True), "search": "best_first"}),
    "chi-squared of queries": ("chi-squared", {"scope": "query"}),
    "information gain of queries": ("information-gain", {"scope": "query"}),
    "ranks": ("forward-regression", {"scale": "rank"}),
    "euclidean": ("relieff", {"neighbours": Neighbours(metric="euclidean"), "skip_single_level": False}),
    "gains of ndcg": ("best-gain", {"metric": "ndcg@5", "count_picked": True}),
    "pooled ranks": ("mrmr", {"similarity": Similarity("spearman", scope="pooled"), "relevance": "f"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_other_ways_of_the_same_methods(variant):
    name, settings = VARIANTS[variant]
    data = made(QUERIES, seed=2)
    one = fitted(name, data, **settings)
    the_same(one, fitted(name, repeated_queries(data), **settings), **CLOSE)
    ones = SideColumns(query_weight=np.ones(data.n_queries))
    plain = fitted(name, replace(data, beside=SideColumns()), **settings)
    the_same(fitted(name, replace(data, beside=ones), **settings), plain)
    if PAGE[name][1] == "so often":
        data = made(DOCUMENTS, seed=2)
        the_same(fitted(name, data, **settings), fitted(name, repeated_documents(data), **settings), **CLOSE)


IN_BLOCKS = [
    "best-gain",
    "cfs",
    "chi-squared",
    "consistency",
    "forward-regression",
    "mrmr-f",
    "rank-filter",
    "rrelieff",
]


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_blocks_files_and_sparse_rows_make_no_difference(name, tmp_path):
    data = made(QUERIES, seed=3)
    weight = data.beside.query_weight * np.random.default_rng(0).choice([0.3, 1.0, 2.7], data.n_queries)
    data = replace(data, beside=SideColumns(query_weight=weight))
    one, small = fitted(name, data), LocalEngine(n_threads=1, block_rows=7)
    the_same(fitted(name, data, engine=small), one, **CLOSE)
    the_same(fitted(name, replace(data, X=sp.csr_array(data.X))), one, **CLOSE)
    write_parquet(data, tmp_path / "weighted.parquet")
    the_same(fitted(name, scan_parquet(tmp_path / "weighted.parquet"), engine=small), one, **CLOSE)


def test_both_weights_at_once():
    documents = made(DOCUMENTS, seed=4)
    by_query = made(QUERIES, seed=4).beside.query_weight
    both = replace(documents, beside=SideColumns(weight=documents.beside.weight, query_weight=by_query))
    rows = repeated_documents(documents)
    again = repeated_queries(replace(rows, beside=SideColumns(query_weight=by_query)))
    for name in ("chi-squared", "fcbf", "forward-regression", "booster-importance"):
        the_same(fitted(name, both), fitted(name, again), **CLOSE)


def test_neighbours_anywhere_refuse_weights():
    with pytest.raises(DataError, match=r"RReliefF with Neighbours\('global'\) cannot take weights of queries"):
        fitted("rrelieff", made(QUERIES), neighbours=Neighbours("global"))


def test_rankwrapper_with_given_scores_and_with_rankers_of_other_libraries():
    data = made(QUERIES, seed=5)
    again, scores = repeated_queries(data), data.X[:, 0] - 0.2 * data.X[:, 4]
    wrapper = get("rank-wrapper")
    one = wrapper.fit(data, scores=scores).scores_
    np.testing.assert_allclose(one, wrapper.fit(again, scores=again.X[:, 0] - 0.2 * again.X[:, 4]).scores_, **CLOSE)
    the_same(fitted("rank-wrapper", data, ranker=Ridge()), fitted("rank-wrapper", again, ranker=Ridge()), **CLOSE)
    with pytest.raises(DataError, match="KNeighborsRegressor cannot take weights of queries"):
        fitted("rank-wrapper", data, ranker=KNeighborsRegressor())


@pytest.mark.parametrize(("name", "less"), [("chi-squared", "less than one document"), ("mrmr-f", "than labels")])
def test_weights_that_count_as_less_than_a_document_are_refused(name, less):
    data = made(QUERIES)
    tiny = SideColumns(query_weight=data.beside.query_weight / 1e6)
    with pytest.raises(DataError, match=less):
        fitted(name, replace(data, beside=tiny))


def test_the_page_names_every_method():
    assert sorted(PAGE) == names()
    assert {name for name, (queries, _) in PAGE.items() if "draws" in queries} == set(DRAWING)
    assert all("refused" not in queries for queries, _ in PAGE.values())
