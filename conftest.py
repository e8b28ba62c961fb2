"""Doctests of modules that need an extra are collected only where it is installed."""

from importlib.util import find_spec
from pathlib import Path

_SOURCE = Path(__file__).parent / "src" / "leanrank"

collect_ignore = []
if find_spec("torch") is None:
    collect_ignore += [str(path) for path in (_SOURCE / "kernels" / "cuda").glob("*.py") if path.name != "__init__.py"]
    collect_ignore.append(str(_SOURCE / "engines" / "gpu.py"))
