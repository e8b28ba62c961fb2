"""The option for a catalogue of features, and their names in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

if TYPE_CHECKING:
    from leanrank.data.catalogue import Catalogue


@dataclass(frozen=True)
class CatalogueOptions:
    """Where the names of features are; see `option_groups`."""

    catalogue: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What features are: CSV, TSV or JSON with id, name, description, family, cost, phase; or one of mslr, "
            "letor4, ohsumed, gov, yahoo.",
        ),
    ] = None

    @property
    def file(self) -> Path | None:
        """The file that is read, if it is one."""
        return None if self.catalogue is None else Path(self.catalogue)

    def read(self) -> Catalogue | None:
        """The catalogue, where one was named."""
        if self.catalogue is None:
            return None
        from leanrank.data.catalogue_file import read_catalogue

        return read_catalogue(self.catalogue)

    def naming(self, features: Sequence[str]) -> Naming:
        """What it says of these features."""
        known = self.read()
        return Naming(None if known is None else known.of(features))


@dataclass(frozen=True)
class Naming:
    """Features as tables show them: with columns of their names and descriptions, where there is a catalogue."""

    catalogue: Catalogue | None

    def label(self, feature: str) -> str:
        """A feature with its name, in one text."""
        return feature if self.catalogue is None else self.catalogue.label(feature)

    def labels(self, features: Iterable[str]) -> list[str]:
        """The same of several."""
        return [self.label(feature) for feature in features]

    @property
    def headings(self) -> list[str]:
        """The columns that `cells` gives: names, and descriptions where there are any; none without a catalogue."""
        described = any(facts.description for facts in self.catalogue or ())
        return [] if self.catalogue is None else ["name", *["description"] * described]

    def cells(self, feature: str) -> list[Text]:
        """What stands below these headings. Names are data: never read as markup."""
        return [Text(getattr(self.catalogue.get(feature), name)) for name in self.headings] if self.catalogue else []

    def to_dict(self) -> dict[str, Any]:
        """For the JSON of a command; nothing without a catalogue."""
        return {} if self.catalogue is None else {"catalogue": self.catalogue.to_dict()}


#: Features by their ids alone.
UNNAMED = Naming(None)
