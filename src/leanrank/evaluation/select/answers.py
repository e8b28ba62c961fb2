"""Answer: a set of features to ship, what it costs, and what is known of its risk."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from leanrank.errors import UnknownNameError
from leanrank.evaluation.records import ALL_FEATURES

#: The answers of `select`; the second is what it gives unless another is asked for.
ANSWERS = ("safe", "recommended", "certified")
RECOMMENDED = "recommended"


@dataclass(frozen=True)
class Answer:
    """A set of features, with its numbers.

    Attributes
    ----------
    name : str
        "safe", "recommended" or "certified".
    features, indices : tuple
        Names and 0-based indices, in order of selection.
    method : str
        The method whose path they are; "all features" where nothing but the useless is dropped.
    measured_k : int
        At how many features the path was measured; that of all data may end earlier.
    cost : float
    estimate : dict
        Mean difference to all features (`mean`, `low`, `high`, `n_queries`) on queries that did not choose: the method
        and, where it was not asked for, the size are chosen again without each fold. The interval also takes in that
        of the set itself.
    optimistic : dict
        The same on the queries that chose the size, which makes it look a little better than it is; the interval holds
        for everything on the curve.
    certified_loss : float or None
        The smallest `max_loss` at which the set is certified; None where the queries are too few.
    proven : bool
        Whether that is within the `max_loss` asked for, of a set that drops more than the useless.
    reason : str
        Why this set.
    risk : str
        What may go wrong, in one sentence.
    """

    name: str
    features: tuple[str, ...]
    indices: tuple[int, ...]
    method: str
    measured_k: int
    cost: float
    estimate: dict[str, float]
    optimistic: dict[str, float]
    certified_loss: float | None
    proven: bool
    reason: str
    risk: str

    @property
    def k(self) -> int:
        return len(self.features)

    @property
    def is_everything(self) -> bool:
        """Whether nothing but the useless is dropped."""
        return self.method == ALL_FEATURES

    def to_dict(self) -> dict[str, Any]:
        record = asdict(self)
        return {**record, "features": list(self.features), "indices": list(self.indices)}

    @classmethod
    def of_dict(cls, record: dict[str, Any]) -> Answer:
        return cls(**{**record, "features": tuple(record["features"]), "indices": tuple(record["indices"])})


def answer_name(name: object) -> str:
    """The name, or the error that says which there are."""
    if name not in ANSWERS:
        raise UnknownNameError.of("answer", name, ANSWERS, owner="select", parameter="answer")
    return str(name)
