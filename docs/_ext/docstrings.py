"""Docstrings on their way into pages: references as lists, no mail to metrics, and only the members that are ours."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes

# "X. Geng, T.-Y. Liu. ..." starts a reference; "X." would start a numbered list.
_REFERENCE = re.compile(r"^(?:[A-Z]\.[- ]?)+\s*(?:de |van |von )?[A-Z][\w'’-]+")

# Where a name is looked for that a docstring has in `backticks`.
ROOMS = (
    "leanrank",
    *(f"leanrank.{room}" for room in ["data", "metrics", "stats", "engines", "selectors", "rankers", "evaluation"]),
)


def list_references(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """One bullet for each reference of the section References; before numpydoc reads it."""
    starts = [
        i for i in range(len(lines) - 1) if lines[i].strip() == "References" and set(lines[i + 1].strip()) == {"-"}
    ]
    for start in starts:
        i = start + 2
        before = "."
        while i < len(lines) and lines[i].strip():
            text = lines[i].strip()
            if _REFERENCE.match(text) and before.endswith((".", ")")):
                lines[i] = "* " + text.replace(". ", "\\. ", 1)
            else:
                lines[i] = ("  " if i > start + 2 else "") + text
            before = text
            i += 1


def escape_shapes(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """ "array of shape (n_features_in_,)" is no reference to a place called n_features_in."""
    for i, line in enumerate(lines):
        if "shape (" in line:
            lines[i] = re.sub(r"(?<=\w)_(?=[,)])", r"\\_", line)


def find_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """`GAS` in any docstring is a link to leanrank.GAS; `a name` that nothing public has stays as it is."""
    if node.get("refdomain") != "py" or node.get("reftype") != "obj":
        return None
    domain = env.get_domain("py")
    for room in ROOMS:
        target = f"{room}.{node['reftarget']}"
        if target in domain.objects:
            return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, contnode)
    return contnode


def skip_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what a class inherits from other libraries, or from the language."""
    function = obj.fget if isinstance(obj, property) else getattr(obj, "__func__", obj)
    module = getattr(function, "__module__", None)
    if callable(function) and module is not None and not module.startswith("leanrank"):
        return True
    return None


def no_mail(app: Any, doctree: Any) -> None:
    """ "ndcg@10" is a metric, not somebody's address: what reStructuredText takes for one is text again."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", list_references, priority=400)
    app.connect("autodoc-process-docstring", escape_shapes, priority=401)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("missing-reference", find_name)
    app.connect("doctree-read", no_mail)
    return {"parallel_read_safe": True}
