"""Options of `leanrank select` that say what is measured, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from leanrank.cli._completion import method_lists, metric_names, ranker_names
from leanrank.cli._settings import check_seed
from leanrank.errors import ParameterError


@dataclass(frozen=True)
class MeasuringOptions:
    """Sizes, ranker, metric, methods, folds, seed and where the work is done; see `option_groups`."""

    k: Annotated[int | None, typer.Option("-k", help="How many features, instead of the stop rule.")] = None
    max_loss: Annotated[float | None, typer.Option(help="The loss the stop rule allows (0.002).")] = None
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker", "-r", help="lightgbm (if installed, else ranksvm), ranksvm, ...", autocompletion=ranker_names
        ),
    ] = None
    metric: Annotated[str, typer.Option(help="What is measured.", autocompletion=metric_names)] = "ndcg@10"
    methods: Annotated[
        str, typer.Option(help="The portfolio, names separated by commas.", autocompletion=method_lists)
    ] = "auto"
    effort: Annotated[str, typer.Option(help="quick, normal or thorough: some 20, 30 or hundreds of trainings.")] = (
        "normal"
    )
    time_limit: Annotated[
        str | None, typer.Option(help="Answer from what is measured after this time: 90s, 10m, 2h.")
    ] = None
    collapse: Annotated[
        bool, typer.Option("--collapse/--keep-copies", help="Whether copies of a feature become one first.")
    ] = True
    cv: Annotated[int, typer.Option("--folds", "--cv", help="Folds, by query.")] = 5
    seed: Annotated[int, typer.Option(help="Seed of everything that draws numbers.")] = 0
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads that train rankers; 0 takes every core.")] = 0
    engine: Annotated[str | None, typer.Option(help="local[:threads], cuda, dask://host:port or spark.")] = None

    def check(self) -> None:
        """Refuse numbers that cannot be, before any work."""
        check_seed(self.seed)
        if self.max_loss is not None and not 0 <= self.max_loss < math.inf:
            raise ParameterError(f"--max-loss must be >= 0 and finite. Got {self.max_loss}.")
        if self.k is not None and self.max_loss is not None:
            raise ParameterError(
                "-k fixes the number of features, --max-loss lets the stop rule find it: drop one of them."
            )

    def read(self) -> dict[str, Any]:
        """The same as parameters of `leanrank.select`; a ranker or an engine that is not known is refused."""
        from leanrank.engines.parse import engine_of
        from leanrank.kernels._threads import default_threads
        from leanrank.rankers.registry import ranker_class

        if self.ranker is not None:
            ranker_class(self.ranker)
        return {
            "ranker": self.ranker,
            "metric": self.metric,
            "methods": self.methods,
            "n_features": self.k,
            "max_loss": self.max_loss,
            "effort": self.effort,
            "time_limit": self.time_limit,
            "collapse": self.collapse,
            "cv": self.cv,
            "random_state": self.seed,
            "n_jobs": self.jobs or default_threads(),
            "engine": None if self.engine is None else engine_of(self.engine),
        }
