"""What the methods of a report are, a line each, and where to read on."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from leanrank.errors import UnknownNameError
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
            entries.append({"name": name, "class": "", "what": "a selector of your own", "page": None})
            continue
        what = " ".join((known.__doc__ or "").strip().split("\n\n")[0].split())
        page = f"{site}/generated/leanrank.{known.__name__}.html" if site else None
        entries.append({"name": name, "class": known.__name__, "what": what.replace("`", ""), "page": page})
    return entries


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
