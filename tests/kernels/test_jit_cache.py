"""Kernels on disk: nowhere to write, files cut short, a full disk. None of it may stop a run or be blamed on data."""

import os
import runpy
import subprocess
import sys

import numba
import pytest

PROGRAM = """
from leanrank.kernels._jit import fast_kernel, kernel

@kernel
def double(x):
    return 2 * x

@fast_kernel
def triple(x):
    return 3 * x

values = [double(2), triple(2), triple(2.5)]
hits = sum([*double.stats.cache_hits.values(), *triple.stats.cache_hits.values()])
if __name__ == "__main__":
    print(*values, hits)
"""
DAMAGE = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "last byte": lambda content: content[:-1],
    "other": lambda content: b"no pickle" * 9,
}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run_elsewhere(program, before="", **environment):
    """What a process of its own prints and says."""
    code = f"{before}\nimport runpy; runpy.run_path({str(program)!r}, run_name='__main__')"
    settings = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


def assert_one_warning(said):
    assert said.count("RuntimeWarning") == 1
    assert "Compiled kernels cannot be kept (" in said
    assert "set NUMBA_CACHE_DIR to a folder that can be written." in said


def test_nowhere_to_write_is_one_warning(program, tmp_path):
    (tmp_path / "__pycache__").write_text("not a folder")
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), os.devnull)
    printed, said = run_elsewhere(program, NUMBA_CACHE_DIR=f"{os.devnull}/none", **nowhere)
    assert printed == ["4", "6", "7.5", "0"]
    assert_one_warning(said)


def test_a_full_disk_is_one_warning(program, tmp_path):
    pytest.importorskip("resource")
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    printed, said = run_elsewhere(program, full, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert printed == ["4", "6", "7.5", "0"]
    assert_one_warning(said)
    assert not list((tmp_path / "cache").rglob("*.nb*"))


UNWRITABLE = """
import numba.core.caching as caching
def refused(self):
    raise PermissionError(13, "Permission denied")
place = getattr(caching, "InTreeCacheLocator", None) or caching._InTreeCacheLocator
place.ensure_cache_path = refused
"""


@pytest.mark.parametrize("home", ["writable", "none"])
def test_kernels_of_whoever_installed_it_are_read(program, tmp_path, home):
    elsewhere = str(tmp_path / "home") if home == "writable" else os.devnull
    user = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), elsewhere)
    printed, _ = run_elsewhere(program, NUMBA_CACHE_DIR="")
    assert printed == ["4", "6", "7.5", "0"]
    printed, said = run_elsewhere(program, UNWRITABLE, NUMBA_CACHE_DIR="", **user)
    assert printed == ["4", "6", "7.5", "3"]
    assert "RuntimeWarning" not in said


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_written_anew(program, tmp_path, monkeypatch, suffix, damage):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def hits():
        result = runpy.run_path(str(program))
        assert result["values"] == [4, 6, 7.5]
        return result["hits"]

    assert [hits(), hits()] == [0, 3]
    files = sorted((tmp_path / "cache").rglob(f"*{suffix}"))
    assert len(files) == (2 if suffix == ".nbi" else 3)
    for file in files:
        file.write_bytes(DAMAGE[damage](file.read_bytes()))
    assert [hits(), hits()] == [0, 3]
