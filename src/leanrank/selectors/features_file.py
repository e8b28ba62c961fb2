"""features.json: the one file that says which features are kept; written here, and read in every version."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, Literal

import numpy as np

from leanrank.data.catalogue import Catalogue
from leanrank.data.text_file import fault_in, parse_json, read_text
from leanrank.errors import DataError

FORMAT = "leanrank-selection"
#: Version 0 had no stamp and was of `leanrank order` alone, version 1 of `leanrank select` alone.
VERSION = 2

#: "measured" by `select`, which compares sets on held-out queries; "ordered" by one method, which measures nothing.
Kind = Literal["measured", "ordered"]


def stamped(kind: Kind, content: dict[str, Any]) -> dict[str, Any]:
    """A record of this version.

    Every kind has: `method`; the features kept, in order of selection, as `names`, `ids` (1-based, as LETOR files
    count) and `indices` (0-based); `feature_names`, all in the order of the columns, and `n_features_in`, their number;
    `path`, the names in the order of the method as far as it goes; and `catalogue`, what is known of features by name,
    where they have been given names and descriptions. What else there is, is of the kind.
    """
    return {"format": FORMAT, "format_version": VERSION, "kind": kind, **content}


def text_of(record: dict[str, Any]) -> str:
    """The text of the file."""
    return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_record(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The record in a file, whatever its version, as this version has it."""
    return upgraded(parse_json(read_text(path), not_one(path)), path)


def upgraded(record: Any, path: str | os.PathLike[str]) -> dict[str, Any]:
    """A record of any version as this version has it; errors name `path`."""
    if not isinstance(record, dict) or record.get("format", FORMAT) != FORMAT:
        raise DataError(f"{not_one(path)}.")
    names = record.get("names")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise DataError(f"{not_one(path)}, whose 'names' are a list of at least one text.")
    if len(set(names)) < len(names):
        raise DataError(f"{path}: its 'names' must differ.")
    version = record.get("format_version") if "format" in record else 0
    if type(version) is not int or version < 0:
        raise DataError(f"{path}: its 'format_version' must be a whole number. Got {version!r}.")
    if version > VERSION:
        raise DataError(
            f"{path}: is a selection of format {version}, written by a later leanrank: this one reads formats up to "
            f"{VERSION}. Update leanrank."
        )
    now: dict[str, Any] = record
    for since, change in enumerate((_from_0, _from_1)):
        now = change(now) if version <= since else now
    if now.get("kind") not in ("measured", "ordered"):
        raise DataError(f"{path}: its 'kind' must be 'measured' or 'ordered'. Got {now.get('kind')!r}.")
    return now


def catalogue_in(record: dict[str, Any], path: str | os.PathLike[str]) -> Catalogue | None:
    """The names and descriptions that a record has of its features."""
    return Catalogue.of_dict(record["catalogue"], str(path)) if "catalogue" in record else None


