"""Answer: a set of features to ship, what it costs, and what is known of its risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leanrank.data.json_record import JsonRecord
from leanrank.errors import UnknownNameError
from leanrank.evaluation.records import ALL_FEATURES

#: The answers of `select`; the second is what it gives unless another is asked for.
ANSWERS = ("safe", "recommended", "certified")
RECOMMENDED = "recommended"
#: A set of the path that somebody asked for afterwards, by its size or its cost.
ASKED = "asked"


@dataclass(frozen=True)
class Answer(JsonRecord):
    """A set of features, with its numbers.

    Attributes
    ----------
    name : str
        "safe", "recommended", "certified" or "asked".
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
        of the set itself. Of all features less their copies, which nobody chose, their own. Empty where the size was
        not measured.
    optimistic : dict
        The same on the queries that chose the size, which makes it look a little better than it is; the interval holds
        for everything on the curve.
    certified_loss : float or None
        The smallest `max_loss` at which the set is certified; None where the queries are too few, or none was tested.
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
    def is_measured(self) -> bool:
        """Whether rankers were trained on sets of this size: without, nothing is known of it."""
        return bool(self.estimate)

    @property
    def is_everything(self) -> bool:
        """Whether nothing but the useless is dropped."""
        return self.method == ALL_FEATURES


def risk_of(
    estimate: dict[str, float],
    loss: float | None,
    *,
    proven: bool,
    max_losses: Mapping[str, float],
    level: float,
    slices: bool = False,
) -> str:
    """What may go wrong with a set of this estimate that is certified at this loss (None: at none), in one sentence.

    >>> risk_of({"mean": -0.003, "low": -0.012}, 0.0081, proven=False, max_losses={"ndcg@10": 0.002}, level=0.95)
    'It is expected to lose 0.0030 NDCG@10 on other queries, and may lose up to 0.012.'
    >>> risk_of({}, 0.001, proven=True, max_losses={"ndcg@10": 0.002, "map": 0.01}, level=0.95)
    'A loss of more than 0.002 NDCG@10 or 0.01 MAP is ruled out with 95% confidence.'
    """
    if loss is None:
        return "So few queries rule out no loss."
    if proven:
        most_of = " or ".join(f"{allowed:g} {name.upper()}" for name, allowed in max_losses.items())
        where = " in every slice" * slices
        return f"A loss of more than {most_of} is ruled out with {100 * level:g}% confidence{where}."
    metric = next(iter(max_losses)).upper()
    mean, most = estimate["mean"], max(-estimate["low"], loss)
    expected = f"lose {-mean:.4f}" if mean < 0 else f"gain {mean:.4f}"
    return f"It is expected to {expected} {metric} on other queries, and may lose up to {most:.3f}."


def answer_name(name: object) -> str:
    """The name, or the error that says which there are."""
    if name not in ANSWERS:
        raise UnknownNameError.of("answer", name, ANSWERS, owner="select", parameter="answer")
    return str(name)
