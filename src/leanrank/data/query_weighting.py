"""QueryWeighting: that queries count by weights, and by which, as results say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES


@dataclass(frozen=True)
class QueryWeighting:
    """The column that the weights of queries are from, if it had a name, and the least and the greatest of them."""

    column: str | None
    least: float
    most: float

    @classmethod
    def of(cls, parts: Sequence[RankingData]) -> QueryWeighting | None:
        """That of data, in parts or whole; None where all queries count alike.

        >>> from leanrank.data.side_columns import SideColumns
        >>> side = SideColumns(query_weight=[3.0, 0.5], names={"query_weight": "traffic"})
        >>> data = RankingData([[1.0], [2.0]], [1, 0], [0, 1, 2], beside=side)
        >>> QueryWeighting.of([data]).sentence
        "queries count by their weights in 'traffic', from 0.5 to 3"
        """
        known = [weight for part in parts if (weight := part.beside.query_weight) is not None]
        if not known:
            return None
        names = (part.beside.names.get(QUERIES) for part in parts)
        column = next((name for name in names if name is not None), None)
        return cls(column, min(float(w.min()) for w in known), max(float(w.max()) for w in known))

    @property
    def sentence(self) -> str:
        """In words, as a part of a sentence."""
        where = "" if self.column is None else f" in {self.column!r}"
        return f"queries count by their weights{where}, from {self.least:g} to {self.most:g}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def weighting_said(settings: Mapping[str, Any]) -> str:
    """What the settings of a run say of weights of queries; nothing where there were none."""
    known = settings.get("query_weights")
    return "" if known is None else QueryWeighting(known["column"], known["least"], known["most"]).sentence
