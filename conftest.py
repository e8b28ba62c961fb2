"""Doctests of modules that need an extra are collected only where it is installed."""

from importlib.util import find_spec
from pathlib import Path

_CUDA = Path(__file__).parent / "src" / "leanrank" / "engines" / "cuda"

collect_ignore = []
if find_spec("torch") is None:
    collect_ignore += [str(path) for path in _CUDA.glob("*.py") if path.name not in ("__init__.py", "device.py")]