def copies_in(record: dict[str, Any], path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The copies that each feature stands for, as a record has them."""
    standing: dict[str, list[str]] = record.get("stands_for", {})
    fault = fault_in(standing, {str: [str]})
    if fault is not None:
        raise DataError(f"{path}: its 'stands_for' cannot be read: {fault}.")
    return standing


def not_one(path: str | os.PathLike[str]) -> str:
    """How the sentence begins that refuses a file."""
    return f"{path}: not a selection: expected the JSON that leanrank select or leanrank order writes (-o)"


def _from_0(record: dict[str, Any]) -> dict[str, Any]:
    """One method's order without a stamp, or names that somebody wrote by hand."""
    record = {"path": _steps(record.get("trace"), record["names"]), **record}
    n, ids = record.get("n_features_in"), record.get("ids")
    if "feature_names" not in record and type(n) is int and ids and record["names"] == [str(number) for number in ids]:
        record["feature_names"] = [str(j + 1) for j in range(n)]  # numbers, as of LETOR files
    return {"format": FORMAT, "format_version": 1, "kind": "ordered", **record}


def _from_1(record: dict[str, Any]) -> dict[str, Any]:
    """The answer of `select`; the first had no one-sided bounds, and no size apart from that of the set."""
    if record.get("kind") == "ordered":
        return {**record, "format_version": VERSION}
    points = {
        name: [{"bound": point.get("low"), **point} for point in record[name]]
        for name in ("curve", "pareto")
        if isinstance(record.get(name), list) and all(isinstance(point, dict) for point in record[name])
    }
    return {"measured_k": len(record["names"]), **record, **points, "kind": "measured", "format_version": VERSION}


def _steps(trace: Any, names: list[str]) -> list[str]:
    """The whole path from the steps, where these begin with the features kept; else these alone."""
    steps = trace if isinstance(trace, list) else []
    path = [str(step.get("name")) for step in steps if isinstance(step, dict)]
    return path if path[: len(names)] == names else list(names)


def replaced(names: Iterable[str], stands_for: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The copies that these features stand for, by feature; those that are among them are not replaced.

    >>> replaced(["bm25", "tf"], {"bm25": ["bm25f", "tf"], "age": ["days"]})
    {'bm25': ('bm25f',)}
    """
    kept = set(names)
    left = {name: tuple(other for other in others if other not in kept) for name, others in stands_for.items()}
    return {name: others for name, others in left.items() if name in kept and others}


@dataclass(frozen=True)
class ChosenFeatures:
    """A selection: `names` and `ids` (counted from 1 in the full data) of its features, `n_features_in` in all.

    `catalogue` is what is known of the features, where the selection was made with one; `stands_for` has the copies
    that a feature stands for.
    """

    names: tuple[str, ...]
    ids: tuple[int, ...]
    n_features_in: int
    catalogue: Catalogue | None = None
    stands_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def unnamed(self) -> bool:
        """Whether every name is only the number of the feature, as for LETOR files."""
        return all(name == str(number) for name, number in zip(self.names, self.ids, strict=True))


def read_names(path: str | os.PathLike[str]) -> tuple[list[str], int | None]:
    """What it takes to cut data down to the selection: the names, and among how many they were chosen, if known."""
    record = read_record(path)
    n = record.get("n_features_in")
    return record["names"], n if type(n) is int else None


def read_selection(path: str | os.PathLike[str]) -> ChosenFeatures:
    """Names and numbers, which agree with each other."""
    record = read_record(path)
    names, ids, known = record["names"], record.get("ids"), record.get("feature_names")
    n = record.get("n_features_in", len(known) if isinstance(known, list) else None)
    if not isinstance(ids, list) or len(ids) != len(names) or not all(type(number) is int for number in ids):
        raise DataError(f"{not_one(path)}, whose 'ids' are whole numbers, one for each of the 'names'.")
    if type(n) is not int or len(set(ids)) < len(ids) or min(ids) < 1 or max(ids) > n:
        raise DataError(f"{path}: its 'ids' must be different numbers from 1 to its 'n_features_in'.")
    if isinstance(known, list):
        for name, number in zip(names, ids, strict=True):
            if number > len(known) or known[number - 1] != name:
                raise DataError(f"{path}: feature {number} is not {name!r} in its 'feature_names'.")
    standing = replaced(names, copies_in(record, path))
    return ChosenFeatures(tuple(names), tuple(ids), n, catalogue_in(record, path), standing)


def plain(value: Any) -> Any:
    """Only dict, list, str, int, float, bool and None; what is none of these becomes its repr, NaN becomes None.

    Arrays and series become lists; so do sets, sorted, since their own order differs from one process to the next.

    >>> plain({"c": np.float64(0.5), "sizes": np.array([1, 2]), "score": float("nan"), "group": {"b", "a"}})
    {'c': 0.5, 'sizes': [1, 2], 'score': None, 'group': ['a', 'b']}
    """
    if hasattr(value, "tolist") and not isinstance(value, type):  # arrays, numpy's numbers, series of pandas
        value = value.tolist()
    elif hasattr(value, "to_list") and not isinstance(value, type):  # series of polars
        value = value.to_list()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=_place)
    if is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "get_params"):
        return {"type": type(value).__name__, **plain(asdict(value))}
    return repr(value)


def _place(item: Any) -> tuple[bool, float, str]:
    """Where a plain value comes in a sorted list of any: numbers first."""
    number = isinstance(item, int | float)
    return (not number, item if number else 0.0, repr(item))
