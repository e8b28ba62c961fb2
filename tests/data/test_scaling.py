"""Scaling inside queries: the figures, the order of rows, and scikit-learn's interface."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import minmax_scale, scale
from sklearn.utils.estimator_checks import check_estimator
from tests.naive import scaling as naive

from leanrank.data.ranking_data import RankingData
from leanrank.data.scaling import QueryMinMaxScaler, QueryStandardScaler
from leanrank.data.splits import QueryKFold
from leanrank.errors import DataError, ParameterError

SCALERS = [QueryMinMaxScaler, QueryStandardScaler]
QID = np.array([7, 7, 7, 3, 3, 9, 5, 5, 5, 5])
PTR = np.array([0, 3, 5, 6, 10])
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=10), RNG.integers(0, 3, size=10), np.full(10, 0.1), 1e6 + RNG.normal(size=10)])

numbers = st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, 0.1, -2.5])


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
@settings(max_examples=50, deadline=None)
def test_kernels_equal_their_naive_twins(sizes, draw):
    query_ptr = np.concatenate(([0], np.cumsum(sizes)))
    values = draw.draw(arrays(np.float64, (sum(sizes), 3), elements=numbers | st.just(float("nan"))))
    qid = np.repeat(np.arange(len(sizes)), sizes)
    minmax = QueryMinMaxScaler().fit_transform(values, qid=qid)
    np.testing.assert_allclose(minmax, naive.query_minmax(values, query_ptr), rtol=1e-14, atol=0)
    rounded = QueryMinMaxScaler(decimals=2).fit_transform(values, qid=qid)
    np.testing.assert_allclose(rounded, naive.query_minmax(values, query_ptr, 2), atol=0, rtol=1e-14)
    known = minmax[~np.isnan(minmax)]
    assert ((known >= 0) & (known <= 1)).all()
    standard = QueryStandardScaler().fit_transform(values, qid=qid)
    np.testing.assert_array_equal(np.isnan(standard), np.isnan(values))
    for i, (a, b) in enumerate(pairwise(query_ptr)):
        part = standard[a:b]
        for j in range(3):
            column = part[:, j][~np.isnan(part[:, j])]
            if len(column) and np.ptp(values[qid == i, j][~np.isnan(values[qid == i, j])]) > 0:
                np.testing.assert_allclose([column.mean(), column.std()], [0, 1], atol=1e-9)
            else:
                assert (column == 0).all()


@pytest.mark.parametrize(("scaler", "reference"), [(QueryMinMaxScaler(), minmax_scale), (QueryStandardScaler(), scale)])
def test_each_query_alone_is_what_scikit_learn_gives(scaler, reference):
    scaled = scaler.fit_transform(X, qid=QID)
    for q in np.unique(QID):
        np.testing.assert_allclose(scaled[q == QID], reference(X[q == QID]), atol=1e-8)


def test_standard_scaling_equals_the_naive_twin():
    values = np.where(RNG.uniform(size=X.shape) < 0.2, np.nan, X)
    scaled = QueryStandardScaler().fit_transform(values, qid=QID)
    np.testing.assert_allclose(scaled, naive.query_standardise(values, PTR), atol=1e-8)


@pytest.mark.parametrize("scaler", SCALERS)
def test_a_constant_becomes_zero_exactly(scaler):
    values = np.array([[0.1, 1e300, 3.0], [0.1, 1e300, 3.0], [0.1, 1e300, 4.0]])
    scaled = scaler().fit_transform(values, qid=[1, 1, 2])
    assert (scaled == 0).all()
    assert (scaler().fit_transform(np.full((7, 2), 0.1), qid=np.zeros(7)) == 0).all()


@pytest.mark.parametrize("scaler", SCALERS)
def test_extreme_values_do_not_overflow(scaler):
    scaled = scaler().fit_transform([[-1.7e308], [1.7e308], [0.0]], qid=[1, 1, 1])
    expected = [0, 1, 0.5] if scaler is QueryMinMaxScaler else [-np.sqrt(1.5), np.sqrt(1.5), 0]
    np.testing.assert_allclose(scaled[:, 0], expected, atol=1e-12)


@pytest.mark.parametrize("scaler", SCALERS)
@given(st.permutations(range(10)))
@settings(max_examples=25, deadline=None)
def test_rows_of_a_query_need_not_be_adjacent(scaler, order):
    whole = scaler().fit_transform(X, qid=QID)
    np.testing.assert_allclose(scaler().fit_transform(X[order], qid=QID[order]), whole[order], atol=1e-9)
    if scaler is QueryMinMaxScaler:
        counts = np.floor(np.abs(X))
        whole = scaler().fit_transform(counts, qid=QID)
        sparse = scaler().fit_transform(sp.csr_array(counts[order]), qid=QID[order])
        np.testing.assert_array_equal(sparse.toarray(), whole[order])


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_width_is_kept_and_the_input_left_alone(scaler, dtype):
    values = np.asfortranarray(X.astype(dtype))
    before = values.copy()
    scaled = scaler().fit_transform(values, qid=QID)
    assert scaled.dtype == dtype
    np.testing.assert_array_equal(values, before)
    np.testing.assert_allclose(scaled, scaler().fit_transform(values.astype(np.float64), qid=QID), atol=1e-6)
    assert scaler().fit_transform([[1, 2], [3, 4]], qid=[1, 1]).dtype == np.float64


@pytest.mark.parametrize("scaler", SCALERS)
def test_threads_do_not_change_a_bit(scaler, monkeypatch):
    values, qid = RNG.normal(size=(50_000, 3)), np.repeat(np.arange(500), 100)
    monkeypatch.setenv("LEANRANK_THREADS", "1")
    one = scaler().fit_transform(values, qid=qid)
    monkeypatch.setenv("LEANRANK_THREADS", "2")
    np.testing.assert_array_equal(one, scaler().fit_transform(values, qid=qid))


def test_missing_values_stay_or_become_the_minimum():
    values = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan], [5.0, 2.0]])
    kept = QueryMinMaxScaler().fit_transform(values, qid=[1, 1, 1, 2])
    np.testing.assert_array_equal(kept, [[0, np.nan], [np.nan, np.nan], [1, np.nan], [0, 0]])
    filled = QueryMinMaxScaler(fill_missing=True).fit_transform(values, qid=[1, 1, 1, 2])
    np.testing.assert_array_equal(filled, [[0, 0], [0, 0], [1, 0], [0, 0]])


def test_sparse_equals_dense_and_stays_sparse():
    dense = np.where(RNG.uniform(size=(40, 6)) < 0.7, 0.0, RNG.uniform(1, 9, size=(40, 6)))
    dense[:10, 0] = RNG.uniform(2, 3, size=10)  # all stored: the minimum is not 0
    dense[10:20, 1] = -RNG.uniform(2, 3, size=10)  # negative, but none absent
    dense[20:30, 2] = 4.0
    dense[3, 3] = np.nan
    qid = np.repeat([1, 2, 3, 4], 10)
    given = sp.csr_array(dense)
    scaled = QueryMinMaxScaler().fit_transform(given, qid=qid)
    assert sp.issparse(scaled)
    assert scaled.nnz == given.nnz
    np.testing.assert_array_equal(scaled.toarray(), QueryMinMaxScaler().fit_transform(dense, qid=qid))
    shuffled = sp.csr_array(given)
    shuffled.indices, shuffled.data = shuffled.indices.copy(), shuffled.data.copy()
    for row in range(40):
        at = slice(shuffled.indptr[row], shuffled.indptr[row + 1])
        shuffled.indices[at], shuffled.data[at] = shuffled.indices[at][::-1], shuffled.data[at][::-1]
    shuffled.has_sorted_indices = shuffled.has_canonical_format = False
    np.testing.assert_array_equal(QueryMinMaxScaler().fit_transform(shuffled, qid=qid).toarray(), scaled.toarray())


def test_sparse_input_that_would_fill_up_is_refused():
    values = sp.csr_array([[0.0, 1.0], [-2.0, 0.0], [1.0, 1.0]])
    with pytest.raises(DataError, match=r"Feature '1' has a negative value in query b.*dense"):
        QueryMinMaxScaler().fit_transform(values, qid=["b", "b", "a"])
    with pytest.raises(DataError, match="QueryStandardScaler cannot take sparse input"):
        QueryStandardScaler().fit(values)
    with pytest.raises(DataError, match="QueryStandardScaler cannot take sparse input"):
        QueryStandardScaler().fit_transform(RankingData(values, [0, 1, 2], [0, 2, 3]))


@pytest.mark.parametrize("scaler", SCALERS)
def test_ranking_data_in_ranking_data_out(scaler):
    data = RankingData(X, np.arange(10) % 3, PTR, [7, 3, 9, 5], ["a", "b", "c", "d"], comments=[""] * 10)
    scaled = scaler().set_output(transform="pandas").fit_transform(data)
    assert isinstance(scaled, RankingData)
    assert scaled.feature_names == data.feature_names
    np.testing.assert_array_equal(scaled.query_ids, data.query_ids)
    np.testing.assert_array_equal(scaled.y, data.y)
    np.testing.assert_array_equal(scaled.X, scaler().fit_transform(X, qid=QID))
    assert scaler().fit(data).get_feature_names_out().tolist() == ["a", "b", "c", "d"]
    with pytest.raises(DataError, match="RankingData carries its own queries"):
        scaler().fit(data).transform(data, qid=QID)
    with pytest.raises(DataError, match=r"X has 3 features, but Query.*Scaler is expecting 4|should match"):
        scaler().fit(data).transform(data.subset([0, 1, 2]))


def test_filling_makes_ranking_data_complete():
    data = RankingData([[1.0], [np.nan]], [0, 1], [0, 2], missing=True)
    assert QueryMinMaxScaler().fit_transform(data).missing
    filled = QueryMinMaxScaler(fill_missing=True).fit_transform(data)
    assert not filled.missing
    assert filled.X.tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("scaler", SCALERS)
def test_frames(scaler):
    names = ["bm25", "age", "one", "big"]
    expected = scaler().fit_transform(X, qid=QID)
    frame = pd.DataFrame(X, columns=names, index=range(100, 110))
    plain = scaler().fit(frame).transform(frame, qid=pd.Series(QID, index=frame.index))
    np.testing.assert_array_equal(plain, expected)
    pandas = scaler().set_output(transform="pandas").fit(frame).transform(frame, qid=QID)
    pd.testing.assert_frame_equal(pandas, pd.DataFrame(expected, columns=names, index=frame.index))
    polars = scaler().set_output(transform="polars").fit_transform(pl.DataFrame(X, schema=names), qid=pl.Series(QID))
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns == names
    np.testing.assert_array_equal(polars.to_numpy(), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        scaler().fit(frame).transform(frame[names[::-1]], qid=QID)


@pytest.mark.parametrize("scaler", SCALERS)
def test_what_cannot_be_scaled_says_why(scaler):
    fitted = scaler().fit(X)
    with pytest.raises(DataError, match=r"needs the query of every row: pass qid"):
        fitted.transform(X)
    with pytest.raises(DataError, match="one value per row"):
        fitted.transform(X, qid=QID[:-1])
    with pytest.raises(ValueError, match="X has 3 features, but Query"):
        fitted.transform(X[:, :3], qid=QID)
    with pytest.raises(DataError, match=r"inf in feature '1', row 0"):
        fitted.transform(np.full((2, 4), np.inf), qid=[1, 1])
    with pytest.raises(sklearn.exceptions.NotFittedError, match="not fitted yet"):
        scaler().transform(X, qid=QID)


def test_decimals_are_checked():
    for decimals in (-1, 1.5, True, 16):
        with pytest.raises(ParameterError, match="'decimals' parameter of QueryMinMaxScaler must be None or a whole"):
            QueryMinMaxScaler(decimals=decimals).fit(X)


class _OneQuery:
    """Without qid, all rows are one query: what scikit-learn's checks need to call transform."""

    def transform(self, X, *, qid=None):
        n = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        return super().transform(X, qid=np.zeros(n, dtype=int) if qid is None else qid)

    def fit_transform(self, X, y=None, *, qid=None):
        return self.fit(X, y, qid=qid).transform(X, qid=qid)


