"""Options of `leanrank select` for what judged queries of a log prove."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.evaluation.logged_loss import LoggedLoss


@dataclass(frozen=True)
class LoggedOptions:
    """The judgements that came back, and the report of the shadow that asked for them; see `option_groups`."""

    judged: Annotated[
        Path | None,
        typer.Option(
            help="What judges made of the file of leanrank shadow --ask (with --shadow), or the report (.json) of "
            "leanrank shadow --judged: certifies the recommended on the log."
        ),
    ] = None
    shadow: Annotated[
        Path | None, typer.Option(help="--judged: the report (.json) that leanrank shadow --ask wrote.")
    ] = None
    max_label: Annotated[
        float | None, typer.Option(help="--judged: the highest label there is; the highest given if not said.")
    ] = None

    def read(self, metric: str, level: float = 0.95) -> LoggedLoss | None:
        """The loss over the log by this metric; nothing where nothing was judged."""
        if self.judged is None:
            if self.shadow is not None or self.max_label is not None:
                raise ParameterError("--shadow and --max-label are about judgements: name them with --judged.")
            return None
        if self.shadow is not None:
            from leanrank.evaluation.shadow.judged_log import logged_loss

            return logged_loss(self.judged, self.shadow, metric=metric, max_label=self.max_label, level=level)
        if self.judged.suffix.lower() != ".json":
            raise ParameterError(
                f"{self.judged} does not know the log: name the report that leanrank shadow --ask wrote, "
                "with --shadow FILE.json."
            )
        if self.max_label is not None:
            raise ParameterError("A report (.json) has the loss already: --max-label belongs to leanrank shadow then.")
        from leanrank.evaluation.logged_loss import LoggedLoss

        return LoggedLoss.read(self.judged)
