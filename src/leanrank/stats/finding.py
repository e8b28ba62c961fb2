"""Finding: one thing worth knowing about a data set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing. `severity` is "warning", or "note" where nothing is wrong."""

    kind: str
    severity: str
    message: str
    features: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
