"""Clicks as labels, and clicks on judged data as a position-based model makes them, with the truth known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leanrank.data.propensities import Propensities
from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import SideColumns
from leanrank.data.weights import refuse_weights
from leanrank.errors import DataError, ParameterError, is_whole


def per_click(data: RankingData, propensities: Propensities, *, largest_weight: float | None = None) -> RankingData:
    r"""A query for each click of a log, with the clicked document as the only relevant one, weighted.

    Whether a document is clicked depends on where it was shown. A click at place k stands for 1/p_k documents that
    would have been clicked had they been looked at: with this weight a mean over clicks, of any measure of the place to
    which a ranking moves the clicked document, is in expectation what it would be if every place was looked at

    .. math:: E\left[\sum_{d : c_d = 1} \frac{\lambda(\mathrm{rank}(d))}{p_{k(d)}}\right]
        = \sum_d P(d\ \mathrm{relevant})\, \lambda(\mathrm{rank}(d))

    All that takes weights of queries can therefore learn from clicks: metrics, filters, rankers, `select`.

    Parameters
    ----------
    data : RankingData
        A query for each session: labels above 0 are clicks, `beside.position` the places.
    propensities : Propensities
        How likely each place is looked at; 1 everywhere corrects nothing.
    largest_weight : float, optional
        Weights are cut here. Clicks far down are rare and weigh much: cutting trades a little bias for variance.

    Returns
    -------
    RankingData
        All documents of the session of each click, the clicked one labelled 1 and all others 0; `query_weight`, times
        that of the session if it had one; `query_group`, that of the session or the session itself, so that folds and
        bootstraps never part it. Positions are gone: what they tell is in the weights. Sessions without a click tell
        nothing of an order and are left out.

    References
    ----------
    T. Joachims, A. Swaminathan, T. Schnabel. Unbiased learning-to-rank with biased feedback. WSDM 2017.

    Examples
    --------
    >>> from leanrank.data.side_columns import SideColumns
    >>> beside = SideColumns(position=[1, 2, 3, 1, 2])
    >>> log = RankingData([[0.9], [0.5], [0.1], [0.4], [0.3]], [1, 0, 1, 0, 0], [0, 3, 5], ["a", "b"], beside=beside)
    >>> clicks = per_click(log, Propensities([1.0, 0.5, 0.25]))
    >>> clicks.query_ids.tolist(), clicks.beside.query_weight.tolist(), clicks.y.tolist()
    (['a#1', 'a#3'], [1.0, 4.0], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    """
    refuse_weights(data, "per_click", ("query_weight",))
    side = data.beside
    if side.position is None:
        raise DataError("Where documents were shown is not known: name the column position (--position).")
    if largest_weight is not None and not largest_weight >= 1:
        raise ParameterError.of("per_click", "largest_weight", ">= 1 or None", largest_weight)
    clicked = np.flatnonzero(data.y > 0)
    if not len(clicked):
        raise DataError("There is no click: no label is above 0.")
    session = np.searchsorted(data.query_ptr, clicked, side="right") - 1
    sizes = data.query_sizes[session]
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.repeat(data.query_ptr[session] - ptr[:-1], sizes) + np.arange(ptr[-1])
    y = np.zeros(len(rows), dtype=np.float32)
    y[ptr[:-1] + clicked - data.query_ptr[session]] = 1.0
    weight = 1.0 / propensities.at(side.position[clicked])
    if largest_weight is not None:
        weight = np.minimum(weight, largest_weight)
    if side.query_weight is not None:
        weight *= side.query_weight[session]
    kept = side.without("position").taken(rows, session)
    group = data.query_ids[session] if side.query_group is None else side.query_group[session]
    place = clicked - data.query_ptr[session] + 1
    return replace(
        data,
        X=data.X[rows],
        y=y,
        query_ptr=ptr,
        query_ids=np.array([f"{data.query_ids[s]}#{k}" for s, k in zip(session.tolist(), place.tolist(), strict=True)]),
        comments=None if data.comments is None else data.comments[rows],
        beside=replace(kept, query_weight=weight, query_group=group),
    )


def simulate_clicks(
    judged: RankingData,
    shown_by: ArrayLike,
    propensities: Propensities,
    *,
    n_sessions: int = 10_000,
    noise: float = 0.1,
    random_state: Any = 0,
) -> RankingData:
    r"""Sessions of a search engine that orders documents by `shown_by`, and where users click.

    A session is a query of `judged`, drawn by chance, of which the first documents are shown, as many as there are
    propensities. A document of label y at place k is clicked with probability

    .. math:: \theta_k \left(\epsilon + (1 - \epsilon) \frac{2^y - 1}{2^{y_{max}} - 1}\right)

    Parameters
    ----------
    judged : RankingData
        What is relevant.
    shown_by : array of shape (n,)
        Scores by which the engine orders; of equal ones the first row.
    propensities : Propensities
        How likely each place is looked at.
    n_sessions : int, default=10_000
    noise : float, default=0.1
        The epsilon above: how often what is looked at is clicked without being relevant.
    random_state : int or Generator, default=0

    Returns
    -------
    RankingData
        A query for each session, in the order shown: labels are clicks, 1 or 0; `beside.position` the places,
        `beside.query_group` the query.

    Examples
    --------
    >>> from leanrank import make_ranking
    >>> judged, _ = make_ranking(20, 8, random_state=0)
    >>> log = simulate_clicks(judged, judged.X[:, 0], Propensities([1.0, 0.5, 0.25]), n_sessions=4)
    >>> log.n_queries, log.beside.position.tolist()
    (4, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
    """
    if not is_whole(n_sessions, 1):
        raise ParameterError.of("simulate_clicks", "n_sessions", "a whole number >= 1", n_sessions)
    if not 0 <= noise < 1:
        raise ParameterError.of("simulate_clicks", "noise", "from 0 to below 1", noise)
    scores = np.asarray(shown_by, dtype=np.float64)
    if scores.shape != (judged.n_rows,):
        raise DataError(f"shown_by needs one score for each row, {judged.n_rows:,} in all. Got shape {scores.shape}.")
    rng = np.random.default_rng(random_state)
    query = np.repeat(np.arange(judged.n_queries), judged.query_sizes)
    order = np.lexsort((-scores, query))  # the rows of each query stay where they are as a block
    drawn = rng.integers(0, judged.n_queries, n_sessions)
    lengths = np.minimum(judged.query_sizes[drawn], len(propensities))
    ptr = np.concatenate(([0], np.cumsum(lengths)))
    place = np.arange(ptr[-1]) - np.repeat(ptr[:-1], lengths)
    rows = order[np.repeat(judged.query_ptr[drawn], lengths) + place]
    gain = np.exp2(judged.y.astype(np.float64)) - 1.0
    attraction = noise + (1.0 - noise) * gain / max(float(gain.max()), 1.0)
    clicks = rng.random(len(rows)) < propensities.at(place + 1) * attraction[rows]
    beside = SideColumns(position=place + 1, query_group=judged.query_ids[drawn])
    return RankingData(
        judged.X[rows], clicks, ptr, feature_names=judged.feature_names, missing=judged.missing, beside=beside
    )
