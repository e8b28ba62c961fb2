"""Whether the intervals of `shadow` cover, and how wide they are beside judging at random.

    python -m benchmarks.shadow_coverage [--runs 2000] [--only sparse drawn machines]

Made logs whose mean loss is known: lists in which some documents changed places, with labels. Each run draws queries,
looks up what they lose and computes an interval. Writes docs/shadow_coverage.md, or with --only the sections named.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.shadow_coverage_page import DRAWN_TEXT, HEADING, MACHINE_TEXT, WHY
from benchmarks.shadow_kinds import KINDS, LEVEL, K, Kind, Log, drawn_kinds, made
from numpy.typing import NDArray
from scipy import stats

from leanrank.evaluation.shadow.intervals import Machine, interval
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.logged_queries import inclusion_probabilities, systematic

PAGE = Path(__file__).resolve().parent.parent / "docs" / "shadow_coverage.md"
JUDGED = (50, 100, 200, 1_000)
CHANGED = (0.05, 0.2, 0.8)
#: Made logs a line; the runs are spread over them.
LOGS = 50
#: What an interval of queries judged at random has to cover to be compared with, and how wide ours may be beside it.
COVERS, WIDEST = 0.94, 1.15
#: Kinds of losses that are drawn from a family, none of which took part in anything.
DRAWN_KINDS, DRAWN_SEED = 24, 13
COLUMNS = (
    "| judged | logged | p | covers | / known | / same rule | / narrowest | t covers | same covers |\n"
    "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)
Floats = NDArray[np.float64]
#: What a machine's labels are worth: weight of the true loss, of noise, and a constant that is wrong.
MACHINES = {
    "perfect": (1.0, 0.0, 0.0),
    "good": (1.0, 0.75, 0.0),
    "noise": (0.0, 1.0, 0.0),
    "reversed": (-1.0, 1.0, 0.0),
    "biased": (0.5, 0.5, 3.0),
}
DRAWN, MACHINE = "drawn", "machines"


@dataclass
class Tally:
    """Over runs: how often the truth was inside, and the mean width, in units of `unit`."""

    inside: int = 0
    width: float = 0.0
    runs: int = 0
    unit: float = 1.0

    def add(self, low: float, high: float, truth: float) -> None:
        room = 1e-12 * max(1.0, abs(truth))
        self.inside += low - room <= truth <= high + room
        self.width += (high - low) / self.unit
        self.runs += 1

    @property
    def coverage(self) -> float:
        return self.inside / self.runs

    @property
    def mean_width(self) -> float:
        return self.width / self.runs


def at_random(log: Log, n: int, runs: int, rng: np.random.Generator, tally: Tally, same: Tally) -> None:
    """Two intervals of n queries judged at random among all: the usual t, and the one that `shadow` would give them."""
    share = np.full(n, n / log.n_queries)
    unchanged = np.zeros(log.n_queries - len(log.loss))
    most = 15 * np.concatenate((log.reach, unchanged))
    largest = Largest.of(most, np.full(log.n_queries, n / log.n_queries))
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
    padded = np.concatenate((log.loss, unchanged))
    for _ in range(runs):
        drawn = padded[rng.choice(log.n_queries, n, replace=False, shuffle=False)]
        half = quantile * drawn.std(ddof=1) * np.sqrt((1 - n / log.n_queries) / n)
        tally.add(drawn.mean() - half, drawn.mean() + half, log.mean)
        estimate = interval(drawn, share, log.n_queries, largest=largest, level=LEVEL)
        same.add(estimate.low, estimate.high, log.mean)


def by_shadow(
    log: Log, n: int, runs: int, rng: np.random.Generator, tally: Tally, by_machine: Floats | None = None
) -> None:
    """The interval of n queries drawn as `shadow` draws them."""
    probability = inclusion_probabilities(log.spread, n)
    largest = Largest.of(15 * log.reach, probability)
    for _ in range(runs):
        taken = systematic(probability, rng.permutation(len(log.loss)), rng.random())
        machine = None if by_machine is None else Machine(by_machine[taken], float(by_machine.sum()))
        estimate = interval(
            log.loss[taken], probability[taken], log.n_queries, largest=largest, level=LEVEL, machine=machine
        )
        tally.add(estimate.low, estimate.high, log.mean)


@dataclass
class Cell:
    """Intervals of one number judged, number logged and share that changes; widths in those of *known*."""

    judged: int
    logged: int
    share: float
    ours: Tally = field(default_factory=Tally)
    usual: Tally = field(default_factory=Tally)
    same: Tally = field(default_factory=Tally)

    @property
    def all_judged(self) -> bool:
        return self.judged >= round(self.share * self.logged)

    def beside(self, random: Tally) -> float:
        """Our width by that of an interval of queries judged at random and the square root of p."""
        return self.ours.mean_width / random.mean_width / float(np.sqrt(self.share))

    @property
    def known(self) -> float:
        return self.ours.mean_width / float(np.sqrt(self.share))

    @property
    def narrowest(self) -> Tally | None:
        """The narrower of the two intervals of queries judged at random among those that cover."""
        cover = [random for random in (self.usual, self.same) if random.coverage >= COVERS]
        return min(cover, key=lambda random: random.mean_width, default=None)

    def line(self) -> str:
        widths = ["all judged", "", ""]
        if not self.all_judged:
            best = self.narrowest
            name = "t" if best is self.usual else "same"
            decides = "none covers" if best is None else f"{self.beside(best):.2f} {name}"
            widths = [f"{self.known:.2f}", f"{self.beside(self.same):.2f}", decides]
        covers = [f"{tally.coverage:.1%}" for tally in (self.ours, self.usual, self.same)]
        cells = [f"{self.judged:,}", f"{self.logged:,}", f"{self.share:g}", covers[0], *widths, *covers[1:]]
        return f"| {' | '.join(cells)} |"

    @property
    def fails(self) -> bool:
        best = self.narrowest
        return self.ours.coverage < COVERS or (best is not None and self.beside(best) > WIDEST)


def cells_of(kind: Kind, runs: int, seed: int) -> Iterator[Cell]:
    """One for each number judged, number logged and share that changes."""
    for number, (logged, share, judged) in enumerate(
        (logged, share, judged) for logged in kind.logged for share in CHANGED for judged in JUDGED if judged < logged
    ):
        cell = Cell(judged, logged, share)
        for one in range(LOGS):
            rng = np.random.default_rng([seed, number, one])
            log = made(logged, share, kind, rng)
            cell.ours.unit = cell.usual.unit = cell.same.unit = log.random_width(judged) or 1.0
            by_shadow(log, judged, runs // LOGS, rng, cell.ours)
            at_random(log, judged, runs // LOGS, rng, cell.usual, cell.same)
        yield cell


def summary(drawn: list[Cell]) -> str:
    """What is largest and smallest in lines of which not all queries were judged."""
    covers = [cell.ours.coverage for cell in drawn]
    ratios = [cell.beside(cell.narrowest) for cell in drawn if cell.narrowest is not None]
    known, same = max(cell.known for cell in drawn), max(cell.beside(cell.same) for cell in drawn)
    below = sum(coverage < COVERS for coverage in covers)
    wider = sum(ratio > WIDEST for ratio in ratios)
    return (
        f"Lowest coverage {min(covers):.1%}, mean {np.mean(covers):.1%}; below {COVERS:.0%} in {below or 'none'} of "
        f"{len(drawn)} lines. Width at most {max(ratios):.2f} sqrt(p) of\nthe narrowest interval of queries judged at "
        f"random that covers, which there is in {len(ratios)} lines; above\n{WIDEST} in {wider or 'none'}. "
        f"Beside *known* at most {known:.2f} sqrt(p), beside the same rule {same:.2f}.\nAt random the same rule covers "
        f"{min(cell.same.coverage for cell in drawn):.1%} or more, the usual t "
        f"{min(cell.usual.coverage for cell in drawn):.1%}.\n"
    )


def section(name: str, runs: int) -> Iterator[str]:
    """The lines of one kind of losses, and what is largest and smallest in them."""
    kind = KINDS[name]
    cells = []
    for cell in cells_of(kind, runs, list(KINDS).index(name)):
        print(name, cell.line(), flush=True)
        cells.append(cell)
    yield f"\n## {name.capitalize()}: {kind.says}\n"
    yield summary([cell for cell in cells if not cell.all_judged])
    yield COLUMNS
    yield from (cell.line() for cell in cells)


def drawn_section(runs: int) -> Iterator[str]:
    """Kinds of losses that were drawn: a line for each, and every line of theirs that fails."""
    rows, failed, cells = [], [], []
    for number, kind in enumerate(drawn_kinds(DRAWN_KINDS, seed=DRAWN_SEED)):
        mine = [cell for cell in cells_of(kind, runs, 1_000 + number) if not cell.all_judged]
        covers = min(cell.ours.coverage for cell in mine)
        ratios = [cell.beside(cell.narrowest) for cell in mine if cell.narrowest is not None]
        widest = f"{max(ratios):.2f}" if ratios else "none covers"
        row = f"| {number + 1} | {kind.says} | {covers:.1%} | {widest} | {sum(cell.fails for cell in mine)} |"
        print(row, flush=True)
        rows.append(row)
        failed += [f"| {number + 1} {cell.line()}" for cell in mine if cell.fails]
        cells += mine
    yield DRAWN_TEXT.format(kinds=DRAWN_KINDS)
    yield summary(cells)
    yield "| kind | how it was drawn | lowest coverage | widest / narrowest | lines that fail |"
    yield "|---:|---|---:|---:|---:|"
    yield from rows
    if failed:
        yield f"\nLines that cover less than {COVERS:.0%} or are wider than {WIDEST}:\n"
        yield COLUMNS.replace("| judged", "| kind | judged").replace("\n|", "\n|---:|")
        yield from failed


def machine_rows(runs: int) -> Iterator[list[Any]]:
    """A row for each machine, number judged and share that changes, beside people's labels alone."""
    for number, (share, judged) in enumerate((share, judged) for share in (0.2, 0.8) for judged in JUDGED):
        alone, tallies = Tally(), {name: Tally() for name in MACHINES}
        for one in range(LOGS):
            rng = np.random.default_rng([99, number, one])
            log = made(10_000, share, KINDS["graded"], rng)
            by_shadow(log, judged, runs // LOGS, rng, alone)
            scale = float(log.loss.std())
            for name, (truth, noise, constant) in MACHINES.items():
                by_machine = truth * log.loss + scale * (noise * rng.standard_normal(len(log.loss)) + constant)
                by_shadow(log, judged, runs // LOGS, rng, tallies[name], by_machine)
        for name, tally in tallies.items():
            yield [name, judged, share, tally.coverage, tally.mean_width / alone.mean_width]


def machine_section(runs: int) -> Iterator[str]:
    yield MACHINE_TEXT
    for name, judged, share, covers, ratio in machine_rows(runs):
        line = f"| {name} | {judged:,} | {share:g} | {covers:.1%} | {ratio:.2f} |"
        print(line, flush=True)
        yield line


def standing(name: str) -> Iterator[str]:
    """A section as the page has it."""
    heading = f"\n## {'Machine-made' if name == MACHINE else name.capitalize()}"
    for rest in PAGE.read_text().split(heading, 1)[1:]:
        yield heading + rest.split("\n\n## ", 1)[0].rstrip("\n")


def page(runs: int, only: list[str]) -> str:
    lines = [HEADING.format(logs=LOGS, runs=runs, k=K, covers=COVERS)]
    for name in KINDS:
        lines += section(name, runs) if name in only else standing(name)
    lines += drawn_section(runs) if DRAWN in only else standing(DRAWN)
    lines += [WHY, *(machine_section(runs) if MACHINE in only else standing(MACHINE))]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--only", nargs="*", choices=(*KINDS, DRAWN, MACHINE), default=[*KINDS, DRAWN, MACHINE])
    arguments = parser.parse_args()
    PAGE.write_text(page(arguments.runs, arguments.only))


if __name__ == "__main__":
    main()
