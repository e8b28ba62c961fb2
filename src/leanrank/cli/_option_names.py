"""Errors as the command line says them: the option that was typed, not the parameter behind it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperCommand

from leanrank.cli._signals import INTERRUPTED
from leanrank.cli._standard_input import as_called, kept_for
from leanrank.errors import LeanRankError

#: Parameters whose option has another name than they, in any command that has it.
_CALLED_HERE = {
    "at_most": "family_limit",
    "families": "catalogue",
    "cost": "budget",
    "groups": "costs",
    "n_components": "k",
    "n_features": "k",
    "n_features_to_select": "k",
    "n_jobs": "jobs",
    "n_splits": "folds",
    "random_state": "seed",
    "slices": "slice",
}

#: Classes of ours whose names nobody types, and what people call them.
_CALLED = {
    "CatBoostAdapter": "CatBoost",
    "FilteredRFE": "rfe",
    "LightGBMAdapter": "LightGBM",
    "QueryKFold": "The split into folds",
    "QueryShuffleSplit": "The split of the queries",
    "RankingData": "judged data",
    "RelevanceMRMR": "importance+mrmr",
    "XGBoostAdapter": "XGBoost",
}
#: One of them that stands in no quotes: what is in quotes was given.
_CLASS = re.compile(rf"(?<![\w'\"])({'|'.join(_CALLED)})(?![\w'\"])")

#: A keyword that stands before the option that means the same.
_KEYWORD = re.compile(r"\b\w+=\w+, (?=--)")
#: What else could be done, by an option.
_OR_OPTION = re.compile(r",? or [^,.()]* \((?:\w+=\w+,\s)?(--[\w-]+)\)")

#: Options that take NAME=VALUE, and what they are called in a command.
_SETTINGS = {"--set": "setting", "--ranker-set": "ranker_set"}
NO_SETTINGS: Mapping[str, Sequence[str]] = MappingProxyType({})


class Command(TyperCommand):
    """A command whose errors name its options."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run it; an error on purpose comes out with the words of the command line."""
        try:
            with kept_for(str(self.name), ctx.params):
                return self._invoked(ctx)
        except KeyboardInterrupt:  # typer would leave in silence
            print("leanrank: interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None

    def _invoked(self, ctx: typer.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LeanRankError as error:
            given = {option: ctx.params.get(name) or () for option, name in _SETTINGS.items()}
            said = _KEYWORD.sub("", _possible(as_called(sentence(error, self.params, given)), self.params))
            raise LeanRankError(_CLASS.sub(lambda name: _CALLED[name[1]], said)) from error


def sentence(error: LeanRankError, options: Iterable[Any], settings: Mapping[str, Sequence[str]] = NO_SETTINGS) -> str:
    """What the error says, with the option of its parameter, where the command has one.

    Parameters
    ----------
    error : LeanRankError
        It, or one that it came from, says whose parameter is wrong.
    options : iterable of click parameters
        Those of the command.
    settings : dict
        What was given as NAME=VALUE, by the option it was given to.
    """
    said, cause = str(error), error
    while cause.parameter is None and isinstance(cause.__cause__, LeanRankError):
        cause = cause.__cause__
    name, owner = cause.parameter, cause.owner
    if name is None:
        return said
    option = _option(name, options, settings)
    if option is None:
        return said
    # the shapes that sentences of this library have
    spellings = (
        f"The {name!r} parameter of {owner}",
        f"The {name!r} of {owner}",
        f"{name!r} of {owner}",
        f"{name}=...",
        f"{name}=True",
        f"{name} <=",
    )
    spelling = next((words for words in spellings if words in said), None)
    if spelling is None:
        return f"{option}: {said}"
    return said.replace(spelling, f"{option} <=" if spelling.endswith(" <=") else option)


def _possible(said: str, options: Iterable[Any]) -> str:
    """The sentence without what an option could do that the command does not have.

    >>> _possible("Sort the rows, or regroup them (regroup=True, --regroup).", [])
    'Sort the rows.'
    """
    known = {spelling for option in options for spelling in option.opts}
    return _OR_OPTION.sub(lambda other: other[0] if other[1] in known else "", said)


def _option(name: str, options: Iterable[Any], settings: Mapping[str, Sequence[str]]) -> str | None:
    for option, texts in settings.items():
        for text in texts:
            parameter = text.partition("=")[0]
            if name in (parameter, parameter.rpartition(".")[2]):
                return f"{option} {parameter}"
    known = {str(option.name): str(option.opts[0]) for option in options if option.param_type_name == "option"}
    return known.get(name) or known.get(_CALLED_HERE.get(name, ""))
