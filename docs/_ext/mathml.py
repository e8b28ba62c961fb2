"""Formulas as MathML, which browsers draw themselves: the site needs no script from elsewhere."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(translator: Any, node: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """A formula by itself."""
    # Not display="block": a browser centres it, and cuts off the beginning of what is wider than the column.
    formula = tex2mathml(node.astext(), as_block=False).replace("<math", '<math displaystyle="true"', 1)
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}
