"""Options of `leanrank compare` that belong together: what is compared, and under which conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leanrank.cli._completion import method_lists, metric_lists, metric_names, ranker_lists
from leanrank.cli._measuring import folds_of
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.evaluation.compare.request import CompareSettings
    from leanrank.selectors.limits import Limits


@dataclass(frozen=True)
class ComparedOptions:
    """Methods, rankers, sizes and metrics, each with commas between; see `option_groups`."""

    methods: Annotated[
        str,
        typer.Option(
            help="Selectors, with commas; 'all', or 'filters' that train nothing.", autocompletion=method_lists
        ),
    ] = "all"
    rankers: Annotated[str, typer.Option(help="Rankers, with commas.", autocompletion=ranker_lists)] = (
        "ranksvm,lightgbm"
    )
    k: Annotated[str, typer.Option("-k", "--k", help="Numbers of features, with commas.")] = "5,10,15,20"
    metrics: Annotated[str, typer.Option(help="Metrics, with commas.", autocompletion=metric_lists)] = (
        "ndcg@1,ndcg@3,ndcg@5,ndcg@10,map"
    )

    def read(self) -> dict[str, Any]:
        """The same as parameters of `compare`."""
        lists = {name: _parts(text) for name, text in vars(self).items()}
        return {**lists, "k": [_whole(size) for size in lists["k"]]}


@dataclass(frozen=True)
class ConditionOptions:
    """Conventions, tuning, scaling, folds and the seed; see `option_groups`."""

    convention: Annotated[
        str, typer.Option(help="The metrics' convention: standard, letor3, letor4, mslr, trec, ...")
    ] = "standard"
    validation: Annotated[
        str, typer.Option(help="The metric that settings are chosen by.", autocompletion=metric_names)
    ] = "map"
    tune: Annotated[bool, typer.Option(help="Tune the selectors too, not only the rankers.")] = False
    scale: Annotated[bool, typer.Option(help="Bring every feature of every query to [0, 1] first.")] = False
    folds: Annotated[
        str,
        typer.Option(
            "--folds", "--cv", help="Folds, by query, of data that have none of their own; 'time' tests what is later."
        ),
    ] = "5"
    seed: Annotated[int, typer.Option(help="Seed of the folds and of methods that draw numbers.")] = 0

    def settings(self, ranker_settings: dict[str, dict[str, Any]], limits: Limits | None) -> CompareSettings:
        """The same as `compare` takes them, with the parameters of rankers by name and what every set obeys."""
        from leanrank.data.scaling import QueryMinMaxScaler
        from leanrank.evaluation.compare.request import CompareSettings

        return CompareSettings(
            convention=self.convention,
            validation=self.validation,
            tune=self.tune,
            scaler=QueryMinMaxScaler() if self.scale else None,
            n_splits=folds_of(self.folds),
            random_state=self.seed,
            ranker_settings=ranker_settings,
            limits=limits,
        )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(f"A number of features is a whole number >= 1, as in -k 5,10. Got {text!r}.")
    return int(text)
