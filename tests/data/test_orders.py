"""Orders as ranking data, and the SUSHI reader."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from leanrank.data.orders import SUSHI_FEATURES, from_orders, read_sushi
from leanrank.errors import DataError, ParameterError

ITEMS = np.array([[3.0, 0, 1], [2, 2, 0], [1, 3, 2], [0, 1, 3]])


def test_an_order_is_a_query_with_labels_from_the_best():
    data = from_orders(ITEMS, [[0, 1, 2, 3], [1, 0, 3], (2,)], feature_names=["a", "b", "c"])
    assert data.y.tolist() == [3, 2, 1, 0, 2, 1, 0, 0]
    assert data.query_ptr.tolist() == [0, 4, 7, 8]
    assert data.query_ids.tolist() == [0, 1, 2]
    assert data.feature_names == ("a", "b", "c")
    np.testing.assert_array_equal(data.X, ITEMS[[0, 1, 2, 3, 1, 0, 3, 2]])


@given(st.integers(1, 9), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_sorting_by_label_gives_the_order_back(n_orders, seed):
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(12)[: rng.integers(1, 13)] for _ in range(n_orders)]
    data = from_orders(np.arange(12.0)[:, None], orders)
    for i, order in enumerate(orders):
        query = data.query(i)
        assert query.X[np.argsort(-query.y), 0].tolist() == order.tolist()
        assert query.y.max() == len(order) - 1


def test_sparse_items_stay_sparse_and_frames_name_the_features():
    sparse = from_orders(sp.csr_array(ITEMS), [[3, 1]])
    assert sparse.is_sparse
    np.testing.assert_array_equal(sparse.dense(), ITEMS[[3, 1]])
    frame = from_orders(pd.DataFrame(ITEMS, columns=["x", "y", "z"]), np.array([[3, 1], [0, 2]]))
    assert frame.feature_names == ("x", "y", "z")
    assert frame.n_queries == 2


def test_item_names_become_comments():
    data = from_orders(ITEMS, [[2, 0]], item_names=["w", "x", "y", "z"])
    assert data.comments.tolist() == ["y", "w"]
    with pytest.raises(DataError, match="4 items but 2 item names"):
        from_orders(ITEMS, [[2, 0]], item_names=["w", "x"])


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([[0, 1], [1, 2, 0, 2]], "Order number 1 names item 2 twice, at ranks 2 and 4"),
        ([[0, 1], [3, 4]], r"Order number 1 names item 4 at rank 2: items are numbered 0\.\.3"),
        ([[0, -1]], "Order number 0 names item -1 at rank 2"),
        ([[0, 1], []], "Order number 1 is empty"),
        ([[[0, 1]]], r"Order number 0 is of shape \(1, 2\)"),
        ([["a", "b"]], "Order number 0 holds .*whole numbers"),
        ([[0.5, 1.0]], "Order number 0 holds .*whole numbers"),
        ([], "got no order"),
    ],
)
def test_bad_orders_say_which_and_where(orders, message):
    with pytest.raises(DataError, match=message):
        from_orders(ITEMS, orders)


def _write_sushi(folder, *, items=None, orders="10 1\n0 3 58 4 3\n"):
    if items is None:
        items = [f"{i}\tname{i}\t1\t0\t{i % 12}\t{i}.5\t2\t1.25\t.5" for i in range(100)]
    (folder / "sushi3.idata").write_text("\n".join(items) + "\n", encoding="utf-8")
    (folder / "sushi3b.5000.10.order").write_text(orders)


def test_the_sushi_format(tmp_path):
    _write_sushi(tmp_path)
    data = read_sushi(tmp_path)
    assert data.y.tolist() == [2, 1, 0]
    assert data.comments.tolist() == ["name58", "name4", "name3"]
    assert data.feature_names == SUSHI_FEATURES
    expected = np.zeros(16)
    expected[[58 % 12, 12, 13, 14, 15]] = [1, 58.5, 2, 1.25, 0.5]
    np.testing.assert_array_equal(data.X[0], expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"orders": "10 1\n0 3 58 4\n"}, r"order, line 2: expected 0, the number of items"),
        ({"orders": "10 1\n0 2 1 0\n0 2 1 x\n"}, r"order, line 3: .*Found '0 2 1 x'"),
        ({"orders": "10 1\n0 2 1 1\n"}, r"order: Order number 0 names item 1 twice"),
        ({"orders": "10 1\n0 2 1 100\n"}, r"order: Order number 0 names item 100 at rank 2"),
        ({"items": ["0\tx\t1\t0\t6\t1\t2\t3"]}, r"idata, line 1: expected item number 0"),
        ({"items": ["0\tx\t1\t0\t12\t1\t2\t3\t4"]}, r"idata, line 1: .*minor group 0\.\.11"),
    ],
)
def test_a_broken_sushi_file_is_named_with_its_line(tmp_path, change, message):
    _write_sushi(tmp_path, **change)
    with pytest.raises(DataError, match=message):
        read_sushi(tmp_path)


def test_a_missing_sushi_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"has no file 'sushi3.idata'"):
        read_sushi(tmp_path)
    _write_sushi(tmp_path)
    with pytest.raises(DataError, match=r"has no file 'sushi3a.5000.10.order'"):
        read_sushi(tmp_path, orders="a")
    with pytest.raises(ParameterError, match="'orders' parameter of read_sushi must be 'a' or 'b'"):
        read_sushi(tmp_path, orders="c")


@pytest.mark.data
@pytest.mark.parametrize(("orders", "n_items"), [("a", 10), ("b", 100)])
def test_the_real_sushi_data(data_dir, orders, n_items):
    data = read_sushi(data_dir / "sushi", orders=orders)
    assert (data.n_queries, data.n_rows, data.n_features) == (5_000, 50_000, 16)
    assert (data.query_sizes == 10).all()
    assert set(data.comments) <= set(read_sushi(data_dir / "sushi").comments)
    assert len(set(data.comments)) == n_items
    np.testing.assert_array_equal(data.X[:, :12].sum(axis=1), 1)
    assert data.X[:, 12].max() <= 4
    assert data.X[:, 13].max() <= 3


@pytest.mark.data
def test_both_sushi_sets_mean_the_same_items(data_dir):
    """Set A has its own numbers: fatty tuna (7 there, 8 in B), its best-liked item, must not become egg."""
    a = read_sushi(data_dir / "sushi", orders="a")
    favourites = a.comments[a.query_ptr[:-1]]
    names, counts = np.unique(favourites.astype(str), return_counts=True)
    assert names[np.argmax(counts)] == "とろ"
    tuna_roll = a.X[a.comments == "鉄火巻"]
    assert tuna_roll[0].nonzero()[0][0] == 1  # red meat fish
