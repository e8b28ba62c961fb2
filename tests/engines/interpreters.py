"""Pythons like this one but for leanrank: virtual environments without it, or with another version of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import leanrank


def python_like_this(folder: Path, version: str | None) -> str:
    """The interpreter of a new virtual environment in `folder`, with all packages of this one and this leanrank."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    for name in ("purelib", "platlib"):
        for package in Path(sysconfig.get_path(name)).iterdir():
            wanted = "leanrank" not in package.name and package.name != "__pycache__"
            if wanted and not (packages / package.name).exists():
                (packages / package.name).symlink_to(package)
    if version is not None:
        here = Path(leanrank.__file__).parent
        shutil.copytree(here, packages / "leanrank", ignore=shutil.ignore_patterns("__pycache__"))
        init = packages / "leanrank" / "__init__.py"
        changed, found = re.subn(r'__version__ = "[^"]*"', f'__version__ = "{version}"', init.read_text())
        assert found == 1
        init.write_text(changed)
    return str(folder / "bin" / "python")
