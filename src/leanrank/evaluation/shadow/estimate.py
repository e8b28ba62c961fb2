"""LossEstimate: what judged queries tell about the loss over all logged ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.json_record import JsonRecord
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.shadow.intervals import Interval, Machine, interval
from leanrank.evaluation.shadow.judging import Judged
from leanrank.evaluation.shadow.logged_queries import LoggedQueries, Reach
from leanrank.evaluation.shadow.loss import METRICS, MovedDocuments, dcg_losses, gains, ndcg_losses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class LossEstimate(JsonRecord):
    """The mean loss of the pruned ranker over all logged queries; positive where it is worse.

    Attributes
    ----------
    metric : str
        "dcg@10", say.
    mean : float
        The estimate; for NDCG the middle of the bounds on it.
    low, high : float
        An interval of the `level` stated.
    level : float
    n_judged, n_changed, n_queries : int
        Queries judged, those whose list changes, and all.
    worth : float
        Queries judged at random that would tell as much: judged ones by the share that changes.
    power : float
        The weight of machine-made labels, 0 without.
    bounded : bool
        Whether so few queries lost or gained much that an end of the interval rests on the largest loss possible.
    assumptions : tuple of str
        What has to be true for the interval to mean what it says.
    """

    metric: str
    mean: float
    low: float
    high: float
    level: float
    n_judged: int
    n_changed: int
    n_queries: int
    worth: float
    power: float
    bounded: bool
    assumptions: tuple[str, ...]

    def sentence(self) -> str:
        """The answer in one sentence."""
        return (
            f"Over all {self.n_queries:,} logged queries the pruned ranker loses {self.mean:+.4f} "
            f"{self.metric.upper()} ({self.level:.0%} interval {self.low:+.4f} to {self.high:+.4f}), by "
            f"{self.n_judged:,} judged queries, worth {self.worth:,.0f} judged at random"
        )


def estimated_loss(
    log: LoggedQueries,
    reach: Reach,
    judged: Judged,
    machine: Judged | None = None,
    *,
    metric: str,
    max_label: float | None,
    level: float,
) -> LossEstimate:
    """The mean loss over all queries of the log; labels of a machine need a `log` of all that change."""
    if metric not in METRICS:
        raise ParameterError.of("loss", "metric", " or ".join(map(repr, METRICS)), metric)
    if not 0 < level < 1:
        raise ParameterError.of("loss", "level", "between 0 and 1", level)
    highest = float(judged.label.max())
    if max_label is not None and highest > max_label:
        raise ParameterError.of("loss", "max_label", f"at least the highest label given, {highest:g}", max_label)
    top = highest if max_label is None else max_label
    queries, probability = _numbers(log, judged)
    known = _Labelled.of(log, queries, judged)
    changed = np.flatnonzero(log.moved > 0)
    everywhere = None if machine is None else _Labelled.of(log, changed, machine)
    largest = reach.dcg.times(float(gains(np.array([top]))[0])) if metric == "dcg" else reach.ndcg
    largest = largest.judged(judged.n_queries / judged.n_asked)
    ends: list[Interval] = []
    for one in range(1 if metric == "dcg" else 2):
        by_machine = None
        if everywhere is not None:
            all_losses = everywhere.losses(log, metric, top)[one]
            by_machine = Machine(all_losses[np.searchsorted(changed, queries)], float(all_losses.sum()))
        ends.append(
            interval(
                known.losses(log, metric, top)[one],
                probability,
                log.n_queries,
                largest=largest,
                level=level,
                machine=by_machine,
            )
        )
    least, most = ends[0], ends[-1]
    return LossEstimate(
        f"{metric}@{log.k}",
        (least.mean + most.mean) / 2,
        least.low,
        most.high,
        level,
        len(queries),
        log.n_changed,
        log.n_queries,
        min(len(queries) * log.n_queries / log.n_changed, float(log.n_queries)),
        most.power,
        least.bounded or most.bounded,
        _assumptions(metric, log.k, top, said=max_label is not None, machine=machine is not None),
    )


@dataclass(frozen=True)
class _Labelled:
    """Queries (ascending), their documents that moved, and a label for each."""

    queries: Ints
    moved: MovedDocuments
    labels: Floats

    @classmethod
    def of(cls, log: LoggedQueries, queries: Ints, judged: Judged) -> _Labelled:
        moved = log.documents.of(queries)
        number = log.numbers_of(judged.query)
        width = int(max(moved.document.max(), judged.document.max())) + 1
        keys = number * width + judged.document  # -1, of a query that is not in the log, is below all that moved
        order = np.argsort(keys)
        wanted = moved.query * width + moved.document
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        absent = keys[order[at]] != wanted
        if absent.any():
            row = int(np.argmax(absent))
            raise DataError(
                f"{judged.where}: document {moved.document[row]} of query {log.query_ids[moved.query[row]]} moved "
                "and has no label. Were the labels asked for with these rankers, this k and this log?"
            )
        return cls(queries, moved, judged.label[order[at]])

    def losses(self, log: LoggedQueries, metric: str, max_label: float) -> tuple[Floats, ...]:
        """DCG's loss, or the least and the most that NDCG can lose."""
        if metric == "dcg":
            return (dcg_losses(self.moved, self.labels, log.k, self.queries),)
        return ndcg_losses(self.moved, self.labels, log.k, self.queries, log.n_documents[self.queries], max_label)


def _numbers(log: LoggedQueries, judged: Judged) -> tuple[Ints, Floats]:
    """The judged queries by their numbers in the log, ascending, and their probabilities."""
    numbers = log.numbers_of(judged.query_ids)
    if (numbers < 0).any():
        raise DataError(f"{judged.where}: query {judged.query_ids[numbers < 0][0]} is not among the logged queries.")
    same = log.moved[numbers] == 0
    if same.any():
        query = judged.query_ids[same][0]
        raise DataError(f"{judged.where}: query {query} does not change with these rankers: it was not drawn for them.")
    order = np.argsort(numbers)
    return numbers[order], judged.probability[order]


def _assumptions(metric: str, k: int, top: float, *, said: bool, machine: bool) -> tuple[str, ...]:
    stated = [
        "queries were drawn as `ask` drew them, and judged in that order",
        f"people see the first {k} places, and documents of equal score in the order of the log",
        "the gain of a label is 2^label - 1",
        f"no label is above {top:g}" + ("" if said else ", the highest that was given"),
        "the mean is that of these logged queries; other days are another question",
    ]
    if metric == "ndcg":
        stated.append(
            f"NDCG@{k} needs the ideal list: at least that of the judged documents, at most that with every other "
            f"document at label {top:g}; the interval holds the loss for every ideal between"
        )
    if machine:
        stated.append("machine-made labels may be wrong in any way; they were made without the people's labels")
    return tuple(stated)