class OneMinMax(_OneQuery, QueryMinMaxScaler):
    pass


class OneStandard(_OneQuery, QueryStandardScaler):
    pass


@pytest.mark.parametrize("estimator", [OneMinMax(), OneStandard()])
def test_scikit_learn_estimator_checks(estimator):
    check_estimator(
        estimator,
        expected_failed_checks={
            "check_methods_subset_invariance": "values depend on the other rows of the query, by design",
            "check_dtype_object": "a dict among the values is refused with DataError, a ValueError, not a TypeError",
        },
        on_skip=None,
        on_fail="raise",
    )


class SeesScale(LinearRegression):
    """A ranker stand-in that fails unless its input was scaled by query."""

    def fit(self, X, y, *, qid=None):
        assert qid is not None
        assert np.ptp(X, axis=0).max() <= 1
        return super().fit(X, y)


@pytest.mark.parametrize("asked", [False, True])
def test_a_pipeline_routes_qid_to_the_scaler(asked):
    values, qid = RNG.normal(size=(60, 3)) + np.repeat(np.arange(12) * 9, 5)[:, None], np.repeat(np.arange(12), 5)
    y = values @ [1.0, 2.0, 0.0] % 3
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = QueryMinMaxScaler()
        if asked:
            scaler = scaler.set_fit_request(qid=True).set_transform_request(qid=True)
        pipeline = make_pipeline(scaler, SeesScale().set_fit_request(qid=True)).fit(values, y, qid=qid)
        scaled = QueryMinMaxScaler().fit_transform(values, qid=qid)
        np.testing.assert_allclose(pipeline.predict(values, qid=qid), LinearRegression().fit(scaled, y).predict(scaled))
        search = GridSearchCV(
            pipeline, {"queryminmaxscaler__decimals": [None, 1]}, cv=QueryKFold(3), error_score="raise"
        ).fit(values, y, qid=qid)
        assert search.best_estimator_.predict(values, qid=qid).shape == (60,)


