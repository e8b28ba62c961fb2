"""The progress bar of a notebook: a line of HTML that is drawn anew, without script and without widgets."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from html import escape
from typing import Any

#: Seconds between two drawings.
_PAUSE = 0.2


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, as Jupyter starts one; nothing is imported to find out."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class NotebookBar:
    """What `ProgressBar` needs of a bar, in the output of a cell; gone when it stops."""

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
