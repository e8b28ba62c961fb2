"""The worked example of chi-square in the slides of GAS: the word jaguar against the class auto."""

from __future__ import annotations

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.reproduce.outcome import Published, Table, published
from leanrank.selectors.information_gain import ChiSquared

#: Rows that are auto or not by rows that have the word or not.
COUNTS = {"auto,jaguar": 2, "auto,not jaguar": 500, "not auto,jaguar": 3, "not auto,not jaguar": 9500}


def chi_square_cell(p: Published) -> float:
    """A figure of the slide: a count, what is expected of it, or the statistic with the expectations as printed."""
    if p.method == "observed":
        return float(COUNTS[p.metric])
    if p.method == "expected":
        return expected()[p.metric]
    printed = {q.metric: q.value for q in published("gas") if q.method == "expected"}
    return sum((COUNTS[cell] - printed[cell]) ** 2 / printed[cell] for cell in COUNTS)


def expected() -> dict[str, float]:
    """What independence makes of the four counts."""
    total = sum(COUNTS.values())
    sums = {
        side: sum(n for cell, n in COUNTS.items() if side in _sides(cell)) for cell in COUNTS for side in _sides(cell)
    }
    return {cell: float(np.prod([sums[side] for side in _sides(cell)])) / total for cell in COUNTS}


def _sides(cell: str) -> tuple[str, str]:
    of_class, of_word = cell.split(",")
    return of_class, of_word


def chi_square_data() -> RankingData:
    """The 10,005 documents: one feature, whether the word is there, and the class as the label."""
    cells = list(COUNTS.items())
    word = np.repeat([0.0 if "not jaguar" in cell else 1.0 for cell, _ in cells], [n for _, n in cells])
    of_class = np.repeat([0.0 if cell.startswith("not") else 1.0 for cell, _ in cells], [n for _, n in cells])
    return RankingData(word[:, None], of_class, np.array([0, len(word)]))


def chi_square_table() -> Table:
    """The statistic of `ChiSquared` for each way to cut the feature."""
    data = chi_square_data()
    rows = [
        (way, f"{ChiSquared(discretizer=way).fit(data).scores_[0]:.4f}")
        for way in ("equal_frequency", "equal_width", "mdl")
    ]
    title = "Chi-square of the worked example by discretisation; the slide prints 12.9, from rounded expectations"
    return Table(title, ("cut", "chi-square"), tuple(rows), shown=True)
