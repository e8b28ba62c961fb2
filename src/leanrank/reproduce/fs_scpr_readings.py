"""FS-SCPR in every reading of what its paper leaves open, each with every number of features."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.data.folds import Fold
from leanrank.evaluation.journal import Task
from leanrank.evaluation.protocol import rankers_of
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import Metric
from leanrank.reproduce.letor_rows import MEASURES, Row, fold_mean, measures, score
from leanrank.selectors.fsscpr import FSSCPR
from leanrank.selectors.pagerank import BiasedPageRank
from leanrank.stats.feature_graph import FeatureGraph, feature_graph
from leanrank.stats.similarity import Similarity

#: How k is chosen: in each fold by its validation queries, or one for all folds by the mean over theirs.
WAYS = ("k of each fold", "one k")


@dataclass(frozen=True, order=True)
class Reading:
    """One reading of the paper.

    Attributes
    ----------
    ties : {"strict", "half", "ordinal"}
        How documents with equal values count in Kendall's tau: in none, half, or in the order of the file.
    tau : {"fraction", "tau"}
        Whether tau is the fraction of concordant pairs or in [-1, 1].
    pagerank : {"none", "max", "cluster_minmax"}
        On which scale PageRank is added to the cosine.
    """

    ties: str
    tau: str
    pagerank: str

    def __str__(self) -> str:
        return f"ties {self.ties}, tau {self.tau}, PageRank {self.pagerank}"

    def selector(self) -> FSSCPR:
        return FSSCPR(
            similarity=Similarity("kendall", ties=self.ties),
            edge_scale=self.tau,
            pagerank=BiasedPageRank(scale=self.pagerank),
        )


TIES = ("strict", "half", "ordinal")
SCALES = ("none", "max", "cluster_minmax")
READINGS = tuple(Reading(t, tau, scale) for t in TIES for tau in ("fraction", "tau") for scale in SCALES)


def settled(reading: Reading) -> bool:
    """Whether the text agrees: its equation (2) is a fraction of pairs. It tunes in each fold, so k is a fold's too."""
    return reading.tau == "fraction"


@dataclass(frozen=True)
class Tried:
    """What a reading gave with every k in one fold."""

    n_features: NDArray[np.int64]  # (k,): features there were; clusters that coincide make fewer than k
    validation: NDArray[np.float64]  # (k,): MAP of the validation queries
    test: NDArray[np.float64]  # (k, measures): those of the test queries

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]]) -> Tried:
        table = np.array(rows)
        return cls(table[:, 0].astype(np.int64), table[:, 1], table[:, 2:])


#: By reading: the folds.
Grid = dict[Reading, list[Tried]]


def grid(tasks: Tasks, dataset: str, folds: Sequence[Fold], convention: str, readings: Sequence[Reading]) -> Grid:
    """Every reading with every k on every fold; features that several choose are trained on once."""

    def one(folds: Sequence[Fold], task: Task, _: None) -> dict[str, list[list[float]]]:
        fold = folds[task["fold"]]
        trainings = _Trainings(fold, measures(convention))
        graphs = {ties: feature_graph(fold.train, "map", Similarity("kendall", ties=ties)) for ties in TIES}
        return {str(reading): _every_k(reading.selector(), graphs[reading.ties], trainings) for reading in readings}

    what = {"paper": "fs-scpr", "dataset": dataset, "grid": [str(reading) for reading in readings]}
    wanted = [{**what, "fold": i} for i in range(len(folds))]
    results = tasks.run(one, folds, wanted, title=f"{dataset}: FS-SCPR in {len(readings)} readings")
    return {reading: [Tried.of(result[str(reading)]) for result in results] for reading in readings}


class _Trainings:
    """RankSVM-Primal of a fold on sets of features, each once."""

    def __init__(self, fold: Fold, wanted: Mapping[str, Metric]) -> None:
        self._fold, self._wanted = fold, wanted
        self._ranker = rankers_of("ranksvm", wanted["MAP"])[0]
        self._known: dict[frozenset[int], list[float]] = {}

    def __call__(self, features: NDArray[np.int64]) -> list[float]:
        """Validation MAP, then the measures of the test queries."""
        key = frozenset(features.tolist())
        if key not in self._known:
            columns = np.array(sorted(key))
            train, valid, test = (
                part.subset(columns) for part in (self._fold.train, self._fold.valid, self._fold.test)
            )
            ranker = clone(self._ranker).fit(train, eval_set=valid)
            scored = [(self._wanted["MAP"], valid), *((measure, test) for measure in self._wanted.values())]
            self._known[key] = [score(measure, ranker, part) for measure, part in scored]
        return self._known[key]


def _every_k(selector: FSSCPR, graph: FeatureGraph, trainings: _Trainings) -> list[list[float]]:
    most = int((~graph.constant).sum())
    rows = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The clustering into")
        selector.set_params(n_features_to_select=1).fit_graph(graph)
        for k in range(1, most + 1):
            features = selector.select(k)
            rows.append([len(features), *trainings(features)])
    return rows


def chosen(tried: Sequence[Tried], way: str) -> list[int]:
    """The index of k in each fold; of equals that with fewest features, then the smallest."""
    if way == "one k":
        n_k = min(len(of.validation) for of in tried)
        value = np.mean([of.validation[:n_k] for of in tried], axis=0)
        best = _best(value, np.mean([of.n_features[:n_k] for of in tried], axis=0))
        return [best] * len(tried)
    return [_best(of.validation, of.n_features) for of in tried]


def _best(value: NDArray[Any], n_features: NDArray[Any]) -> int:
    return int(np.lexsort((n_features, -np.round(value, 12)))[0])


def row(tried: Sequence[Tried], way: str) -> tuple[Row, list[int], float]:
    """The row of a reading, its numbers of features, and the mean MAP of the validation queries."""
    picked = chosen(tried, way)
    test = np.array([of.test[k] for of, k in zip(tried, picked, strict=True)])
    sizes = [int(of.n_features[k]) for of, k in zip(tried, picked, strict=True)]
    validation = float(np.mean([of.validation[k] for of, k in zip(tried, picked, strict=True)]))
    return {name: fold_mean(test[:, m]) for m, name in enumerate(MEASURES)}, sizes, validation


@dataclass(frozen=True)
class Rule:
    """A rule to choose a reading by: what the text says (see `settled`), of these scales, then validation MAP.

    Attributes
    ----------
    text : str
        The rule in words.
    scales : tuple of str
        The scales of PageRank that it allows.
    """

    text: str
    scales: tuple[str, ...]

    def choose(self, grids: Mapping[str, Grid]) -> Reading:
        """The reading allowed that is best on the validation queries, mean over the data."""
        allowed = [reading for reading in READINGS if settled(reading) and reading.pagerank in self.scales]
        validation = [np.mean([row(of[reading], WAYS[0])[2] for of in grids.values()]) for reading in allowed]
        return allowed[int(np.argmax(np.round(validation, 12)))]


#: The first is that of the row. It was written down last, when the findings of all readings had been seen: its scale is
#: the best on development data (the last table of docs/method_defaults.md). The last has PageRank as the paper adds it.
RULES = (
    Rule(
        "tau and k by the text, the scale of PageRank by development data, ties by validation MAP", ("cluster_minmax",)
    ),
    Rule("tau and k by the text, the scale of PageRank and ties by validation MAP", SCALES),
    Rule("tau, k and the scale of PageRank by the text, ties by validation MAP", ("none",)),
)
