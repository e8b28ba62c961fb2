"""Arrow tables with columns of any type that a label, a query id or a feature may be given as."""

from __future__ import annotations

import datetime
import decimal
from random import Random
from typing import Any

_ROWS = 12


def odd_frame(rng: Random) -> Any:
    """A table with the columns label, qid and up to four features, some of odd types and values."""
    import pyarrow as pa

    names = ["label", "qid", *rng.sample(["a", "b", "c", "label ", "é"], rng.randrange(1, 5))]
    columns = {}
    for name in names:
        usual = {"label": _wholes, "qid": _grouped}.get(name, _numbers)
        columns[name] = (usual if rng.randrange(3) else rng.choice(_KINDS))(rng)
    rows = rng.choice((_ROWS, _ROWS, _ROWS, 1, 0))
    return pa.table({name: column.slice(0, rows) for name, column in columns.items()})


def _array(values: list[Any], kind: Any = None) -> Any:
    import pyarrow as pa

    return pa.array(values, kind)


def _wholes(rng: Random) -> Any:
    return _array([rng.randrange(3) for _ in range(_ROWS)])


def _grouped(rng: Random) -> Any:
    return _array([i // 4 for i in range(_ROWS)])


def _numbers(rng: Random) -> Any:
    return _array([rng.random() for _ in range(_ROWS)])


def _large(rng: Random) -> Any:
    import pyarrow as pa

    return _array([rng.randrange(2**60) for _ in range(_ROWS)], rng.choice((pa.int64(), pa.uint64())))


def _huge(rng: Random) -> Any:
    values = (1e307, -1e308, 5e-324, 0.0, float("nan"), float("inf"), None)
    return _array([rng.choice(values) for _ in range(_ROWS)])


def _narrow(rng: Random) -> Any:
    import pyarrow as pa

    return _array([rng.randrange(100) for _ in range(_ROWS)], rng.choice((pa.int8(), pa.uint16(), pa.float32())))


def _half(rng: Random) -> Any:
    import numpy as np

    return _array(np.arange(_ROWS, dtype=np.float16))  # type: ignore[arg-type]


def _lists(rng: Random) -> Any:
    return _array([rng.choice(([1], [], [1, 2], None)) for _ in range(_ROWS)])


def _structs(rng: Random) -> Any:
    return _array([{"x": i} for i in range(_ROWS)])


def _texts(rng: Random) -> Any:
    return _array([rng.choice(("", "x", "1", "nan", "é" * 40)) for _ in range(_ROWS)])


def _categories(rng: Random) -> Any:
    return _texts(rng).dictionary_encode()


def _bytes(rng: Random) -> Any:
    return _array([rng.choice((b"", b"\xff\x00", b"x")) for _ in range(_ROWS)])


def _decimals(rng: Random) -> Any:
    return _array([decimal.Decimal(rng.randrange(10**20)) for _ in range(_ROWS)])


def _dates(rng: Random) -> Any:
    return _array([rng.choice((datetime.date(2020, 1, i + 1), None)) for i in range(_ROWS)])


def _durations(rng: Random) -> Any:
    return _array([datetime.timedelta(seconds=rng.randrange(9)) for _ in range(_ROWS)])


def _nulls(rng: Random) -> Any:
    return _array([None] * _ROWS)


def _truths(rng: Random) -> Any:
    return _array([rng.choice((True, False, None)) for _ in range(_ROWS)])


_KINDS = (
    *(_wholes, _grouped, _numbers, _large, _huge, _narrow, _half, _lists, _structs, _texts, _categories, _bytes),
    *(_decimals, _dates, _durations, _nulls, _truths),
)
