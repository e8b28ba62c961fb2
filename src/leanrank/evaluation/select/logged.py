"""What judged queries of a log prove about the recommended features: a certificate beside that of the judged data."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from leanrank.data.text_file import read_json
from leanrank.errors import DataError
from leanrank.evaluation.select.selection import Selection


@dataclass(frozen=True)
class LoggedLoss:
    """The mean loss of a pruned ranker over logged queries, as `leanrank shadow --judged` estimates it.

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
        loss: dict[str, Any] | None = record.get("loss")
        if loss is None:
            raise DataError(f"{path}: nothing was judged: run leanrank shadow with --judged.")
        if not record.get("features"):
            raise DataError(
                f"{path}: the pruned model does not know the names of its features: train it on named ones."
            )
        names = ("metric", "mean", "low", "high", "level", "n_judged", "n_queries")
        return cls(features=frozenset(record["features"]), where=str(path), **{name: loss[name] for name in names})


def certified_on_log(selection: Selection, loss: LoggedLoss) -> Selection:
    """The selection with the recommended features as the certified answer, where the log proves it.

    It does where the whole interval of the loss over all logged queries is within the `max_loss` asked for. The
    ranker that was shadowed must have the recommended features; its loss is that of the two trained rankers on these
    queries, not of training again.
    """
    settings, recommended = selection.settings, selection.recommended
    if loss.metric != settings["metric_name"]:
        raise DataError(
            f"{loss.where}: the loss is one of {loss.metric}, the selection is measured by {settings['metric_name']}: "
            "run leanrank shadow with --metric and -k of the same."
        )
    if loss.level < settings["level"]:
        raise DataError(
            f"{loss.where}: the interval is one of {loss.level:.0%}, {settings['level']:.0%} were asked for."
        )
    if loss.features != set(recommended.features):
        raise DataError(
            f"{loss.where}: the model that was shadowed has {len(loss.features)} features, which are not the "
            f"{recommended.k} that are recommended: shadow a model of those."
        )
    if loss.high > settings["max_loss"] or recommended.k >= selection.certified.k:
        return selection
    about = f"{loss.n_judged:,} judged of {loss.n_queries:,} logged queries"
    certified = replace(
        recommended,
        name="certified",
        estimate={"mean": -loss.mean, "low": -loss.high, "high": -loss.low, "n_queries": loss.n_judged},
        certified_loss=loss.high,
        proven=True,
        reason=f"{about} show that it loses at most {loss.high:.4g}",
        risk="It is proven for the two models that were shadowed, on the queries of that log.",
    )
    return replace(selection, certified=certified)
