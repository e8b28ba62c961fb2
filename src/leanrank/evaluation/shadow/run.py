"""shadow: two rankers on logged queries that nobody has judged; logged_loss: what judges sent back, for `select`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from leanrank.data.ranking_data import RankingSource
from leanrank.engines.fold import fold
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.logged_loss import NAMELESS, LoggedLoss
from leanrank.evaluation.shadow.asked import Asked
from leanrank.evaluation.shadow.changes import ListChanges
from leanrank.evaluation.shadow.judging import Judged, read_judged
from leanrank.evaluation.shadow.shadow import Shadow
from leanrank.rankers.adapters import as_ranker


def shadow(
    logged: RankingSource,
    full: Any,
    pruned: Any,
    *,
    k: int = 10,
    persistence: float = 0.9,
    slices: Mapping[Any, str] | None = None,
    engine: Any = None,
    progress: bool = False,
) -> Shadow:
    """What a pruned ranker would change on logged queries, without any label.

    One pass over blocks of whole queries; what is kept is some 80 bytes a query and 10 bytes a document that moved.
    Documents of equal score keep the order of the log.

    Parameters
    ----------
    logged : RankingData or RankingSource
        Logged queries with the features of both rankers; labels are not looked at.
    full, pruned : ranker
        The ranker that people see the lists of, and the one that would take its place: what `load_ranker` and
        `as_ranker` give. Features are found by their names.
    k : int, default=10
        Places that people see.
    persistence : float, default=0.9
        Rank-biased overlap's probability of looking at the next place.
    slices : mapping of query id to name, default=None
        Groups of queries to tell apart; queries that it does not have are in "other".
    engine : Engine or str, default=None
        Where to run, as in `fold`: threads of this machine, "dask://host:8786", ...
    progress : bool, default=False
        Show a bar while a terminal is watching.

    Returns
    -------
    Shadow
        How often and how much lists change; `Shadow.ask` draws the queries to judge, `Shadow.loss` says what judged
        ones tell about all.

    See Also
    --------
    drift : What changed between the logs of two dates.

    Examples
    --------
    >>> import leanrank
    >>> data, _ = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=3, random_state=0)
    >>> full = leanrank.RankSVM().fit(data)
    >>> pruned = leanrank.RankSVM().fit(data.subset(data.feature_names[:4]))
    >>> changed = leanrank.shadow(data, full, pruned, k=5)
    >>> 0 < changed.changed_share <= 1, changed.n_queries
    (True, 60)
    """
    statistic = ListChanges(as_ranker(full), as_ranker(pruned), k, persistence)
    changes = fold(statistic, logged, engine, progress=progress)
    of_query = None if slices is None else tuple(_slice_of(slices, changes.query_ids))
    names = getattr(statistic.pruned, "feature_names_in_", ())
    return Shadow(changes, k, persistence, of_query, tuple(map(str, names)))


def _slice_of(slices: Mapping[Any, str], query_ids: Any) -> list[str]:
    """Ids may be numbers here and texts in a file of slices."""
    by_text = {str(query): str(name) for query, name in slices.items()}
    return [by_text.get(str(query), "other") for query in query_ids.tolist()]


def logged_loss(
    judged: Judged | str | os.PathLike[str],
    shadow: Asked | Shadow | str | os.PathLike[str],
    *,
    metric: str = "ndcg@10",
    max_label: float | None = None,
    level: float = 0.95,
) -> LoggedLoss:
    """What judged queries of a log say that a model of fewer features loses, for `select` and `Selection.on_log`.

    Parameters
    ----------
    judged : Judged or path
        The file for judges with labels; its columns qid, document and label are needed.
    shadow : Asked, Shadow or path
        What the queries were drawn from: the report (.json) that `leanrank shadow --ask` wrote, what `Shadow.ask`
        returned, or the Shadow itself.
    metric : str, default="ndcg@10"
        That of the selection: NDCG to the depth that was shadowed.
    max_label : float, default=None
        The highest label there is; the highest that was given if not said.
    level : float, default=0.95

    Returns
    -------
    LoggedLoss

    Examples
    --------
    >>> import leanrank, tempfile
    >>> data, _ = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=3, random_state=0)
    >>> full = leanrank.RankSVM().fit(data)
    >>> pruned = leanrank.RankSVM().fit(data.subset(data.feature_names[:4]))
    >>> asked = leanrank.shadow(data, full, pruned, k=5).ask(30)
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as answers:
    ...     _ = answers.write(asked.text().replace(",\\n", ",1\\n"))  # judges who find everything relevant
    ...     answers.flush()
    ...     print(abs(leanrank.logged_loss(answers.name, asked, metric="ndcg@5").mean) < 1e-12)
    True
    """
    drawn = shadow if isinstance(shadow, Asked | Shadow) else Asked.read(shadow)
    answers = judged if isinstance(judged, Judged) else read_judged(judged)
    if metric.lower() != f"ndcg@{drawn.k}":
        raise ParameterError(
            f"The first {drawn.k} places were shadowed, so judgements tell the loss of ndcg@{drawn.k}: select by that "
            f"metric, or shadow another number of places. Got {metric!r}."
        )
    if not drawn.features:
        raise DataError(f"{answers.where}: {NAMELESS}")
    loss = drawn.loss(answers, metric="ndcg", max_label=max_label, level=level)
    return LoggedLoss.of(loss.to_dict(), drawn.features, answers.where)
