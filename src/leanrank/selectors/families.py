"""Families: at most so many features of a kind, features that go together, and what is refused of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.errors import ParameterError, UnknownNameError, is_whole

Mask = NDArray[np.bool_]
#: Whether more features may be taken beside those that are.
Room = Callable[[Mask, NDArray[np.int64]], bool]


@dataclass(frozen=True, eq=False)
class Families:
    """What families allow of K features.

    Examples
    --------
    >>> families = Families.of(5, limited=[([0, 1, 2], 1)], together=[[3, 4]])
    >>> families.obeyed(np.array([1, 4, 0, 2, 3])), families.sizes(np.array([1, 4, 3]))
    (array([1, 4, 3]), [0, 1, 2, 3])
    """

    limited: Mask  # (F, K): the features of every family that has a limit
    at_most: NDArray[np.int64]  # (F,): how many of each may be taken
    # (K,): the first column of those that a column goes together with, which is the column itself where it goes alone
    unit: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        n_features: int,
        limited: Iterable[tuple[Sequence[int], int]] = (),
        together: Iterable[Sequence[int]] = (),
    ) -> Families:
        """Families by columns; what goes together with one of a group goes together with all of it."""
        unit = np.arange(n_features)
        for group in together:
            joined = np.isin(unit, unit[np.asarray(group, dtype=np.int64)])
            unit[joined] = np.flatnonzero(joined).min(initial=n_features)
        rules = list(limited)
        rows = np.zeros((len(rules), n_features), dtype=bool)
        for row, (columns, _) in zip(rows, rules, strict=True):
            row[np.asarray(columns, dtype=np.int64)] = True
        return cls(rows, np.array([most for _, most in rules], dtype=np.int64), unit)

    @cached_property
    def grouped(self) -> Mask:
        """The features that do not go alone."""
        return np.asarray(np.bincount(self.unit, minlength=len(self.unit))[self.unit] > 1)

    @cached_property
    def is_free(self) -> bool:
        """Whether nothing is asked of any feature."""
        return not len(self.at_most) and not self.grouped.any()

    @cached_property
    def _needed(self) -> NDArray[np.int64]:
        """How many of each family (F, K) a feature brings with it."""
        needed = np.zeros(self.limited.shape, dtype=np.int64)
        for row, mask in zip(needed, self.limited, strict=True):
            row[:] = np.bincount(self.unit[mask], minlength=len(self.unit))[self.unit]
        return needed

    def only(self, columns: NDArray[np.int64]) -> Families:
        """Those of some of the features."""
        _, first, unit = np.unique(self.unit[columns], return_index=True, return_inverse=True)
        return Families(self.limited[:, columns], self.at_most, first[unit])

    def without(self, features: Mask) -> Families:
        """These rules, with all that goes together with these features going alone."""
        return replace(self, unit=np.where(self.whole(features), np.arange(len(self.unit)), self.unit))

    def joined(self, *others: Families) -> Families:
        """These rules, and what goes together in any of the others goes together here too."""
        together = [group for rules in (self, *others) for group in rules.groups()]
        return replace(self, unit=Families.of(len(self.unit), together=together).unit)

    def groups(self) -> list[list[int]]:
        """The columns that go together."""
        return [self.members(unit).tolist() for unit in np.unique(self.unit[self.grouped]).tolist()]

    def whole(self, features: Mask) -> Mask:
        """These features, and all that go together with them."""
        return np.asarray(np.isin(self.unit, self.unit[features]))

    def members(self, feature: int) -> NDArray[np.int64]:
        """A feature with those that it goes together with."""
        return np.flatnonzero(self.unit == self.unit[feature])

    def begun(self, taken: Mask) -> Mask:
        """What is still to be taken because something that it goes together with is."""
        return np.asarray(self.whole(taken & self.grouped) & ~taken & self.grouped)

    def allowed(self, taken: Mask) -> Mask:
        """Which features the limits leave, each with all that it brings."""
        if not len(self.at_most):
            return np.ones(len(self.unit), dtype=bool)
        left = self.at_most - (self.limited & taken).sum(axis=1)
        return np.asarray(((self._needed <= left[:, None]) | (self._needed == 0)).all(axis=0))

    def pairs(self, taken: Mask, columns: NDArray[np.int64]) -> Mask:
        """Which two of these features the limits leave, each with all that it brings."""
        together = self.unit[columns][:, None] == self.unit[columns]
        may = np.ones(together.shape, dtype=bool)
        left = self.at_most - (self.limited & taken).sum(axis=1)
        for needed, most in zip(self._needed[:, columns], left.tolist(), strict=True):
            both = needed[:, None] + np.where(together, 0, needed)
            may &= (both <= most) | (both == 0)
        return may

    def keeps(self, features: Mask) -> bool:
        """Whether these features break no rule."""
        few = bool(((self.limited & features).sum(axis=1) <= self.at_most).all())
        return few and not self.begun(features).any()

    def riding(self, left_out: Mask) -> Mask:
        """What would be left out, but goes together with something that is not."""
        return np.asarray(left_out & self.grouped & self.whole(~left_out))

    def obeyed(self, order: NDArray[np.int64], room: Room = lambda _, __: True) -> NDArray[np.int64]:
        """The order under the rules: what goes together comes together, where its first feature comes.

        A feature that the limits do not leave, or that `room` refuses with all it brings, is passed over for those
        behind it. What goes together with a feature of the order, and is not in it, comes with it.
        """
        taken, out = np.zeros(len(self.unit), dtype=bool), list[int]()
        place = np.full(len(self.unit), len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        for j in order.tolist():
            if taken[j] or not self.allowed(taken)[j]:
                continue
            members = self.members(j) if self.grouped[j] else np.array([j])
            if room(taken, members):
                out += members[np.argsort(place[members], kind="stable")].tolist()
                taken[members] = True
        return np.array(out, dtype=np.int64)

    def first(self, order: ArrayLike, size: int) -> NDArray[np.int64]:
        """The first `size` features of an order that obeys the rules, without cutting through what goes together.

        Where that would be cut, it is passed over for features behind it, if these make up the size; where nothing
        does, the largest size below is taken.

        >>> families = Families.of(5, together=[[1, 2]])
        >>> families.first([0, 1, 2, 3, 4], 2), families.first([1, 2], 1)
        (array([0, 3]), array([], dtype=int64))
        """
        indices = np.asarray(order, dtype=np.int64)
        if not self.grouped[indices].any():
            return indices[:size]
        starts = self._starts(indices)
        lengths = np.diff([*starts, len(indices)]).tolist()
        reach = _reachable(lengths)
        left = (reach[0] & ((1 << (size + 1)) - 1)).bit_length() - 1
        out = list[NDArray[np.int64]]()
        for i, (start, length) in enumerate(zip(starts, lengths, strict=True)):
            if length <= left and reach[i + 1] >> (left - length) & 1:
                out.append(indices[start : start + length])
                left -= length
        return np.concatenate([*out, np.empty(0, dtype=np.int64)])

    def sizes(self, order: ArrayLike) -> list[int]:
        """The sizes that the features of an order can make up, the smallest first."""
        indices = np.asarray(order, dtype=np.int64)
        if not self.grouped[indices].any():
            return list(range(len(indices) + 1))
        reach = _reachable(np.diff([*self._starts(indices), len(indices)]).tolist())[0]
        return [size for size in range(len(indices) + 1) if reach >> size & 1]

    def _starts(self, indices: NDArray[np.int64]) -> list[int]:
        """Where in an order something begins that goes together."""
        units = self.unit[indices]
        return np.flatnonzero(np.concatenate([[True] * bool(len(units)), units[1:] != units[:-1]])).tolist()


def _reachable(lengths: Sequence[int]) -> list[int]:
    """For every place, the sums that some of the lengths from there on make, as the bits of a number.

    >>> [bin(sums) for sums in _reachable([1, 2])]
    ['0b1111', '0b101', '0b1']
    """
    sums = [1]
    for length in reversed(lengths):
        sums.append(sums[-1] | sums[-1] << length)
    return sums[::-1]


@dataclass(frozen=True)
class Places:
    """Columns by name, for one selector's errors."""

    owner: str
    names: list[str]

    def column(self, parameter: str, feature: Any) -> int:
        """The column of one feature, by its name or index."""
        if isinstance(feature, str):
            if feature not in self.names:
                kind = f"feature in '{parameter}' of {self.owner}"
                raise UnknownNameError.of(kind, feature, self.names, owner=self.owner, parameter=parameter)
            return self.names.index(feature)
        if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool) and 0 <= feature < len(self.names):
            return int(feature)
        rule = f"names of features or indices from 0 to {len(self.names) - 1}"
        raise ParameterError.of(self.owner, parameter, rule, feature)

    def mask(self, parameter: str, features: Any) -> Mask:
        """Which columns these features are: names, indices, or a mask."""
        out = np.zeros(len(self.names), dtype=bool)
        if features is None:
            return out
        wanted = [features] if isinstance(features, str) or not np.iterable(features) else list(features)
        if len(wanted) == len(out) and all(isinstance(w, (bool, np.bool_)) for w in wanted):
            return np.array(wanted, dtype=bool)
        out[[self.column(parameter, feature) for feature in wanted]] = True
        return out


