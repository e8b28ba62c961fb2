"""Blocks of whole queries from a stream that is cut anywhere."""

from __future__ import annotations

import weakref
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data.judged import judged, same

from leanrank.data.whole_queries import Rows, whole_query_blocks


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=12),
    cuts=st.lists(st.integers(0, 72), max_size=12),
    n_rows=st.integers(1, 30),
)
def test_blocks_do_not_depend_on_where_the_stream_is_cut(sizes, cuts, n_rows):
    data = judged(sizes, n_features=2)
    edges = sorted({0, data.n_rows, *(cut for cut in cuts if cut < data.n_rows)})
    stream = [Rows(data.X[a:b], data.y[a:b], data.qid[a:b]) for a, b in pairwise(edges)]
    blocks = whole_query_blocks(stream, n_rows, feature_names=data.feature_names, missing=False)
    assert same(blocks, data.blocks(n_rows))


def test_a_stream_is_not_held():
    """Rows are let go once their block is out, however long the stream."""
    given, most = [], 0

    def stream():
        nonlocal most
        for i in range(200):
            X = np.full((10, 2), float(i))
            given.append(weakref.ref(X))
            most = max(most, sum(reference() is not None for reference in given))
            yield Rows(X, np.ones(10), np.full(10, i // 2))

    blocks = whole_query_blocks(stream(), 50, feature_names=("a", "b"), missing=False)
    assert sum(block.n_rows for block in blocks) == 2000
    assert most < 20
