"""Which feature of the data is which feature of the engine, and which number it gets: the part that must not be off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leanrank.data.catalogue import FeatureFacts
from leanrank.errors import DataError, UnknownNameError
from leanrank.selectors.features_file import ChosenFeatures


@dataclass(frozen=True)
class FullSet:
    """An engine's whole feature set: the `names` in their order, and the `content` that they were read from."""

    names: tuple[str, ...]
    content: Any


@dataclass(frozen=True)
class Kept:
    """One feature of the pruned set."""

    name: str  # in the engine
    data_name: str  # in the training data
    old_id: int  # in the full training data, counted from 1
    place: int  # in the engine's full set, counted from 0
    new_id: int  # in the pruned set and among the model's features, counted from 1
    facts: FeatureFacts | None = None  # what a catalogue says of it
    stands_for: tuple[str, ...] = ()  # copies of it in the training data, which are left out

    @property
    def comment(self) -> str:
        """What it is on one line, for files that take comments; nothing where nothing is known."""
        if self.facts is None or not (self.facts.name or self.facts.description):
            return ""
        return f"{self.name}: {'. '.join(text for text in (self.facts.name, self.facts.description) if text)}"


def align(
    chosen: ChosenFeatures, full: FullSet, model_names: Sequence[str] | None = None, *, by_position: bool = False
) -> tuple[Kept, ...]:
    """Find the chosen features in the engine's set and number them as the model does.

    A feature is found by its name; one that is not there is an error. With `by_position` feature 3 of the data is the
    third of the set, which then must have as many features as the data had.

    The order is that of the model's features (`model_names`); without a model that of the full data, which is the
    order in which `leanrank train --features` and `leanrank convert --features` take them.

    >>> chosen = ChosenFeatures(("clicks", "bm25"), (3, 1), 3)
    >>> kept = align(chosen, FullSet(("age", "bm25", "clicks"), None))
    >>> [(feature.name, feature.old_id, feature.place, feature.new_id) for feature in kept]
    [('bm25', 1, 1, 1), ('clicks', 3, 2, 2)]
    """
    check_unique(full.names)
    id_of = dict(zip(chosen.names, chosen.ids, strict=True))
    order = sorted(chosen.names, key=id_of.__getitem__)
    if model_names is not None:
        order = _model_order(order, list(model_names))
    places = _places_by_position(chosen, full) if by_position else _places_by_name(chosen, full)
    known = chosen.catalogue
    return tuple(
        Kept(
            full.names[places[name]],
            name,
            id_of[name],
            places[name],
            new_id,
            None if known is None or name not in known else known[name],
            tuple(chosen.stands_for.get(name, ())),
        )
        for new_id, name in enumerate(order, start=1)
    )


def mapping_text(kept: Sequence[Kept]) -> str:
    """Old numbers to new ones, as JSON: for whoever retrains a model on fewer features."""
    features = [
        {
            "name": feature.name,
            "data_name": feature.data_name,
            "old_id": feature.old_id,
            "new_id": feature.new_id,
            "full_set_id": feature.place + 1,
            **({} if feature.facts is None else {"about": feature.facts.to_dict()}),
            **({"stands_for": list(feature.stands_for)} if feature.stands_for else {}),
        }
        for feature in kept
    ]
    return to_json({"ids_count_from": 1, "old_to_new": {str(f.old_id): f.new_id for f in kept}, "features": features})


def to_json(content: Any) -> str:
    """JSON as people read it."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def names_of(features: Any, source: str, schema: str) -> tuple[str, ...]:
    """The 'name' of each of a list of features."""
    if not isinstance(features, list) or not features:
        raise DataError(f"{source}: expected {schema}, with at least one feature.")
    for number, feature in enumerate(features, start=1):
        if not isinstance(feature, dict) or not isinstance(feature.get("name"), str):
            raise DataError(f"{source}: feature {number} of the set has no 'name'; expected {schema}.")
    return tuple(feature["name"] for feature in features)


def check_unique(names: Sequence[str]) -> None:
    """Engines refer to features by name: refuse a set with one name twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"The feature set has {name!r} twice: it cannot be said which one is meant.")
        seen.add(name)


def _model_order(chosen: list[str], model: list[str]) -> list[str]:
    retrain = "Train it on the selection: leanrank train FILE --features features.json."
    for name in model:
        if name not in chosen:
            raise DataError(f"The model uses feature {name!r}, which is not selected. {retrain}")
    for name in chosen:
        if name not in model:
            raise DataError(f"The model does not use feature {name!r}, which is selected. {retrain}")
    return model


def _places_by_position(chosen: ChosenFeatures, full: FullSet) -> dict[str, int]:
    n = len(full.names)
    if n != chosen.n_features_in:
        raise DataError(
            f"By position the feature set must have the features of the data: these have {chosen.n_features_in:,}, the "
            f"set {n:,}. Give the full set that the data were made with."
        )
    return {name: number - 1 for name, number in zip(chosen.names, chosen.ids, strict=True)}


def _places_by_name(chosen: ChosenFeatures, full: FullSet) -> dict[str, int]:
    place_of = {name: place for place, name in enumerate(full.names)}
    for name in chosen.names:
        if name in place_of:
            continue
        if chosen.unnamed:
            raise DataError(
                f"The selection knows its features by number only, and the feature set has none called {name!r}. If "
                "feature 3 of the data is the third of the set, say --by-position."
            )
        raise UnknownNameError.of("feature of the feature set", name, place_of)
    return {name: place_of[name] for name in chosen.names}


def parse_names(text: str, source: str, *, first: int) -> tuple[tuple[str, ...], list[list[str]]]:
    """Names, and the further fields of their lines.

    Lines are ``name``, or ``number<TAB>name<TAB>...`` with numbers that count from `first` without a gap; empty lines
    and lines that begin with # do not count.

    >>> parse_names("0\\tbm25 title\\tq\\n1\\tclicks\\tint\\n", "map.txt", first=0)
    (('bm25 title', 'clicks'), [['q'], ['int']])
    """
    lines = [line.rstrip("\r") for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if not lines:
        raise DataError(f"{source}: the file has no features; expected one a line.")
    if "\t" not in lines[0]:
        return tuple(line.strip() for line in lines), [[] for _ in lines]
    names, rest = [], []
    for place, line in enumerate(lines):
        number, *fields = line.split("\t")
        if not fields or number.strip() != str(place + first):
            raise DataError(
                f"{source}: expected feature {place + first} as number, tab, name; found {line[:60]!r}. Numbers count "
                f"from {first} without a gap."
            )
        names.append(fields[0].strip())
        rest.append(fields[1:])
    return tuple(names), rest
