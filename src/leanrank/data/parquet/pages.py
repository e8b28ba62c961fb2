"""What a Parquet file says of its sizes, checked before memory is taken for it.

The format: https://parquet.apache.org/docs/file-format/ (page headers are structs of Thrift's compact protocol).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from leanrank.data.expansion import check_expansion
from leanrank.errors import DataError

#: So many pages are looked at; those of larger files are as large as their columns at most.
_MOST_PAGES = 20_000
_HEADER_BYTES = 1 << 14
_VALUE_BYTES = 8
_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = range(4)
# Fields of a page header, and the field of the struct of its kind that says how many values there are.
_KIND, _UNPACKED, _PACKED = 1, 2, 3
_STRUCT_OF = {_DATA_PAGE: 5, _DICTIONARY_PAGE: 7, _DATA_PAGE_2: 8}


def check_sizes(path: Path, metadata: Any, names: set[str]) -> None:
    """Refuse a file whose footer or pages promise more than can be in it; `names` are the columns that are read."""
    n_bytes = path.stat().st_size
    check_expansion(metadata.num_rows * _VALUE_BYTES * len(names), n_bytes, str(path))
    check_expansion(sum(_unpacked(metadata, i) for i in range(metadata.num_row_groups)), n_bytes, str(path))
    n_pages = 0
    with path.open("rb") as file:
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            for j in range(group.num_columns if group.num_rows else 0):
                if n_pages > _MOST_PAGES:
                    return
                n_pages += _check_chunk(file, group.column(j), group.num_rows, n_bytes)


def _unpacked(metadata: Any, i: int) -> int:
    size = int(metadata.row_group(i).total_byte_size)
    if size < 0:
        raise DataError(f"row group {i} states a size of {size} bytes: it is damaged.")
    return size


def _check_chunk(file: BinaryIO, chunk: Any, n_rows: int, n_bytes: int) -> int:
    """The number of pages of a column in a row group."""
    where = f"a column ({chunk.path_in_schema!r})"
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        start = min(start, chunk.dictionary_page_offset)
    end = start + chunk.total_compressed_size
    flat = "." not in chunk.path_in_schema
    if not 0 < start <= end <= n_bytes or chunk.total_uncompressed_size < 0 or (flat and chunk.num_values != n_rows):
        raise DataError(f"{where} is not where the file states, or not of its rows: it is damaged.")
    n_pages, n_values = 0, 0
    while start < end:
        file.seek(start)
        header, length = _page_header(file.read(min(_HEADER_BYTES, end - start)))
        kind, unpacked, packed = (_number(header, field) for field in (_KIND, _UNPACKED, _PACKED))
        inner = header.get(_STRUCT_OF.get(kind, -1))
        values = _number(inner, 1) if isinstance(inner, dict) else 0 if kind == _INDEX_PAGE else -1
        if not (0 <= packed <= end - start - length and 0 <= unpacked <= chunk.total_uncompressed_size and values >= 0):
            raise DataError(f"a page of {where} states sizes that it cannot have: it is damaged.")
        if kind == _DICTIONARY_PAGE and values > unpacked:
            raise DataError(f"a dictionary of {where} states more values than it has bytes: it is damaged.")
        n_values += values if kind in (_DATA_PAGE, _DATA_PAGE_2) else 0
        if n_values > chunk.num_values:
            raise DataError(f"the pages of {where} state more values than the column has: it is damaged.")
        start += length + packed
        n_pages += 1
    return n_pages


def _number(fields: dict[int, Any], field: int) -> int:
    """A field that is a number, -1 where it is absent or something else."""
    value = fields.get(field)
    return value if type(value) is int else -1


def _page_header(content: bytes) -> tuple[dict[int, Any], int]:
    """The header's fields by number, and how many bytes it takes."""
    try:
        fields, length = _struct(content, 0, 0)
    except (IndexError, RecursionError) as error:
        raise DataError("a page has no header: the file is damaged.") from error
    return fields, length


def _struct(content: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    if depth > 4:
        raise IndexError("nested deeper than a page header is")
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
        if kind in (1, 2):  # true and false are in the kind
            fields[number] = kind == 1
        elif kind == 3:
            at += 1
        elif kind in (4, 5, 6):
            value, at = _varint(content, at)
            fields[number] = (value >> 1) ^ -(value & 1)
        elif kind == 7:
            at += 8
        elif kind == 8:
            length, at = _varint(content, at)
            at += length
        elif kind == 12:
            fields[number], at = _struct(content, at, depth + 1)
        else:
            raise IndexError("a kind of field that page headers do not have")


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
