"""MetricLoss: what a set does to one of several metrics, and at which loss it is certified for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class MetricLoss:
    """A set against all features by one metric.

    Attributes
    ----------
    metric : str
    mean : float
        The metric.
    difference, low, high : float
        Its mean difference to all features; the interval holds for all points of the curve at once.
    certified_loss : float or None
        On the path, the smallest loss at which it is certified over all queries; None where it is at none.
    certified_in_slices : float or None
        The same in every slice, where slices are certified too; None where it is at none.
    """

    metric: str
    mean: float
    difference: float
    low: float
    high: float
    certified_loss: float | None = None
    certified_in_slices: float | None = None

    def holds(self, max_loss: float, *, slices: bool) -> bool:
        """Whether it is certified to lose at most so much; with `slices` in each of them too."""
        losses = [self.certified_loss, *([self.certified_in_slices] if slices else [])]
        return all(loss is not None and round(loss, 9) <= max_loss for loss in losses)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def of_dict(cls, record: Mapping[str, Any]) -> MetricLoss:
        """What `to_dict` turned into plain values."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})


def rounded_up(loss: float) -> float | None:
    """A bound of a loss to six digits, so that what it promises is kept; None where it is infinite.

    >>> rounded_up(0.00123456), rounded_up(math.inf)
    (0.001235, None)
    """
    return None if math.isinf(loss) else max(0.0, math.ceil(round(loss * 1e6, 3)) / 1e6)
