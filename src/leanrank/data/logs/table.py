"""Logged features and grades to a table: two passes over the responses, none of them held."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from leanrank.data.compressed import PathLike
from leanrank.data.logs.hits import Hit, read_hits
from leanrank.data.logs.responses import read_responses
from leanrank.data.whole_file import whole_file
from leanrank.errors import DataError

UNMATCHED = ("missing", "zero")


@dataclass
class Imported:
    """What was written: counts, and how often each feature did not match (`unmatched`, by name)."""

    n_queries: int = 0
    n_rows: int = 0
    n_unjudged: int = 0
    unmatched: dict[str, int] = field(default_factory=dict)


def import_logs(
    logs: Sequence[PathLike],
    grades: Mapping[str, Mapping[str, float]],
    output: PathLike,
    *,
    unmatched: str = "missing",
    unjudged: float | None = None,
    id_field: str = "id",
) -> Imported:
    """Write a CSV with the columns label, qid and one for each feature.

    Parameters
    ----------
    logs : list of paths
        Responses of Elasticsearch, OpenSearch, Solr or Vespa.
    grades : dict
        By query and document, as `read_judgements` gives them.
    output : path
        Written whole or not at all.
    unmatched : {"missing", "zero"}, default="missing"
        A feature that did not match is an empty cell, or 0.
    unjudged : float, optional
        The grade of documents that have none; they are left out if not given.
    id_field : str, default="id"
        Solr's unique key.
    """
    names = _feature_names(logs, id_field)
    done = Imported(unmatched=dict.fromkeys(names, 0))
    gap = "0" if unmatched == "zero" else ""
    with whole_file(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["label", "qid", *names])
        last = None
        for query, hit in _hits(logs, id_field):
            grade = grades.get(query, {}).get(hit.document, unjudged)
            if grade is None:
                done.n_unjudged += 1
                continue
            cells = [hit.values.get(name) for name in names]
            writer.writerow([_number(grade), query, *(gap if cell is None else repr(cell) for cell in cells)])
            done.n_queries, done.n_rows, last = done.n_queries + (query != last), done.n_rows + 1, query
            for name, cell in zip(names, cells, strict=True):
                done.unmatched[name] += cell is None
        text.detach()
        if not done.n_rows:
            raise DataError(
                f"None of the {done.n_unjudged:,} documents of the responses is judged: the queries and documents of "
                "the judgements go by other names."
            )
    return done


def _feature_names(logs: Sequence[PathLike], id_field: str) -> list[str]:
    """Every name, in the order in which they come: what does not match need not be in a response."""
    names: dict[str, None] = {}
    for _, hit in _hits(logs, id_field):
        names |= dict.fromkeys(hit.values)
    for taken in ("label", "qid"):
        if taken in names:
            raise DataError(f"A feature is called {taken!r}, which is another column of the table: rename it.")
    if not names:
        raise DataError("The responses have no document with features.")
    return list(names)


def _hits(logs: Sequence[PathLike], id_field: str) -> Iterator[tuple[str, Hit]]:
    """Query and document; each query in one response, each document once in it."""
    seen: set[str] = set()
    for response in read_responses(logs, "qid"):
        query = str(response.key)
        if query in seen:
            raise DataError(f"{response.where}: query {query!r} is there a second time; put its documents together.")
        seen.add(query)
        documents: set[str] = set()
        for hit in read_hits(response, id_field=id_field):
            if hit.document in documents:
                raise DataError(f"{response.where}: document {hit.document!r} is there a second time.")
            documents.add(hit.document)
            yield query, hit


def _number(grade: float) -> str:
    return str(int(grade)) if grade == int(grade) else repr(grade)
