"""Catalogue: what is known of features beside their values: names, descriptions, families, costs, phases."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from math import isfinite
from typing import Any

from leanrank.data.text_file import require_shape
from leanrank.errors import DataError, UnknownNameError

#: The most that a text may have, by its column; no catalogue that people write has more.
LONGEST = {"id": 1_000, "name": 200, "description": 2_000, "family": 200, "phase": 200}
#: The most features that a catalogue may have.
LARGEST = 200_000
#: What JSON has of a catalogue.
_SHAPE = {str: {"name?": str, "description?": str, "family?": str, "cost?": float, "phase?": str}}
#: Ids that a warning names.
_NAMED = 3


@dataclass(frozen=True)
class FeatureFacts:
    """One feature of a catalogue; a text that is empty, and a cost that is None, are not known."""

    id: str
    name: str = ""
    description: str = ""
    family: str = ""
    cost: float | None = None
    phase: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What is known, by column; without the id."""
        known = {column.name: getattr(self, column.name) for column in fields(self) if column.name != "id"}
        return {name: value for name, value in known.items() if value not in ("", None)}


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Facts about features by id, which is what the feature is called in the data.

    Parameters
    ----------
    entries : iterable of FeatureFacts
        Each id once.
    source : str, default="the catalogue"
        What errors call it.
    public : bool, default=False
        Whether it lists the features of a public data set: data that have only some of them are nothing to warn about.

    See Also
    --------
    read_catalogue : From a file, or one that comes with leanrank.

    Examples
    --------
    >>> catalogue = Catalogue([FeatureFacts("7", "BM25 of title", family="bm25"), FeatureFacts("8", "clicks")])
    >>> catalogue.label("7"), catalogue.label("9"), catalogue.families()
    ('7: BM25 of title', '9', {'bm25': ['7']})
    """

    entries: Iterable[FeatureFacts]
    source: str = "the catalogue"
    public: bool = False
    _by_id: dict[str, FeatureFacts] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        by_id: dict[str, FeatureFacts] = {}
        for facts in self.entries:
            if facts.id in by_id:
                raise DataError(f"{self.source}: feature {facts.id!r} is listed a second time. Leave out one of them.")
            by_id[facts.id] = facts
            if len(by_id) > LARGEST:
                raise DataError(f"{self.source}: has more than {LARGEST:,} features, which no catalogue has.")
        object.__setattr__(self, "entries", tuple(by_id.values()))
        object.__setattr__(self, "_by_id", by_id)

    def __repr__(self) -> str:
        return f"Catalogue: {len(self):,} features of {self.source}, {len(self.families()):,} families"

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[FeatureFacts]:
        return iter(self._by_id.values())

    def __contains__(self, feature: object) -> bool:
        return feature in self._by_id

    def __getitem__(self, feature: str) -> FeatureFacts:
        if feature not in self._by_id:
            raise UnknownNameError.of(f"feature of {self.source}", feature, self._by_id)
        return self._by_id[feature]

    def get(self, feature: str) -> FeatureFacts:
        """What is known of a feature; facts without any where nothing is."""
        return self._by_id.get(feature) or FeatureFacts(feature)

    def label(self, feature: str) -> str:
        """A feature as tables and charts show it: its id, and its name where it has another."""
        name = self.get(feature).name
        return f"{feature}: {name}" if name and name != feature else feature

    def families(self) -> dict[str, list[str]]:
        """The features of each family, in the order of the catalogue."""
        families: dict[str, list[str]] = {}
        for facts in self:
            if facts.family:
                families.setdefault(facts.family, []).append(facts.id)
        return families

    def costs(self) -> dict[str, float]:
        """The costs that are known."""
        return {facts.id: facts.cost for facts in self if facts.cost is not None}

    def of(self, feature_names: Sequence[str]) -> Catalogue:
        """What it says of these features, those of some data; ids that are none of them are warned about.

        A catalogue that has none of the features is refused: it is of other data.
        """
        known = set(feature_names)
        absent = [facts.id for facts in self if facts.id not in known]
        if len(absent) == len(self):
            near = _nearest(absent[0], feature_names) if absent else ""
            first = f": its first is {absent[0]!r}{near}, the first of the data {feature_names[0]!r}" if absent else ""
            raise DataError(f"{self.source}: none of its {len(self):,} features is in the data{first}.")
        if absent and not self.public:
            unlisted = [name for name in feature_names if name not in self]
            told = ", ".join(f"{name!r}{_nearest(name, unlisted)}" for name in absent[:_NAMED])
            more = ", ..." if len(absent) > _NAMED else ""
            ids = "1 feature is" if len(absent) == 1 else f"{len(absent):,} features are"
            warnings.warn(f"{self.source}: {ids} not in the data: {told}{more}", UserWarning, stacklevel=2)
        return Catalogue([facts for facts in self if facts.id in known], self.source, self.public)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values for JSON: the facts by id."""
        return {facts.id: facts.to_dict() for facts in self}

    @classmethod
    def of_dict(cls, record: Any, source: str = "the catalogue") -> Catalogue:
        """The catalogue that `to_dict` turned into plain values, or that somebody wrote so; every text is cleaned."""
        require_shape(record, _SHAPE, f"{source}, its catalogue")
        return cls([facts_of({"id": name, **facts}, f"{source}, {name!r}") for name, facts in record.items()], source)


def facts_of(row: Mapping[str, Any], where: str) -> FeatureFacts:
    """The facts of a row; what cannot be is refused, and `where` says where it stands.

    >>> facts_of({"id": " 7", "name": "BM25 \\x1b[31mof\\ntitle", "cost": "0.5"}, "features.csv, line 2")
    FeatureFacts(id='7', name='BM25 [31mof title', description='', family='', cost=0.5, phase='')
    """
    texts = {column: plain_text(row.get(column), column, where) for column in LONGEST}
    if not texts["id"]:
        raise DataError(f"{where}: a feature without an id. Say which one it is, or leave out the line.")
    return FeatureFacts(**texts, cost=_cost(row.get("cost"), where))


def plain_text(value: Any, column: str, where: str) -> str:
    """A text on one line, without characters that steer a terminal or turn the direction of writing."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise DataError(f"{where}: the {column} must be a text. Got {value!r:.40}.")
    text = " ".join(str(value).split())
    text = "".join(sign for sign in text if unicodedata.category(sign) not in ("Cc", "Cf", "Cs")).strip()
    if len(text) > LONGEST[column]:
        raise DataError(f"{where}: the {column} has {len(text):,} letters, at most {LONGEST[column]:,} are allowed.")
    return text


def _cost(value: Any, where: str) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        cost = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else float("nan")
    except ValueError:
        cost = float("nan")
    if not (isfinite(cost) and cost >= 0):
        raise DataError(f"{where}: the cost {str(value)[:40]!r} is not a number >= 0.")
    return cost


def _nearest(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known[:10_000], n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
