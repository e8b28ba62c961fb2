"""The engines from Maven, the classes here compiled against them, and a run over folders of cases."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "engines"


@cache
def libraries(module: str, version: str | None = None) -> Path:
    """The folder of an engine's jars, as Maven fetches them; `version` where another is wanted than the pom says."""
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} on this machine: the engines' own classes need Java 17 and Maven")
    folder = BUILD / module / ("lib" if version is None else f"lib-{version}")
    if not folder.is_dir():
        where = ["-f", str(HERE / module / "pom.xml"), f"-DoutputDirectory={folder}.part"]
        asked = [] if version is None else [f"-Dengine.version={version}"]
        run("mvn", "-q", "-B", "dependency:copy-dependencies", *where, *asked, cwd=HERE)
        Path(f"{folder}.part").rename(folder)
    return folder


@cache
def classes(module: str, name: str, version: str | None = None) -> str:
    """A class path with the classes of `module`."""
    path, target = f"{libraries(module, version)}/*", BUILD / module / name
    shutil.rmtree(target, ignore_errors=True)
    texts = [str(HERE / "common" / "Cases.java"), str(HERE / module / f"{name}.java")]
    run("javac", "-nowarn", "-d", str(target), "-cp", path, *texts, cwd=HERE)
    return f"{target}:{path}"


def scores(class_path: str, root: Path) -> dict[str, np.ndarray]:
    """Let the class `Score` score every folder of `root`."""
    run("java", "-Xmx1g", "-cp", class_path, "Score", str(root), cwd=root)
    return {path.parent.name: np.loadtxt(path) for path in sorted(root.glob("*/scores.txt"))}


def run(*command: str, cwd: Path) -> str:
    """Run it, or fail with what it said."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    if done.returncode:
        pytest.fail(f"{command[0]} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}", pytrace=False)
    return done.stdout
