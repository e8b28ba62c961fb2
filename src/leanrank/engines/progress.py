"""One progress bar for everything that takes long: on a terminal or in a notebook, never in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Self, TypeAlias

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.engines.notebook_bar import NotebookBar, in_notebook

#: Called with how much was done, and what to say of it if that changed.
Advance: TypeAlias = Callable[..., None]


class ProgressBar:
    """Counts what is done, stage by stage, on standard error or in a notebook; nothing unless `shown` and
    a terminal or a notebook is watching.

    >>> with ProgressBar(shown=False) as bar:
    ...     bar.stage("paths", 2)
    ...     bar.step()
    """

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown and is_watched()
        self._bar: Any = None
        self._stage: Any = None
        self._planned = False

    def __enter__(self) -> Self:
        if self._shown and in_notebook():
            self._bar = NotebookBar()
            self._bar.start()
        elif self._shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
            from rich.text import Text

            class TimeLeft(TimeRemainingColumn):
                """The time left by the plan, where there is one."""

                def render(self, task: Any) -> Any:
                    if (end := task.fields.get("end")) is None:
                        return super().render(task)
                    return Text(str(timedelta(seconds=max(0, round(end - time.monotonic())))), "progress.remaining")

            columns = (TextColumn("{task.description:<12}"), BarColumn(), TaskProgressColumn(), TimeLeft())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def plan(self) -> None:
        """All stages that follow share one bar, with one time left: see `at`."""
        self.stage("planned", 1.0)
        self._planned = True

    def at(self, share: float, left: float) -> None:
        """So much of the plan is done, and will take so many seconds more."""
        if self._bar is not None and self._planned:
            self._bar.update(self._stage, completed=share, end=time.monotonic() + left)

    def stage(self, what: str, total: float | None) -> None:
        """A new stage of so much work begins."""
        if self._bar is not None and self._planned:
            self._bar.update(self._stage, description=what)
        elif self._bar is not None:
            if self._stage is not None:
                self._bar.update(self._stage, visible=False)
            self._stage = self._bar.add_task(what, total=total)

    def step(self, done: float = 1, what: str | None = None) -> None:
        """So much more of the stage is done, and what to say of it."""
        if self._bar is not None and self._stage is not None:
            self._bar.update(self._stage, advance=done, description=what)


@contextmanager
def progress_bar(what: str, total: float | None, *, shown: bool) -> Iterator[Advance]:
    """A bar of one stage: yields the function that moves it.

    >>> with progress_bar("reading", total=3, shown=False) as advance:
    ...     advance(2, "two of three")
    """
    with ProgressBar(shown=shown) as bar:
        bar.stage(what, total)
        yield bar.step


def watched_blocks(source: RankingSource, block_rows: int, *, shown: bool) -> Iterator[RankingData]:
    """The blocks of `source`, with a bar that tells how far it has been read."""
    queries = 0
    with progress_bar("reading", getattr(source, "n_rows", None), shown=shown) as advance:
        for block in source.blocks(block_rows):
            queries += block.n_queries
            yield block
            advance(block.n_rows, f"{queries:,} queries")


def is_watched() -> bool:
    """Whether a person sees what goes to the error stream, or the output of a cell."""
    return sys.stderr.isatty() or in_notebook()
