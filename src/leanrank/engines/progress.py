"""A progress bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from leanrank.data.ranking_data import RankingData, RankingSource

#: Called with how much was done, and what to say of it if that changed.
Advance: TypeAlias = Callable[..., None]


@contextmanager
def progress_bar(what: str, total: float | None, *, shown: bool) -> Iterator[Advance]:
    """Yield a function that moves the bar; it does nothing unless `shown` and a terminal is watching.

    >>> with progress_bar("reading", total=3, shown=False) as advance:
    ...     advance(2, "two of three")
    """
    if not (shown and is_watched()):
        yield lambda done, what=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, what=None: bar.update(task, advance=done, description=what)


def watched_blocks(source: RankingSource, block_rows: int, *, shown: bool) -> Iterator[RankingData]:
    """The blocks of `source`, with a bar that tells how far it has been read."""
    queries = 0
    with progress_bar("reading", getattr(source, "n_rows", None), shown=shown) as advance:
        for block in source.blocks(block_rows):
            queries += block.n_queries
            yield block
            advance(block.n_rows, f"{queries:,} queries")


def is_watched() -> bool:
    """Whether a person sees what goes to the error stream."""
    return sys.stderr.isatty()
