"""The one import guard for optional packages: names the extra to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leanrank.errors import MissingExtraError

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
