"""Public names that load on first use, so that `import leanrank` stays light."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

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
