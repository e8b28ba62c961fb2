"""Where an export goes: the engine, its version, and what a feature without a value is there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from leanrank.errors import ParameterError, UnknownNameError

ENGINES = ("elasticsearch", "elasticsearch-ml", "opensearch", "solr", "vespa", "ranklib", "lightgbm", "xgboost")
UNMATCHED = ("zero", "missing")


@dataclass(frozen=True)
class Target:
    """The engine that files are written for.

    Parameters
    ----------
    engine : str
        One of `engines()`.
    version : str, optional
        Of the engine, such as "3.5" or "8.17.3". What an engine does with a feature whose query does not match a
        document has changed over the years; without a version the files are right in the newest one.
    unmatched : {"zero", "missing"}, default="zero"
        What such a feature was when the model of trees was trained: 0, or missing (NaN). Every split of an exported
        tree sends it where its 0 would go, or where training has learned to send missing values.
    name : str, default="leanrank"
        The name of the model or rank profile.
    model_file : str, default="model.json"
        Vespa: the name of the model's file in the application's folder `models`.

    Examples
    --------
    >>> Target("opensearch", version="3.5").before(3, 8)
    True
    """

    engine: str
    version: str | None = None
    unmatched: str = "zero"
    name: str = "leanrank"
    model_file: str = "model.json"

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise UnknownNameError.of("engine", self.engine, ENGINES)
        if self.unmatched not in UNMATCHED:
            raise ParameterError.of("export", "unmatched", "'zero' or 'missing'", self.unmatched)
        if self.version is not None and _numbers(self.version) is None:
            raise ParameterError.of("export", "engine_version", "numbers with points, such as 8.17", self.version)

    def before(self, major: int, minor: int) -> bool | None:
        """Whether the engine's version is older; None where it is not known."""
        numbers = None if self.version is None else _numbers(self.version)
        return None if numbers is None else numbers < (major, minor)


def _numbers(version: str) -> tuple[int, int] | None:
    """The first two numbers. A plugin of Elasticsearch has the engine's version behind its own: 1.5.9-es8.11.4."""
    parts = re.fullmatch(r"(?:[\d.]+-es)?v?(\d+)(?:\.(\d+))?(?:[.\-+]\w+)*", version.strip())
    return None if parts is None else (int(parts[1]), int(parts[2] or 0))
