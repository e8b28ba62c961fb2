"""LoggedLoss: what judged queries of a log say that a pruned ranker loses, as `select` takes it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from leanrank.data.text_file import read_json
from leanrank.errors import DataError

#: What is wrong with a pruned model that nothing can be said of.
NAMELESS = "the pruned model does not know the names of its features: train it on named ones."


@dataclass(frozen=True)
class LoggedLoss:
    """The mean loss of a pruned ranker over logged queries, of which some were judged.

    Attributes
    ----------
    features : frozenset of str
        Those of the pruned ranker.
    metric : str
    mean, low, high, level : float
        The loss, positive where the pruned ranker is worse, and its interval.
    n_judged, n_queries : int
        Queries judged, and logged.
    where : str
        The file, for messages.
    """

    features: frozenset[str]
    metric: str
    mean: float
    low: float
    high: float
    level: float
    n_judged: int
    n_queries: int
    where: str

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> LoggedLoss:
        """From the report (.json) of `leanrank shadow --judged`."""
        record = read_json(path)
        if not isinstance(record, dict) or record.get("kind") != "shadow":
            raise DataError(f"{path}: is no report of leanrank shadow: write one with --judged and --report FILE.json.")
        if record.get("loss") is None:
            raise DataError(f"{path}: nothing was judged: run leanrank shadow with --judged.")
        if not record.get("features"):
            raise DataError(f"{path}: {NAMELESS}")
        try:
            return cls.of(record["loss"], record["features"], str(path))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}: its part on the loss is broken ({str(error)[:80]}).") from error

    @classmethod
    def of(cls, loss: dict[str, Any], features: Iterable[str], where: str) -> LoggedLoss:
        """From the plain values of a LossEstimate."""
        mean, low, high, level = (float(loss[name]) for name in ("mean", "low", "high", "level"))
        n_judged, n_queries = int(loss["n_judged"]), int(loss["n_queries"])
        names = frozenset(map(str, features))
        return cls(names, str(loss["metric"]), mean, low, high, level, n_judged, n_queries, where)

    def sentence(self) -> str:
        """The loss and its interval."""
        return (
            f"{self.n_judged:,} judged of {self.n_queries:,} logged queries show a loss of {self.mean:+.4f} "
            f"[{self.low:+.4f}, {self.high:+.4f}] {self.metric.upper()}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, without the features."""
        numbers = {name: value for name, value in asdict(self).items() if name not in ("features", "where")}
        return {**numbers, "sentence": self.sentence()}
