"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent


def _beside(name: str) -> Path:
    """A folder of material that is not part of the project: `$LEANRANK_SHARED/name`, or beside the checkout."""
    shared = Path(os.environ.get("LEANRANK_SHARED", _ROOT.parent / "shared"))
    folder = shared / name
    if not folder.is_dir():
        pytest.skip(f"the folder '{name}' of real data is not on this machine (set LEANRANK_SHARED to point to it)")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real data sets (never part of the project)."""
    return _beside("data")


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """Output of the official LETOR evaluation scripts."""
    return _beside("golden")


@pytest.fixture(scope="session")
def published_dir() -> Path:
    """The papers' tables as CSV."""
    return _beside("published")