def test_clone_and_parameters():
    scaler = QueryMinMaxScaler(decimals=6, fill_missing=True)
    assert clone(scaler).get_params() == {"decimals": 6, "fill_missing": True}
    assert repr(scaler) == "QueryMinMaxScaler(decimals=6, fill_missing=True)"
    assert isinstance(scaler, BaseEstimator)


@pytest.mark.data
def test_ohsumed_raw_values_scale_to_the_published_normalised_files(data_dir):
    """42 of 45 features to the last digit of every row; in 3, ties of the seventh decimal round the other way.

    In the files NULL became the minimum of its query, except for BM25 and its logarithm (six features), where it
    became 0 before scaling.
    """
    from leanrank.data.letor.reader import read_letor

    different, most = np.zeros(45, dtype=int), 0.0
    for part in range(1, 6):
        raw = read_letor(data_dir / "ohsumed-null" / f"S{part}.txt.gz", dtype="float64", sparse=False)
        published = read_letor(data_dir / "ohsumed" / f"S{part}.txt.gz", dtype="float64", sparse=False, n_features=45)
        values = raw.X.copy()
        bm25 = values[:, [10, 11, 25, 26, 40, 41]]
        values[:, [10, 11, 25, 26, 40, 41]] = np.nan_to_num(bm25, nan=0.0)
        scaled = QueryMinMaxScaler(decimals=6, fill_missing=True).fit_transform(values, qid=raw.qid)
        different += (scaled != published.X).sum(axis=0)
        most = max(most, np.abs(scaled - published.X).max())
    assert np.flatnonzero(different).tolist() == [2, 17, 32]
    assert different.sum() == 126
    assert most < 1.1e-6
