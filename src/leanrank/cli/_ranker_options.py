"""Parameters of rankers as the command line gives them: NAME=VALUE, or a file of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leanrank.cli._settings import parse_setting
from leanrank.errors import DataError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from leanrank.rankers._base import Ranker


@dataclass(frozen=True)
class RankerOptions:
    """How the rankers of a command are set up; see `option_groups`."""

    ranker_set: Annotated[
        list[str] | None,
        typer.Option(
            "--ranker-set",
            metavar="NAME=VALUE",
            help="A parameter of the ranker, e.g. num_leaves=63 or C=[0.1,1,10]; of several, lightgbm.num_leaves=63.",
        ),
    ] = None
    ranker_file: Annotated[
        Path | None,
        typer.Option(help='A JSON file of parameters, {"num_leaves": 63}; of several, {"lightgbm": {...}}.'),
    ] = None

    def arguments(self) -> list[str]:
        """What was given, as it is typed.

        >>> RankerOptions(["C=1"], Path("p.json")).arguments()
        ['--ranker-set', 'C=1', '--ranker-file', 'p.json']
        """
        typed = [part for text in self.ranker_set or () for part in ("--ranker-set", text)]
        return typed if self.ranker_file is None else [*typed, "--ranker-file", str(self.ranker_file)]

    def of_one(self, ranker: str) -> dict[str, Any]:
        """The parameters of the one ranker of a command."""
        return self.read([ranker]).get(ranker, {})

    def ranker(self, name: str | None) -> Ranker | str | None:
        """What `leanrank.select` is given: the name alone where no parameter is set."""
        if not self.ranker_set and self.ranker_file is None:
            return name
        from leanrank.evaluation.select.run import default_ranker

        named = default_ranker(name)._name if name is None else name
        return default_ranker(named, **self.of_one(named))

    def read(self, rankers: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The parameters of each of these rankers that has any; an option comes after the file.

        >>> RankerOptions(["lightgbm.num_leaves=63", "ranksvm.C=10"]).read(["ranksvm", "lightgbm"])
        {'lightgbm': {'num_leaves': 63}, 'ranksvm': {'C': 10}}
        """
        settings: dict[str, dict[str, Any]] = {}
        for name, value in self._given():
            ranker, dot, parameter = name.rpartition(".")
            if not dot and len(rankers) > 1:
                raise ParameterError(
                    f"There are several rankers: say whose parameter {name!r} is, as in {rankers[0]}.{name}."
                )
            if dot and ranker not in rankers:
                raise UnknownNameError.of("ranker of this command", ranker, rankers)
            settings.setdefault(ranker or rankers[0], {})[parameter] = value
        return settings

    def _given(self) -> Iterator[tuple[str, Any]]:
        """Names, with the ranker and a dot before them where they have one, and values."""
        if self.ranker_file is not None:
            for name, value in _table(self.ranker_file).items():
                if isinstance(value, dict):
                    yield from ((f"{name}.{parameter}", of_it) for parameter, of_it in value.items())
                else:
                    yield name, value
        yield from (parse_setting(text, "--ranker-set num_leaves=63") for text in self.ranker_set or ())


def _table(path: Path) -> dict[str, Any]:
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise DataError(f"{path}: is not JSON ({error}).") from error
    if not isinstance(table, dict):
        raise DataError(f'{path}: must hold names and values, as {{"num_leaves": 63}}. Got a {type(table).__name__}.')
    return table
