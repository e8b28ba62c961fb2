"""What the methods of a report are: a line each, the page of each, its anchor, and where to read on."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from leanrank.errors import UnknownNameError
from leanrank.report.method_page import MethodPage
from leanrank.selectors import registry


def glossary(methods: list[str]) -> list[dict[str, Any]]:
    """For each method its name, its class, what it does in a line, and the address of its page where there is one.

    >>> entry, = glossary(["gas"])
    >>> entry["class"], entry["what"]
    ('GAS', 'Take the most important feature, lower the weight of all that resemble it, and look again.')
    """
    site = documentation()
    entries = []
    for name in dict.fromkeys(methods):
        known = _class_of(name)
        if known is None:
            entries.append({"name": name, "class": "", "what": "a selector of your own", "made": "", "page": None})
            continue
        what = " ".join((known.__doc__ or "").strip().split("\n\n")[0].split())
        page = f"{site}/generated/leanrank.{known.__name__}.html" if site else None
        line = {"name": name, "class": known.__name__, "what": what.replace("`", "")}
        entries.append({**line, "made": _made(name), "page": page})
    return entries


def pages(methods: list[str]) -> dict[str, MethodPage]:
    """What the class of each method says about itself; nothing of one that is not ours.

    >>> pages(["gas", "mine"])["gas"].parameters[-1][:2]
    ('min_weight', 'float, default=None')
    """
    return {name: MethodPage.of(known) for name in methods if (known := _class_of(name)) is not None}


def anchors(methods: list[str]) -> dict[str, str]:
    """Where in a page the entry of each method is, by its name.

    >>> anchors(["gas", "mrmr>rfe", "mrmr+rfe"])
    {'gas': 'method-gas', 'mrmr>rfe': 'method-mrmr-rfe', 'mrmr+rfe': 'method-mrmr-rfe-3'}
    """
    taken: dict[str, str] = {}
    for number, name in enumerate(methods, start=1):
        plain = "method-" + re.sub(r"[^a-zA-Z0-9]+", "-", name).strip("-")
        taken[name] = f"{plain}-{number}" if plain in taken.values() or plain == "method-" else plain
    return taken


def _made(name: str) -> str:
    """How the method is made in Python."""
    known = name if name in registry.names() else re.sub(r"-\d+$", "", name)
    return " ".join(repr(registry.get(known)).split())


def _class_of(name: str) -> Any:
    """The class of a method, also of a second one of its kind, which has a number."""
    for text in (name, re.sub(r"-\d+$", "", name)):
        try:
            return registry.selector_class(text)
        except UnknownNameError:
            continue
    return None


def documentation() -> str | None:
    """The address of the documentation, as this installation names it; None where it names none."""
    try:
        addresses = metadata("leanrank").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = dict(address.split(", ", 1) for address in addresses if ", " in address)
    site = named.get("Documentation", "").rstrip("/")
    return site if site.startswith("https://") else None
