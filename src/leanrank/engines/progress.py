"""One progress bar for everything that takes long: on a terminal or in a notebook, never in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import escape
from typing import Any, Self, TypeAlias

from leanrank.data.ranking_data import RankingData, RankingSource

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


#: Seconds between two drawings.
_PAUSE = 0.2


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, as Jupyter starts one; nothing is imported to find out."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class NotebookBar:
    """What `ProgressBar` needs of a bar: HTML in the output of a cell, without script or widgets; gone at the end."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._what, self._done, self._drawn = "", 0.0, 0.0
        self._total: float | None = None
        self._end: float | None = None

    def start(self) -> None:
        """Make the place in the output of the cell."""
        from IPython.display import HTML, display

        self._handle = display(HTML(""), display_id=True)

    def stop(self) -> None:
        """Take the bar away."""
        self._show("")

    def add_task(self, what: str, total: float | None) -> int:
        """A stage begins; there is one at a time."""
        self._what, self._total, self._done, self._end = what, total, 0.0, None
        self._draw()
        return 0

    def update(
        self,
        task: int,
        *,
        advance: float = 0.0,
        completed: float | None = None,
        description: str | None = None,
        end: float | None = None,
        visible: bool = True,
    ) -> None:
        """So much more, or so much in all, is done of the stage; it ends at this time of the monotonic clock."""
        self._done = self._done + advance if completed is None else completed
        self._what = description or self._what
        self._end = end or self._end
        if visible and time.monotonic() - self._drawn >= _PAUSE:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        share = "" if self._total is None else f' value="{min(self._done / (self._total or 1), 1):.3f}"'
        left = "" if self._end is None else f"{timedelta(seconds=max(0, round(self._end - self._drawn)))} left"
        self._show(f"{escape(self._what)} <progress{share}></progress> {left}")

    def _show(self, html: str) -> None:
        from IPython.display import HTML

        if self._handle is not None:
            self._handle.update(HTML(html))
