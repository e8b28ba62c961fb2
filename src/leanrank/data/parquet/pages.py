"""What a Parquet file says of its sizes, checked before memory is taken for it.

The format: https://parquet.apache.org/docs/file-format/ (page headers are structs of Thrift's compact protocol).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from leanrank.data.memory_size import check_expansion
from leanrank.errors import DataError

#: So many pages are looked at, and footers of so many bytes: sizes in larger files are smaller beside the file itself.
_MOST_PAGES = 20_000
_MOST_FOOTER = 1 << 20
_HEADER_BYTES = 1 << 14
_VALUE_BYTES = 8
_DEEPEST = 12
_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = range(4)
# Fields of a page header, and the field of the struct of its kind that says how many values there are.
_KIND, _UNPACKED, _PACKED = 1, 2, 3
_STRUCT_OF = {_DATA_PAGE: 5, _DICTIONARY_PAGE: 7, _DATA_PAGE_2: 8}


def check_sizes(path: Path, metadata: Any, names: set[str]) -> None:
    """Refuse a file whose footer or pages promise more than can be in it; `names` are the columns that are read."""
    n_bytes = path.stat().st_size
    check_expansion(metadata.num_rows * _VALUE_BYTES * len(names), n_bytes, str(path))
    check_expansion(sum(_unpacked(metadata, i) for i in range(metadata.num_row_groups)), n_bytes, str(path))
    if metadata.serialized_size > _MOST_FOOTER:
        return
    n_pages = 0
    with path.open("rb") as file:
        for chunk in _chunks(file, n_bytes):
            if n_pages > _MOST_PAGES:
                return
            n_pages += _check_chunk(file, chunk, n_bytes)


@dataclass(frozen=True)
class _Chunk:
    """A column in a row group, as the footer describes it."""

    name: str
    flat: bool
    n_rows: int
    n_values: int
    unpacked: int
    packed: int
    data_page: int
    dictionary_page: int


def _chunks(file: BinaryIO, n_bytes: int) -> Iterator[_Chunk]:
    """Read by ourselves: pyarrow ends the process over some damage in the description of a column."""
    file.seek(max(0, n_bytes - 8))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, n_bytes - 8 - length))
    footer, _ = _page_header(file.read(length))
    for group in _structs(footer.get(4)):
        n_rows = _number(group, 3)
        for column in _structs(group.get(1)) if n_rows else ():
            about = column.get(3)
            if not isinstance(about, dict):
                raise DataError("a column is not described: the file is damaged.")
            path: Any = about.get(3)
            path = path if isinstance(path, list) else []
            name = b".".join(part for part in path if isinstance(part, bytes)).decode("utf-8", "replace")
            yield _Chunk(name, len(path) == 1, n_rows, *(_number(about, field) for field in (5, 6, 7, 9, 11)))


def _structs(value: Any) -> list[dict[int, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise DataError("its footer has no row groups or columns: the file is damaged.")
    return value


def _unpacked(metadata: Any, i: int) -> int:
    size = int(metadata.row_group(i).total_byte_size)
    if size < 0:
        raise DataError(f"row group {i} states a size of {size} bytes: it is damaged.")
    return size


def _check_chunk(file: BinaryIO, chunk: _Chunk, n_bytes: int) -> int:
    """The number of pages of a column in a row group."""
    where = f"a column ({chunk.name!r})"
    start = min(chunk.data_page, chunk.dictionary_page) if chunk.dictionary_page > 0 else chunk.data_page
    end = start + chunk.packed
    counted = not chunk.flat or chunk.n_values == chunk.n_rows
    if not (0 < start <= end <= n_bytes and chunk.unpacked >= 0 and counted):
        raise DataError(f"{where} is not where the file states, or not of its rows: it is damaged.")
    n_pages, n_values = 0, 0
    while start < end:
        file.seek(start)
        header, length = _page_header(file.read(min(_HEADER_BYTES, end - start)))
        kind, unpacked, packed = (_number(header, field) for field in (_KIND, _UNPACKED, _PACKED))
        inner = header.get(_STRUCT_OF.get(kind, -1))
        values = _number(inner, 1) if isinstance(inner, dict) else 0 if kind == _INDEX_PAGE else -1
        if not (0 <= packed <= end - start - length and 0 <= unpacked <= chunk.unpacked and values >= 0):
            raise DataError(f"a page of {where} states sizes that it cannot have: it is damaged.")
        if kind == _DICTIONARY_PAGE and values > unpacked:
            raise DataError(f"a dictionary of {where} states more values than it has bytes: it is damaged.")
        n_values += values if kind in (_DATA_PAGE, _DATA_PAGE_2) else 0
        if n_values > chunk.n_values:
            raise DataError(f"the pages of {where} state more values than the column has: it is damaged.")
        start += length + packed
        n_pages += 1
    return n_pages


def _number(fields: dict[int, Any], field: int) -> int:
    """A field that is a number, -1 where it is absent or something else."""
    value = fields.get(field)
    return value if type(value) is int else -1


def _page_header(content: bytes) -> tuple[dict[int, Any], int]:
    """A struct's fields by number, and how many bytes it takes."""
    try:
        return _struct(content, 0, 0)
    except IndexError as error:
        raise DataError("a page or the footer has no header: the file is damaged.") from error


def _struct(content: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = content[at]
        at += 1
        kind = head & 15
        if kind == 0:
            return fields, at
        if head >> 4:
            number += head >> 4
        else:
            number, at = _varint(content, at)
            number = (number >> 1) ^ -(number & 1)
        if kind in (1, 2):  # true and false are in the kind
            fields[number] = kind == 1
        else:
            fields[number], at = _value(content, at, kind, depth + 1)


def _value(content: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """What stands at a place: a number, text, list or struct by the kinds of the protocol."""
    if depth > _DEEPEST:
        raise IndexError("nested deeper than a footer is")
    if kind in (1, 2, 3):
        return content[at], at + 1
    if kind in (4, 5, 6):
        value, at = _varint(content, at)
        return (value >> 1) ^ -(value & 1), at
    if kind == 7:
        return None, at + 8
    if kind == 8:
        length, at = _varint(content, at)
        return content[at : at + length], at + length
    if kind in (9, 10):
        head = content[at]
        size, at = (head >> 4, at + 1) if head >> 4 < 15 else _varint(content, at + 1)
        items = []
        for _ in range(size):
            item, at = _value(content, at, head & 15, depth + 1)
            items.append(item)
        return items, at
    if kind == 12:
        return _struct(content, at, depth)
    raise IndexError("a kind of field that there is not")


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise IndexError("a number longer than numbers are")
