"""JsonRecord: a frozen dataclass whose JSON is made, checked and read again by its fields and their types."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

from leanrank.data.text_file import Shape

#: Metadata of a field that files of before do not have: it is written only where there is anything in it.
LATER = types.MappingProxyType({"later": True})


class JsonRecord:
    """What dataclasses that are kept as JSON have in common.

    Fields are texts, numbers and truth values, other records, tuples and dicts of them, or None.

    Examples
    --------
    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Size(JsonRecord):
    ...     k: int
    ...     per_fold: tuple[float, ...]
    ...     note: str = field(default="", metadata=LATER)
    >>> Size(3, (0.5, 0.25)).to_dict(), Size.shape()
    ({'k': 3, 'per_fold': [0.5, 0.25]}, {'k': <class 'int'>, 'per_fold': [<class 'float'>], 'note?': <class 'str'>})
    >>> Size.of_dict({"k": 3, "per_fold": [0.5, 0.25]})
    Size(k=3, per_fold=(0.5, 0.25), note='')
    """

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        every = ((name, getattr(self, name), later) for name, (_, later) in self._fields().items())
        return {name: _plain(value) for name, value, later in every if value or not later}

    @classmethod
    def of_dict(cls, record: Mapping[str, Any]) -> Self:
        """What `to_dict` turned into plain values; entries that are no fields are passed over."""
        return cls(**{name: _built(hint, record[name]) for name, (hint, _) in cls._fields().items() if name in record})

    @classmethod
    def shape(cls, **instead: Shape) -> dict[str, Shape]:
        """What `require_shape` asks of such a record; `instead` says more of some fields than their types do."""
        every = cls._fields().items()
        return {name + "?" * later: instead.get(name, _shape(hint)) for name, (hint, later) in every}

    @classmethod
    def _fields(cls) -> dict[str, tuple[Any, bool]]:
        """The type of each field, and whether it came later."""
        kind: Any = cls
        return _fields_of(kind)


@cache
def _fields_of(cls: Any) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(cls)
    return {field.name: (hints[field.name], bool(field.metadata.get("later"))) for field in fields(cls)}


def _plain(value: Any) -> Any:
    if isinstance(value, JsonRecord):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _shape(hint: Any) -> Shape:
    origin, inner = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return hint.shape()  # type: ignore[union-attr]
    if origin in (Union, types.UnionType):
        return tuple(map(_shape, inner))
    if origin is tuple:
        return [_shape(one) for one in inner if one is not ...]
    if inner:
        return {str: _shape(inner[-1])}
    return {Any: object, types.NoneType: None}.get(hint, hint)


def _built(hint: Any, value: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return hint.of_dict(value)  # type: ignore[union-attr]
    if value is None or not inner:
        return value
    if origin in (Union, types.UnionType):
        return _built(inner[0], value)
    if origin is tuple:
        hints = inner[:1] * len(value) if inner[-1] is ... else inner
        return tuple(_built(one, item) for one, item in zip(hints, value, strict=True))
    return {name: _built(inner[-1], item) for name, item in value.items()}
