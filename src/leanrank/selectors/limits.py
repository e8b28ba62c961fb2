"""Limits: what features cost, which must be taken, which never, how many of a kind, how much may be spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.catalogue import Catalogue
from leanrank.errors import ParameterError, is_number
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.families import Mask, Places, bound_families, refuse_crowded


@dataclass(frozen=True)
class Limits:
    """Costs and rules that a greedy selector obeys. Features are named by their names or by 0-based indices.

    Parameters
    ----------
    costs : dict, array or None, default=None
        The cost of each feature, >= 0: an array of one number per feature, or a dict from the name of a feature, or of
        a group, to its cost. Without it a feature costs 1. The greedy step takes the largest gain per cost, where cost
        is what the feature adds to the bill now: ``gain / cost``, so that free features with a gain come first. A gain
        of 0 or less counts ``gain * cost``: a loss is not made good by being dear. With equal costs the method is what
        it is without.
    groups : dict or None, default=None
        Name of a group -> its features. Features of a group are computed together, so a group is paid once, by the
        first of its features that is taken. A group named in `costs` costs that, beside the features' own costs (0 for
        those not named). Any other group costs as much as its dearest feature, and its features nothing more.
    must_keep : features, default=()
        Taken before all others, in the method's order, even if constant.
    never : features, default=()
        Never taken.
    budget : float or None, default=None
        The most that may be spent. A feature that does not fit in what is left is passed over for those that do.
    families : dict or None, default=None
        Name of a family -> its features; what `at_most` and `together` say is said of these. A family is no group: it
        has no cost.
    at_most : dict or None, default=None
        Name of a family -> how many of its features may be taken.
    together : names of families, or groups of features, default=()
        Features that are taken together or not at all: the families of these names, and features that are listed, such
        as ``("url_length", "url_slashes")``. Groups with a feature in common are one, and one that is constant comes
        with the others. Where one is a copy of a feature that goes alone, it stands for that one. Copies of two groups
        are both kept, each for its group.

    Examples
    --------
    >>> from leanrank import Limits, TopK, FeatureGraph
    >>> limits = Limits(costs={"bm25": 1, "tf": 1, "log": 5}, groups={"log": ["clicks"]}, budget=6)
    >>> graph = FeatureGraph([0.5, 0.3, 0.9], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["bm25", "tf", "clicks"])
    >>> selector = TopK(limits=limits).fit_graph(graph)
    >>> selector.get_feature_names_out().tolist(), selector.cost_
    (['bm25', 'tf'], 2.0)
    """

    costs: Any = None
    groups: Any = None
    must_keep: Any = ()
    never: Any = ()
    budget: float | None = None
    families: Any = None
    at_most: Any = None
    together: Any = ()

    @property
    def is_free(self) -> bool:
        """Whether they say nothing; an array says something, whatever is in it."""
        plain = (str, tuple, list, dict, set, frozenset)
        return all(rule is None or (isinstance(rule, plain) and not rule) for rule in vars(self).values())

    def bound(self, owner: str, names: Sequence[str]) -> ColumnLimits:
        """The limits of features of these names, as arrays; what cannot be is refused in the name of `owner`."""
        places = Places(owner, list(names))
        families = bound_families(places, self.families, self.at_most, self.together)
        kept, banned = places.mask("must_keep", self.must_keep), places.mask("never", self.never)
        banned |= families.limited[families.at_most == 0].any(axis=0)
        kept, banned = families.whole(kept), families.whole(banned)
        refuse_crowded(places, families, list(self.at_most or {}), kept, banned)
        if (kept & banned).any():
            name = names[int(np.argmax(kept & banned))]
            sentence = f"The 'never' parameter of {owner} names feature {name!r}, which must be kept: take one out."
            if families.grouped[int(np.argmax(kept & banned))]:
                sentence = (
                    f"Feature {name!r} of {owner} must be kept and never be taken, since it goes together with others."
                )
            raise ParameterError(sentence, owner=owner, parameter="never")
        if banned.all():
            sentence = f"The 'never' parameter of {owner} names every feature: none is left to select."
            raise ParameterError(sentence, owner=owner, parameter="never")
        member = _members(places, self.groups)
        own, shared = _prices(places, self.costs, list(self.groups or {}), member)
        if self.budget is not None and not is_number(self.budget, 0):
            raise ParameterError.of(owner, "budget", "a number >= 0 or None", self.budget)
        most = np.inf if self.budget is None else float(self.budget)
        bound = ColumnLimits(own, shared, member, kept, banned, most, families)
        if bound.total(kept) > bound.most:
            raise ParameterError.of(owner, "budget", f">= {bound.total(kept):g}, the cost of 'must_keep'", self.budget)
        return bound

    @classmethod
    def of_columns(cls, columns: ColumnLimits) -> Limits | None:
        """The costs, groups, families and `must_keep` of some columns, by index; None where they make no difference.

        Groups get indices behind the features', which cannot be names of features.
        """
        n, groups = len(columns.own), np.flatnonzero(columns.member.any(axis=1)).tolist()
        families = columns.families
        rules: dict[str, Any] = {}
        if len(families.at_most):
            rules["families"] = {f: np.flatnonzero(row).tolist() for f, row in enumerate(families.limited)}
            rules["at_most"] = dict(enumerate(families.at_most.tolist()))
        if families.grouped.any():
            rules["together"] = tuple(map(tuple, families.groups()))
        if columns.must_keep.any():
            rules["must_keep"] = np.flatnonzero(columns.must_keep).tolist()
        if groups:
            rules["costs"] = dict(enumerate(columns.own.tolist())) | {n + g: float(columns.shared[g]) for g in groups}
            rules["groups"] = {n + g: np.flatnonzero(columns.member[g]).tolist() for g in groups}
        elif n and np.ptp(columns.own) > 0:
            rules["costs"] = columns.own
        return cls(**rules) if rules else None


def _members(places: Places, groups: Any) -> Mask:
    if groups is None:
        return np.empty((0, len(places.names)), dtype=bool)
    if not isinstance(groups, Mapping):
        raise ParameterError.of(places.owner, "groups", "a dict from a group's name to its features", groups)
    for name in groups:
        if name in places.names:
            sentence = f"Group {name!r} of {places.owner} has the name of a feature: give it another."
            raise ParameterError(sentence, owner=places.owner, parameter="groups")
    rows = [places.mask("groups", features) for features in groups.values()]
    return np.array(rows, dtype=bool).reshape(len(groups), len(places.names))


def _prices(
    places: Places, costs: Any, groups: list[Any], member: Mask
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Own costs of the features and costs of the groups."""
    n = len(places.names)
    own, shared = np.ones(n), np.full(len(groups), np.nan)
    if isinstance(costs, Mapping):
        own[:] = np.nan
        for name, cost in costs.items():
            if not is_number(cost, 0):
                raise ParameterError.of(places.owner, "costs", f"numbers >= 0, also that of {name!r}", cost)
            if name in groups:
                shared[groups.index(name)] = cost
            else:
                own[places.column("costs", name)] = cost
        own[np.isnan(own) & member[~np.isnan(shared)].any(axis=0)] = 0.0
        unknown = np.flatnonzero(np.isnan(own))
        if len(unknown):
            first = places.names[unknown[0]]
            raise ParameterError(
                f"The 'costs' of {places.owner} have no cost for {len(unknown)} of {n} features, the first of which is "
                f"{first!r}: name each, or its group.",
                owner=places.owner,
                parameter="costs",
            )
    elif costs is not None:
        try:
            own = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError):
            own = np.full(1, np.nan)
        if own.shape != (n,) or not np.isfinite(own).all() or (own < 0).any():
            raise ParameterError.of(places.owner, "costs", f"a dict, or {n} numbers >= 0, one per feature", costs)
    unnamed = np.isnan(shared)
    shared[unnamed] = [float(own[row].max(initial=0.0)) for row in member[unnamed]]
    own[member[unnamed].any(axis=0)] = 0.0
    with np.errstate(over="ignore"):
        total = own.sum() + shared.sum()
    if not np.isfinite(total):
        raise ParameterError.of(places.owner, "costs", "numbers whose sum is finite", costs)
    return own, shared


