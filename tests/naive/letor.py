"""LETOR text read the obvious way: split, then float()."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read(text: str, dtype: str = "float32") -> dict[str, Any]:
    """Rows of well-formed text as lists: labels, query ids, {feature: value}, comments. ValueError where it is not."""
    labels, queries, features, comments = [], [], [], []
    for line in text.split("\n"):
        content, _, comment = line.rstrip("\r").partition("#")
        tokens = content.replace("\t", " ").split()
        if not tokens:
            continue
        label, qid, *rest = tokens
        if not qid.startswith("qid:") or qid == "qid:":
            raise ValueError(qid)
        row: dict[int, Any] = {}
        for token in rest:
            number, colon, value = token.partition(":")
            if not colon or not re.fullmatch(r"[0-9]+", number) or int(number) < 1 or int(number) in row:
                raise ValueError(token)
            row[int(number)] = (
                np.dtype(dtype).type("nan") if value == "NULL" or value.lower() == "nan" else _finite(value, dtype)
            )
        labels.append(_finite(label, "float32"))
        queries.append(qid[4:])
        features.append(row)
        comments.append(comment)
    return {"labels": labels, "queries": queries, "features": features, "comments": comments}


def _finite(token: str, dtype: str) -> Any:
    if not _NUMBER.fullmatch(token):
        raise ValueError(token)
    with np.errstate(over="ignore"):
        number = np.dtype(dtype).type(float(token))
    if not np.isfinite(number):
        raise ValueError(token)
    return number


def dense(rows: dict[str, Any], n_features: int, dtype: str = "float32") -> Any:
    """The features of all rows, 0 where absent."""
    X = np.zeros((len(rows["features"]), n_features), dtype)
    for i, row in enumerate(rows["features"]):
        for feature, value in row.items():
            X[i, feature - 1] = value
    return X
