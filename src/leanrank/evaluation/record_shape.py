"""What the record of a fold must look like: checked before any of it is used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from leanrank.data.json_shape import refuse_huge
from leanrank.errors import DataError

_MOST_FEATURES = 10_000_000
_LARGEST_ID = 2**63 - 1


def check_record(plain: Mapping[str, Any], source: str) -> None:
    """Refuse a record of the right shape whose parts do not go together; the error names `source`."""
    n, sizes = plain["n_features_in"], {len(values) for values in plain["per_query"].values()}
    if not sizes <= {len(plain["query_ids"])} or set(plain["scores"]) != set(plain["per_query"]):
        raise DataError(f"{source}: damaged: the metrics of a fold are not those of its queries.")
    if len(plain["features"]) != len(plain["feature_names"]) or any(
        not 0 <= j < n <= _MOST_FEATURES for j in plain["features"]
    ):
        raise DataError(f"{source}: damaged: the features of a fold are not among the {n:,} there were.")
    try:
        json.dumps([plain["selector_parameters"], plain["ranker_parameters"]], allow_nan=False)
    except ValueError:
        raise DataError(f"{source}: damaged: a parameter is not a finite number.") from None
    weights, groups = plain.get("query_weights", []), plain.get("query_groups", [])
    alone = [plain[name] for name in ("k", "valid_score", "selection_seconds", "training_seconds")]
    figures = [alone, plain["scores"].values(), *plain["per_query"].values(), weights]
    refuse_huge((number for column in figures for number in column), source)
    columns = [("groups", groups), ("weights", weights), *plain.get("query_slices", {}).items()]
    for what, values in columns:
        if values and len(values) != len(plain["query_ids"]):
            raise DataError(f"{source}: damaged: a fold has {len(values)} {what} of its queries.")


def check_ids(ids: Iterable[str | float], source: str) -> None:
    """Refuse ids of queries that are no column of a table: of several kinds, or beyond 64 bits.

    >>> check_ids(["tea", 7], "cv.json")
    Traceback (most recent call last):
    ...
    leanrank.errors.DataError: cv.json: damaged: its queries have ids of several kinds (int, str).
    """
    kinds = set()
    for one in ids:
        kinds.add(type(one).__name__)
        if not isinstance(one, str) and not abs(one) <= _LARGEST_ID:
            raise DataError(f"{source}: damaged: {one!r} is no id of a query.")
    if len(kinds) > 1:
        raise DataError(f"{source}: damaged: its queries have ids of several kinds ({', '.join(sorted(kinds))}).")
