"""What was published and what a reproduction found: cells side by side, claims that hold or do not, own tables."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: A cell this near, as a fraction, is called close.
NEAR = 0.015


@dataclass(frozen=True)
class Published:
    """A cell of a published table."""

    table: str  # its number in the paper, "text" for a figure of the running text
    method: str
    dataset: str
    metric: str
    text: str  # the figure as printed
    unit: str  # "fraction", "percent", "count", ...
    rank: int | None
    doubtful: bool  # whether the print is in doubt; `note` says why
    note: str

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def decimals(self) -> int:
        """Printed digits after the point."""
        return len(self.text.partition(".")[2])


@cache
def published(paper: str) -> tuple[Published, ...]:
    """All cells of a paper, by table."""
    cells: list[Published] = []
    folder = files(__package__) / "published"
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.startswith(f"{paper}_") and path.name.endswith(".csv"):
            with path.open(encoding="utf-8", newline="") as file:  # type: ignore[call-overload]
                cells += [_cell(row) for row in csv.DictReader(file)]
    return tuple(cells)


def _cell(row: dict[str, str]) -> Published:
    return Published(
        table=row["table"],
        method=row["method"],
        dataset=row["dataset"],
        metric=row["metric"],
        text=row["value"],
        unit=row["unit"],
        rank=int(row["rank"]) if row["rank"] else None,
        doubtful=row["doubtful"] == "yes",
        note=row["note"],
    )


@dataclass(frozen=True)
class Cell:
    """A published figure and ours."""

    published: Published
    ours: float | None  # in the unit of the paper; None where it was not computed, for `reason`
    exact: bool = False  # whether the printed digits have to agree
    reason: str = ""  # why ours is missing, or why it differs

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - self.published.value

    @property
    def status(self) -> str:
        """ "equal" (all printed digits), "close", "differs", or "missing"."""
        if self.ours is None or self.difference is None:
            return "missing"
        if round(self.ours, self.published.decimals) == self.published.value:
            return "equal"
        scale = 100.0 if self.published.unit == "percent" else 1.0
        counted = self.published.unit in ("count", "minutes", "score")
        return "close" if not counted and abs(self.difference) <= NEAR * scale + 1e-12 else "differs"

    @property
    def failed(self) -> bool:
        """Whether it had to be equal and is not."""
        return self.exact and self.ours is not None and self.status != "equal"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and whether our figures bear it out."""

    text: str
    holds: bool | None  # None where the figures cannot be had; `figures` says what they need
    figures: str  # ours
    where: str = ""  # the figure or table of the paper that shows it, "" for the running text
    # what is read otherwise than in the row of the paper; "" is that row. Other readings are shown, not counted
    reading: str = ""


@dataclass(frozen=True)
class Table:
    """Figures of ours that the paper has no printed counterpart for."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shown: bool = False  # whether it stands on the page, rather than in a file of its own alone


@dataclass(frozen=True)
class Choice:
    """Something that a paper leaves open, and how it is read in the rows here."""

    about: str  # what is left open
    reading: str  # as the rows have it
    by: str  # what decided
    n_tried: int  # readings tried, this one among them


@dataclass(frozen=True)
class Section:
    """A part of a page: text in Markdown, and a table or none."""

    heading: str = ""
    text: str = ""
    table: Table | None = None


@dataclass(frozen=True)
class Page:
    """Figures of ours beside published ones that no single paper's protocol holds."""

    name: str  # as `leanrank reproduce` takes it
    title: str
    introduction: str
    sections: Sequence[Section]

    @classmethod
    def of(cls, name: str, sections: Sequence[Section]) -> Page:
        """With the title and the introduction of that name."""
        said = texts(name)
        return cls(name, said["title"], said["Introduction"], sections)


@dataclass(frozen=True)
class Reproduction:
    """Everything one paper's protocol gave."""

    paper: str
    title: str
    protocol: str  # what was run, in a few sentences
    discussion: str  # what is exact, what is close, what is not, and why
    short: str  # the same in a sentence or two
    cells: Sequence[Cell] = ()
    claims: Sequence[Claim] = ()
    tables: Sequence[Table] = ()
    choices: Sequence[Choice] = ()  # how the rows read what the paper leaves open
    quick: bool = False  # whether this is the reduced version

    @classmethod
    def of(
        cls,
        paper: str,
        cells: Sequence[Cell],
        claims: Sequence[Claim],
        tables: Sequence[Table],
        choices: Sequence[Choice] = (),
        *,
        quick: bool = False,
    ) -> Reproduction:
        """With the title, the protocol and the discussion of that paper."""
        said = {name: " ".join(text.split()) for name, text in texts(paper).items()}
        title, protocol, discussion, short = (said[name] for name in ("title", "Protocol", "Discussion", "Short"))
        return cls(paper, title, protocol, discussion, short, cells, claims, tables, choices, quick)

    @property
    def failed(self) -> list[Cell]:
        """Cells that had to be equal and are not."""
        return [cell for cell in self.cells if cell.failed]

    @property
    def stated(self) -> list[Claim]:
        """The findings in the row of the paper, other readings left out."""
        return [claim for claim in self.claims if not claim.reading]

    def count(self, status: str) -> int:
        """Cells of this status, or findings that hold ("holds"), do not ("not") or lack their data ("needs")."""
        verdicts = {"holds": True, "not": False, "needs": None}
        if status in verdicts:
            return sum(claim.holds is verdicts[status] for claim in self.stated)
        return sum(cell.status == status for cell in self.cells)

    @property
    def summary(self) -> str:
        """The counts, as a sentence."""
        compared = [cell for cell in self.cells if cell.ours is not None]
        parts = []
        if self.cells:
            n_exact = sum(cell.exact for cell in compared)
            exact = f"all {n_exact} marked exact among them" if not self.failed else f"{len(self.failed)} exact differ"
            parts.append(
                f"{len(compared)} of {len(self.cells)} published figures compared: {self.count('equal')} equal in all "
                f"printed digits ({exact}), {self.count('close')} within {NEAR:.3f}, {self.count('differs')} not; "
                f"{self.count('missing')} not computed here."
            )
        known = [claim for claim in self.stated if claim.holds is not None]
        if known:
            parts.append(f"{sum(bool(c.holds) for c in known)} of {len(known)} stated findings hold here.")
        return " ".join(parts)


def texts(name: str) -> dict[str, str]:
    """What a paper's section or a page says in words, by heading, and its "title"."""
    title, *parts = (files(__package__) / "texts" / f"{name}.md").read_text("utf-8").split("\n## ")
    sections = (part.partition("\n") for part in parts)
    return {"title": title.strip("# \n"), **{heading: text.strip("\n") for heading, _, text in sections}}
