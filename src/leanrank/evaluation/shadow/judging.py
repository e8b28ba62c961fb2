"""Judgements that come back: labels of the documents that moved, of the queries that were drawn."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingSource
from leanrank.data.trec import document_names
from leanrank.errors import DataError

COLUMNS = ("qid", "document", "name", "place_full", "place_pruned", "probability", "label")
Texts = NDArray[np.str_]


@dataclass(frozen=True)
class Judged:
    """Labels of documents, and the probability with which each query was drawn.

    Attributes
    ----------
    query : array of str
        Of each document.
    document : array of int64
        Its place among the rows of its query in the log, from 1.
    label : array of float64
    query_ids : array of str
        The judged queries, in the order in which they were asked for.
    probability : array of float64
        With which each of them was drawn, and judged before the judging stopped.
    n_asked : int
        Queries that were asked for.
    where : str
        Where they came from, for messages.
    """

    query: Texts
    document: NDArray[np.int64]
    label: NDArray[np.float64]
    query_ids: Texts
    probability: NDArray[np.float64]
    n_asked: int
    where: str = "the judgements"

    @property
    def n_queries(self) -> int:
        """Queries that were judged."""
        return len(self.query_ids)


def read_judged(path: str | os.PathLike[str]) -> Judged:
    """Read the file for judges back: a CSV with the columns qid, document and label, and probability where drawn.

    A query has labels for all of its documents or for none. Queries without labels must be the last in the file: its
    order is random, so that those before them are a sample too, of smaller probability.
    """
    table = _table(path)
    query, document, label = (table[name] for name in ("qid", "document", "label"))
    chance = table["probability"] if "probability" in table else np.ones(len(query))
    _require(path, query == "", "the query id is missing")
    _require(path, ~(document >= 1) | (document != np.floor(document)), "the document must be a whole number from 1")
    _require(path, ~((chance > 0) & (chance <= 1)), "the probability must be above 0 and at most 1")
    _require(path, (label < 0) | np.isinf(label), "a label must be a number >= 0")
    ids, first, number = np.unique(query, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[number]  # of the query of each row, in the order of the file
    ids = ids[np.argsort(first)]
    twice = np.ones(len(query), dtype=bool)
    twice[np.unique(np.stack((place, document)), axis=1, return_index=True)[1]] = False
    _require(path, twice, "this document is there a second time")
    by_query = chance[np.sort(first)]
    _require(path, by_query[place] != chance, "the probability is another than before for the same query")
    told = ~np.isnan(label)
    answered, asked = np.bincount(place[told], minlength=len(ids)), np.bincount(place, minlength=len(ids))
    n = _judged_first(path, ids, answered, asked)
    return Judged(
        query[told],
        document[told].astype(np.int64),
        label[told],
        ids[:n],
        by_query[:n] * n / len(ids),
        len(ids),
        str(path),
    )


def _table(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """The columns of a CSV by name: query ids as texts, empty cells of the others as NaN."""
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, read_csv

    types = {"qid": pa.string(), "document": pa.float64(), "probability": pa.float64(), "label": pa.float64()}
    try:
        table = read_csv(Path(path), convert_options=ConvertOptions(column_types=types, strings_can_be_null=False))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as judgements ({str(error)[:160]}).") from error
    absent = next((name for name in ("qid", "document", "label") if name not in table.column_names), None)
    if absent is not None:
        raise DataError(f"{path}: there is no column {absent!r}; judgements have the columns {', '.join(COLUMNS)}.")
    if not len(table):
        raise DataError(f"{path}: there are no judgements, only column names.")
    kept = [name for name in types if name in table.column_names]
    columns = {name: table[name].to_numpy() for name in kept}
    return {name: column.astype(str) if name == "qid" else column for name, column in columns.items()}


def _require(path: Any, wrong: NDArray[np.bool_], rule: str) -> None:
    if wrong.any():
        raise DataError(f"{path}, line {int(np.argmax(wrong)) + 2}: {rule}.")


def _judged_first(path: Any, ids: Texts, answered: NDArray[Any], asked: NDArray[Any]) -> int:
    """How many queries have labels: the first ones of those asked for."""
    part = (answered > 0) & (answered < asked)
    if part.any():
        q = int(np.argmax(part))
        raise DataError(
            f"{path}: {answered[q]} of the {asked[q]} documents of query {ids[q]} have a label: judge all of them, or "
            "none."
        )
    n = int((answered > 0).sum())
    if not n:
        raise DataError(f"{path}: no document has a label.")
    if not (answered[:n] > 0).all():
        left_out = ids[int(np.argmin(answered > 0))]
        raise DataError(
            f"{path}: query {left_out} has no label, but queries after it have. Judge queries in the order of the "
            "file: what is left out on purpose would bias the answer."
        )
    return n


def names_of(logged: RankingSource, query_ids: Iterable[Any]) -> dict[str, list[str]]:
    """Names of the documents of these queries, as far as the log has any: one more pass, without prediction."""
    wanted = {str(query) for query in query_ids}
    names: dict[str, list[str]] = {}
    for block in logged.blocks():
        if block.comments is None or not wanted:
            break
        numbers = [q for q, query in enumerate(block.query_ids.tolist()) if str(query) in wanted]
        names |= {str(block.query_ids[q]): document_names(block.query(q)) for q in numbers}
        wanted -= set(names)
    return names
