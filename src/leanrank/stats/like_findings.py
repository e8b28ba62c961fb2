"""Finding: one thing worth knowing about a data set; those of one kind as one line, group by group."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

#: Names that are shown of a finding, and groups of names of like findings.
NAMES, GROUPS = 12, 8


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing. `severity` is "warning", or "note" where nothing is wrong."""

    kind: str
    severity: str
    message: str
    features: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


@dataclass(frozen=True)
class LikeFindings:
    """Findings of one kind that say the same."""

    kind: str
    severity: str
    message: str
    groups: tuple[tuple[str, ...], ...]
    of: str  # "feature" or "query"

    @property
    def where(self) -> str:
        """The names, at most so many as can be read.

        >>> copies = [Finding("copies", "note", "", names) for names in (("a", "b"), ("c", "d"))]
        >>> like_findings(copies)[0].where
        '2 groups of features: a, b; c, d'
        """
        many = {"feature": "features", "query": "queries"}[self.of]
        if len(self.groups) == 1:
            [names] = self.groups
            return f"{many if len(names) > 1 else self.of} {_listed(names)}" if names else ""
        shown = "; ".join(_listed(names) for names in self.groups[:GROUPS])
        return f"{len(self.groups)} groups of {many}: {shown}" + ("; ..." if len(self.groups) > GROUPS else "")


def like_findings(
    findings: Iterable[Finding], labels: Callable[[Iterable[str]], Iterable[str]] = tuple
) -> list[LikeFindings]:
    """The findings in their order, those that say the same together at the place of the first.

    `labels` gives the features as they are shown.
    """
    together: dict[tuple[str, str, str, str], list[tuple[str, ...]]] = {}
    for finding in findings:
        of = "feature" if finding.features else "query"
        key = (finding.kind, finding.severity, finding.message, of)
        together.setdefault(key, []).append(tuple(labels(finding.features)) or tuple(finding.queries))
    return [
        LikeFindings(kind, severity, message, tuple(groups), of)
        for (kind, severity, message, of), groups in together.items()
    ]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:NAMES]) + (f", ... ({len(names)})" if len(names) > NAMES else "")
