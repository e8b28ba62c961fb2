"""select: the main job. Which features can go, what that costs, how sure it is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Unpack

import numpy as np

from leanrank.data.catalogue_file import read_catalogue
from leanrank.data.door import is_source
from leanrank.data.query_sample import QuerySample, sample_of
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import TableNames
from leanrank.evaluation.clock import Clock, seconds_of
from leanrank.evaluation.finished_task import Callback
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.journal_schema import keep_selection
from leanrank.evaluation.logged_loss import LoggedLoss
from leanrank.evaluation.select import judged as inputs
from leanrank.evaluation.select import request as asked
from leanrank.evaluation.select.answers import RECOMMENDED, answer_name
from leanrank.evaluation.select.effort import REPEATS, effort_of
from leanrank.evaluation.select.measuring import Run
from leanrank.evaluation.select.portfolio import portfolio
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.tasks import Tasks
from leanrank.kernels._threads import default_threads
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import as_ranker
from leanrank.rankers.ranksvm import GRID
from leanrank.rankers.registry import get

#: The loss that nobody minds, unless the caller says otherwise.
MAX_LOSS = 0.002
#: The largest seed: splitters take 32 bits, and repeats count on from it.
LARGEST_SEED = 2**32 - REPEATS


def select(
    data: Any,
    ranker: Any = None,
    metric: Any = "ndcg@10",
    methods: Any = "auto",
    n_features: int | None = None,
    max_loss: float | Sequence[float] | None = None,
    budget: float | None = None,
    costs: Any = None,
    must_keep: Any = (),
    groups: Any = None,
    cv: int | str = 5,
    random_state: int = 0,
    engine: Any = None,
    progress: bool = True,
    *,
    never: Any = (),
    families: Any = None,
    at_most: Any = None,
    together: Any = (),
    catalogue: Any = None,
    default_cost: float | None = None,
    collapse: bool = True,
    valid: Any = None,
    level: float = 0.95,
    answer: str = RECOMMENDED,
    effort: str = "normal",
    time_limit: float | str | None = None,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    y: Any = None,
    label: str | None = None,
    qid: Any = None,
    comments: str | None = None,
    memory: str | int | None = None,
    metrics: Any = None,
    certify_slices: bool = False,
    logged: LoggedLoss | None = None,
    **columns: Unpack[TableNames],
) -> Selection:
    """Find the fewest features that rank as well as all of them.

    Methods of the portfolio order the features and race; the path of the winner is measured at sizes that are known
    beforehand, by cross-validation over queries. The selection is repeated and the winner chosen inside each fold, so
    no query judges a set or a method that it helped to choose. Three answers come of it: what is safe to drop, what is
    recommended (the smallest set that these queries show to lose no more than they can tell at all), and what is
    certified to lose at most `max_loss`, by a bootstrap over queries.

    Parameters
    ----------
    data : RankingData, RankingSource, frame, array, sparse matrix or tuple (X, y, qid)
        Judged documents: complete as RankingData or as a tuple; a frame (pandas, polars, pyarrow) with `label` and
        `qid`; or features with `y` and `qid`. Of a source (`scan`), as many whole queries as memory allows. Rankers
        that take missing values get them; selection sees the least value of the feature in the query in their place.
    ranker : ranker, estimator or str, optional
        The ranker the features are for. LightGBM where it is installed, RankSVM otherwise. Rankers that want it
        (`Ranker.wants_scaling`), all but trees, get features scaled to [0, 1] within each query.
    metric : str or metric
    methods : "auto", names, a selector or several
        Selectors by their names in the registry, or as you set them up; "auto" are those of the effort. Where
        "importance", "rfe" and other hybrids name no ranker of their own, they use the one of the run.
    n_features : int, optional
        Choose this many instead of applying the stop rule: by the first method of the portfolio that held-out queries
        do not show to be worse than the best.
    max_loss : float or sequence of float, optional
        The loss to certify, 0.002 by default; of several metrics one for all, or one for each. Every set of the path
        also says at which loss it is certified (`CurvePoint.certified_loss`), so another one needs no training.
    budget : float, optional
        The most that the chosen features may cost together.
    costs, groups, must_keep, never, families, at_most, together
        See `leanrank.selectors.limits.Limits`. With costs the stop rule takes the cheapest set, not the smallest. The
        safe answer drops only what changes nothing, so it may have more than a budget or a family allows, and says so.
    catalogue : Catalogue, path, str, dict or frame, optional
        Names and descriptions of features for everything that is shown, and their families and costs, where these are
        not given; see `read_catalogue`.
    default_cost : float, optional
        The cost of every feature that neither `costs` nor the catalogue has one for.
    collapse : bool
        Whether features that order every query alike become one feature before any method chooses: the cheapest, or
        the first; for rankers that want scaling, of those that limits treat alike, the one whose values go best with
        the labels of the queries that a fold learns from (`Selection.stands_for`). "All features", which sets are
        measured against, are with them.
    cv : int or "time"
        Folds, by query. At least 3, or 2 where `valid` is given; every fold needs a query with different labels.
        Queries of one group (`SideColumns.query_group`) are in one fold, and chance draws groups. "time" (or "time:4",
        with the number of folds) learns from what is before and tests what is after; rankers stop on what lies
        between. The earliest queries are never tested then, and count for nothing in any figure.
    random_state : int
        Seed of the folds, of the bootstrap, and of methods given by name that draw numbers.
    engine : optional
        Where feature graphs are computed. The workers of a `DaskEngine` or `SparkEngine` also run the methods and
        train the rankers of the cross-validation; each gets the data once, and results come back to the journal here.
    progress : bool
        A progress bar with the time left, where a terminal is watching.
    valid : RankingData or tuple (X, y, qid), optional
        What rankers stop early on, in every fold and at the end; by default a part of `data`. Of the same features.
    level : float
        Level of the bounds.
    answer : {"safe", "recommended", "certified"}
        Which of the three answers the features of the Selection are; it always has all of them.
    effort : {"quick", "normal", "thorough"}
        How much is measured, in trainings on all features: some 20, some 30, or hundreds.
    time_limit : float or str, optional
        Seconds, or a text such as "10m". When the time is up, no training begins any more: the answer is made of what
        was measured, and says what was left out. The first training on all features in every fold is always done.
    journal : path, optional
        An SQLite file that keeps every finished fit: the same call with the same journal goes on where it stopped.
    n_jobs : int, optional
        Threads that train rankers, every core if None; the result does not depend on it. Each booster has one thread,
        unless its estimator names another number.
    callback : callable, optional
        Called with a `FinishedTask` for every task that is done: its stage, what it was, its result and seconds. The
        same is logged under "leanrank", steps at INFO and tasks at DEBUG.
    y : array, series or list, optional
        Labels of the rows of `data`, where these are features alone.
    label : str, optional
        The column of labels, where `data` is a frame that holds them.
    qid : str or array, optional
        The column of query ids of such a frame, or the query of every row.
    comments : str, optional
        A column of texts of such a frame that is no feature.
    weight, query_weight, position, time, query_group, slices, categorical : optional
        More columns of such a frame, by name, as `leanrank.data.from_frame` takes them: ``query_weight="traffic"``,
        ``slices=["country"]``.
    memory : str or int, optional
        What the data may take with all copies, as "2GB" or in bytes, beside the process itself. Whole queries are
        drawn by a hash of their ids and the seed, whatever the order of files and rows, and the answer says how many
        (`Selection.sample`). By default all of a RankingData is used, and of a source what half of the free memory
        allows.
    metrics : sequence of str or metric, optional
        Several metrics instead of `metric`. Methods are chosen by the first, which is the one in the headline; a set is
        certified only where it is for each of them.
    certify_slices : bool
        Whether a set is certified only where it is in every slice of the queries too (`SideColumns.slices`), each with
        thirty judged queries or more.
    logged : LoggedLoss, optional
        What judged queries of a log say of a model of the recommended features (see `logged_loss`): where they prove
        that it loses at most `max_loss`, it is the certified answer.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import leanrank
    >>> data, truth = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=0)
    >>> chosen = leanrank.select(data, "ranksvm", methods=["gas", "mrmr"], n_features=3)
    >>> role = {entry.name: entry.role for entry in truth}
    >>> sorted({role[name] for name in chosen.features} - {"redundant"})
    ['informative']

    A frame, with the names of its columns for labels and queries:

    >>> frame = leanrank.data.to_frame(data, "pandas")
    >>> again = leanrank.select(frame, "ranksvm", label="label", qid="qid", methods=["gas", "mrmr"], n_features=3)
    >>> again.features == chosen.features
    True
    """
    begin = time.perf_counter()
    seeds = f"a whole number from 0 to {LARGEST_SEED}"
    seed = inputs.whole_number("random_state", random_state, seeds, 0, LARGEST_SEED)
    given = {"y": y, "label": label, "qid": qid, "comments": comments, **inputs.named_columns("select", columns)}
    if isinstance(data, QuerySample) or (is_source(data) and not isinstance(data, RankingData)):
        inputs.nothing_beside("A source", given)
    else:
        data = inputs.judged(data, **given)
    sample = sample_of(data, memory, seed)
    documents = sample.data
    held = asked.valid_of(valid, documents)
    lowest = 3 if held is None else 2
    wanted, spent, measures = asked.methods_of(methods), effort_of(effort), inputs.metrics_of(metric, metrics)
    rules = {"groups": groups, "must_keep": must_keep, "never": never, "families": families}
    rules |= {"at_most": at_most, "together": together}
    known = None if catalogue is None else read_catalogue(catalogue).of(documents.feature_names)
    request = asked.Request(
        data=documents,
        valid=held,
        ranker=default_ranker(ranker),
        metrics=measures,
        methods=wanted,
        portfolio=portfolio(wanted, spent.methods if n_features is None else spent.at_a_size, seed),
        effort=spent,
        cv=inputs.folds_asked(cv, lowest),
        random_state=seed,
        max_losses=inputs.max_losses_of(max_loss, len(measures), MAX_LOSS),
        level=inputs.real_number("level", level, "between 0.5 and 1", np.nextafter(0.5, 1), np.nextafter(1, 0)),
        n_features=n_features,
        answer=answer_name(answer),
        limits=asked.limits_of(documents.feature_names, known, default_cost, costs=costs, budget=budget, **rules),
        collapse=bool(collapse),
        certify_slices=bool(certify_slices),
    ).checked()
    if progress and sys.stderr.isatty():
        print(f"leanrank: {request.forecast.sentence()}", file=sys.stderr)
    wished = default_threads() if n_jobs is None else inputs.whole_number("n_jobs", n_jobs, "a whole number >= 1", 1)
    threads, clock = sample.threads(wished), Clock(seconds_of(time_limit), says=progress)
    with (
        Journal(journal, request.about()) as book,
        Tasks(
            book, n_jobs=threads, engine=engine, progress=progress, owner="select", clock=clock, callback=callback
        ) as tasks,
    ):
        selection = replace(Run(request, tasks, engine).selection(begin), sample=sample.summary(), catalogue=known)
        selection = selection if logged is None else selection.on_log(logged)
        keep_selection(book, selection.to_dict())
        return selection


def default_ranker(ranker: Any, **settings: Any) -> Ranker:
    """The ranker asked for; LightGBM on one thread where it is installed, RankSVM over a grid of C otherwise.

    By name it may have `settings` of its parameters.
    """
    if ranker is None:
        ranker = "lightgbm" if find_spec("lightgbm") is not None else "ranksvm"
    if ranker == "lightgbm":
        return get("lightgbm", **{"early_stopping_rounds": 50, "n_threads": 1, **settings})
    if ranker == "ranksvm":
        return get("ranksvm", **{"C": GRID, **settings})
    return as_ranker(ranker, **settings)
