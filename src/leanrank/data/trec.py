"""TREC's runs (what was retrieved, with scores) and qrels (what is relevant), and search engines' judgement lists."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.compressed import PathLike, RawBytes, open_bytes
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError

_RUN = "a run has lines of six fields: query Q0 document rank score tag"
_QRELS = "qrels have lines of four fields: query 0 document label"
_NAMED = re.compile(r"\bdocid\s*=\s*(\S+)")


@dataclass(frozen=True)
class JudgedRun:
    """A run whose documents have labels."""

    # (n,): labels of the retrieved documents, query by query; a document that is not in the qrels has the label 0
    y: NDArray[np.float64]
    scores: NDArray[np.float64]
    query_ptr: NDArray[np.int64]  # (Q + 1,)
    query_ids: NDArray[Any]  # (Q,): the queries that are both in the run and in the qrels, in the order of the run
    unretrieved: list[NDArray[np.float64]]  # for each query, the labels of judged documents that the run does not have
    absent: list[str]  # queries of the qrels that the run does not have


def read_run(path: PathLike) -> dict[str, dict[str, float]]:
    """Scores by query and document, in the order of the file. The rank column is not used: scores say the order."""
    run: dict[str, dict[str, float]] = {}
    for number, fields in _lines(path, 6, _RUN):
        query, _, document, _, text, _ = fields
        _put(run.setdefault(query, {}), document, _number(path, number, text, "score"), path, number, query)
    return run


def read_qrels(path: PathLike) -> dict[str, dict[str, float]]:
    """Labels by query and document. A negative label, which some tracks give to spam, counts as 0."""
    qrels: dict[str, dict[str, float]] = {}
    for number, fields in _lines(path, 4, _QRELS):
        query, _, document, text = fields
        label = max(0.0, _number(path, number, text, "label"))
        _put(qrels.setdefault(query, {}), document, label, path, number, query)
    return qrels


def judge(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, float]], *, like_trec: bool = False
) -> JudgedRun:
    """Put the labels of the qrels to the documents of the run.

    With `like_trec`, scores are rounded to float32 and documents stand in descending order of their names, so that
    breaking ties by the order given is what trec_eval does.
    """
    common = [query for query in run if query in qrels]
    if not common:
        raise DataError(f"The run and the qrels share no query: the run has {_some(run)}, the qrels {_some(qrels)}.")
    y: list[float] = []
    scores: list[float] = []
    sizes, unretrieved = [], []
    for query in common:
        retrieved, labels = run[query], qrels[query]
        documents = sorted(retrieved, reverse=True) if like_trec else list(retrieved)
        y += [labels.get(document, 0.0) for document in documents]
        scores += [retrieved[document] for document in documents]
        sizes.append(len(documents))
        unretrieved.append(np.array([label for document, label in labels.items() if document not in retrieved]))
    values = np.array(scores)
    return JudgedRun(
        np.array(y),
        values.astype(np.float32).astype(np.float64) if like_trec else values,
        np.concatenate(([0], np.cumsum(sizes))),
        np.array(common),
        unretrieved,
        [query for query in qrels if query not in run],
    )


def run_text(data: RankingData, scores: NDArray[np.float64], tag: str = "leanrank") -> str:
    """A run of these scores: every query best first, ties in the order of the data."""
    names, lines = document_names(data), []
    for q, query in enumerate(data.query_ids.tolist()):
        a, b = int(data.query_ptr[q]), int(data.query_ptr[q + 1])
        for rank, row in enumerate(a + np.argsort(-scores[a:b], kind="stable"), start=1):
            lines.append(f"{query} Q0 {names[row]} {rank} {float(scores[row])!r} {tag}\n")
    return "".join(lines)


def qrels_text(data: RankingData) -> str:
    """The labels as qrels."""
    names = document_names(data)
    rows = zip(data.qid.tolist(), names, data.y.tolist(), strict=True)
    return "".join(f"{query} 0 {name} {label:g}\n" for query, name, label in rows)


def document_names(data: RankingData) -> list[str]:
    """Names of the documents: ``docid = ...`` in a comment, or a comment that is one word, else query and place.

    >>> data = RankingData([[1.0], [2.0], [3.0]], [0, 1, 0], [0, 2, 3], comments=["docid = GX0 inc = 1", "d7", ""])
    >>> document_names(data)
    ['GX0', 'd7', '1-1']
    """
    names = []
    comments = data.comments if data.comments is not None else np.full(data.n_rows, "", dtype=object)
    for q, query in enumerate(data.query_ids.tolist()):
        seen: set[str] = set()
        for place, text in enumerate(comments[data.query_ptr[q] : data.query_ptr[q + 1]], start=1):
            named = _NAMED.search(text)
            words = text.split()
            name = named[1] if named else words[0] if len(words) == 1 else ""
            if not name or name in seen:
                name = f"{query}-{place}".replace(" ", "_")
            seen.add(name)
            names.append(name)
    return names


def _lines(path: PathLike, n_fields: int, rule: str) -> Iterator[tuple[int, list[str]]]:
    empty = True
    with open_bytes(path) as file:
        lines = io.TextIOWrapper(io.BufferedReader(RawBytes(file)), encoding="utf-8", newline="\n")
        try:
            for number, line in enumerate(lines, start=1):
                fields = line.split()
                if not fields:
                    continue
                if len(fields) != n_fields:
                    raise DataError(f"{path}, line {number}: {rule}. Found {line.strip()[:60]!r}.")
                empty = False
                yield number, fields
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: not text in UTF-8; {rule}.") from error
    if empty:
        raise DataError(f"{path}: the file is empty; {rule}.")


def _number(path: PathLike, number: int, text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{path}, line {number}: the {what} {text!r} is not a finite number.")
    return value


def _put(into: dict[str, float], document: str, value: float, path: PathLike, number: int, query: str) -> None:
    if document in into:
        raise DataError(f"{path}, line {number}: document {document!r} is there twice for query {query}.")
    into[document] = value


def _some(queries: dict[str, Any]) -> str:
    names = list(queries)
    return f"{len(names):,} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"


# "4 qid:1 # 7555 Rambo", perhaps with features between; "# qid:1: rambo" in its head says what a query is.
_JUDGED = re.compile(r"\s*(\S+)\s+qid:(\S+)(?:\s+[^#]*)?#\s*(\S+)")


def read_judgements(path: PathLike) -> dict[str, dict[str, float]]:
    """Grades by query and document.

    Qrels have lines of four fields, `query 0 document grade`; a judgement list has `grade qid:query # document`.
    """
    lines = _text(path).splitlines()
    if not any(" qid:" in line for line in lines[:50] if not line.lstrip().startswith("#")):
        return read_qrels(path)
    grades: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines, start=1):
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


def _text(path: PathLike) -> str:
    with open_bytes(path) as stream:
        content, buffer = bytearray(), bytearray(1 << 16)
        while n := stream.readinto(memoryview(buffer)):
            content += buffer[:n]
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not text in UTF-8.") from error
