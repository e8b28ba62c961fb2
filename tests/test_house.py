"""Promises of the house: light import, one home for each heavy package, names where the design says."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import leanrank
from leanrank._lazy import require
from leanrank.errors import LeanRankError, MissingExtraError

SOURCE = Path(leanrank.__file__).parent

# package -> the only place that may import it
HOMES = {
    "numba": "kernels/_jit.py",
    "llvmlite": "kernels/_jit.py",
    "dask": "engines/",
    "distributed": "engines/",
    "pyspark": "engines/",
    "torch": ("engines/", "kernels/cuda/"),
    "triton": ("engines/", "kernels/cuda/"),
}
FORBIDDEN = {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"}


def imported_packages(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_heavy_packages_have_one_home_and_pickle_none(path):
    place = path.relative_to(SOURCE).as_posix()
    packages = imported_packages(path)
    assert not packages & FORBIDDEN
    misplaced = {package for package in packages & set(HOMES) if not place.startswith(HOMES[package])}
    assert not misplaced


def modules_after(code: str) -> set[str]:
    listing = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(listing.stdout.split())


def test_import_leanrank_is_light():
    extra = modules_after("import numpy, leanrank") - modules_after("import numpy")
    heavy = {"pandas", "polars", "pyarrow", "sklearn", "altair", "dask", "torch", "numba", "scipy", "rich", "typer"}
    assert not {name.partition(".")[0] for name in extra} & heavy


def test_import_leanrank_is_quick():
    code = "import numpy, time; t = time.perf_counter(); import leanrank; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3)]
    assert min(times) < 0.25


def test_every_public_name_loads_and_is_listed():
    for name in leanrank.__all__:
        assert getattr(leanrank, name) is not None
        assert name in dir(leanrank)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = leanrank.nonsense


def test_type_checkers_see_the_same_names():
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    where = {
        alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert {*where, "__version__"} == set(leanrank.__all__)
    for name, module in where.items():
        assert getattr(importlib.import_module(module), name) is getattr(leanrank, name)


def test_a_missing_extra_names_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError,
        match=r"The GPU needs the package 'torch': pip install torch, or the extra: pip install '\.\[gpu\]'",
    ):
        require("torch", "The GPU")
    assert issubclass(MissingExtraError, LeanRankError)


def test_no_page_or_source_holds_both_sides_of_a_merge():
    root = Path(__file__).parents[1]
    rooms = ("src", "tests", "benchmarks", "docs")
    kinds = {".py", ".md", ".rst", ".toml", ".html", ".css", ".js", ".csv", ".json"}
    paths = [path for room in rooms for path in (root / room).rglob("*") if path.suffix in kinds and path.is_file()]
    torn = [
        str(path.relative_to(root))
        for path in [*paths, *root.glob("*.md"), root / "pyproject.toml"]
        if any(
            line.startswith(("<" * 7 + " ", ">" * 7 + " ")) for line in path.read_text("utf-8", "replace").splitlines()
        )
    ]
    assert len(paths) > 500
    assert torn == []
