"""for_columns: a selector whose own settings about features count in some of the columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from leanrank.errors import ParameterError, is_whole
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import as_ranker
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.limits import Limits


def for_columns(selector: Selector, names: Sequence[str], columns: NDArray[np.int64]) -> Selector:
    """A clone that is to be fitted to some of the columns: its limits, and what its ranker says by feature, are theirs.

    Those of selectors inside it are too.

    Parameters
    ----------
    selector : Selector
    names : sequence of str
        Of all columns.
    columns : array of int64
        Those that it will see, in this order.

    Examples
    --------
    >>> from leanrank import GAS
    >>> one = for_columns(GAS(limits=Limits(must_keep=["tf"])), ["age", "bm25", "tf"], np.array([0, 2]))
    >>> one.limits.must_keep
    [1]
    """
    fresh: Selector = clone(selector)
    if np.array_equal(columns, np.arange(len(names))):
        return fresh
    changed: dict[str, Any] = {}
    for name, owner, limits in _own_limits(selector):
        changed[name] = _counted(limits.bound(owner, names).only(columns))
    for name, value in selector.get_params().items():
        *outer, last = name.split("__")
        if last == "n_features_to_select" and is_whole(value, len(columns)):
            changed[name] = len(columns)
        if last == "ranker" and "ranker" not in outer and value is not None and not isinstance(value, str):
            ranker = _by_feature(value)
            if ranker is not None:
                changed[name] = ranker.for_columns(columns.tolist(), len(names))
    return fresh.set_params(**changed) if changed else fresh


def has_limits(selector: Selector) -> bool:
    """Whether it, or a selector inside it, has limits of its own."""
    return any(True for _ in _own_limits(selector))


def claimed(limits: ColumnLimits, selectors: Iterable[Selector], names: Sequence[str]) -> ColumnLimits:
    """The limits as copies are to be found within: with what selectors must keep, and take together, by their own.

    What one of them never takes stands for others only where nothing else can: it counts as the dearest. What cannot be
    had in the run binds nothing: what a selector takes together with it goes alone there.
    """
    own = [rules.bound(owner, names) for one in selectors for _, owner, rules in _own_limits(one)]
    if not own:
        return limits
    had = limits.payable()
    families = limits.families.joined(*(rules.families.without(rules.never) for rules in own))
    lost = limits.lost(families)
    families = limits.families.joined(*(rules.families.without(rules.never | lost) for rules in own))
    kept = families.whole(limits.must_keep | (had & np.logical_or.reduce([rules.must_keep for rules in own])))
    last = np.logical_or.reduce([rules.never for rules in own]) & ~families.grouped
    return replace(
        limits,
        own=np.where(last, np.inf, limits.own),
        must_keep=kept,
        never=limits.never | (families.grouped & ~kept & ~had),
        budget=np.inf,
        families=families,
    )


def _own_limits(selector: Selector) -> Iterator[tuple[str, str, Limits]]:
    """The name of the parameter, the class of the selector that has it, and the limits; not those without a rule."""
    parameters = selector.get_params()
    for name, value in parameters.items():
        if isinstance(value, Limits) and not value.is_free:
            owner = parameters[name.rpartition("__")[0]] if "__" in name else selector
            yield name, type(owner).__name__, value


def _by_feature(ranker: Any) -> Ranker | None:
    """The ranker, where it may have settings by feature; None for what methods take beside rankers, and others."""
    try:
        adapted = as_ranker(ranker)
    except ParameterError:
        return None
    return adapted if type(adapted).for_columns is not Ranker.for_columns else None


def _counted(columns: ColumnLimits) -> Limits:
    """All that these limits say, by index."""
    rules = Limits.of_columns(columns) or Limits()
    costs = columns.own if rules.costs is None else rules.costs
    budget = None if np.isinf(columns.budget) else columns.budget
    return replace(rules, costs=costs, never=np.flatnonzero(columns.never).tolist(), budget=budget)
