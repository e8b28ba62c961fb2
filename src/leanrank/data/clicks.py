"""Clicks as judgements that position has no part in: a query for each click, which counts one over its propensity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leanrank.data.propensities import Propensities
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import refuse_weights
from leanrank.errors import DataError, ParameterError


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
