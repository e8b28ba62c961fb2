"""Responses of a search engine from files, one at a time, each with the query or feature that it belongs to."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leanrank.data.compressed import PathLike, RawBytes, open_bytes
from leanrank.data.formats import without_compression
from leanrank.errors import DataError


@dataclass(frozen=True)
class Response:
    """One response: `where` it stands, the `key` it goes by, and its `content`."""

    where: str
    key: str | None
    content: dict[str, Any]


def read_responses(paths: Iterable[PathLike], key: str) -> Iterator[Response]:
    """Responses of files, which are of two kinds.

    - JSON lines: `{"qid": "12", "response": {...}}` on each, where `key` is "qid". Read line by line.
    - One response, on as many lines as it likes; it goes by the file's name without its endings.
    """
    for given in paths:
        path = Path(given)
        with open_bytes(path) as stream:
            text = io.TextIOWrapper(io.BufferedReader(RawBytes(stream)), encoding="utf-8")
            try:
                yield from _of_file(path, text, key)
            except UnicodeDecodeError as error:
                raise DataError(f"{path}: not text in UTF-8.") from error


def _of_file(path: Path, text: Iterable[str], key: str) -> Iterator[Response]:
    lines = iter(text)
    first = next(lines, "")
    try:
        content = json.loads(first)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):  # a response that goes on
        yield Response(str(path), _stem(path), _object(first + "".join(lines), str(path)))
        return
    if key not in content:
        rest = next((number for number, line in enumerate(lines, start=2) if line.strip()), None)
        if rest is not None:
            raise DataError(
                f"{path}, line 1: expected {{{key!r}: ..., 'response': {{...}}}} on every line; no {key!r}."
            )
        yield Response(str(path), _stem(path), content)
        return
    yield _keyed(content, f"{path}, line 1", key)
    for number, line in enumerate(lines, start=2):
        if line.strip():
            where = f"{path}, line {number}"
            yield _keyed(_object(line, where), where, key)


def _keyed(content: dict[str, Any], where: str, key: str) -> Response:
    name, inside = content.get(key), content.get("response")
    if key not in content or not isinstance(inside, dict):
        raise DataError(f"{where}: expected {{{key!r}: ..., 'response': {{...}}}}.")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise DataError(f"{where}: its {key!r} must be a text or a whole number, not {name!r}.")
    return Response(where, None if name is None else str(name), inside)


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON ({str(error)[:80]}).") from error
    if not isinstance(content, dict):
        raise DataError(f"{where}: expected a response, an object in JSON.")
    return content


def _stem(path: Path) -> str:
    return without_compression(path).stem
