"""The figures the papers published, as facts."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Published:
    """A cell of a published table.

    Attributes
    ----------
    table : str
        Its number in the paper, "text" for a figure of the running text.
    text : str
        The figure as printed.
    unit : str
        "fraction", "percent", "count", ...
    doubtful : bool
        Whether the print is in doubt; `note` says why.
    """

    table: str
    method: str
    dataset: str
    metric: str
    text: str
    unit: str
    rank: int | None
    doubtful: bool
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
