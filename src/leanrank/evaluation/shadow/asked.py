"""Asked: queries that were drawn to be judged, the file for judges, and what their answers tell about the whole log."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingSource
from leanrank.data.text_file import read_json
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError
from leanrank.evaluation.shadow.estimate import LossEstimate, estimated_loss
from leanrank.evaluation.shadow.judging import COLUMNS, Judged, names_of
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.logged_queries import LoggedQueries, Reach
from leanrank.evaluation.shadow.loss import MovedDocuments


@dataclass(frozen=True)
class Asked:
    """Queries to judge, in random order, with the probability of each, and what their answers need to know of the log.

    Attributes
    ----------
    queries : LoggedQueries
        Those that were drawn, in the order in which they are to be judged, with their documents that moved.
    probability : array of float64
        With which each of them was drawn.
    reach : Reach or None
        The most that a query of the log can lose; None where none changes.
    features : tuple of str
        Those of the pruned ranker, where it knows their names.
    where : str
        Where it came from, for messages.
    """

    queries: LoggedQueries
    probability: NDArray[np.float64]
    reach: Reach | None
    features: tuple[str, ...] = ()
    where: str = "the sample"

    @property
    def query_ids(self) -> NDArray[Any]:
        """Those to judge, in order."""
        return self.queries.query_ids

    @property
    def documents(self) -> MovedDocuments:
        """Those to judge."""
        return self.queries.documents

    @property
    def k(self) -> int:
        """Places that people see."""
        return self.queries.k

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"Asked: {len(self):,} queries, {len(self.documents):,} documents"

    def text(self, names: Mapping[str, list[str]] | None = None) -> str:
        """A CSV with a line for each document and an empty column of labels; `names` of the documents, by query."""
        import pyarrow as pa
        from pyarrow.csv import WriteOptions, write_csv

        documents, sizes = self.documents, self.queries.moved
        name = np.full(len(documents), "", dtype=object)
        for query, begin, size in zip(self.query_ids.tolist(), np.cumsum(sizes) - sizes, sizes, strict=True):
            if names is not None and str(query) in names:
                of_query = np.array(names[str(query)], dtype=object)
                name[begin : begin + size] = of_query[documents.document[begin : begin + size] - 1]
        columns = (
            np.repeat(self.query_ids.astype(str), sizes).tolist(),
            documents.document,
            name.tolist(),
            documents.before,
            documents.after,
            np.repeat(self.probability, sizes),
            pa.array([None] * len(documents), pa.float64()),
        )
        file = io.BytesIO()
        table = pa.table(dict(zip(COLUMNS, columns, strict=True)))
        write_csv(table, file, WriteOptions(include_header=True, quoting_style="needed"))
        return file.getvalue().decode()

    def write(self, path: str | os.PathLike[str], logged: RankingSource | None = None) -> None:
        """Write the file for judges, whole or not at all; names of documents are looked up in `logged`."""
        write_whole(path, self.text(None if logged is None else names_of(logged, self.query_ids)))

    def loss(
        self, judged: Judged, *, metric: str = "dcg", max_label: float | None = None, level: float = 0.95
    ) -> LossEstimate:
        """The mean loss over all logged queries, without the log: as `Shadow.loss` says.

        Of the answers only queries, documents and labels are looked at: probabilities and places are known here.
        """
        numbers = self.queries.numbers_of(judged.query_ids)
        if (numbers < 0).any():
            unknown = judged.query_ids[numbers < 0][0]
            raise DataError(f"{judged.where}: query {unknown} is not among those that {self.where} has drawn.")
        n = len(numbers)
        early = np.setdiff1d(np.arange(n), numbers)
        if len(early):
            raise DataError(
                f"{judged.where}: query {self.query_ids[early[0]]} has no label, but queries that were drawn after it "
                "have: what is left out on purpose would bias the answer."
            )
        if self.reach is None:
            raise DataError(f"{self.where}: no query changes, so nothing was drawn.")
        chance = self.probability[numbers] * n / len(self)
        known = replace(judged, probability=chance, n_asked=len(self))
        return estimated_loss(self.queries, self.reach, known, metric=metric, max_label=max_label, level=level)

    def to_dict(self) -> dict[str, Any]:
        """What a report of the shadow does not have yet, as plain values; see `read`."""
        moved = self.documents
        rows = np.stack((moved.document, moved.before, moved.after), axis=1)
        parts = np.split(rows, np.cumsum(self.queries.moved)[:-1])
        columns = (self.query_ids.tolist(), self.probability.tolist(), self.queries.n_documents.tolist(), parts)
        return {
            "reach": None if self.reach is None else asdict(self.reach),
            "queries": [
                {"query": str(query), "probability": chance, "n_documents": n, "moved": part.tolist()}
                for query, chance, n, part in zip(*columns, strict=False)
            ],
        }

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Asked:
        """From the report (.json) that `leanrank shadow --ask` wrote."""
        record = read_json(path)
        if not isinstance(record, dict) or record.get("kind") != "shadow":
            raise DataError(f"{path}: is no report of leanrank shadow: write one with --ask and --report FILE.json.")
        asked = record.get("asked")
        if not isinstance(asked, dict) or not asked.get("queries"):
            raise DataError(f"{path}: nothing was asked: run leanrank shadow with --ask and --report together.")
        try:
            return cls._of(record, str(path))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DataError(f"{path}: its part on what was asked is broken ({str(error)[:80]}).") from error

    @classmethod
    def _of(cls, record: dict[str, Any], where: str) -> Asked:
        rows = record["asked"]["queries"]
        moved = [np.array(row["moved"], dtype=np.int32).reshape(-1, 3) for row in rows]
        number = np.repeat(np.arange(len(rows)), [len(part) for part in moved])
        documents = MovedDocuments(number, *np.concatenate(moved).T)
        queries = LoggedQueries(
            np.array([str(row["query"]) for row in rows]),
            np.array([int(row["n_documents"]) for row in rows], dtype=np.int64),
            documents,
            int(record["n_queries"]),
            int(record["n_changed"]),
            int(record["k"]),
        )
        chance = np.array([float(row["probability"]) for row in rows])
        possible = (
            ((chance > 0) & (chance <= 1)).all() and (queries.moved > 0).all() and (documents.document >= 1).all()
        )
        if not possible or not len(rows) <= queries.n_changed <= queries.n_queries:
            raise ValueError("its numbers do not fit together")
        reach = record["asked"]["reach"]
        dcg, ndcg = (
            Largest(*(float(reach[name][part]) for part in ("cut", "beyond", "certain"))) for name in ("dcg", "ndcg")
        )
        return cls(queries, chance, Reach(dcg, ndcg), tuple(map(str, record["features"])), where)
