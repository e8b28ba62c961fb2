"""FinishedTask: what is told of a task when it is done, to a callback and to the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leanrank.evaluation.journal import Task


@dataclass(frozen=True)
class FinishedTask:
    """A task that is done, as a `callback` gets it.

    Attributes
    ----------
    stage : str
        The step of the run that it belongs to, as the progress bar calls it.
    task : dict
        What was computed, in plain values: its kind (`task`), and what tells it from others, such as `fold`, `method`
        or `features` (0-based, of the features that take part).
    result : object
        What came out, in plain values: the order of the features for a path, the metric of each held-out query
        (`values`) for a fit.
    seconds : float or None
        How long it took; None where the journal had it already.
    """

    stage: str
    task: Task
    result: Any
    seconds: float | None

    @property
    def kind(self) -> str:
        """What kind of task it is: "path" is the order of the features by a method, "fit" a training."""
        return str(self.task.get("task", "task"))

    @property
    def reused(self) -> bool:
        """Whether the journal had it."""
        return self.seconds is None

    @property
    def score(self) -> float | None:
        """The mean of the metric over the held-out queries of a fit; None for other tasks.

        >>> FinishedTask("race", {"task": "fit", "fold": 0}, {"values": [0.5, None, 0.7], "share": None}, 0.1).score
        0.6
        """
        if self.kind != "fit":
            return None
        values = [value for value in self.result["values"] if value is not None]
        return round(float(np.mean(values)), 12) if values else None

    def __str__(self) -> str:
        """One line for a log.

        >>> print(FinishedTask("race", {"task": "fit", "fold": 0, "features": [1, 4]}, {"values": [0.5]}, 0.1))
        fit (fold 0, 2 features): 0.1 s, score 0.5000
        """
        told = {name: value for name, value in self.task.items() if name != "task" and isinstance(value, str | int)}
        parts = [f"{name} {value}" for name, value in told.items()]
        if "features" in self.task:
            parts.append(f"{len(self.task['features'])} features")
        took = "from the journal" if self.seconds is None else f"{self.seconds:.3g} s"
        score = "" if self.score is None else f", score {self.score:.4f}"
        return f"{self.kind} ({', '.join(parts)}): {took}{score}"


#: What is called with every task that is done, in the thread that called the job.
Callback = Callable[[FinishedTask], object]
