"""Public names that load on first use, so that `import leanrank` stays light."""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, where: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for `package`; `where` maps a name to its module."""

    def __getattr__(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(where[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *where})

    return __getattr__, __dir__, sorted(where)


def stub_names(package: str) -> dict[str, str]:
    """The names that the stub of `package`, which type checkers read, imports, and their modules: one list for both."""
    stub = pkgutil.get_data(package, "__init__.pyi") or b""
    return {name: module for module, name in re.findall(r"(?m)^from (\S+) import \w+ as (\w+)$", stub.decode())}
