"""Options about logged queries: what to judge, what was judged, what that proves, and when drift is an alarm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leanrank.cli._completion import loss_names
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.evaluation.logged_loss import LoggedLoss
    from leanrank.evaluation.shadow.asked import Asked
    from leanrank.evaluation.shadow.drift import DriftLimits
    from leanrank.evaluation.shadow.estimate import LossEstimate
    from leanrank.evaluation.shadow.shadow import Shadow

MaxLabelOption = Annotated[
    float | None, typer.Option(help="--judged: the highest label there is; the highest given if not said.")
]


@dataclass(frozen=True)
class JudgingOptions:
    """Which queries to ask judges about, and the judgements that came back."""

    ask: Annotated[
        Path | None, typer.Option(help="Write a file for judges: queries drawn among those that change; - prints it.")
    ] = None
    judge: Annotated[
        int | None, typer.Option(help="--ask: queries to draw; all that change if not said, as for a machine.")
    ] = None
    judged: Annotated[Path | None, typer.Option(help="The file for judges with labels: estimates the mean loss.")] = (
        None
    )
    labels: Annotated[
        Path | None, typer.Option(help="--judged: machine-made labels of all queries that change, in the same form.")
    ] = None
    metric: Annotated[
        str, typer.Option(help="--judged: dcg, exact, or ndcg, between bounds.", autocompletion=loss_names)
    ] = "dcg"
    max_label: MaxLabelOption = None
    level: Annotated[float, typer.Option(help="--judged: how sure the interval has to be.")] = 0.95
    seed: Annotated[int, typer.Option(help="--ask: what the draw depends on.")] = 0

    def check(self) -> None:
        """Refuse what makes no sense together, before any work."""
        from leanrank.cli._settings import check_seed

        check_seed(self.seed)
        if self.judge is not None and self.ask is None:
            raise ParameterError("--judge says how many queries the file for judges has: name the file with --ask.")
        if self.labels is not None and self.judged is None:
            raise ParameterError("Machine-made labels prove nothing alone: name people's judgements with --judged.")

    def drawn(self, shadowed: Shadow) -> Asked | None:
        """The queries to judge, where a file for judges was asked for."""
        return None if self.ask is None else shadowed.ask(self.judge, random_state=self.seed)

    def loss(self, shadowed: Shadow) -> LossEstimate | None:
        """What the judgements tell, where there are any."""
        from leanrank.evaluation.shadow.judging import read_judged

        if self.judged is None:
            return None
        machine = None if self.labels is None else read_judged(self.labels)
        return shadowed.loss(
            read_judged(self.judged), machine=machine, metric=self.metric, max_label=self.max_label, level=self.level
        )


@dataclass(frozen=True)
class DriftOptions:
    """An older log, and how far the newer one may be from it."""

    before: Annotated[Path | None, typer.Option(help="An older log: what drifted since; exit code 1 if too much.")] = (
        None
    )
    max_distribution: Annotated[
        float, typer.Option(help="--before: population stability index of a feature, beyond chance.")
    ] = 0.2
    max_missing: Annotated[float, typer.Option(help="--before: change of the share of missing values.")] = 0.05
    max_importance: Annotated[
        float, typer.Option(help="--before: change of a feature's correlation with the full ranker's scores.")
    ] = 0.1
    max_changed: Annotated[float, typer.Option(help="--before: change of the share of queries whose list changes.")] = (
        0.1
    )

    def limits(self) -> DriftLimits:
        """As `drift` takes them."""
        from leanrank.evaluation.shadow.drift import DriftLimits

        return DriftLimits(self.max_distribution, self.max_missing, self.max_importance, self.max_changed)


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
    max_label: MaxLabelOption = None

    def read(self, metric: str, level: float = 0.95) -> LoggedLoss | None:
        """The loss over the log by this metric; nothing where nothing was judged."""
        if self.judged is None:
            if self.shadow is not None or self.max_label is not None:
                raise ParameterError("--shadow and --max-label are about judgements: name them with --judged.")
            return None
        if self.shadow is not None:
            from leanrank.evaluation.shadow.run import logged_loss

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
