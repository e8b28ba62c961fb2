"""Options of `leanrank select` that say what is measured, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from leanrank.cli._completion import method_lists, metric_names, ranker_names
from leanrank.cli._settings import check_seed
from leanrank.errors import ParameterError

CollapseOption = Annotated[
    bool, typer.Option("--collapse/--keep-copies", help="Whether features that order every query alike become one.")
]


@dataclass(frozen=True)
class MeasuringOptions:
    """Sizes, ranker, metric, methods, folds, seed and where the work is done; see `option_groups`."""

    k: Annotated[int | None, typer.Option("-k", help="How many features, instead of finding out.")] = None
    max_loss: Annotated[
        str | None, typer.Option(help="The loss to certify (0.002); one for each metric with commas.")
    ] = None
    answer: Annotated[str, typer.Option(help="safe, recommended or certified: which of the answers is written.")] = (
        "recommended"
    )
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker", "-r", help="lightgbm (if installed, else ranksvm), ranksvm, ...", autocompletion=ranker_names
        ),
    ] = None
    metric: Annotated[
        str,
        typer.Option(
            help="What is measured. Several with commas, as ndcg@10,map: none may lose more than --max-loss.",
            autocompletion=metric_names,
        ),
    ] = "ndcg@10"
    methods: Annotated[
        str, typer.Option(help="The portfolio, names separated by commas.", autocompletion=method_lists)
    ] = "auto"
    effort: Annotated[str, typer.Option(help="quick, normal or thorough: some 20, 30 or hundreds of trainings.")] = (
        "normal"
    )
    time_limit: Annotated[
        str | None, typer.Option(help="Answer from what is measured after this time: 90s, 10m, 2h.")
    ] = None
    collapse: CollapseOption = True
    cv: Annotated[
        str, typer.Option("--folds", "--cv", help="Folds, by query; 'time' tests what is later (needs --time).")
    ] = "5"
    certify_slices: Annotated[
        bool, typer.Option("--certify-slices", help="Certify only what holds in every --slice too.")
    ] = False
    seed: Annotated[int, typer.Option(help="Seed of everything that draws numbers.")] = 0
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads that train rankers; 0 takes every core.")] = 0
    engine: Annotated[str | None, typer.Option(help="local[:threads], cuda, dask://host:port or spark.")] = None

    @property
    def metrics(self) -> list[str]:
        """The metrics by name, the first that of the headline."""
        return [name.strip() for name in self.metric.split(",") if name.strip()] or [self.metric]

    def check(self) -> None:
        """Refuse numbers that cannot be, before any work."""
        from leanrank.evaluation.select.answers import answer_name

        check_seed(self.seed)
        answer_name(self.answer)
        losses_of(self.max_loss)
        if self.k is not None and self.max_loss is not None:
            raise ParameterError("-k fixes the number of features, --max-loss finds it: drop one of them.")

    def read(self) -> dict[str, Any]:
        """The same as parameters of `leanrank.select`; a ranker or an engine that is not known is refused."""
        from leanrank.engines.parse import engine_of
        from leanrank.kernels._threads import default_threads
        from leanrank.rankers.registry import ranker_class

        if self.ranker is not None:
            ranker_class(self.ranker)
        return {
            "ranker": self.ranker,
            "metric": self.metrics[0],
            "metrics": self.metrics if len(self.metrics) > 1 else None,
            "methods": self.methods,
            "n_features": self.k,
            "max_loss": losses_of(self.max_loss),
            "answer": self.answer,
            "effort": self.effort,
            "time_limit": self.time_limit,
            "collapse": self.collapse,
            "cv": folds_of(self.cv),
            "certify_slices": self.certify_slices,
            "random_state": self.seed,
            "n_jobs": self.jobs or default_threads(),
            "engine": None if self.engine is None else engine_of(self.engine),
        }


def losses_of(text: str | None) -> float | list[float] | None:
    """The losses that were typed: one, or several with commas.

    >>> losses_of("0.01"), losses_of("0.01, 0.02"), losses_of(None)
    (0.01, [0.01, 0.02], None)
    """
    if text is None:
        return None
    losses = []
    for part in text.split(","):
        try:
            losses.append(float(part))
        except ValueError:
            raise ParameterError(f"--max-loss must be a number, or several with commas. Got {text!r}.") from None
        if not 0 <= losses[-1] < math.inf:
            raise ParameterError(f"--max-loss must be >= 0 and finite. Got {part.strip()}.")
    return losses if len(losses) > 1 else losses[0]


def folds_of(text: str) -> int | str:
    """The folds that were typed: a number, or "time" with or without one.

    >>> folds_of("5"), folds_of("time"), folds_of("time:3")
    (5, 'time', 'time:3')
    """
    if text.strip().lstrip("-").isdecimal():
        return int(text)
    from leanrank.evaluation.fold_roles import windows_of

    if windows_of(text) is None:
        raise ParameterError(f"--folds must be a number, or time, or time:4 for so many folds. Got {text!r}.")
    return text
