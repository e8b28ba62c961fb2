"""What planted data are like: how many features of each role, how noisy, how graded."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError, UnknownNameError, is_whole

ROLES = ("informative", "redundant", "interacting", "query-level", "constant", "noise")
_COUNTS = tuple(f"n_{role.replace('-', '_')}" for role in ROLES)

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class RankingShape:
    """What the data of `make_ranking` are like; its keywords, described there, are these fields."""

    n_informative: int = 10
    n_redundant: int = 10
    n_interacting: int = 0
    n_query_level: int = 0
    n_constant: int = 0
    n_noise: int = 10
    levels: int = 5
    noise: float = 0.5
    weakest: float = 0.5
    copy_noise: float = 0.3
    interaction: float = 2.0
    query_shift: float = 1.0
    shuffle: bool = True

    def __post_init__(self) -> None:
        refuse = partial(ParameterError.of, "make_ranking")
        for name in ("levels", *_COUNTS):
            check_whole(name, getattr(self, name), 2 if name == "levels" else 0)
        if sum(self.counts) == 0:
            raise ParameterError("make_ranking was asked for no features at all: ask for at least one of some role.")
        if self.n_interacting % 2:
            raise refuse("n_interacting", "even, as interacting features come in pairs", self.n_interacting)
        if self.n_redundant and not self.n_informative:
            raise refuse("n_redundant", "0 without informative features to copy", self.n_redundant)
        for name in ("noise", "copy_noise", "interaction", "query_shift"):
            if not 0 <= _real(getattr(self, name)) < np.inf:
                raise refuse(name, "a number >= 0", getattr(self, name))
        if not 0 < _real(self.weakest) <= 1:
            raise refuse("weakest", "in (0, 1]", self.weakest)

    @classmethod
    def of(cls, given: dict[str, Any]) -> RankingShape:
        """The fields that are given by name; a name that is none gets the nearest that is."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise UnknownNameError.of("parameter of make_ranking", name, known)
        return cls(**given)

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of features of each of the `ROLES`."""
        return tuple(getattr(self, name) for name in _COUNTS)

    @property
    def weights(self) -> Floats:
        """The informative features' part in the score."""
        if self.n_informative > 1:
            return np.linspace(1.0, self.weakest, self.n_informative)
        return np.ones(self.n_informative)


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse a parameter of `make_ranking` that is no whole number, or less than `least`."""
    if not is_whole(value, least):
        raise ParameterError.of("make_ranking", name, f"a whole number >= {least}", value)


def _real(value: Any) -> float:
    """The number that it is; NaN, which passes no test, for what is none."""
    return float(value) if isinstance(value, (int, float, np.integer, np.floating)) else np.nan
