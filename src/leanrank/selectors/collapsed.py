"""fit_collapsed: any selector on data of which copies are left out first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone

from leanrank.data.ranking_data import RankingSource
from leanrank.data.sources import with_features
from leanrank.selectors._base import Selector
from leanrank.selectors._graph_selector import GraphSelector, limited_copies
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.copies import groups_of_copies


def fit_collapsed(selector: Selector, source: RankingSource) -> Selector:
    """Fit a selector to the features that are no copies of others; these are dropped, and `stands_for_` has them.

    Features that order every query alike are copies: the cheapest stays, or the first. Methods on a feature graph that
    shows copies look for them there (`collapse`); any other is fitted as if the copies had never been, and then counts
    in the columns of all features.

    Parameters
    ----------
    selector : Selector
        It is fitted itself, and returned.
    source : RankingData or RankingSource

    Examples
    --------
    >>> from leanrank import RankingData, ReliefF, make_ranking
    >>> data, _ = make_ranking(20, n_informative=2, n_redundant=0, n_noise=2, random_state=0)
    >>> twice = RankingData(np.hstack([data.X, np.exp(data.X)]), data.y, data.query_ptr)
    >>> fit_collapsed(ReliefF(3), twice).selected_, ReliefF(3).fit(twice).selected_
    (array([3, 2, 1]), array([3, 7, 2]))
    """
    if isinstance(selector, GraphSelector) and (not selector.collapse or selector.sees_copies):
        return selector.fit(source)
    parameters = selector.get_params(deep=False)
    selector._set_input(source.feature_names)
    limits = selector._bound_limits()
    copies = limited_copies(limits, groups_of_copies(source, engine=parameters.get("engine")))
    if not copies.left_out.any():
        return selector.fit(source)
    selector._check_sizes()
    kept, n_features = copies.staying, len(limits.own)
    wanted = selector._wanted(n_features)
    narrow = clone(selector).set_params(n_features_to_select=None if wanted is None else min(wanted, len(kept)))
    if "limits" in parameters:
        narrow.set_params(limits=_limits_of(limits.only(kept)))
    narrow.fit(with_features(source, ~copies.left_out))
    steps = tuple(Step(*(step[name] for name in ("feature", "score", "gain", "reason"))) for step in narrow.trace_)
    path = Path(narrow.order_, narrow.scores_, steps, narrow.dropped_, stop=len(narrow.selected_))
    selector._learn(replace(path.lift(kept, n_features), stands_for=copies.stood_for))
    return selector


def _limits_of(columns: ColumnLimits) -> Limits:
    """All that these limits say, by index."""
    never = np.flatnonzero(columns.never).tolist()
    budget = None if np.isinf(columns.budget) else columns.budget
    return replace(Limits.of_columns(columns) or Limits(), never=never, budget=budget)
