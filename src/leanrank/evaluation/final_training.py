"""The model to ship: trained as nearly as it was measured as one that sees a single document can be."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from leanrank.data.door import as_source, in_memory
from leanrank.data.query_ranges import divided, mean_ranges
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import as_ranker
from leanrank.rankers.ranksvm import GRID, RankSVM

#: Of so many parts of the queries one is held out to choose C by.
_PARTS = 5


def train_to_ship(ranker: Any, data: Any, valid: Any = None) -> Ranker:
    """Train a ranker that will score documents one by one, in a search engine for instance: what `leanrank train` does.

    `select` and `compare` scale the features of rankers that want it to [0, 1] within each query, which a model that
    sees one document at a time cannot do. Here every feature is divided by a constant, its mean range within the
    queries of `data`, and the constants are then part of the weights: the ranker takes features as they are.
    Data that are scaled within queries already have constants of 1. Rankers whose weights cannot take constants in,
    and those that want no scaling (trees), are trained as they are.

    Several values of C are chosen among on `valid`; without it on a fifth of the queries, before the ranker learns
    from all of them with the one.

    Parameters
    ----------
    ranker : ranker, estimator or str
        What `as_ranker` takes; it is left as it is, and a clone is trained. "ranksvm" has five values of C.
    data : RankingData or RankingSource
        What to learn from.
    valid : RankingData, RankingSource or None, default=None
        Held-out data to choose by, with the same features.

    Returns
    -------
    Ranker
        Fitted.

    See Also
    --------
    select, RankSVM

    Examples
    --------
    >>> from leanrank import RankSVM, make_ranking
    >>> from dataclasses import replace
    >>> data, _ = make_ranking(20, random_state=0)
    >>> raw = replace(data, X=data.dense() * 1000.0)
    >>> one, other = train_to_ship(RankSVM(), data), train_to_ship(RankSVM(), raw)
    >>> bool(np.allclose(one.coef_, other.coef_ * 1000.0, rtol=1e-4))
    True
    """
    unfitted = RankSVM(C=GRID) if isinstance(ranker, str) and ranker == "ranksvm" else as_ranker(ranker)
    learned = _in_memory(data, unfitted)
    held_out = None if valid is None else _in_memory(valid, unfitted)
    scale = mean_ranges(learned) if unfitted.wants_scaling and unfitted.takes_constants_in else None
    if scale is not None:
        learned, held_out = divided(learned, scale), None if held_out is None else divided(held_out, scale)
    trained: Ranker = clone(unfitted) if held_out is not None else _with_one_c(unfitted, learned)
    trained.fit(learned, eval_set=held_out)
    if scale is not None:
        trained.take_constants_in(scale)
    return trained


def _in_memory(data: Any, ranker: Ranker) -> RankingData:
    known = in_memory(as_source(data, missing=ranker.takes_missing, owner="train_to_ship"))
    return known if ranker.takes_missing else known.require_complete(ranker._title)


def _with_one_c(ranker: Ranker, data: RankingData) -> Ranker:
    """An unfitted clone; where it has to choose a C, with the one that is best on a fifth of the queries."""
    fresh: Ranker = clone(ranker)
    if np.size(getattr(ranker, "C", ())) < 2 or data.n_queries < 2:
        return fresh
    parts = QueryKFold(min(_PARTS, data.n_queries), shuffle=True, random_state=0)
    learn, choose = next(iter(parts.split_queries(data)))
    tried = clone(ranker).fit(data.take_queries(learn), eval_set=data.take_queries(choose))
    fresh.set_params(C=tried.C_)
    return fresh
