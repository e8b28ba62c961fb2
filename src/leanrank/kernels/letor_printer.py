"""Print rows in the LETOR format: decimal numbers by integer arithmetic, the rest copied from prepared text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import Array, Bytes, Flags, Ints, kernel

#: Marks of `places`: a missing value, and a number whose text the caller prepares.
NULL, PREPARED = -1, -2

#: Bytes that a number printed by `print_rows` can take: sign, 16 digits, point, leading zero.
NUMBER_BYTES = 20

_POWERS_OF_TEN = 10.0 ** np.arange(23)
_EXACT = 2.0**53
_WHOLE_POWERS = np.array([10**i for i in range(20)], dtype=np.uint64)
_U1, _U10, _ZERO = (np.uint64(i) for i in (1, 10, 48))


@kernel
def shortest(values: Array, narrow: Array, whole: float, units: Ints, places: NDArray[np.int8]) -> None:
    """The fewest decimal places d, and u, so that u / 10**d rounds to the value: exactly what a reader computes.

    u / 10**d with u < 2**53 and d <= 15 is one correctly rounded division, so the test is the reader's arithmetic.
    `narrow` is one cell of the values' width, to round to it. From `whole` on (2**24 for float32, 2**53 for float64)
    not every whole number is a value, so that fewer digits than all of them may do: left to the caller.
    """
    for i in range(len(values)):
        magnitude = np.abs(np.float64(values[i]))
        if magnitude != magnitude:
            places[i] = NULL
            continue
        places[i] = PREPARED
        if magnitude >= whole:
            continue
        for d in range(16):
            scaled = np.rint(magnitude * _POWERS_OF_TEN[d])
            if not scaled < _EXACT:
                break
            narrow[0] = scaled / _POWERS_OF_TEN[d]
            if narrow[0] == magnitude:
                units[i] = np.int64(scaled)
                places[i] = d
                break


@kernel
def fixed(values: Array, decimals: int, units: Ints, places: NDArray[np.int8]) -> None:
    """u, so that u / 10**decimals is the value rounded; one too near to half way is left to the caller."""
    for i in range(len(values)):
        value = np.float64(values[i])
        if value != value:
            places[i] = NULL
            continue
        scaled = np.abs(value) * _POWERS_OF_TEN[decimals]
        places[i] = PREPARED
        if scaled < 1e12:  # the product's error is under 2**-13
            rounded = np.rint(scaled)
            if np.abs(np.abs(scaled - rounded) - 0.5) > 0.001:
                units[i] = np.int64(rounded)
                places[i] = decimals


@kernel
def _copy(source: Any, start: Any, end: Any, out: Any, at: Any) -> Any:
    for i in range(start, end):
        out[at] = source[i]
        at += 1
    return at


@kernel
def _print_units(units: Any, places: Any, negative: Any, out: Any, at: Any) -> Any:
    """Print units / 10**places, from the last digit to the first."""
    if negative:
        out[at] = 45
        at += 1
    rest = np.uint64(units)  # unsigned division by a constant is a multiplication
    digits = 1
    while digits < 19 and rest >= _WHOLE_POWERS[digits]:
        digits += 1
    digits = max(digits, places + 1)
    end = at + digits + (places > 0)
    i = np.uint64(end)
    for d in range(digits):
        if d == places and d > 0:
            i -= _U1
            out[i] = 46
        i -= _U1
        tenth = rest // _U10
        out[i] = _ZERO + (rest - tenth * _U10)
        rest = tenth
    return end


@kernel
def print_rows(
    labels: Bytes,
    label_ptr: Ints,
    label_of: Ints,
    qids: Bytes,
    qid_ptr: Ints,
    query_of: Ints,
    row_ptr: Ints,
    columns: Array,
    negative: Flags,
    units: Ints,
    places: NDArray[np.int8],
    prepared: Bytes,
    prepared_ptr: Ints,
    comments: Bytes,
    comment_ptr: Ints,
    out: Bytes,
) -> int:
    """Print every row into `out`; an array `x` and its `x_ptr` hold texts one after the other. Returns the length.

    `columns` holds the 0-based feature of each entry, or is empty: then every row has the same number, in order.
    An empty comment is none.
    """
    at = 0
    n_prepared = 0
    for row in range(len(row_ptr) - 1):
        label = label_of[row]
        at = _copy(labels, label_ptr[label], label_ptr[label + 1], out, at)
        out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = 32, 113, 105, 100, 58  # " qid:"
        query = query_of[row]
        at = _copy(qids, qid_ptr[query], qid_ptr[query + 1], out, at + 5)
        for j in range(row_ptr[row], row_ptr[row + 1]):
            feature = (columns[j] if len(columns) > 0 else j - row_ptr[row]) + 1
            out[at] = 32
            at = _print_units(feature, 0, False, out, at + 1)
            out[at] = 58
            at += 1
            if places[j] >= 0:
                at = _print_units(units[j], places[j], negative[j], out, at)
            elif places[j] == NULL:
                out[at], out[at + 1], out[at + 2], out[at + 3] = 78, 85, 76, 76
                at += 4
            else:
                at = _copy(prepared, prepared_ptr[n_prepared], prepared_ptr[n_prepared + 1], out, at)
                n_prepared += 1
        if comment_ptr[row] < comment_ptr[row + 1]:
            out[at], out[at + 1] = 32, 35  # " #"
            at = _copy(comments, comment_ptr[row], comment_ptr[row + 1], out, at + 2)
        out[at] = 10
        at += 1
    return at
