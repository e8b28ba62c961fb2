"""Features and families by name: which columns they are, and what is refused of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leanrank.errors import ParameterError, UnknownNameError, is_whole
from leanrank.selectors.families import Families, Mask


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
    for group in [together] if isinstance(together, str) else together or ():
        if isinstance(group, str):
            groups.append(_family(columns, "together", group, owner))
        elif np.iterable(group) and len(list(group)) > 1:
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
