"""What can be compared with its like: a saved selection, the order of one method, or a saved model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.catalogue import Catalogue
from leanrank.data.door import names_in
from leanrank.data.ranking_data import RankingData
from leanrank.data.same_features import are_numbers, columns_of
from leanrank.data.text_file import read_json
from leanrank.errors import DataError
from leanrank.evaluation.select.selection import Selection
from leanrank.rankers._base import Ranker
from leanrank.rankers._saving import FORMAT as MODEL
from leanrank.rankers._saving import load_ranker
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.features_file import catalogue_in, copies_in, upgraded
from leanrank.selectors.limits import Limits


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two."""

    title: str  # what it is called: its file, or "a" and "b"
    features: tuple[str, ...]  # the features kept or used
    feature_names: tuple[str, ...]  # all that there were, as far as is known: at least `features`
    n_among: int | None  # how many there were
    settings: dict[str, Any] = field(default_factory=dict)  # those of `select`, where it was that
    model: Ranker | None = None
    catalogue: Catalogue | None = None  # names of features, where the selection has them
    copies: tuple[frozenset[str], ...] = ()  # features that the selection calls copies of each other

    @classmethod
    def of(cls, given: Any, title: str) -> Side:
        """What was given: a path, a Selection, a fitted selector or a fitted ranker; or a side already."""
        if isinstance(given, cls):
            return given
        if isinstance(given, Ranker):
            return cls._of_model(given, title)
        if isinstance(given, Selection | Selector):
            return cls._of_record(given.to_dict(), title)
        if not isinstance(given, str | os.PathLike):
            raise DataError(
                f"{title} must be a selection, a fitted selector, a fitted ranker or the file of one. Got an object of "
                f"type {type(given).__name__}."
            )
        record = read_json(given)
        if isinstance(record, dict) and record.get("format") == MODEL:
            return cls._of_model(load_ranker(given), Path(given).name)
        return cls._of_record(upgraded(record, given), Path(given).name)

    @classmethod
    def _of_record(cls, record: dict[str, Any], title: str) -> Side:
        names, known, n = record["names"], record.get("feature_names"), record.get("n_features_in")
        known = known if isinstance(known, list) else names
        settings = record["settings"] if record["kind"] == "measured" else {}
        told = catalogue_in(record, title)
        copies = tuple(frozenset([kept, *others]) for kept, others in copies_in(record, title).items())
        n_among = n if type(n) is int else None
        return cls(title, tuple(names), tuple(known), n_among, settings, catalogue=told, copies=copies)

    @classmethod
    def _of_model(cls, model: Ranker, title: str) -> Side:
        used = names_in(model)
        return cls(title, used, used, len(used) if are_numbers(used) else None, model=model)

    def columns(self, data: RankingData) -> NDArray[np.int64]:
        """Where its features are in `data`; a model has them in its own order."""
        columns = columns_of(data, self.features, self.title, self.n_among)
        return columns if self.model is not None else np.sort(columns)

    def costs(self, features: Sequence[str]) -> dict[str, float] | None:
        """What each of these features costs by itself, where `select` knew costs."""
        if not self._priced:
            return None
        each = self._limits().marginal(np.zeros(len(self.feature_names), dtype=bool))
        place = {name: j for j, name in enumerate(self.feature_names)}
        return {name: float(each[place[name]]) for name in features if name in place}

    def total(self) -> float | None:
        """What its features cost together, a group once."""
        if not self._priced:
            return None
        place = {name: j for j, name in enumerate(self.feature_names)}
        return self._limits().total(np.array([place[name] for name in self.features], dtype=np.int64))

    @property
    def _priced(self) -> bool:
        return self.settings.get("costs") is not None or self.settings.get("groups") is not None

    def _limits(self) -> ColumnLimits:
        return Limits(self.settings["costs"], self.settings["groups"]).bound("diff", self.feature_names)
