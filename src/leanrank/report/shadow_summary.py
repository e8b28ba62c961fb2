"""The summary of a shadow: what changes, what it costs and what drifted, as plain values for every renderer."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingSource
from leanrank.evaluation.shadow.asked import Asked
from leanrank.evaluation.shadow.drift import Drift
from leanrank.evaluation.shadow.estimate import LossEstimate
from leanrank.evaluation.shadow.judging import names_of
from leanrank.evaluation.shadow.shadow import SHOWN, Shadow
from leanrank.report._summary import FORMAT, VERSION, versions


def summarize_shadow(
    shadowed: Shadow,
    logged: RankingSource | None = None,
    *,
    loss: LossEstimate | None = None,
    drift: Drift | None = None,
    asked: Asked | None = None,
    show: int = SHOWN,
    source: dict[str, str | None] | None = None,
) -> dict[str, Any]:
    """Everything a report of a shadow says.

    Parameters
    ----------
    shadowed : Shadow
    logged : RankingSource, default=None
        Where the names of documents are looked up.
    loss : LossEstimate, default=None
        What judgements say is lost.
    drift : Drift, default=None
        What changed since an older log.
    asked : Asked, default=None
        The queries that were drawn to be judged: a report in JSON has what their answers need to know of the log.
    show : int, default=10
        Queries to show side by side.
    source : dict, default=None
        The files that it was made of, by what they are.
    """
    figures = shadowed.to_dict(show)
    names = {} if logged is None else names_of(logged, [row["query"] for row in figures["most_changed"]])
    for row in figures["most_changed"]:
        for side in ("full", "pruned"):
            row[side] = [_name(names.get(str(row["query"])), document) for document in row[side]]
    firsts = np.bincount(shadowed.changes.first_moved, minlength=shadowed.k + 1)
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "kind": "shadow",
        "sentence": shadowed.sentence(),
        **figures,
        "features": list(shadowed.features),
        "first_places": firsts[1 : shadowed.k + 1].tolist(),
        "asked": None if asked is None else asked.to_dict(),
        "loss": None if loss is None else {**loss.to_dict(), "sentence": loss.sentence()},
        "drift": None if drift is None else {**drift.to_dict(), "sentence": drift.sentence()},
        "source": {name: path for name, path in (source or {}).items() if path is not None},
        "versions": versions(),
    }


def _name(names: list[str] | None, document: int | None) -> str | None:
    if document is None:
        return None
    return f"document {document}" if names is None else names[document - 1]
