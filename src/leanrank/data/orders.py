"""Orders (best first) as ranking data: an order over L objects is a query of L rows with labels L-1..0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leanrank.data.door import feature_matrix
from leanrank.data.ranking_data import RankingData
from leanrank.data.text_file import read_text
from leanrank.errors import DataError, ParameterError

#: The 16 attributes of a sushi, counted from 0: twelve minor groups as 0/1, then four measurements.
SUSHI_FEATURES = (
    "aomono",
    "akami",
    "shiromi",
    "tare",
    "clam",
    "squid",
    "shrimp",
    "roe",
    "other_seafood",
    "egg",
    "meat",
    "vegetables",
    "heaviness",
    "frequency_eaten",
    "price",
    "frequency_sold",
)
_SUSHI_GROUPS = 12
_SUSHI_COLUMNS = 9
# Item set A has its own numbering; these are its ten items in the numbering of set B, in which items are described.
_SUSHI_A_IN_B = (0, 1, 2, 3, 4, 6, 7, 8, 26, 29)


def from_orders(
    items: Any,
    orders: Iterable[Sequence[int] | NDArray[np.integer[Any]]],
    *,
    feature_names: Sequence[str] | None = None,
    item_names: Sequence[str] | None = None,
) -> RankingData:
    """Make ranking data of orders over described items.

    The object at rank r (from 1) of an order over L objects gets the label L - r: the best L - 1, the last 0.
    Rows keep the order they are given in, best first; an item may be in many orders, but once in each.

    Parameters
    ----------
    items : array, CSR matrix or frame of shape (n_items, K)
        The attributes of every item.
    orders : list of sequences of int
        Item numbers (rows of `items`, from 0), best first. They may differ in length.
    feature_names : sequence of str, optional
        Names of the attributes; a frame brings its own.
    item_names : sequence of str, optional
        Names of the items; they become the comments of the rows.

    Returns
    -------
    RankingData
        One query per order, numbered from 0.

    Examples
    --------
    >>> data = from_orders([[3.0, 0.0], [2.0, 2.0], [1.0, 3.0]], [[0, 1, 2], [2, 0]])
    >>> data.y, data.query_ptr
    (array([2., 1., 0., 1., 0.], dtype=float32), array([0, 3, 5]))
    >>> data.query(1).X
    array([[1., 3.],
           [3., 0.]])
    """
    attributes, names = feature_matrix(items, owner="from_orders")
    lists = [_as_order(order, number) for number, order in enumerate(orders)]
    if not lists:
        raise DataError("from_orders got no order: at least one is needed.")
    sizes = np.array([len(order) for order in lists], dtype=np.int64)
    chosen = np.concatenate(lists)
    query_ptr = np.concatenate(([0], np.cumsum(sizes)))
    _check_items(chosen, query_ptr, attributes.shape[0])
    if item_names is not None and len(item_names) != attributes.shape[0]:
        raise DataError(f"There are {attributes.shape[0]:,} items but {len(item_names):,} item names.")
    return RankingData(
        X=attributes[chosen],
        y=(np.repeat(query_ptr[1:], sizes) - 1 - np.arange(len(chosen))).astype(np.float32),
        query_ptr=query_ptr,
        feature_names=names if feature_names is None else tuple(feature_names),
        comments=None if item_names is None else np.asarray(item_names, dtype=object)[chosen],
    )


def _as_order(order: Any, number: int) -> NDArray[np.int64]:
    given = np.asarray(order)
    if given.ndim != 1 or given.size == 0:
        what = "empty" if given.size == 0 else f"of shape {given.shape}"
        raise DataError(f"Order number {number} is {what}: an order is a list of at least one item number.")
    if given.dtype.kind not in "iu":
        raise DataError(f"Order number {number} holds {given[0]!r}: items are given by their whole numbers from 0.")
    return given.astype(np.int64)


def _check_items(chosen: NDArray[np.int64], query_ptr: NDArray[np.int64], n_items: int) -> None:
    outside = (chosen < 0) | (chosen >= n_items)
    if outside.any():
        row = int(np.argmax(outside))
        order = int(np.searchsorted(query_ptr, row, side="right")) - 1
        raise DataError(
            f"Order number {order} names item {chosen[row]} at rank {row - query_ptr[order] + 1}: "
            f"items are numbered 0..{n_items - 1}."
        )
    order_of_row = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
    sorted_rows = np.lexsort((chosen, order_of_row))
    again = np.diff(chosen[sorted_rows]) == 0
    again &= np.diff(order_of_row[sorted_rows]) == 0
    if again.any():
        first, second = sorted_rows[np.argmax(again) : np.argmax(again) + 2]
        order = int(order_of_row[first])
        raise DataError(
            f"Order number {order} names item {chosen[first]} twice, at ranks {first - query_ptr[order] + 1} and "
            f"{second - query_ptr[order] + 1}: an item has one place in an order."
        )


def read_sushi(folder: str | Path, orders: Literal["a", "b"] = "b") -> RankingData:
    """Read the SUSHI preference data: 5,000 people's orders of ten kinds of sushi.

    Parameters
    ----------
    folder : path
        Where ``sushi3.idata`` and ``sushi3a.5000.10.order`` or ``sushi3b.5000.10.order`` are.
    orders : {"a", "b"}
        "a": everyone orders the same ten kinds. "b": everyone orders ten of a hundred kinds.

    Returns
    -------
    RankingData
        A query per person, in the order of the file. 16 attributes, counted from 0: 0..11 are 1 for the minor
        group the sushi belongs to, 12 heaviness (0 is heavy), 13 how often it is eaten, 14 price, 15 how often it
        is sold. Comments carry the names of the sushi.

    Notes
    -----
    Set A numbers its ten items on its own; they are looked up in the table of all hundred by name.

    References
    ----------
    T. Kamishima, "Nantonac Collaborative Filtering: Recommendation Based on Order Responses", KDD 2003, 583-588.
    """
    if orders not in ("a", "b"):
        raise ParameterError.of("read_sushi", "orders", "'a' or 'b'", orders)
    attributes, names = _sushi_items(_existing(Path(folder), "sushi3.idata"))
    path = _existing(Path(folder), f"sushi3{orders}.5000.10.order")
    lists = _sushi_orders(path)
    if orders == "a":
        if len(names) <= max(_SUSHI_A_IN_B):
            raise DataError(f"sushi3.idata describes {len(names)} items: the items of set A reach number 29.")
        rows = list(_SUSHI_A_IN_B)
        attributes, names = attributes[rows], [names[row] for row in rows]
    try:
        return from_orders(attributes, lists, feature_names=SUSHI_FEATURES, item_names=names)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _existing(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise DataError(f"{folder} has no file '{name}': the SUSHI data set consists of it and others.")
    return path


def _sushi_items(path: Path) -> tuple[NDArray[np.float64], list[str]]:
    """One line per item: number, name, style, major group, minor group and four measurements, tabs between."""
    lines = read_text(path).splitlines()
    attributes = np.zeros((len(lines), len(SUSHI_FEATURES)))
    names = []
    for i, line in enumerate(lines):
        fields = line.split("\t")
        try:
            if len(fields) != _SUSHI_COLUMNS or int(fields[0]) != i or not 0 <= int(fields[4]) < _SUSHI_GROUPS:
                raise ValueError(line)
            attributes[i, int(fields[4])] = 1.0
            attributes[i, _SUSHI_GROUPS:] = [float(value) for value in fields[5:]]
        except ValueError as error:
            raise DataError(
                f"{path}, line {i + 1}: expected item number {i}, a name, style, major group, minor group 0..11 and "
                f"four numbers, with tabs between. Found {line[:60]!r}."
            ) from error
        names.append(fields[1])
    return attributes, names


def _sushi_orders(path: Path) -> list[NDArray[np.int64]]:
    """A header line, then one line per person: 0, the number of items L, and L item numbers, best first."""
    lists = []
    for number, line in enumerate(path.read_text(encoding="ascii", errors="replace").splitlines()[1:], start=2):
        try:
            fields = np.array(line.split(), dtype=np.int64)
        except (ValueError, OverflowError):
            fields = np.empty(0, dtype=np.int64)
        if len(fields) < 3 or len(fields) != fields[1] + 2:
            raise DataError(
                f"{path}, line {number}: expected 0, the number of items, and as many item numbers. "
                f"Found {line[:60]!r}."
            )
        lists.append(fields[2:])
    return lists