def cegb_params(
    costs: Any, feature_names: Sequence[str], *, groups: Any = None, tradeoff: float = 1.0
) -> dict[str, Any]:
    """LightGBM's parameters for features of these costs.

    A split on a feature that no tree has used yet loses ``tradeoff * cost`` of its gain. LightGBM knows no groups: the
    cost of a group is shared evenly among its features.

    Parameters
    ----------
    costs, groups
        As in `Limits`.
    feature_names : sequence of str
        All features, in the order of their columns.
    tradeoff : float
        Gain of a split that one unit of cost is worth, >= 0.

    Examples
    --------
    >>> cegb_params({"bm25": 1, "clicks": 5}, ["bm25", "clicks"], tradeoff=0.5)
    {'cegb_tradeoff': 0.5, 'cegb_penalty_feature_coupled': [1.0, 5.0]}

    References
    ----------
    S. Peter, F. Diego, F. A. Hamprecht, B. Nadler. Cost efficient gradient boosting. NeurIPS 2017.
    """
    if not tradeoff >= 0:
        raise ParameterError.of("cegb_params", "tradeoff", ">= 0", tradeoff)
    limits = Limits(costs=costs, groups=groups).bound("cegb_params", feature_names)
    share = limits.shared / np.maximum(1, limits.member.sum(axis=1))
    penalty = limits.own + share @ limits.member
    return {"cegb_tradeoff": float(tradeoff), "cegb_penalty_feature_coupled": penalty.tolist()}


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
    if default_cost is not None and not is_number(default_cost, 0):
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