def bound_families(places: Places, families: Any, at_most: Any, together: Any) -> Families:
    """The rules of `Limits` about families, by column; what cannot be is refused."""
    owner, n = places.owner, len(places.names)
    for name, given in (("families", families), ("at_most", at_most)):
        if given is not None and not isinstance(given, Mapping):
            raise ParameterError.of(owner, name, "a dict whose keys are names of families", given)
    columns = {name: np.flatnonzero(places.mask("families", own)).tolist() for name, own in (families or {}).items()}
    limited = []
    for name, most in (at_most or {}).items():
        if not is_whole(most, 0):
            raise ParameterError.of(owner, "at_most", f"a whole number >= 0 for {name!r}", most)
        limited.append((_family(columns, "at_most", name, owner), int(most)))
    groups = []
    given = () if together is None else together
    for group in [given] if isinstance(given, str) or not np.iterable(given) else given:
        listed = np.iterable(group) and not isinstance(group, str)
        if not listed and (group in columns or group not in places.names):
            groups.append(_family(columns, "together", group, owner))
        elif listed and len(list(group)) > 1:
            groups.append(np.flatnonzero(places.mask("together", list(group))).tolist())
        else:
            raise ParameterError.of(owner, "together", "names of families, or groups of two features or more", group)
    return Families.of(n, limited, [group for group in groups if group])


