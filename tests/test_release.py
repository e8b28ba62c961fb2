"""What a release says of itself in several places is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import leanrank

ROOT = Path(__file__).parents[1]
#: The same library under the name that is tested, which has no GPU's payload.
TESTED_AS = {"xgboost": "xgboost-cpu"}
#: What is not in the run with the oldest versions: tools, and what needs a GPU or a browser.
NOT_RUN = ("gpu", "browser", "lint", "bench", "docs")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def release(version):
    """The numbers of a version, without zeros at the end: 2.0 is 2."""
    return tuple(int(part) for part in re.sub(r"(\.0)+$", "", version).split("."))


def test_one_version_and_one_date():
    cited = dict(re.findall(r"^(version|date-released): (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    newest = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert cited == {"version": leanrank.__version__, "date-released": newest[2]}
    assert newest[1] == leanrank.__version__


def test_the_oldest_versions_are_those_that_are_run(project):
    """`make oldest` runs each lower bound of pyproject.toml, not one near it."""
    lines = (ROOT / "constraints" / "oldest.txt").read_text().splitlines()
    run = dict(line.split("==") for line in lines if "==" in line)
    extras = [one for name, some in project["optional-dependencies"].items() if name not in NOT_RUN for one in some]
    bounds = {}
    for requirement in [*project["dependencies"], *extras]:
        name, _, least = requirement.partition(">=")
        assert bounds.setdefault(TESTED_AS.get(name, name), least) == least, f"{name} has two lower bounds"
    assert {name: release(run[name]) for name in bounds} == {name: release(least) for name, least in bounds.items()}


def test_the_python_that_is_named_is_the_oldest_that_is_allowed(project):
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert named
    assert project["requires-python"] == f">={min(named, key=release)}"
