"""A progress bar over many tasks, with the time left; silent where no terminal is watching."""

from __future__ import annotations

import sys
from typing import Any, Self


class TasksBar:
    """Counts tasks of several stages on standard error.

    >>> with TasksBar(show=False) as bar:
    ...     bar.expect("paths", 2)
    ...     bar.step()
    """

    def __init__(self, *, show: bool = True) -> None:
        self._bar: Any = None
        self._stage: Any = None
        self._show = show and sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._show:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, stage: str, n_tasks: int) -> None:
        """A new stage of so many tasks begins."""
        if self._bar is not None:
            self._stage = self._bar.add_task(stage, total=n_tasks)

    def step(self) -> None:
        """One task of the stage is done."""
        if self._bar is not None and self._stage is not None:
            self._bar.advance(self._stage)
