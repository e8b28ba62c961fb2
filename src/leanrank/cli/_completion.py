"""What the shell offers after <TAB>: names of methods, rankers and metrics, also the next one after a comma."""

from __future__ import annotations

from collections.abc import Iterable


def method_names(incomplete: str) -> list[str]:
    """Selectors."""
    from leanrank.selectors import registry

    return _beginning(incomplete, registry.names())


def method_lists(incomplete: str) -> list[str]:
    """Selectors, with commas between."""
    from leanrank.selectors import registry

    return _next(incomplete, ["all", "auto", "filters", *registry.names()])


def ranker_names(incomplete: str) -> list[str]:
    """Rankers."""
    from leanrank.rankers import registry

    return _beginning(incomplete, registry.names())


def ranker_lists(incomplete: str) -> list[str]:
    """Rankers, with commas between."""
    from leanrank.rankers import registry

    return _next(incomplete, registry.names())


def metric_names(incomplete: str) -> list[str]:
    """Metrics, with the usual cutoffs where they take one."""
    from leanrank.metrics.names import names

    return _beginning(incomplete, names())


def metric_lists(incomplete: str) -> list[str]:
    """Metrics, with commas between."""
    from leanrank.metrics.names import names

    return _next(incomplete, names())


def paper_names(incomplete: str) -> list[str]:
    """Papers whose experiments can be run."""
    from leanrank.reproduce.papers import PAPERS

    return _beginning(incomplete, [*PAPERS, "all"])


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
