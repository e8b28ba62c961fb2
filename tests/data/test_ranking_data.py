"""RankingData: invariants at the door, views, concatenation, fingerprints."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank import RankingData
from leanrank.data import RankingSource, concatenate
from leanrank.data.ranking_data import fingerprint
from leanrank.errors import DataError, LeanRankError, MissingValuesError, ParameterError, UnknownNameError


def random_data(seed: int = 0, n_queries: int = 6, n_features: int = 4, *, sparse: bool = False) -> RankingData:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_queries)
    n = int(sizes.sum())
    X = rng.normal(size=(n, n_features)).astype(np.float32) * (rng.random((n, n_features)) < 0.6)
    return RankingData(
        X=sp.csr_array(X) if sparse else X,
        y=rng.integers(0, 3, n),
        query_ptr=np.concatenate(([0], np.cumsum(sizes))),
        query_ids=np.arange(n_queries) * 7 + 100 * seed,
        feature_names=[f"f{j}" for j in range(n_features)],
        comments=[f"doc {i}" for i in range(n)],
    )


def test_float_width_is_kept_and_other_numbers_become_float64():
    for given_dtype, kept in (
        ("float32", "float32"),
        ("float64", "float64"),
        ("int64", "float64"),
        ("bool", "float64"),
    ):
        X = np.ones((2, 3), dtype=given_dtype)
        assert RankingData(X, [0, 1], [0, 2]).X.dtype == kept
        assert RankingData(sp.csr_array(X), [0, 1], [0, 2]).X.dtype == kept


def test_defaults_count_queries_from_0_and_features_from_1():
    data = RankingData(np.zeros((3, 2)), [0, 1, 2], [0, 1, 3])
    assert data.query_ids.tolist() == [0, 1]
    assert data.feature_names == ("1", "2")
    assert data.qid.tolist() == [0, 1, 1]
    assert (data.n_rows, data.n_queries, data.n_features, len(data)) == (3, 2, 2, 3)


def test_it_is_frozen_and_a_ranking_source():
    data = random_data()
    assert isinstance(data, RankingSource)
    with pytest.raises(AttributeError, match="cannot assign"):
        data.y = np.zeros(3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"X": np.zeros(3)}, "two dimensions"),
        ({"X": np.zeros((0, 2)), "y": [], "query_ptr": [0, 0]}, "no documents"),
        ({"X": np.zeros((3, 0))}, "no features"),
        ({"X": np.array([["a", "b"]] * 3)}, "must hold numbers"),
        ({"y": [0, 1]}, "y has shape"),
        ({"y": ["a", "b", "c"]}, "Labels must be numbers"),
        ({"y": [0, np.nan, 1]}, "label of row 1 is nan"),
        ({"y": [0, 1e300, 1]}, r"label of row 1 is 1e\+300"),
        ({"query_ptr": [0, 2]}, "must run from 0 to the number of rows, 3"),
        ({"query_ptr": []}, "no offsets"),
        ({"query_ptr": [0, 2, 2, 3]}, "Query number 1 has 0 rows"),
        ({"query_ptr": [0, 2, 1, 3]}, "Query number 1 has -1 rows"),
        ({"query_ids": [1, 2, 3]}, "2 queries by their offsets but 3 query ids"),
        ({"feature_names": ["a"]}, "2 features but 1 feature names"),
        ({"feature_names": ["a", "a"]}, "'a' occurs twice"),
        ({"comments": ["x"]}, "3 documents but 1 comments"),
    ],
)
def test_broken_invariants_are_refused(change, sentence):
    good = {"X": np.zeros((3, 2)), "y": [0, 1, 2], "query_ptr": [0, 2, 3]}
    with pytest.raises(LeanRankError, match=sentence):
        RankingData(**{**good, **change})


@pytest.mark.parametrize("sparse", [False, True])
def test_nan_and_infinity_name_feature_row_and_query(sparse):
    X = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])
    args = {"y": [0, 1, 2], "query_ptr": [0, 1, 3], "query_ids": ["a", "b"], "feature_names": ["x", "bm25"]}
    wrap = sp.csr_array if sparse else np.asarray
    with pytest.raises(MissingValuesError, match=r"NaN in feature 'bm25', row 1 \(query b\): pass missing=True"):
        RankingData(wrap(X), **args)
    allowed = RankingData(wrap(X), **args, missing=True)
    assert allowed.missing_counts().tolist() == [0, 1]
    with pytest.raises(MissingValuesError, match=r"GAS cannot take missing values: feature 'bm25' has 1 of 3"):
        allowed.require_complete("GAS")
    X[1, 1] = np.inf
    with pytest.raises(DataError, match=r"inf in feature 'bm25', row 1 \(query b\)"):
        RankingData(wrap(X), **args, missing=True)


def test_infinities_that_cancel_in_a_sum_are_seen():
    with pytest.raises(DataError, match="inf in feature '1'"):
        RankingData([[np.inf], [-np.inf]], [0, 1], [0, 2], missing=True)


def test_complete_data_pass_require_complete():
    data = random_data()
    assert data.require_complete("GAS") is data


@pytest.mark.parametrize("sparse", [False, True])
def test_query_and_blocks_partition_the_rows(sparse):
    data = random_data(sparse=sparse)
    for n_rows in (1, 4, 1000):
        blocks = list(data.blocks(n_rows))
        assert concatenate(blocks).equals(data)
        assert all(block.n_rows <= n_rows or block.n_queries == 1 for block in blocks)
    joined = concatenate([data.query(i) for i in range(data.n_queries)])
    assert joined.equals(data)
    assert data.query(-1).equals(data.query(data.n_queries - 1))
    with pytest.raises(ParameterError, match="no query number 6"):
        data.query(6)
    with pytest.raises(ParameterError, match="'n_rows' parameter of blocks must be >= 1"):
        next(data.blocks(0))


def test_blocks_are_views():
    data = random_data()
    assert all(np.shares_memory(block.X, data.X) for block in data.blocks(3))


@pytest.mark.parametrize("sparse", [False, True])
def test_subset_takes_names_numbers_and_masks(sparse):
    data = random_data(sparse=sparse)
    by_name = data.subset(["f2", "f0"])
    assert by_name.feature_names == ("f2", "f0")
    np.testing.assert_array_equal(by_name.dense(), data.dense()[:, [2, 0]])
    assert data.subset([2, 0]).equals(by_name)
    assert data.subset(np.array([True, False, True, False])).feature_names == ("f0", "f2")
    with pytest.raises(UnknownNameError, match="Unknown feature 'f9'"):
        data.subset(["f9"])
    with pytest.raises(DataError, match=r"outside 0\.\.3"):
        data.subset([4])
    with pytest.raises(DataError, match="mask has 2 entries for 4 features"):
        data.subset(np.array([True, False]))


def test_take_queries_reorders_and_repeats():
    data = random_data()
    taken = data.take_queries([3, 0, 3])
    assert taken.query_ids.tolist() == data.query_ids[[3, 0, 3]].tolist()
    np.testing.assert_array_equal(taken.query(1).X, data.query(0).X)
    np.testing.assert_array_equal(taken.query(2).y, data.query(3).y)
    assert taken.query(0).comments.tolist() == data.query(3).comments.tolist()
    mask = np.arange(data.n_queries) < 2
    assert data.take_queries(mask).n_queries == 2
    with pytest.raises(DataError, match="got no query"):
        data.take_queries([])
    with pytest.raises(DataError, match=r"Query number 6 is outside 0\.\.5"):
        data.take_queries([6])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("queries", [[2, 3, 4], [5], list(range(6)), np.arange(6) < 3])
def test_a_run_of_queries_is_a_view(sparse, queries):
    data = random_data(sparse=sparse)
    taken = data.take_queries(queries)
    numbers = np.flatnonzero(queries) if np.asarray(queries).dtype == bool else np.asarray(queries)
    rows = np.isin(np.repeat(np.arange(6), data.query_sizes), numbers)
    copied = RankingData(
        data.X[rows],
        data.y[rows],
        np.concatenate(([0], np.cumsum(data.query_sizes[numbers]))),
        data.query_ids[numbers],
        data.feature_names,
        data.comments[rows],
        data.missing,
    )
    assert taken.equals(copied)
    assert taken.is_sparse == sparse
    stored = (lambda of: of.X.data) if sparse else (lambda of: of.X)
    for array in (stored, lambda of: of.y, lambda of: of.query_ids, lambda of: of.comments):
        assert np.shares_memory(array(taken), array(data))


def test_other_queries_are_copied():
    data = random_data()
    for queries in ([0, 2], [1, 0], [3, 3]):
        assert not np.shares_memory(data.take_queries(queries).X, data.X)


def test_adding_concatenates_and_refuses_a_split_query():
    a, b = random_data(0), random_data(1)
    both = a + b
    assert both.n_rows == a.n_rows + b.n_rows
    assert both.take_queries(np.arange(a.n_queries)).equals(a)
    with pytest.raises(DataError, match="Query 0 is in more than one part"):
        a + a
    with pytest.raises(DataError, match="4 and 2 features"):
        a + b.subset([0, 1])
    with pytest.raises(DataError, match="feature number 0 is 'f0' in one and 'f1' in the other"):
        a + b.subset([1, 0, 2, 3])
    with pytest.raises(TypeError):
        a + 1


def test_adding_mixes_query_id_kinds_storage_and_comments():
    a = RankingData([[1.0]], [1], [0, 1], query_ids=[5], comments=["x"])
    b = RankingData(sp.csr_array([[2.0]]), [0], [0, 1], query_ids=["q"])
    both = a + b
    assert both.query_ids.tolist() == ["5", "q"]
    assert both.comments.tolist() == ["x", ""]
    assert not both.is_sparse


@given(seed=st.integers(0, 50), n_rows=st.integers(1, 20))
@settings(max_examples=25, deadline=None)
def test_fingerprint_depends_on_content_alone(seed, n_rows):
    data, sparse = random_data(seed), random_data(seed, sparse=True)
    wide = RankingData(
        data.X.astype(np.float64), data.y, data.query_ptr, data.query_ids, data.feature_names, data.comments
    )

    class Blocks:
        feature_names = data.feature_names

        def blocks(self, n=None):
            return data.blocks(n_rows)

    assert len({data.fingerprint(), sparse.fingerprint(), wide.fingerprint(), fingerprint(Blocks())}) == 1


def test_fingerprint_sees_every_change():
    data = random_data()
    X, y, ptr = data.X.copy(), data.y.copy(), data.query_ptr
    X[0, 0] += 1
    y[0] += 1
    changed = [
        RankingData(X, data.y, ptr, data.query_ids, data.feature_names),
        RankingData(data.X, y, ptr, data.query_ids, data.feature_names),
        RankingData(data.X, data.y, ptr, data.query_ids + 1, data.feature_names),
        RankingData(data.X, data.y, ptr, data.query_ids, ["a", "b", "c", "d"]),
        RankingData(data.X, data.y, [0, data.n_rows], [0], data.feature_names),
        data.take_queries(np.arange(data.n_queries)[::-1]),
        data,
    ]
    assert len({d.fingerprint() for d in changed}) == len(changed)


def test_repr_tells_size_labels_names_and_storage():
    text = repr(random_data(sparse=True))
    assert "6 queries" in text
    assert "f0, f1, f2, f3" in text
    assert "CSR float32" in text
    many = RankingData(np.zeros((20, 9)), np.arange(20), [0, 20], feature_names=["x" * 40, *"abcdefgh"])
    assert "20 values from 0 to 19" in repr(many)
    assert "x" * 23 + "…" in repr(many)
    assert ", ..." in repr(many)
