"""Limits with what a catalogue says of costs and families, and a default price for what has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from numbers import Real
from typing import Any

from leanrank.data.catalogue import Catalogue
from leanrank.errors import ParameterError
from leanrank.selectors.limits import Limits


def catalogued(
    limits: Limits, names: Sequence[str], catalogue: Catalogue | None = None, default_cost: Any = None, *, owner: str
) -> Limits:
    """The limits, completed for the features of these names.

    Costs that are given win over the catalogue's; `default_cost` is the price of whatever has none, also of costs that
    are given by name. Families that are given win over those of the catalogue that are called like them.

    >>> from leanrank import read_catalogue
    >>> known = read_catalogue({"bm25": {"family": "text", "cost": 2}, "tf": {"family": "text"}})
    >>> catalogued(Limits(at_most={"text": 1}), ["bm25", "tf"], known, 0.5, owner="select").costs
    {'bm25': 2.0, 'tf': 0.5}
    """
    if default_cost is not None and not _is_price(default_cost):
        raise ParameterError.of(owner, "default_cost", "a number >= 0 or None", default_cost)
    families = {} if catalogue is None else catalogue.families()
    if limits.families is None or isinstance(limits.families, Mapping):
        families = {**families, **(limits.families or {})} or None  # type: ignore[assignment]
    else:
        families = limits.families
    own = {} if catalogue is None or limits.costs is not None else catalogue.costs()
    costs = own or limits.costs
    if default_cost is not None:
        costs = _filled(costs, limits.groups, names, float(default_cost), owner)
    elif own and catalogue is not None:
        lacking = [name for name in names if name not in own]
        if lacking:
            raise ParameterError(
                f"{catalogue.source}: has no cost for {len(lacking)} of {len(names)} features, the first of which is "
                f"{lacking[0]!r}: name each, or a default cost for the others.",
                owner=owner,
                parameter="default_cost",
            )
    return replace(limits, costs=costs, families=families)


def _filled(costs: Any, groups: Any, names: Sequence[str], default: float, owner: str) -> dict[Any, float]:
    """The costs by name, with the default for every feature that neither has a cost nor is in a group that has one."""
    if costs is not None and not isinstance(costs, Mapping):
        raise ParameterError(
            f"The 'default_cost' of {owner} belongs to costs by name: an array has one for each feature.",
            owner=owner,
            parameter="default_cost",
        )
    given = dict(costs or {})
    priced = [members for group, members in (groups or {}).items() if group in given]
    known = {names[key] if isinstance(key, int) and key < len(names) else key for key in given}
    known |= {names[j] if isinstance(j, int) and j < len(names) else j for members in priced for j in members}
    return given | {name: default for name in names if name not in known}


def _is_price(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and 0 <= float(value) < inf
