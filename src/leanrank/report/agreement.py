"""Where the folds and the choice disagree: kept though few folds chose it, left out though most did, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leanrank.report.alike import nearest_kept, stands_for

#: Few folds are fewer than this share, most folds are more.
HALF = 0.5


@dataclass(frozen=True)
class Agreement:
    """The features of a summary in the order of its `path`, and those that are kept `in_any_case`."""

    features: list[dict[str, Any]]
    path: list[int]
    in_any_case: frozenset[str]
    alike_from: float | None  # None: nothing is known of likeness

    def surprises(self, frequency: Mapping[int, float], n_kept: int) -> list[dict[str, Any]]:
        """The features whose place a reader would ask about, each with its reason; kept ones first.

        `frequency` is the share of the folds that chose a column; without it nothing is said.
        """
        if not frequency:
            return []
        kept = self.path[:n_kept]
        standing = stands_for(self.features, self.path, n_kept) if self.alike_from is not None else {}
        few = [j for j in kept if frequency.get(j, 0.0) < HALF]
        most = [j for j in self.path[n_kept:] if frequency.get(j, 0.0) > HALF]
        return [
            {
                "feature": self.features[j]["name"],
                "kept": j in few,
                "share": frequency.get(j, 0.0),
                "reason": (
                    self._why_kept(j, frequency, standing.get(j, []), n_kept)
                    if j in few
                    else self._why_left_out(j, n_kept)
                ),
            }
            for j in (*few, *most)
        ]

    def _why_kept(
        self, column: int, frequency: Mapping[int, float], alike: list[tuple[float, int]], n_kept: int
    ) -> str:
        if self.features[column]["name"] in self.in_any_case:
            return "it was to be kept in any case"
        often = max(alike, key=lambda pair: (frequency.get(pair[1], 0.0), pair[0]), default=None)
        if often is not None and frequency.get(often[1], 0.0) > frequency.get(column, 0.0):
            similarity, other = often
            share, name = frequency[other], self.features[other]["name"]
            return f"folds chose {name} in its place ({share:.0%} of them), to which it is alike by {similarity:.2f}"
        place = self.features[column]["position"]
        return (
            f"all queries together put it in place {place} of the {n_kept} kept; most folds, with fewer, put it behind"
        )

    def _why_left_out(self, column: int, n_kept: int) -> str:
        if self.alike_from is not None:
            position, similarity = nearest_kept(self.features[column]["nearest"], n_kept)
            if similarity >= self.alike_from:
                name = self.features[self.path[position]]["name"]
                return f"{name} is kept, to which it is alike by {similarity:.2f}"
        place = self.features[column]["position"]
        return f"all queries together put it in place {place}, behind the {n_kept} kept"
