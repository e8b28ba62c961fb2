"""Which column of a table is what: label, query id, comments, features."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leanrank.data.categories import Categories
from leanrank.data.side_columns import SideNames, named_beside
from leanrank.errors import DataError, LeftOutWarning, UnknownNameError

#: Names taken for a label or a query id where the caller names none and exactly one column matches.
LABEL_NAMES = ("label", "labels", "relevance", "rel", "grade", "y", "target", "judgment", "judgement", "rating")
QID_NAMES = ("qid", "query_id", "queryid", "query", "group_id", "groupid", "srch_id", "search_id")

_METADATA_KEY = b"leanrank"
_BESIDE = ("weight", "position", "query_weight", "time", "query_group")


class TableNames(SideNames, total=False):
    """The columns that a caller of `from_frame` may name beside those it always needs, as keywords."""

    categorical: Sequence[str]


class ColumnNames(TableNames, total=False):
    """The columns that a caller may name, as keywords."""

    label: str | None
    qid: str | None
    features: Sequence[str] | None
    comments: str | None


@dataclass(frozen=True)
class Columns:
    """The columns as the caller names them; None where their names or types tell, label "" where nobody judged."""

    label: str | None = None
    qid: str | None = None
    features: Sequence[str] | None = None
    comments: str | None = None
    weight: str | None = None
    position: str | None = None
    query_weight: str | None = None
    time: str | None = None
    query_group: str | None = None
    slices: Sequence[str] = ()
    categorical: Sequence[str] = ()

    def or_stated(self, stated: Columns) -> Columns:
        """These, and where the caller names nothing beside the features what a file says; "" is no column."""
        roles = {role: getattr(stated if getattr(self, role) is None else self, role) or None for role in _BESIDE}
        return replace(
            self, **roles, slices=self.slices or stated.slices, categorical=self.categorical or stated.categorical
        )

    def unwanted(self, stated: Columns) -> set[str]:
        """Columns beside the features, by what a file says, that the caller wants none of: no features either."""
        return {getattr(stated, role) for role in _BESIDE if getattr(self, role) == ""} - {None}

    def beside(self, names: Iterable[str]) -> SideNames:
        """Those beside the features; a name that no column has is refused."""
        side = {role: _known(names, getattr(self, role) or None, f"{role} column") for role in _BESIDE}
        known: SideNames = SideNames(**{role: name for role, name in side.items() if name is not None})  # type: ignore[typeddict-item]
        if self.slices:
            known["slices"] = tuple(str(_known(names, name, "slice column")) for name in self.slices)
        return known


@dataclass(frozen=True)
class Roles:
    """The names of the columns; `qid` is None where queries are given otherwise, `label` where nobody judged."""

    label: str | None
    qid: str | None
    comments: str | None
    features: tuple[str, ...]
    missing: bool = False
    beside: SideNames = field(default_factory=SideNames)
    categorical: tuple[str, ...] = ()

    @property
    def numeric(self) -> tuple[str, ...]:
        """The features that are numbers."""
        return tuple(name for name in self.features if name not in self.categorical)

    def to_metadata(self, categories: Categories | None = None) -> dict[bytes, bytes]:
        """As Parquet metadata, with the texts of categories; the features are all other columns, in their order."""
        stated: dict[str, Any] = {"version": 1, "label": self.label, "qid": self.qid, "comments": self.comments}
        stated["missing"] = self.missing
        if self.beside:
            stated["beside"] = self.beside
        if categories:
            stated["categories"] = {name: list(texts) for name, texts in categories.items()}
        return {_METADATA_KEY: json.dumps(stated).encode()}


def stated_columns(metadata: Mapping[bytes, bytes] | None, names: Sequence[str]) -> tuple[Columns, bool]:
    """What `Roles.to_metadata` once wrote, as far as the columns are there, and whether NaN is a missing value."""
    try:
        stated = json.loads((metadata or {}).get(_METADATA_KEY, b"{}"))
    except ValueError:
        stated = None
    if not isinstance(stated, dict):
        return Columns(), False
    roles = {role: stated[role] for role in ("label", "qid", "comments") if stated.get(role) in names}
    beside = stated.get("beside")
    if isinstance(beside, dict):
        roles |= {role: beside[role] for role in _BESIDE if beside.get(role) in names}
        slices = beside.get("slices")
        roles["slices"] = tuple(name for name in slices if name in names) if isinstance(slices, list) else ()
    kinds = stated_texts(metadata)
    roles["categorical"] = tuple(name for name in names if name in kinds)
    return Columns(**roles), stated.get("missing") is True


def stated_texts(metadata: Mapping[bytes, bytes] | None) -> dict[str, tuple[str, ...]]:
    """The texts of categories that `Roles.to_metadata` once wrote."""
    try:
        stated = json.loads((metadata or {}).get(_METADATA_KEY, b"{}"))
        return {str(name): tuple(map(str, texts)) for name, texts in stated.get("categories", {}).items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def assign_roles(
    types: Mapping[str, str],
    named: Columns,
    *,
    numeric: Iterable[str],
    needs_qid: bool,
    missing: bool = False,
    also_qid: Iterable[str] = (),
    kinds: Iterable[str] = (),
) -> Roles:
    """Check the names the caller gave, guess those that were not given.

    `types` maps every column to its type in words, `numeric` holds those that can be features. `also_qid` are
    names that can only be the query id, `kinds` columns of a type of categories. Without `features`, every numeric
    column that has no other role is one;
    other columns, and one called like a query id where queries were given in another way, are left out with a
    warning.

    >>> types = {"query_id": "string", "bm25": "double", "age": "int64", "label": "int64"}
    >>> roles = assign_roles(types, Columns(), numeric=["bm25", "age", "label"], needs_qid=True)
    >>> roles.label, roles.qid, roles.features
    ('label', 'query_id', ('bm25', 'age'))
    """
    label = None
    if named.label != "":
        label = _known(types, named.label, "label column") or _guess(types, "label", LABEL_NAMES)
    qid = named.qid
    if needs_qid:
        candidates = [*types, *also_qid]
        qid = _known(candidates, qid, "qid column") or _guess(candidates, "qid", QID_NAMES)
    comments = _known(types, named.comments, "comments column")
    beside = named.beside(types)
    taken = {name: role for role, name in (("comments", comments), ("qid", qid), ("label", label)) if name is not None}
    if len(taken) < sum(name is not None for name in (label, qid, comments)):
        raise DataError(f"label, qid and comments need a column each. Got {label!r}, {qid!r} and {comments!r}.")
    for name, role in named_beside(beside):
        if name in taken and role != "slice":
            raise DataError(f"Column {name!r} is the {taken[name]} column: it cannot be the {role} column too.")
        taken.setdefault(name, role)
    categorical = _categorical(types, taken, named, set(kinds))
    usable = set(numeric) | categorical
    if named.features is None:
        chosen = _left_as_features(types, taken, usable)
    else:
        chosen = _named_features(types, taken, usable, named.features)
    if not chosen:
        raise DataError(f"There are no features: the columns are {listed(types)}, and none is left as a feature.")
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise DataError(f"Feature name {twice!r} occurs twice: names must be unique.")
    return Roles(
        label, qid, comments, tuple(chosen), missing, beside, tuple(name for name in chosen if name in categorical)
    )


def _categorical(types: Mapping[str, str], taken: Mapping[str, str], named: Columns, kinds: set[str]) -> set[str]:
    """The columns that are categories: those named so, and columns of that type that are named as features."""
    given = [named.categorical] if isinstance(named.categorical, str) else named.categorical
    chosen = {str(_known(types, str(name), "categorical column")) for name in given}
    for name in chosen & set(taken):
        raise DataError(f"Column {name!r} is the {taken[name]} column: it cannot be a category too.")
    wanted = {named.features} if isinstance(named.features, str) else set(named.features or ())
    return chosen | (kinds & wanted)


def _left_as_features(types: Mapping[str, str], taken: Mapping[str, str], numbers: set[str]) -> list[str]:
    """Every numeric column without another role; a warning says what was left out."""
    others = [name for name in types if name not in taken]
    usual = set() if "qid" in taken.values() else set(_called(others, QID_NAMES))  # queries were given in another way
    chosen = [name for name in others if name in numbers and name not in usual]
    kept = set(chosen)
    skipped = [name for name in others if name not in kept]
    if skipped and chosen:
        first = types[skipped[0]] if skipped[0] not in usual else "it looks like a query id"
        warnings.warn(LeftOutWarning(skipped, first), stacklevel=5)
    return chosen


def _named_features(
    types: Mapping[str, str], taken: Mapping[str, str], numbers: set[str], features: Sequence[str] | str
) -> list[str]:
    chosen = [str(name) for name in ([features] if isinstance(features, str) else features)]
    for name in chosen:
        if _known(types, name, "feature column") in taken:
            raise DataError(f"Column {name!r} is the {taken[name]} column: it cannot be a feature too.")
        if name not in numbers:
            raise DataError(
                f"Column {name!r} is not numeric: its type is {types[name]}. Name it as "
                "categorical, convert it to numbers, or leave it out."
            )
    return chosen


def free_name(wanted: str, names: Iterable[str]) -> str:
    """`wanted`, with underscores before it until no column is called that."""
    known = set(names)
    while wanted in known:
        wanted = f"_{wanted}"
    return wanted


def refuse_duplicates(names: Sequence[str]) -> None:
    """Refuse a table of which two columns have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"Column names must be unique, but {name!r} occurs twice. Rename or drop one.")
        seen.add(name)


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names for a message, not more than a reader can take.

    >>> listed(["bm25", "age"]), listed("abcd", most=2)
    ("'bm25', 'age'", "'a', 'b' and 2 more")
    """
    known = list(names)
    shown = ", ".join(repr(name) for name in known[:most])
    return f"{shown} and {len(known) - most} more" if len(known) > most else shown or "none"


def _known(names: Iterable[str], name: str | None, kind: str) -> str | None:
    if name is None or str(name) in names:
        return None if name is None else str(name)
    raise UnknownNameError.of(kind, str(name), names)


def _called(names: Iterable[str], usual: Sequence[str]) -> list[str]:
    return [name for name in names if name.strip().lower().replace(" ", "_").replace("-", "_") in usual]


def _guess(names: Iterable[str], role: str, usual: Sequence[str]) -> str:
    matches = _called(names, usual)
    if len(matches) == 1:
        return matches[0]
    why = f"{listed(matches)} could all be it" if matches else "no column is called like one"
    sentence = f"Say which column is the {role}, {role}=...: {why}. The columns are {listed(names)}."
    raise DataError(sentence, parameter=role)