def _family(columns: Mapping[Any, list[int]], parameter: str, name: Any, owner: str) -> list[int]:
    if name in columns:
        return columns[name]
    kind = f"family in '{parameter}' of {owner}"
    raise UnknownNameError.of(kind, name, map(str, columns), owner=owner, parameter=parameter)


def refuse_crowded(places: Places, families: Families, names: Sequence[Any], kept: Mask, banned: Mask) -> None:
    """Refuse limits that `must_keep` breaks, or that part what goes together."""
    for name, row, most in zip(names, families.limited, families.at_most.tolist(), strict=True):
        if (n_kept := int((row & kept).sum())) > most:
            raise ParameterError(
                f"The 'at_most' of {places.owner} allows {most} of family {name!r}, of which {n_kept} must be kept: "
                "raise the limit, or keep fewer.",
                owner=places.owner,
                parameter="at_most",
            )
        units = families.unit[row & ~banned]
        crowd = int(np.bincount(units, minlength=1).max(initial=0))
        if crowd > most:
            first = places.names[int(np.bincount(units).argmax())]
            raise ParameterError(
                f"The 'at_most' of {places.owner} allows {most} of family {name!r}, but {crowd} of it go together with "
                f"{first!r}: raise the limit, or let them go apart.",
                owner=places.owner,
                parameter="at_most",
            )
