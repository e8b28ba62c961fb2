"""The page of a method, for a report that is one file: its docstring as HTML, without a library for it."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

from markupsafe import Markup, escape

from leanrank.report.formulas import formula

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_MARKED = re.compile(r"(:\w+:)?(``?)(.+?)\2", re.DOTALL)
_ITEM = re.compile(r"^(?:\d+\.|[-*]) +", re.MULTILINE)
#: Parameters that are about the job and not about the method: where it runs, and what the job may take.
_ELSEWHERE = ("engine", "limits")


@dataclass(frozen=True)
class MethodPage:
    """What a class says about itself: parts of HTML, every text in them escaped.

    Parameters
    ----------
    text : Markup
        What follows the first line.
    parameters : tuple of (str, str, Markup)
        Names, kind with the default, and what is said about it.
    notes : Markup
        What it costs, and when to use it.
    references : Markup
        Where it was published.
    """

    text: Markup
    parameters: tuple[tuple[str, str, Markup], ...]
    notes: Markup
    references: Markup

    @classmethod
    def of(cls, method: type) -> MethodPage:
        """The page of a class with a docstring in the manner of numpydoc."""
        opening, *rest = _SECTION.split(inspect.getdoc(method) or "")
        sections = dict(zip(rest[::2], rest[1::2], strict=True))
        extended = opening.strip().partition("\n\n")[2]
        entries = re.split(r"\n(?=\S)", sections.get("Parameters", "").strip("\n"))
        return cls(
            html_of(extended),
            tuple(_parameter(entry) for entry in entries if entry and entry.split(" ")[0] not in _ELSEWHERE),
            html_of(sections.get("Notes", "")),
            html_of(sections.get("References", "")),
        )


def html_of(text: str) -> Markup:
    """Paragraphs, lists, blocks of code and formulas of a docstring as HTML.

    >>> print(html_of("See `TopK` & :math:`w_j`."))
    <p>See <code>TopK</code> &amp; <math><msub><mi>w</mi><mi>j</mi></msub></math>.</p>
    """
    parts = []
    is_code = False
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if not block.strip():
            continue
        if is_code and block.startswith(" "):
            parts.append(Markup("<pre>{}</pre>").format(inspect.cleandoc(block)))
            continue
        is_code = block.rstrip().endswith("::") and not block.lstrip().startswith("..")
        parts.append(_block(re.sub(r"::\s*$", ":", block) if is_code else block))
    return Markup("\n").join(parts)


def _block(block: str) -> Markup:
    block = inspect.cleandoc(block)
    if block.startswith(".. math::"):
        drawn = formula(block.removeprefix(".. math::"), display=True)
        return Markup('<div class="scroll">{}</div>').format(drawn)
    first = _ITEM.search(block)
    if first is None:
        return Markup("<p>{}</p>").format(_inline(block))
    before = block[: first.start()].strip()
    opening = Markup("<p>{}</p>").format(_inline(before)) if before else Markup("")
    items = Markup("").join(Markup("<li>{}</li>").format(_inline(item)) for item in _ITEM.split(block)[1:])
    number = first[0].partition(".")[0]
    numbered = Markup('{}<ol start="{}">{}</ol>').format(opening, number, items)
    return numbered if number.isdigit() else Markup("{}<ul>{}</ul>").format(opening, items)


def _inline(text: str) -> Markup:
    """The words on one line; what is marked as code stands out, a formula is drawn."""
    line = " ".join(text.split())
    parts, end = [], 0
    for marked in _MARKED.finditer(line):
        parts.append(escape(line[end : marked.start()]))
        parts.append(formula(marked[3]) if marked[1] == ":math:" else Markup("<code>{}</code>").format(marked[3]))
        end = marked.end()
    return Markup("").join([*parts, escape(line[end:])])


def _parameter(entry: str) -> tuple[str, str, Markup]:
    head, _, rest = entry.partition("\n")
    names, _, kind = head.partition(" : ")
    return names, kind, html_of(inspect.cleandoc(rest))
