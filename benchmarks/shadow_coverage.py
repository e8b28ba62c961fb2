"""Whether the intervals of `shadow` cover, and how wide they are beside judging at random.

    python -m benchmarks.shadow_coverage [--runs 2000] [--only sparse machines]

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
from benchmarks.shadow_coverage_page import HEADING, MACHINE_TEXT, WHY
from numpy.typing import NDArray
from scipy import stats

from leanrank.evaluation.shadow.intervals import Machine, interval
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.logged_queries import inclusion_probabilities, systematic
from leanrank.evaluation.shadow.loss import discounts

PAGE = Path(__file__).resolve().parent.parent / "docs" / "shadow_coverage.md"
K, DEEPEST = 10, 30
JUDGED = (50, 100, 200, 1_000)
LOGGED = (1_000, 10_000, 50_000)
CHANGED = (0.05, 0.2, 0.8)
LEVEL = 0.95
#: Made logs a line; the runs are spread over them.
LOGS = 50
#: What an interval of queries judged at random has to cover to be compared with, and how wide ours may be beside it.
COVERS, WIDEST = 0.94, 1.15
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """How rich in relevant documents queries are: Beta(a, b) of each; what goes down is `better` than what goes up.

    Relevant documents have the highest label with probability `high`, at least the middle one with `middle`.
    """

    says: str
    a: float
    b: float
    better: float = 1.3
    worse: float = 1.0
    high: float = 0.15
    middle: float = 0.4
    logged: tuple[int, ...] = LOGGED


KINDS = {
    "graded": Kind("about two thirds of the changed queries lose or gain something", 1.0, 2.0),
    "sparse": Kind("about a third do", 0.5, 4.0),
    "rare": Kind("about an eighth do, and nearly all of them lose", 0.3, 8.0, 1.5, 0.3),
    "two-sided": Kind("as many gain as lose, most of them little", 1.0, 2.0, 1.0, 1.0, 0.05, 0.1, LOGGED[:2]),
    "large": Kind("more than half lose, most of them little, a few much", 1.0, 2.0, 1.5, 0.5, 0.02, 0.04, LOGGED[:2]),
    "unseen": Kind("about a fifth lose or gain something, most of them gain", 0.4, 6.0, 0.6, 1.5, 0.1, 0.2, LOGGED[:2]),
}
#: What a machine's labels are worth: weight of the true loss, of noise, and a constant that is wrong.
MACHINES = {
    "perfect": (1.0, 0.0, 0.0),
    "good": (1.0, 0.75, 0.0),
    "noise": (0.0, 1.0, 0.0),
    "reversed": (-1.0, 1.0, 0.0),
    "biased": (0.5, 0.5, 3.0),
}
MACHINE = "machines"


@dataclass(frozen=True)
class Log:
    """Losses of the queries that change, and what `shadow` knows of them without labels."""

    n_queries: int
    loss: Floats
    spread: Floats
    reach: Floats

    @property
    def mean(self) -> float:
        return float(self.loss.sum()) / self.n_queries

    def random_width(self, n: int) -> float:
        """The width that judging n queries at random needs: by the variance that there is."""
        variance = float((self.loss**2).sum()) / self.n_queries - self.mean**2
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
        return 2 * quantile * float(np.sqrt(variance / n * (1 - n / self.n_queries)))


def made(n_queries: int, share: float, kind: Kind, rng: np.random.Generator) -> Log:
    """A log: in each changed query some pairs of documents change places."""
    n = round(share * n_queries)
    pairs = 1 + rng.poisson(1.5, n)
    used = np.arange(pairs.max()) < pairs[:, None]
    top = rng.integers(1, K + 1, used.shape)
    deep = np.minimum(top + rng.geometric(0.3, used.shape), DEEPEST)
    change = (discounts(top, K) - discounts(deep, K)) * used
    rich = rng.beta(kind.a, kind.b, (n, 1))

    def gain(times: float) -> Floats:
        draw, relevant = rng.random(used.shape), np.minimum(rich * times, 1.0)
        return np.select(
            [draw < kind.high * relevant, draw < kind.middle * relevant, draw < relevant], [15.0, 3.0, 1.0], 0.0
        )

    loss = (change * (gain(kind.better) - gain(kind.worse))).sum(axis=1)
    return Log(n_queries, loss, np.sqrt(2 * (change**2).sum(axis=1)), change.sum(axis=1))


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


def section(name: str, runs: int) -> Iterator[str]:
    """The lines of one kind of losses, and what is largest and smallest in them."""
    kind = KINDS[name]
    cells = []
    for cell in cells_of(kind, runs, list(KINDS).index(name)):
        print(name, cell.line(), flush=True)
        cells.append(cell)
    drawn = [cell for cell in cells if not cell.all_judged]
    covers = [cell.ours.coverage for cell in drawn]
    ratios = [cell.beside(cell.narrowest) for cell in drawn if cell.narrowest is not None]
    known, same = max(cell.known for cell in drawn), max(cell.beside(cell.same) for cell in drawn)
    below = sum(coverage < COVERS for coverage in covers)
    wider = sum(ratio > WIDEST for ratio in ratios)
    yield f"\n## {name.capitalize()}: {kind.says}\n"
    yield (
        f"Lowest coverage {min(covers):.1%}, mean {np.mean(covers):.1%}; below {COVERS:.0%} in {below or 'none'} of "
        f"{len(drawn)} lines. Width at most {max(ratios):.2f} sqrt(p) of\nthe narrowest interval of queries judged at "
        f"random that covers, which there is in {len(ratios)} lines; above\n{WIDEST} in {wider or 'none'}. "
        f"Beside *known* at most {known:.2f} sqrt(p), beside the same rule {same:.2f}.\n"
    )
    yield "| judged | logged | p | covers | / known | / same rule | / narrowest | t covers | same covers |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    yield from (cell.line() for cell in cells)


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
    heading = f"\n## {name.capitalize() if name in KINDS else 'Machine-made'}"
    for rest in PAGE.read_text().split(heading, 1)[1:]:
        yield heading + rest.split("\n\n## ", 1)[0].rstrip("\n")


def page(runs: int, only: list[str]) -> str:
    lines = [HEADING.format(logs=LOGS, runs=runs, k=K, covers=COVERS)]
    for name in KINDS:
        lines += section(name, runs) if name in only else standing(name)
    lines += [WHY, *(machine_section(runs) if MACHINE in only else standing(MACHINE))]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--only", nargs="*", choices=(*KINDS, MACHINE), default=[*KINDS, MACHINE])
    arguments = parser.parse_args()
    PAGE.write_text(page(arguments.runs, arguments.only))


if __name__ == "__main__":
    main()
