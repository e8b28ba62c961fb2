"""Parse LETOR text, `<label> qid:<id> <feature>:<value> ... # comment`, from a buffer of whole lines into flat arrays.

Decimal numbers are rounded correctly: by one exact floating-point operation where the digits allow it (Clinger,
"How to read floating point numbers accurately", 1990), else by a 128-bit product (Lemire, "Number parsing at a
gigabyte per second", 2021). The few tokens that neither decides are listed for the caller to finish.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from leanrank.kernels._jit import Array, Bytes, Floats, Ints, ShortInts, Words, kernel, part

# What is wrong at the position where parsing stopped.
OK, BAD_LABEL, BAD_QID, NO_QID, LATE_QID, BAD_FEATURE, ID_TOO_LARGE, BAD_VALUE, NULL_REFUSED, OVERFLOW = range(10)

# What `parse` counts, by its place in `stats`.
POSITION, ROWS, ENTRIES, RUNS, SLOW, COMMENT_BYTES, COMMENTED, NULLS, LINES = range(9)
LARGEST_ID, LARGEST_AT, UNSORTED, WIDTH, N_STATS = range(9, 14)

#: Longest query id, in bytes: query ids are stored at one width for all queries.
MAX_QID_BYTES = 256

_SMALLEST_POWER, _LARGEST_POWER = -342, 308
_LOW32 = np.uint64(0xFFFFFFFF)
_U0, _U1, _U2, _U9, _U32, _U63 = (np.uint64(i) for i in (0, 1, 2, 9, 32, 63))
_U10, _ZERO = np.uint64(10), np.uint64(48)
_EXACT = np.uint64(2**53)
_TOP = np.uint64(2**63)
_ALL = np.uint64(2**64 - 1)


def _powers_of_five() -> Words:
    """The leading 128 bits of 5**q, high word and low word, for every q a double can need."""
    table = np.empty((_LARGEST_POWER - _SMALLEST_POWER + 1, 2), dtype=np.uint64)
    for row, q in enumerate(range(_SMALLEST_POWER, _LARGEST_POWER + 1)):
        power = 5 ** abs(q)
        bits = power.bit_length()
        if q >= 0:
            leading = power << (128 - bits) if bits <= 128 else power >> (bits - 128)
        elif q >= -27:
            leading = (1 << (bits + 127)) // power + 1  # short reciprocals rounded up,
        else:
            leading = (1 << (2 * bits + 128)) // power + 1  # long ones down, as the proof of the method wants
            leading >>= leading.bit_length() - 128
        table[row] = leading >> 64, leading & (2**64 - 1)
    return table


POWERS_OF_FIVE = _powers_of_five()
_POWERS_OF_TEN = 10.0 ** np.arange(23)


@part
def _product(a: Any, b: Any) -> Any:
    """The 128-bit product of two 64-bit words: high word, low word."""
    a_low, a_high, b_low, b_high = a & _LOW32, a >> _U32, b & _LOW32, b >> _U32
    low = a_low * b_low
    middle = a_high * b_low + (low >> _U32)
    other = a_low * b_high + (middle & _LOW32)
    return a_high * b_high + (middle >> _U32) + (other >> _U32), (other << _U32) | (low & _LOW32)


@part
def _by_product(digits: Any, q: Any, powers: Any) -> Any:
    """The double nearest to digits * 10**q, or -1 where 128 bits do not decide it (or it is not a normal number)."""
    if q < _SMALLEST_POWER or q > _LARGEST_POWER:
        return -1.0
    zeros = 0
    while digits < _TOP:
        digits = digits << _U1
        zeros += 1
    row = q - _SMALLEST_POWER
    high, low = _product(digits, powers[row, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        carry, _ = _product(digits, powers[row, 1])
        low = low + carry
        if low < carry:
            high = high + _U1
    if low == _ALL:
        return -1.0
    upper = high >> _U63
    shift = upper + _U9
    mantissa = high >> shift  # 54 bits: one more than kept, to round by
    exponent = ((217706 * q) >> 16) + 63 + np.int64(upper) - zeros  # of the leading bit; 217706 / 2**16 = log2(10)
    if exponent < -1021 or exponent > 1022:
        return -1.0
    if low <= _U1 and -4 <= q <= 23 and mantissa & np.uint64(3) == _U1 and mantissa << shift == high:
        mantissa = mantissa - _U1  # exactly half way: to even
    mantissa = (mantissa + (mantissa & _U1)) >> _U1
    return math.ldexp(np.float64(mantissa), exponent - 52)


@part
def _number(text: Any, position: Any, powers: Any) -> Any:
    """Read a decimal number: its value (NaN if the caller must finish it) and its end, `position` if there is none."""
    at = np.uint64(position)  # unsigned: an index that could be negative costs a test at every byte
    negative = text[at] == 45
    if negative or text[at] == 43:
        at += _U1
    digits = _U0
    first = at
    digit = np.uint64(text[at]) - _ZERO
    while digit <= _U9:
        digits = digits * _U10 + digit
        at += _U1
        digit = np.uint64(text[at]) - _ZERO
    n_digits = np.int64(at - first)
    power: Any = 0
    if text[at] == 46:
        at += _U1
        point = at
        digit = np.uint64(text[at]) - _ZERO
        while digit <= _U9:
            digits = digits * _U10 + digit
            at += _U1
            digit = np.uint64(text[at]) - _ZERO
        power = -np.int64(at - point)
        n_digits -= power
    if n_digits == 0:
        return 0.0, position
    if n_digits > 19:  # the digits may have overflowed, unless the first ones are zeros
        while text[first] == 48 or text[first] == 46:
            n_digits -= text[first] == 48
            first += _U1
    if text[at] == 101 or text[at] == 69:
        at += _U1
        shrinks = text[at] == 45
        if shrinks or text[at] == 43:
            at += _U1
        point = at
        exponent = 0
        while 48 <= text[at] <= 57:
            if exponent < 100_000:
                exponent = exponent * 10 + (int(text[at]) - 48)
            at += _U1
        if at == point:
            return 0.0, position
        power += -exponent if shrinks else exponent
    end = np.int64(at)
    if n_digits > 19:
        return np.nan, end
    if digits == _U0:
        value = 0.0
    elif digits <= _EXACT and -22 <= power <= 22:
        value = np.float64(digits)
        value = value / _POWERS_OF_TEN[-power] if power < 0 else value * _POWERS_OF_TEN[power]
    else:
        value = _by_product(digits, power, powers)
        if value < 0.0:
            return np.nan, end
    return -value if negative else value, end


@part
def _ends(byte: Any) -> Any:
    """Whether a token ends here: blank, line end, other control character, or the '#' of a comment."""
    return byte <= 32 or byte == 35


@part
def _skip_blanks(text: Any, at: Any) -> Any:
    """The next byte that is not a blank; a carriage return is one at the end of a line only."""
    while text[at] == 32 or text[at] == 9:
        at += 1
    end = at
    while text[end] == 13:
        end += 1
    return end if text[end] == 10 else at


@part
def _null_end(text: Any, at: Any) -> Any:
    """The end of a missing value, NULL or nan in any letters; `at` where there is none."""
    if text[at] == 78 and text[at + 1] == 85 and text[at + 2] == 76 and text[at + 3] == 76:  # "NULL"
        end = at + 4
    elif text[at] | 32 == 110 and text[at + 1] | 32 == 97 and text[at + 2] | 32 == 110:  # "nan"
        end = at + 3
    else:
        return at
    return end if _ends(text[end]) else at


@kernel
def parse(
    text: Bytes,
    max_id: int,
    limit: float,
    nulls: bool,
    null_value: float,
    powers: Words,
    y: Floats,
    row_start: Ints,
    row_ptr: Ints,
    ids: ShortInts,
    values: Array,
    runs: Ints,
    slow: Ints,
    comments: Bytes,
    stats: Ints,
) -> int:
    """Fill the arrays from `text`, which must end with a line feed; return OK or what is wrong at `stats[POSITION]`.

    Row r begins at byte row_start[r] and has the 0-based feature ids `ids[row_ptr[r]:row_ptr[r + 1]]`. A run is a
    stretch of rows with one query id: its first row, the span of its id (empty if rows have none) and its line.
    Slow numbers, -1 - row for a label or the entry's number, have their span listed. Comments are joined by line
    feeds. WIDTH is K if every row has exactly the ids 1..K in order, else -1. The error is the first in the text,
    except that slow numbers and repeated ids of rows marked UNSORTED are left to the caller.
    """
    n = len(text)
    at = np.int64(0)
    n_rows = n_entries = n_runs = n_slow = n_lines = n_nulls = n_comment_bytes = n_commented = 0
    largest = largest_at = unsorted = 0
    width = 0
    qid_start = qid_end = 0
    error = OK
    row_ptr[0] = 0
    while at < n:
        line_start = at
        n_lines += 1
        at = _skip_blanks(text, at)
        if text[at] == 10 or text[at] == 35:  # nothing, or only a comment
            while text[at] != 10:
                at += 1
            at += 1
            continue
        # label
        value, end = _number(text, at, powers)
        if end == at or not _ends(text[end]):
            error = BAD_LABEL
            break
        if value != value:
            slow[n_slow, 0], slow[n_slow, 1], slow[n_slow, 2] = -1 - n_rows, at, end
            n_slow += 1
        elif not abs(value) < 3.4028235677973366e38:
            error = OVERFLOW
            break
        y[n_rows] = value
        row_start[n_rows] = line_start
        at = _skip_blanks(text, end)
        # query
        start = end = at
        if text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == 58:  # "qid:"
            start = end = at + 4
            while not _ends(text[end]) and text[end] != 127:
                end += 1
            control = text[end] == 127 or (text[end] < 32 and text[end] != 9 and text[end] != 10 and text[end] != 13)
            if end == start or end - start > MAX_QID_BYTES or control:
                error = BAD_QID
                break
            if n_runs > 0 and qid_start == qid_end:
                error = LATE_QID
                break
        elif n_runs > 0 and qid_start < qid_end:
            error = NO_QID
            break
        new = n_runs == 0 or end - start != qid_end - qid_start
        if not new:
            for i in range(end - start):
                if text[start + i] != text[qid_start + i]:
                    new = True
                    break
        if new:
            runs[n_runs, 0], runs[n_runs, 1] = n_rows, start
            runs[n_runs, 2], runs[n_runs, 3] = end, n_lines
            n_runs += 1
            qid_start, qid_end = start, end
        at = _skip_blanks(text, end)
        # features
        previous = 0
        consecutive = True
        while text[at] != 10 and text[at] != 35:
            start = at
            feature: Any = 0
            here = np.uint64(at)
            digit = np.uint64(text[here]) - _ZERO
            while digit <= _U9:
                if feature < 10_000_000_000:
                    feature = feature * 10 + np.int64(digit)
                here += _U1
                digit = np.uint64(text[here]) - _ZERO
            at = np.int64(here)
            if at == start or text[at] != 58 or feature == 0:
                error = BAD_FEATURE
                at = start
                break
            if feature > max_id:
                error = ID_TOO_LARGE
                at = start
                break
            at += 1
            value, end = _number(text, at, powers)
            if end == at:
                end = _null_end(text, at)
                if end == at or not nulls:
                    error = BAD_VALUE if end == at else NULL_REFUSED
                    at = start
                    break
                n_nulls += 1
                value = null_value
            elif not _ends(text[end]):
                error = BAD_VALUE
                at = start
                break
            elif value != value:
                slow[n_slow, 0], slow[n_slow, 1], slow[n_slow, 2] = n_entries, at, end
                n_slow += 1
            elif not abs(value) < limit:
                error = OVERFLOW
                at = start
                break
            ids[n_entries] = feature - 1
            values[n_entries] = value
            n_entries += 1
            if feature <= previous:
                unsorted = 1
            consecutive = consecutive and feature == previous + 1
            previous = feature
            if feature > largest:
                largest, largest_at = feature, start
            at = end + 1 if text[end] == 32 and text[end + 1] > 35 else _skip_blanks(text, end)  # one blank: the rule
        if error != OK:
            break
        n_in_row = n_entries - row_ptr[n_rows]
        if n_rows == 0:
            width = n_in_row
        if not consecutive or n_in_row != width:
            width = -1
        # comment
        if text[at] == 35:
            at += 1
            end = at
            while text[end] != 10:
                end += 1
            last = end
            while last > at and text[last - 1] == 13:
                last -= 1
            n_commented += last > at
            for i in range(at, last):
                comments[n_comment_bytes] = text[i]
                n_comment_bytes += 1
            at = end
        comments[n_comment_bytes] = 10
        n_comment_bytes += 1
        at += 1
        n_rows += 1
        row_ptr[n_rows] = n_entries
    stats[POSITION] = at
    stats[ROWS] = n_rows
    stats[ENTRIES] = n_entries
    stats[RUNS] = n_runs
    stats[SLOW] = n_slow
    stats[COMMENT_BYTES] = n_comment_bytes
    stats[COMMENTED] = n_commented
    stats[NULLS] = n_nulls
    stats[LINES] = n_lines
    stats[LARGEST_ID] = largest
    stats[LARGEST_AT] = largest_at
    stats[UNSORTED] = unsorted
    stats[WIDTH] = width
    return error


def count(text: Bytes) -> tuple[int, int]:
    """Bounds for the arrays that `parse` fills: line feeds and colons."""
    return int(np.count_nonzero(text == 10)), int(np.count_nonzero(text == 58))


@kernel
def scatter(row_ptr: Ints, ids: ShortInts, values: Array, X: Array) -> None:
    """Write the stored entries of each row into the rows of a dense X."""
    for row in range(len(row_ptr) - 1):
        for j in range(row_ptr[row], row_ptr[row + 1]):
            X[row, ids[j]] = values[j]
