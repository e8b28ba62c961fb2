"""What the shell offers after <TAB>: names of methods, rankers and metrics, also the next one after a comma."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _next(incomplete: str, names: Iterable[str]) -> list[str]:
    """The list that was typed with its last name completed, and no name a second time.

    >>> _next("gas,m", ["gas", "mmr", "mrmr"])
    ['gas,mmr', 'gas,mrmr']
    """
    before, comma, last = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [f"{before}{comma}{name}" for name in _beginning(last.lstrip(), names) if name not in taken]


def _names_of(registry: str, *more: str, several: bool = False) -> Callable[[str], list[str]]:
    """A completion by the names of a module, which is loaded when the shell asks; `several` with commas between."""

    def complete(incomplete: str) -> list[str]:
        names = [*more, *import_module(f"leanrank.{registry}").names()]
        return _next(incomplete, names) if several else _beginning(incomplete, names)

    return complete


method_names = _names_of("selectors.registry")
method_lists = _names_of("selectors.registry", "all", "auto", "filters", several=True)
ranker_names = _names_of("rankers.registry")
ranker_lists = _names_of("rankers.registry", several=True)
metric_names = _names_of("metrics.names")  # with the usual cutoffs where they take one
metric_lists = _names_of("metrics.names", several=True)
loss_names = _names_of("evaluation.shadow.loss")
paper_names = _names_of("reproduce.papers", "all")
