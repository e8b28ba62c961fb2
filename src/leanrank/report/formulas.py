"""Formulas as browsers draw them: the LaTeX of docstrings turned into MathML, which needs no script."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_TOKENS = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_OPERATORS = {
    "in": "∈",
    "notin": "∉",
    "ne": "≠",
    "ge": "≥",
    "le": "≤",
    "leftarrow": "←",
    "propto": "∝",
    "cup": "∪",
    "setminus": "∖",
    "mid": "|",
    "langle": "⟨",
    "rangle": "⟩",
    "sum": "∑",
}
_LETTERS = {
    "alpha": "α",
    "chi": "χ",
    "delta": "δ",
    "lambda": "λ",
    "pi": "π",
    "sigma": "σ",
    "top": "⊤",
}
_SPACES = {",": "0.17em", ";": "0.28em", "qquad": "2em"}
#: What has the bounds of its search below it where there is room.
_OVER = ("sum", "max", "min", "operatorname")
_BRACKETS = "()[]|⟨⟩"


def formula(latex: str, *, display: bool = False) -> Markup:
    r"""The formula as an element of its own; what is not known of LaTeX is shown by its name.

    >>> print(formula("w_j"))
    <math><msub><mi>w</mi><mi>j</mi></msub></math>
    >>> print(formula(r"\frac1N x"))
    <math><mfrac><mn>1</mn><mi>N</mi></mfrac><mi>x</mi></math>
    """
    row = _Reader(latex, limits_below=display).row()
    return Markup(f'<math display="block">{row}</math>' if display else f"<math>{row}</math>")


class _Reader:
    def __init__(self, latex: str, *, limits_below: bool) -> None:
        self._left = _TOKENS.findall(latex.strip())[::-1]
        self._limits_below = limits_below

    def row(self) -> str:
        """Everything up to the end of this group."""
        parts = []
        while self._next_is_not("}"):
            parts.append(self._scripted())
        return "".join(parts)

    def _next_is_not(self, end: str) -> bool:
        while self._left and self._left[-1].isspace():
            self._left.pop()
        return bool(self._left) and self._left[-1] != end

    def _scripted(self) -> str:
        """One thing with what stands below and above it."""
        below = self._limits_below and self._left[-1][1:] in _OVER
        base, scripts = self._one(), {}
        while self._next_is_not("}") and self._left[-1] in "_^" and self._left[-1] not in scripts:
            mark = self._left.pop()
            scripts[mark] = self._one() if self._next_is_not("}") else ""
        if not scripts:
            return base
        names = ("munder", "mover", "munderover") if below else ("msub", "msup", "msubsup")
        name = names[2] if len(scripts) == 2 else names["^" in scripts]
        return f"<{name}>{base}{''.join(scripts[mark] for mark in '_^' if mark in scripts)}</{name}>"

    def _one(self) -> str:
        """A group, a command with its arguments, a number or a sign."""
        token = self._left.pop()
        if token == "{":
            return f"<mrow>{self._group()}</mrow>"
        if token.startswith("\\") and len(token) > 1:
            return self._command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        return _operator("′" if token == "'" else token)

    def _group(self) -> str:
        inside = self.row()
        if self._left:
            self._left.pop()
        return inside

    def _command(self, name: str) -> str:
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"></mspace>'
        if name in ("left", "right"):
            return ""
        if name in _OPERATORS:
            return _operator(_OPERATORS[name])
        if name in ("text", "mathrm", "operatorname"):
            return f"<mtext>{escape(self._words())}</mtext>"
        if name == "frac":
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._argument()}</msqrt>"
        if name == "hat":
            return f'<mover accent="true">{self._argument()}<mo>^</mo></mover>'
        if name == "mathbf":
            return self._argument()
        return f"<mi>{_LETTERS.get(name) or escape(name)}</mi>"

    def _argument(self) -> str:
        if not self._next_is_not("}"):
            return "<mrow></mrow>"
        if self._left[-1][0].isdigit():  # of a number an argument is the first digit
            token = self._left.pop()
            self._left += [token[1:], token[0]] if len(token) > 1 else [token]
        return self._one()

    def _words(self) -> str:
        """The words of a group as they stand."""
        words = []
        while self._left and (token := self._left.pop()) != "}":
            words.append(token if token != "{" else "")
        return "".join(words)


def _operator(sign: str) -> str:
    flat = ' stretchy="false"' if sign in _BRACKETS else ""
    close = ' lspace="0" rspace="0"' if sign == "|" else ""
    return f"<mo{flat}{close}>{escape(sign)}</mo>"
