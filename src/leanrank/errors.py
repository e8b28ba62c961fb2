"""What can go wrong, as few kinds; every message says what was found, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from sys import float_info


class LeanRankError(ValueError):
    """Base of every error leanrank raises on purpose.

    Attributes
    ----------
    owner, parameter : str or None
        Whose parameter is wrong, and its name, where it is a parameter: the command line tells its options by these.
    """

    def __init__(self, sentence: str = "", *, owner: str | None = None, parameter: str | None = None) -> None:
        super().__init__(sentence)
        self.owner = owner
        self.parameter = parameter


class DataError(LeanRankError):
    """The input data break a rule: a file, a frame or an array."""


class ParameterError(LeanRankError):
    """A parameter has a value it cannot have."""

    @classmethod
    def of(cls, owner: str, name: str, rule: str, given: object) -> ParameterError:
        """The one sentence shape of all parameter errors.

        >>> print(ParameterError.of("GAS", "c", ">= 0", -1))
        The 'c' parameter of GAS must be >= 0. Got -1 instead.
        """
        sentence = f"The {name!r} parameter of {owner} must be {rule}. Got {given!r} instead."
        return cls(sentence, owner=owner, parameter=name)


def require(owner: object, name: str, rule: str, holds: bool) -> None:
    """Refuse the parameter `name` of an object unless `holds`, in the shared sentence."""
    if not holds:
        raise ParameterError.of(type(owner).__name__, name, rule, getattr(owner, name))


def is_whole(value: object, low: float) -> bool:
    """Whether this is a whole number from `low` on; True and False are no numbers."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= low


def is_number(value: object, low: float = -float_info.max, high: float = float_info.max) -> bool:
    """Whether this is a real number of [low, high], finite where these are; True and False are no numbers."""
    return not isinstance(value, bool) and isinstance(value, Real) and low <= float(value) <= high


def require_one_of(owner: object, **choices: tuple[str, ...]) -> None:
    """Refuse parameters of an object that are none of their choices."""
    for name, known in choices.items():
        require(owner, name, f"one of {', '.join(map(repr, known))}", getattr(owner, name) in known)


class MissingValuesError(DataError):
    """Missing values (NaN) reached a method that cannot take them.

    Attributes
    ----------
    where : str or None
        The feature, row and query of the first one, where they are known.
    """

    where: str | None = None

    @classmethod
    def at(cls, where: str, owner: str | None = None) -> MissingValuesError:
        """What refuses the value there: the method `owner`, or a door that may be told that NaN is meant (None).

        >>> print(MissingValuesError.at("feature 'age', row 3", "GAS"))
        NaN in feature 'age', row 3: GAS cannot take missing values. Fill or drop them first.
        """
        meant = "pass missing=True if NaN stands for a missing value."
        refused = f"{owner} cannot take missing values. Fill or drop them first."
        error = cls(f"NaN in {where}: {meant if owner is None else refused}", owner=owner)
        error.where = where
        return error


class UnknownNameError(LeanRankError):
    """A name that is not known, with the nearest one that is."""

    @classmethod
    def of(
        cls, kind: str, given: object, known: Iterable[str], *, owner: str | None = None, parameter: str | None = None
    ) -> UnknownNameError:
        """Name the nearest known name, or all of them when none is near.

        >>> print(UnknownNameError.of("metric", "ncdg", ["map", "ndcg"]))
        Unknown metric 'ncdg': did you mean 'ndcg'? Known: map, ndcg.
        """
        names = sorted(known)
        near = get_close_matches(str(given), names, n=1)
        hint = f": did you mean {near[0]!r}?" if near else "."
        listed = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
        return cls(f"Unknown {kind} {given!r}{hint} Known: {listed or 'none'}.", owner=owner, parameter=parameter)


class LeftOutWarning(UserWarning):
    """Columns of a table that are no features, as nobody has said what they are.

    Attributes
    ----------
    names : tuple of str
    reason : str
        Why, of the first.
    """

    def __init__(self, names: Iterable[str], reason: str) -> None:
        self.names, self.reason = tuple(names), reason
        super().__init__(self.names, reason)

    def __str__(self) -> str:
        shown = ", ".join(map(repr, self.names[:12]))
        more = f" and {len(self.names) - 12} more" if len(self.names) > 12 else ""
        return (
            f"Left out {shown}{more}: no feature ({self.reason}). To silence this, drop it, name it as comments or as "
            "categorical, or name the features."
        )


class MissingExtraError(LeanRankError, ImportError):
    """An optional package is needed and not installed."""


class JournalMismatch(DataError):
    """A journal holds the work of another run.

    Attributes
    ----------
    setting : str
        The first setting that differs.
    """

    def __init__(self, sentence: str, *, setting: str) -> None:
        super().__init__(sentence)
        self.setting = setting


class EngineError(LeanRankError):
    """A cluster cannot run the work, or was lost."""


class TimeIsUpError(LeanRankError):
    """The time allowed was too short for any answer."""

    @classmethod
    def of(cls, n_features: int, limit: float | None) -> TimeIsUpError:
        """What could not be measured, and how to go on."""
        return cls(
            f"Time was up after {limit or 0:g} seconds, before any set of {n_features} features was measured on all "
            "queries: allow more time. With a journal, what is finished is not repeated.",
            owner="select",
            parameter="time_limit",
        )
