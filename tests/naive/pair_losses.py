"""Pairwise losses of one feature in one query, pair by pair."""

from __future__ import annotations

from math import exp, log

import numpy as np


def losses(x, y, loss: str, *, scale: bool = False) -> list[float]:
    """The loss of every preference pair of a query."""
    x = np.asarray(x, dtype=float)
    if scale:
        x = (x - x.min()) / (x.max() - x.min()) if x.max() > x.min() else np.zeros(len(x))
    found = []
    for s in range(len(x)):
        for t in range(len(x)):
            if y[s] > y[t]:
                d = x[s] - x[t]
                if loss == "error":
                    found.append(1.0 if d < 0 else 0.5 if d == 0 else 0.0)
                elif loss == "hinge":
                    found.append(max(0.0, 1.0 - d))
                else:
                    found.append(log(1.0 + exp(-d)))
    return found
