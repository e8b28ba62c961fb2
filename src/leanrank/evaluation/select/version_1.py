"""Answers of `select` from before there were three: the one they had, and what can be said of the others."""

from __future__ import annotations

from typing import Any

from leanrank.evaluation.bootstrap import FEWEST_QUERIES
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.answers import RECOMMENDED, Answer, risk_of
from leanrank.evaluation.select.resolution import Forecast

Record = dict[str, Any]


def with_answers(record: Record) -> Record:
    """A record of features.json that has three answers; one that has them already is left as it is.

    The one answer of then is the recommended one, and the certified one where it was proven. The bounds of then held
    for all sets at once, so that each is certified at its own. A record that lacks something raises KeyError or
    TypeError.
    """
    if "answers" in record or record["kind"] != "measured":
        return record
    settings, n = record["settings"], record["versus_all"]["n_queries"]
    path_method = record["method"] if record.get("provable") is None else record["provable"]["method"]
    curve = _curve(record, path_method, n)
    place = {(point["method"], point["k"]): i for i, point in enumerate(curve)}
    answer = _answer(record, curve[place[record["method"], record["measured_k"]]]["certified_loss"])
    everything = _everything(record, n)
    proven = answer.proven and not answer.is_everything
    forecast = Forecast.before(n, settings["max_loss"], level=settings["level"])
    answers = {"safe": everything, RECOMMENDED: answer, "certified": answer if proven else everything}
    return {
        **record,
        "answer": RECOMMENDED,
        "answers": {name: {**each.to_dict(), "name": name} for name, each in answers.items()},
        "forecast": forecast.to_dict(),
        "path_method": path_method,
        "curve": curve,
        "pareto": [place[point["method"], point["k"]] for point in record["pareto"]],
    }


def _curve(record: Record, path_method: str, n_queries: int) -> list[Record]:
    """The points, those of the path first and from the largest, all features at the end."""
    chosen = {"stability": record["stability"], "losers": record["losers"], "per_query": record.get("per_query", {})}
    points = []
    for old in record["curve"]:
        on_path = old["method"] in (path_method, ALL_FEATURES)
        loss = max(0.0, -old["bound"]) if on_path and n_queries >= FEWEST_QUERIES else None
        own = (old["method"], old["k"]) == (record["method"], record["measured_k"])
        kept = {name: value for name, value in old.items() if name != "bound"}
        points.append({**kept, "on_path": on_path, "certified_loss": loss, "evidence": chosen if own else None})

    def place(point: Record) -> tuple[bool, bool, int]:
        return point["method"] == ALL_FEATURES, not point["on_path"], -point["k"] if point["on_path"] else 0

    return sorted(points, key=place)


def _answer(record: Record, loss: float | None) -> Answer:
    s = record["settings"]
    estimate, optimistic = (
        {key: record[name][key] for key in ("mean", "low", "high", "n_queries")} for name in ("nested", "versus_all")
    )
    return Answer(
        name=RECOMMENDED,
        features=tuple(record["names"]),
        indices=tuple(record["indices"]),
        method=record["method"],
        measured_k=record["measured_k"],
        cost=record["cost"],
        estimate=estimate,
        optimistic=optimistic,
        certified_loss=loss,
        proven=record["proven"] and record["method"] != ALL_FEATURES,
        reason=record["reason"],
        risk=risk_of(
            estimate,
            loss,
            proven=loss is not None and loss <= s["max_loss"],
            max_losses={s["metric_name"]: s["max_loss"]},
            level=s["level"],
        ),
    )


def _everything(record: Record, n_queries: int) -> Answer:
    """All features that may be used, as the safe answer."""
    never, names = set(record["settings"]["never"]), record["feature_names"]
    kept = [j for j, name in enumerate(names) if name not in never]
    nothing = {"mean": 0.0, "low": 0.0, "high": 0.0, "n_queries": n_queries}
    return Answer(
        name="safe",
        features=tuple(names[j] for j in kept),
        indices=tuple(kept),
        method=ALL_FEATURES,
        measured_k=record["baseline"]["n_features"],
        cost=record["baseline"]["cost"],
        estimate=nothing,
        optimistic=nothing,
        certified_loss=0.0,
        proven=False,
        reason="which features are copies was not looked at then",
        risk="None that these queries could show: scores stay as they are.",
    )
