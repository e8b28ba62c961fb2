"""A saved Selection: read from features.json, or from what a journal keeps."""

from __future__ import annotations

import os
from typing import Any

from leanrank.errors import DataError
from leanrank.evaluation.select.answers import ASKED, Answer
from leanrank.evaluation.select.curve_point import CurvePoint
from leanrank.evaluation.select.importance_drift import ImportanceDrift
from leanrank.evaluation.select.resolution import Forecast
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.selection_shape import check_before, check_selection
from leanrank.evaluation.select.version_1 import with_answers
from leanrank.selectors.features_file import catalogue_in, read_record, upgraded


def load_selection(path: str | os.PathLike[str]) -> Selection:
    """Read a selection written by `Selection.save` or `leanrank select -o`, of this version of leanrank or before."""
    return selection_of(read_record(path), path)


def selection_of(record: Any, path: str | os.PathLike[str]) -> Selection:
    """The selection that `Selection.to_dict` turned into plain values; errors name `path`."""
    record = upgraded(record, path)
    if record["kind"] != "measured":
        raise DataError(
            f"{path}: is the order of one method, which measured nothing. `leanrank select` measures what features are "
            "worth."
        )
    if "answers" not in record:
        check_before(record, str(path))
    try:
        record = with_answers(record)
        check_selection(record, str(path))
        curve = tuple(CurvePoint.of_dict(point) for point in record["curve"])
        answers = {name: Answer.of_dict(answer) for name, answer in record["answers"].items()}
        return Selection(
            safe=answers["safe"],
            recommended=answers["recommended"],
            certified=answers["certified"],
            asked=answers.get(ASKED),
            path=tuple(record["path"]),
            curve=curve,
            pareto=tuple(curve[i] for i in record["pareto"]),
            forecast=Forecast.of_dict(record["forecast"]),
            feature_names=tuple(record["feature_names"]),
            source=record.get("source", {}),
            sample=record.get("sample", {}),
            drift=ImportanceDrift.of_dict(record["drift"]) if "drift" in record else None,
            stands_for={name: tuple(others) for name, others in record.get("stands_for", {}).items()},
            catalogue=catalogue_in(record, path),
            **{name: record[name] for name in ("answer", "path_method", "baseline", "settings", "seconds")},
        )
    except (KeyError, TypeError, IndexError) as error:
        raise DataError(f"{path}: the selection is damaged ({error}).") from error
