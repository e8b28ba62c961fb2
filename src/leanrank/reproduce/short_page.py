"""The page of the papers: what was done, how many figures and findings come out, and how to run it."""

from __future__ import annotations

from collections.abc import Sequence

from leanrank.reproduce.markdown import table_lines
from leanrank.reproduce.outcome import Reproduction, Table

#: The page with everything, in the folder of the data files.
ALL = "all.md"

INTRODUCTION = """# Reproduction

The experiments of the five papers that leanrank implements, run again, their published figures beside ours.
[Row by row]({folder}/{rows}) has every table, figure and finding of the papers with what came of it, how each was run,
and the files of all figures. *Equal* means equal in every printed digit, *close* within 0.015 of a measure in [0, 1];
*not computed* are mostly figures on data sets that are not at hand. A finding is a statement of the paper, tested on
our figures.
"""

READINGS = """## Readings

What a paper leaves open was read in several ways; all are shown row by row, and the counts above are of one. What
decided was the text, what it builds on, or queries for validation. Where only a published number could decide, the row
says so, and agreement with that number confirms nothing.
"""

RUN = """## Run it

```bash
leanrank reproduce all --data FOLDER -o reproduction.md
```

writes this page, the page of rows and the files of figures; one paper's name instead of `all` runs that one and keeps
the rest, `--journal FILE` lets an interrupted run go on, `--quick` is a reduced version. It exits with 1 if a figure
that must be equal is not. The data are not part of leanrank: FOLDER holds `ohsumed`, `mq2008` and `sushi`, and
`td2003`, `td2004`, `hp2004`, `np2004` and `gov` fill the rows that need them, as LETOR lays them out. `leanrank
reproduce large` does the like for MSLR-WEB10K and 30K, Yahoo and Istella.
"""

_COUNTS = ("equal", "close", "differs", "missing", "holds", "not", "needs")
_HEADINGS = ("paper", "equal", "close", "differ", "not computed", "findings hold", "do not", "not tested")


def page(reproductions: Sequence[Reproduction], folder: str) -> str:
    """The short page of all papers, beside a folder with the page of rows and the data files."""
    counts = [(paper.paper, *(str(paper.count(status)) for status in _COUNTS)) for paper in reproductions]
    lines = [INTRODUCTION.format(folder=folder, rows=ALL), *table_lines(Table("", _HEADINGS, tuple(counts))), ""]
    lines += ["## What was found", ""]
    for paper in reproductions:
        held, known = paper.count("holds"), paper.count("holds") + paper.count("not")
        verdict = f" {held} of {known} findings hold." if known else ""
        lines += [f"**{paper.title}** (`{paper.paper}`).{verdict} {paper.short}", ""]
    choices = tuple(
        (paper.paper, c.about, c.reading, c.by, str(c.n_tried)) for paper in reproductions for c in paper.choices
    )
    if choices:
        columns = ("paper", "left open", "read here as", "decided by", "readings tried")
        lines += [READINGS, *table_lines(Table("", columns, choices)), ""]
    return "\n".join([*lines, RUN])
