"""What is wrong with categories: too many of them, rare ones, one alone, names of documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.category_means import SMOOTHING
from leanrank.data.ranking_data import RankingData

#: So large a share of the documents with a text of their own makes a category look like the names of documents ...
NAMES_OF_DOCUMENTS = 0.5
#: ... where there are so many documents at least.
ENOUGH = 20
#: More categories than one to so many documents are many.
DOCUMENTS_EACH = 10
#: How many texts a finding names at most.
_NAMED = 3


@dataclass(frozen=True)
class CategoryFinding:
    """One thing worth knowing of a category: its kind, severity, and a sentence."""

    kind: str
    severity: str
    message: str
    feature: str


def category_findings(data: RankingData) -> list[CategoryFinding]:
    """One finding for every category: what it is or, where there is something, what is wrong with it.

    >>> data = RankingData([[0.0], [1.0], [0.0]], [1, 0, 0], [0, 3], categories={"1": ("new", "old")})
    >>> category_findings(data)[0].message
    "2 texts, the most frequent 'new' in 67% of the documents"
    """
    findings = []
    for j, (name, texts) in zip(data.category_columns, data.categories.items(), strict=True):
        codes = data.X[:, j]
        counts = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=len(texts))
        findings += [CategoryFinding(*finding, name) for finding in _of(counts, texts, data.n_rows)]
    return findings


def _of(counts: NDArray[np.int64], texts: tuple[str, ...], n_rows: int) -> list[tuple[str, str, str]]:
    known, seen = int(counts.sum()), int((counts > 0).sum())
    if not known:
        return [("empty category", "warning", "missing in every document: cannot rank anything")]
    top = int(np.argmax(counts))
    if seen == 1 and known == n_rows:
        return [("constant", "warning", f"always {texts[top]!r}: cannot rank anything")]
    findings = []
    share = f"{counts[top] / n_rows:.0%} of the documents"
    findings.append(("category", "note", f"{seen:,} texts, the most frequent {texts[top]!r} in {share}"))
    rare = np.flatnonzero((counts > 0) & (counts < SMOOTHING))
    if known >= ENOUGH and int((counts == 1).sum()) > NAMES_OF_DOCUMENTS * known:
        text = f"{int((counts == 1).sum()):,} of {known:,} documents have a text of their own: an id? Leave it out"
        findings.append(("identifier", "warning", text))
    elif known >= ENOUGH and seen * DOCUMENTS_EACH > known:
        text = f"{seen:,} texts for {known:,} documents: little can be learned of most of them"
        findings.append(("many categories", "warning", text))
    elif rare.size:
        named = ", ".join(repr(texts[code]) for code in rare[:_NAMED]) + (", ..." if rare.size > _NAMED else "")
        text = f"{rare.size:,} of {seen:,} texts are in fewer than {SMOOTHING:g} documents: {named}"
        findings.append(("rare categories", "note", text))
    return findings
