"""What loads on first use: public names, so that `import leanrank` stays light, and optional packages."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from leanrank.errors import MissingExtraError

_NONE: Mapping[str, str] = MappingProxyType({})


def lazy(
    package: str, more: Mapping[str, str] = _NONE
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for `package`: the public names that live in it, and `more`.

    `more` maps a name to its module. A package inside is not hidden by a public name that is called like it.
    """
    here = public_names(package).items()
    where = {name: module for name, module in here if not module.startswith(f"{package}.{name}.")} | {**more}

    def __getattr__(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(where[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return __getattr__, __dir__, sorted(where)


def public_names(package: str) -> dict[str, str]:
    """The public names that live in `package`, and their modules."""
    return {name: module for module, name in _listed() if module.startswith(f"{package}.")}


@cache
def _listed() -> list[tuple[str, str]]:
    """Modules and names of the stub that type checkers read: one list for both."""
    with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as stub:
        return re.findall(r"(?m)^from (\S+) import \w+ as (\w+)$", stub.read())


# package -> extra of pyproject.toml that brings it
_EXTRA_OF = {
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "catboost": "catboost",
    "dask": "dask",
    "distributed": "dask",
    "pyspark": "spark",
    "torch": "gpu",
    "triton": "gpu",
    "pandas": "pandas",
    "polars": "polars",
}


def require(module: str, purpose: str) -> Any:
    """Import `module`, or say in one sentence what needs it and how to install it.

    >>> require("math", "arithmetic").floor(1.5)
    1
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        extra = _EXTRA_OF.get(package)
        install = f"pip install {package}" + (f", or the extra: pip install '.[{extra}]'" if extra else "")
        raise MissingExtraError(f"{purpose} needs the package '{package}': {install}") from error
