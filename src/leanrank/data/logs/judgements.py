"""Grades of documents: TREC's qrels, or the judgement list of the Learning to Rank plugins."""

from __future__ import annotations

import re

from leanrank.data.compressed import PathLike, open_bytes
from leanrank.data.trec import read_qrels
from leanrank.errors import DataError

# "4 qid:1 # 7555 Rambo", perhaps with features between; "# qid:1: rambo" in its head says what a query is.
_JUDGED = re.compile(r"\s*(\S+)\s+qid:(\S+)(?:\s+[^#]*)?#\s*(\S+)")


def read_judgements(path: PathLike) -> dict[str, dict[str, float]]:
    """Grades by query and document.

    Qrels have lines of four fields, `query 0 document grade`; a judgement list has `grade qid:query # document`.
    """
    if not _is_list(path):
        return read_qrels(path)
    grades: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = _JUDGED.match(line)
        where = f"{path}, line {number}"
        if parts is None:
            raise DataError(f"{where}: expected 'grade qid:query # document', found {line[:60]!r}.")
        grade, query, document = parts.groups()
        try:
            value = float(grade)
        except ValueError:
            raise DataError(f"{where}: the grade {grade!r} is not a number.") from None
        if document in grades.setdefault(query, {}):
            raise DataError(f"{where}: document {document!r} of query {query!r} is judged a second time.")
        grades[query][document] = value
    return grades


def _is_list(path: PathLike) -> bool:
    return any(" qid:" in line for line in _text(path).splitlines()[:50] if not line.lstrip().startswith("#"))


def _text(path: PathLike) -> str:
    with open_bytes(path) as stream:
        content, buffer = bytearray(), bytearray(1 << 16)
        while n := stream.readinto(memoryview(buffer)):
            content += buffer[:n]
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not text in UTF-8.") from error
