"""The features that a selection keeps, and whether data have them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from leanrank.data.catalogue import Catalogue
from leanrank.errors import DataError
from leanrank.selectors.features_file import catalogue_in, not_one, read_record


@dataclass(frozen=True)
class ChosenFeatures:
    """A selection: `names` and `ids` (counted from 1 in the full data) of its features, `n_features_in` in all.

    `catalogue` is what is known of the features, where the selection was made with one.
    """

    names: tuple[str, ...]
    ids: tuple[int, ...]
    n_features_in: int
    catalogue: Catalogue | None = None

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
    return ChosenFeatures(tuple(names), tuple(ids), n, catalogue_in(record, path))
