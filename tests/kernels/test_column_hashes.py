"""Hashes agree exactly where the columns agree."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.naive.column_hashes import signatures

from leanrank.kernels.column_hashes import hash_columns, hash_rows
from leanrank.kernels.document_order import ranked_documents

VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, -1.0, np.nan])


def hashes_of(X, query_ptr):
    bits = (X + X.dtype.type(0)).view(f"u{X.dtype.itemsize}").astype(np.uint64)
    query_ptr, values = np.asarray(query_ptr), X.astype(np.float64)
    keys, orders, _ = ranked_documents(np.where(np.isnan(values), 1.0, values), query_ptr, len(X))
    hashes, varies = np.zeros((3, X.shape[1]), np.uint64), np.zeros(X.shape[1], np.int64)
    salts = np.arange(len(query_ptr) - 1, dtype=np.uint64) * np.uint64(977)
    hash_columns(values, bits, keys, orders, query_ptr, salts, np.empty(len(X), np.int64), hashes, varies)
    return hashes, varies


@given(st.data(), st.sampled_from(["float32", "float64"]))
@settings(max_examples=60, deadline=None)
def test_equal_hashes_mean_equal_columns(draw, dtype):
    X = draw.draw(hnp.arrays(dtype, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=VALUES))
    cut = draw.draw(st.integers(0, len(X) - 1))
    query_ptr = np.unique([0, cut, len(X)])
    hashes, varies = hashes_of(X, query_ptr)
    slow = signatures(X, query_ptr)
    assert varies.tolist() == [s[3] for s in slow]
    for a in range(X.shape[1]):
        for b in range(X.shape[1]):
            for kind in range(3):
                assert (hashes[kind, a] == hashes[kind, b]) == (slow[a][kind] == slow[b][kind])
            assert (hashes[1, a] == hashes[2, b]) == (slow[a][1] == slow[b][2])


@given(
    hnp.arrays("float32", st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=st.sampled_from([0.0, 1.0, 2.0]))
)
@settings(max_examples=40, deadline=None)
def test_equal_row_hashes_mean_equal_rows(X):
    out = np.empty(len(X), np.uint64)
    hash_rows(X.view("u4"), out)
    for a in range(len(X)):
        for b in range(len(X)):
            assert (out[a] == out[b]) == (X[a] == X[b]).all()
