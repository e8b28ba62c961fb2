"""What judged queries of a log prove about the recommended features: a certificate beside that of the judged data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leanrank.errors import DataError
from leanrank.evaluation.logged_loss import LoggedLoss

if TYPE_CHECKING:
    from leanrank.evaluation.select.selection import Selection


def certified_on_log(selection: Selection, loss: LoggedLoss) -> Selection:
    """The selection with the recommended features as the certified answer, where the log proves it.

    It does where the whole interval of the loss over all logged queries is within the `max_loss` asked for. The
    ranker that was shadowed must have the recommended features; its loss is that of the two trained rankers on these
    queries, not of training again. What the log says stands in the settings, whether it proves anything or not.
    """
    settings, recommended = selection.settings, selection.recommended
    if len(selection.max_losses) > 1 or selection.certifies_slices:
        raise DataError(f"{loss.where}: the log proves the loss of one metric over all queries, more was asked for.")
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
    proves = loss.high <= settings["max_loss"]
    selection = replace(selection, settings={**settings, "logged": {**loss.to_dict(), "proves": proves}})
    if not proves or recommended.k >= selection.certified.k:
        return selection
    shown = f"{loss.n_judged:,} judged of {loss.n_queries:,} logged queries show that it loses at most {loss.high:.4g}"
    risk = (
        "It is proven for the two models that were shadowed, on the queries of that log; those without a relevant "
        "document lose nothing."
    )
    proven = replace(
        recommended, certified_loss=loss.high, proven=True, reason=f"{recommended.reason}; {shown}", risk=risk
    )
    by_log = {"mean": -loss.mean, "low": -loss.high, "high": -loss.low, "n_queries": loss.n_judged}
    certified = replace(proven, name="certified", estimate=by_log, reason=shown)
    return replace(selection, recommended=proven, certified=certified)
