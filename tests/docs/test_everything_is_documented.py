"""No public class, function or command without documentation: each has a page, and its docstring says what it must."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest
from typer.main import get_command

import leanrank
from leanrank.cli.app import app
from leanrank.rankers import registry as rankers
from leanrank.selectors import registry as selectors

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
ROOMS = ("data", "metrics", "stats", "engines", "rankers", "selectors", "reducers", "evaluation", "report", "exports")


def listed():
    """module.name of everything that the pages of methods and of the API list."""
    found = set()
    for page in ("methods.rst", "api.rst"):
        module = ""
        for line in (DOCS / page).read_text().splitlines():
            if line.startswith(".. currentmodule::"):
                module = line.split("::")[1].strip()
            elif re.fullmatch(r"   \w+", line):
                found.add((module, line.strip()))
    return found


def public():
    """(module, name) of every public name; one that `leanrank` has too counts there."""
    names = {("leanrank", name) for name in leanrank.__all__ if name != "__version__"}
    for room in ROOMS:
        module = importlib.import_module(f"leanrank.{room}")
        names |= {(module.__name__, name) for name in module.__all__ if name not in leanrank.__all__}
    return names - {("leanrank.stats", "Statistic")}  # the one of leanrank.engines


METHODS = sorted(
    name
    for name in leanrank.__all__
    if inspect.isclass(getattr(leanrank, name))
    and re.match(r"leanrank\.(selectors|reducers|rankers)\.", getattr(leanrank, name).__module__)
    and hasattr(getattr(leanrank, name), "fit")
)


def test_every_public_name_has_a_page():
    missing = sorted(".".join(name) for name in public() - listed())
    assert not missing, f"not in docs/methods.rst or docs/api.rst: {', '.join(missing)}"


def test_every_page_is_of_something():
    for module, name in listed():
        assert getattr(importlib.import_module(module), name), (module, name)


@pytest.mark.parametrize("where", sorted(public()), ids=".".join)
def test_every_public_name_says_what_it_is(where):
    thing = getattr(importlib.import_module(where[0]), where[1])
    text = inspect.getdoc(thing) or ""
    assert len(text.split()) >= 5, f"{'.'.join(where)} has no docstring worth the name"
    if inspect.isclass(thing):
        own = {
            name: value
            for name, value in vars(thing).items()
            if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, classmethod | staticmethod))
        }
        silent = [name for name in own if not inspect.getdoc(getattr(thing, name))]
        assert not silent, f"methods of {where[1]} without a docstring: {', '.join(silent)}"


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_formula_citation_parameters_and_example(name):
    text = inspect.getdoc(getattr(leanrank, name))
    assert ".. math::" in text, "no formula"
    assert "References\n----------\n" in text, "no citation"
    assert re.search(r"\b(19|20)\d\d\b|Technical report", text.split("References\n----------\n")[1]), "no year"
    assert "Examples\n--------\n>>>" in text, "no example"
    parameters = text.split("Parameters\n----------\n")[1].split("\n\n")[0]
    documented = {
        part.strip()
        for line in parameters.splitlines()
        if re.match(r"\w", line)
        for part in line.split(" : ")[0].split(",")
    }
    missing = set(inspect.signature(getattr(leanrank, name)).parameters) - documented
    assert not missing, f"parameters not documented: {', '.join(sorted(missing))}"


def test_every_registered_method_is_a_public_class():
    classes = {selectors.selector_class(name).__name__ for name in selectors.names()}
    assert classes <= set(METHODS)
    own = {type(rankers.get(name)).__name__ for name in rankers.names()}
    assert {name for name in own if not name.endswith("Adapter")} <= set(METHODS)


def test_every_command_is_on_the_page_of_the_command_line():
    page = (DOCS / "command_line.md").read_text()
    shown = re.findall(r"^```\{command-help\} (\w+)$", page, re.MULTILINE)
    headings = re.findall(r"^### (\w+)$", page, re.MULTILINE)
    assert shown == headings
    assert sorted(shown) == sorted(get_command(app).commands)
    for code in ("0 done", "1 a check failed", "2 bad input", "130 interrupted"):
        assert code in page


def test_the_readme_names_every_method():
    text = (DOCS.parent / "README.md").read_text()
    assert [name for name in METHODS if f"`{name}`" not in text] == []
