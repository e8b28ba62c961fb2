"""Estimators by declaration: annotated attributes are the parameters, and each is documented once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Estimator = TypeVar("Estimator", bound=type)


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def declared(cls: Estimator) -> Estimator:
    """An estimator whose annotated attributes, those of its bases included, are the parameters of its `__init__`.

    As scikit-learn wants it, `__init__` names every parameter with its default and only assigns; a subclass adds its
    own parameters to those of the base, or declares one again with another default. Parameters are passed by name,
    but for those declared as ``field(default=..., kw_only=False)``. What the docstring does not say
    about a parameter or a learned attribute is said in the words of the nearest base that does.
    """
    dataclass(eq=False, repr=False, kw_only=True)(cls)
    if cls.__doc__:
        cls.__doc__ = _completed(cls)
    return cls


def _completed(cls: type) -> str:
    """The docstring with the entries of the bases that it does not have itself."""
    text = inspect.cleandoc(cls.__doc__ or "")
    ours = [base for base in cls.__mro__[1:] if base.__module__.startswith("leanrank.") and vars(base).get("__doc__")]
    parameters = inspect.signature(cls).parameters
    for title in ("Parameters", "Attributes"):
        known: dict[str, str] = {}
        for doc in (text, *(inspect.cleandoc(base.__doc__ or "") for base in ours)):
            for names, entry in _entries(doc, title):
                if not known.keys() & set(names):
                    known |= dict.fromkeys(names, entry)
        if title == "Parameters":
            known = {name: _with_default(known[name], parameters) for name in parameters if name in known}
        elif "limits" not in parameters:
            known.pop("cost_", None)
        if known:
            text = _with_section(text, title, "\n".join(dict.fromkeys(known.values())))
    return text


def _section(title: str) -> re.Pattern[str]:
    return re.compile(rf"^{title}\n-+\n(.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)


def _entries(text: str, title: str) -> list[tuple[list[str], str]]:
    """The entries of a section of numpydoc: the names that each is about, and its lines."""
    section = _section(title).search(text)
    if section is None:
        return []
    entries = re.split(r"\n(?=\w)", section[1].strip("\n"))
    return [(_names(entry.split("\n")[0]), entry) for entry in entries]


def _names(head: str) -> list[str]:
    return [name.strip() for name in head.split(" : ")[0].split(",")]


def _with_default(entry: str, parameters: Mapping[str, inspect.Parameter]) -> str:
    """The entry of a parameter, or of several, with the default, which the class declares and no docstring repeats."""
    head, _, rest = entry.partition("\n")
    defaults = dict.fromkeys(repr(parameters[name].default) for name in _names(head))
    said = re.sub(r", (?:optional|default=.*)$", "", head)  # by a base, of its own default
    return f"{said}, default={' and '.join(defaults)}" + (f"\n{rest}" if rest else "")


def _with_section(text: str, title: str, body: str) -> str:
    """The text with this section; a new one goes before the first that numpydoc puts behind it."""
    section = f"{title}\n{'-' * len(title)}\n{body}"
    if _section(title).search(text):
        return _section(title).sub(lambda _: section, text, count=1)
    behind = re.search(r"^(See Also|Notes|References|Examples)\n-+\n", text, re.MULTILINE)
    place = behind.start() if behind else len(text)
    return f"{text[:place].rstrip()}\n\n{section}\n\n{text[place:]}".rstrip()
