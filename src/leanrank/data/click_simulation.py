"""Clicks on judged data as a position-based model makes them: what a log would show, with the truth known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leanrank.data.propensities import Propensities
from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, ParameterError, is_whole


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
