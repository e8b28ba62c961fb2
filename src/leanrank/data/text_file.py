"""Text and JSON files: read, or one sentence on what is wrong with them; and what JSON must look like."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from leanrank.errors import DataError

_DEEPEST = 100


def read_text(path: str | os.PathLike[str]) -> str:
    """A text file in UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not text in UTF-8.") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error


def parse_json(text: str | bytes, source: str) -> Any:
    """JSON from text that came from `source`: no NaN, no infinity, and nested no deeper than files of ours can be."""
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"{source}: not JSON ({str(error)[:80]}).") from error
    level = [content]
    for _ in range(_DEEPEST):
        level = [inner for node in level if isinstance(node, dict | list) for inner in _inside(node)]
        if not level:
            return content
    raise DataError(f"{source}: its JSON is nested more than {_DEEPEST} deep, which no file of ours is.")


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number in JSON")


def _inside(node: Any) -> Any:
    return node.values() if isinstance(node, dict) else node


def read_json(path: str | os.PathLike[str]) -> Any:
    """A JSON file."""
    return parse_json(read_text(path), str(path))


#: A shape is one of
#:
#: - ``str``, ``bool``, ``int``: a text, a truth value, a whole number (true and false are none);
#: - ``float``: a finite number; ``None``: null; ``object``: anything;
#: - ``[shape]``: a list of such things; ``[shape, shape]``: a list of these two, in this order;
#: - ``{"name": shape, "other?": shape}``: an object with these entries, ``?`` marks one that may be absent;
#: - ``{str: shape}``: an object whose every entry is such a thing;
#: - ``(shape, shape)``: one of these, so that ``{str: ()}`` is an object without entries.
Shape: TypeAlias = Any

_LARGEST = 1.7e308
#: No metric, weight or time is larger; what a damaged file says would overflow where its squares are summed.
_PLAUSIBLE = 1e12
_WORDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a finite number", object: "anything"}


def require_shape(value: Any, shape: Shape, source: str) -> None:
    """Refuse a value that does not have the shape; the error names `source` and the place.

    >>> require_shape({"k": [1, "2"]}, {"k": [int]}, "run.json")
    Traceback (most recent call last):
    ...
    leanrank.errors.DataError: run.json: damaged or something else: k[1] is '2', expected a whole number.
    """
    fault = fault_in(value, shape)
    if fault is not None:
        raise DataError(f"{source}: damaged or something else: {fault}.")


def refuse_huge(numbers: Iterable[float | None], source: object) -> None:
    """Refuse a metric, weight or time that is none by its size.

    >>> refuse_huge([0.5, None, 1e307], "run.db")
    Traceback (most recent call last):
    ...
    leanrank.errors.DataError: run.db: damaged: 1e+307 is no metric, weight or time.
    """
    for number in numbers:
        if number is not None and not abs(number) <= _PLAUSIBLE:
            raise DataError(f"{source}: damaged: {number!r} is no metric, weight or time.")


def fault_in(value: Any, shape: Shape, place: str = "") -> str | None:
    """The first place where a value differs from a shape, in words; None where it does not.

    >>> fault_in({"low": None}, {"low": (float, None), "high": float})
    "'high' is absent"
    """
    if isinstance(shape, tuple):
        fits = any(fault_in(value, one, place) is None for one in shape)
        return None if fits else _expected(value, shape, place)
    if isinstance(shape, list):
        if not isinstance(value, list) or len(shape) not in (1, len(value)):
            return _expected(value, shape, place)
        inner = shape * len(value) if len(shape) == 1 else shape
        faults = (fault_in(item, inner[i], f"{place}[{i}]") for i, item in enumerate(value))
        return next((fault for fault in faults if fault is not None), None)
    if isinstance(shape, dict):
        return _fault_in_object(value, shape, place)
    return None if _is(value, shape) else _expected(value, shape, place)


def _fault_in_object(value: Any, shape: dict[Any, Shape], place: str) -> str | None:
    if not isinstance(value, dict):
        return _expected(value, shape, place)
    before = f"{place}." if place else ""
    for key, inner in shape.items():
        if key is str:
            faults = (fault_in(item, inner, f"{before}{name}") for name, item in value.items())
            fault = next((one for one in faults if one is not None), None)
        elif key.rstrip("?") in value:
            fault = fault_in(value[key.rstrip("?")], inner, f"{before}{key.rstrip('?')}")
        else:
            fault = None if key.endswith("?") else f"{before + key!r} is absent"
        if fault is not None:
            return fault
    return None


def _is(value: Any, shape: Shape) -> bool:
    if shape is object:
        return True
    if shape is None:
        return value is None
    if shape is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST
    return type(value) is shape


def _expected(value: Any, shape: Shape, place: str) -> str:
    text = repr(value)
    shown = text if len(text) <= 40 else f"{text[:39]}…"
    return f"{place or 'it'} is {shown}, expected {_in_words(shape)}"


def _in_words(shape: Shape) -> str:
    if isinstance(shape, tuple):
        return " or ".join(_in_words(one) for one in shape)
    if isinstance(shape, list):
        return "a list" if len(shape) == 1 else f"a list of {len(shape)}"
    return "an object" if isinstance(shape, dict) else "null" if shape is None else _WORDS[shape]
