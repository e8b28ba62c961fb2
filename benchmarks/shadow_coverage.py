"""Whether the intervals of `shadow` cover, and how wide they are beside judging at random.

    python -m benchmarks.shadow_coverage [--runs 1000]

Made logs whose mean loss is known: lists in which some documents changed places, with labels. Each run draws queries,
looks up what they lose and computes an interval. Writes docs/shadow_coverage.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
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
LOGS = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """How rich in relevant documents queries are: Beta(a, b) of each; what goes down is `better` than what goes up."""

    says: str
    a: float
    b: float
    better: float = 1.3
    worse: float = 1.0


KINDS = {
    "graded": Kind("about two thirds of the changed queries lose or gain something", 1.0, 2.0),
    "sparse": Kind("about a third do", 0.5, 4.0),
    "rare": Kind("about an eighth do, and nearly all of them lose", 0.3, 8.0, 1.5, 0.3),
}
#: What a machine's labels are worth: weight of the true loss, of noise, and a constant that is wrong.
MACHINES = {
    "perfect": (1.0, 0.0, 0.0),
    "good": (1.0, 0.75, 0.0),
    "noise": (0.0, 1.0, 0.0),
    "reversed": (-1.0, 1.0, 0.0),
}
MACHINES |= {"biased": (0.5, 0.5, 3.0)}


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
        return np.select([draw < 0.15 * relevant, draw < 0.4 * relevant, draw < relevant], [15.0, 3.0, 1.0], 0.0)

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


def coverage_rows(kind: str, runs: int, seed: int) -> Iterator[list[Any]]:
    """A row for each number judged, number logged and share that changes."""
    for number, (logged, share, judged) in enumerate(
        (logged, share, judged) for logged in LOGGED for share in CHANGED for judged in JUDGED if judged < logged
    ):
        ours, random, same, everything = Tally(), Tally(), Tally(), judged >= round(share * logged)
        for one in range(LOGS):
            rng = np.random.default_rng([seed, number, one])
            log = made(logged, share, KINDS[kind], rng)
            ours.unit = same.unit = log.random_width(judged) * float(np.sqrt(share))
            by_shadow(log, judged, runs // LOGS, rng, ours)
            at_random(log, judged, runs // LOGS // 4, rng, random, same)
        fair = ours.mean_width / same.mean_width / float(np.sqrt(share))
        yield [judged, logged, share, ours.coverage, ours.mean_width, fair, random.coverage, same.coverage, everything]


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


def page(runs: int) -> str:
    lines = [
        "# Intervals of shadow",
        "",
        f"{LOGS} made logs a line, whose mean loss of DCG@{K} is known, and {runs:,} runs over them; made by",
        "`python -m benchmarks.shadow_coverage`. Each run draws queries as `shadow` does and computes a 95% interval",
        "of the mean loss over all logged queries. Two widths stand beside it, of judging as many queries at random",
        "among all, each times the square root of the share p that changes: 1 is about what judging among the changed",
        "ones alone would give. *Known*: Student's t with the variance that there is, which nobody knows who judges.",
        "*Same rule*: the interval that `shadow` itself makes of queries judged at random, which covers as its own do.",
        "The last columns say how often the intervals of queries judged at random cover, in a quarter as many runs:",
        "the usual t with the variance of the sample, which has few losses to go by where p is small, and the same",
        "rule.",
    ]
    for number, (name, kind) in enumerate(KINDS.items()):
        rows = list(coverage_rows(name, runs, number))
        for row in rows:
            print(name, *(f"{value:g}" for value in row), flush=True)
        drawn = [row for row in rows if not row[-1]]
        lines += [
            "",
            f"## {name.capitalize()}: {kind.says}",
            "",
            f"Lowest coverage {min(row[3] for row in drawn):.1%}, mean {np.mean([row[3] for row in drawn]):.1%};",
            f"largest width {max(row[4] for row in drawn):.2f} sqrt(p) of known,",
            f"{max(row[5] for row in drawn):.2f} sqrt(p) of the same rule.",
            "",
            "| judged | logged | p | covers | / (sqrt(p) x known) | / (sqrt(p) x same rule) | t covers | same covers |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for judged, logged, share, covers, ratio, fair, usual, same, everything in rows:
            width = "all judged | " if everything else f"{ratio:.2f} | {fair:.2f}"
            cells = f"{judged:,} | {logged:,} | {share:g} | {covers:.1%} | {width} | {usual:.1%} | {same:.1%}"
            lines.append(f"| {cells} |")
    lines += [
        "",
        "## Why rare losses need wide intervals",
        "",
        "Of 50 judged queries, about six lose anything here, which says little of those that were not judged.",
        "A kind of query that makes up 7% of those that change is missed by all 50 in one case of 40",
        "(0.93^50 = 2.5%): an interval that holds 95 times in 100, whatever the losses are, has to allow that 7% that",
        "nobody has looked at lose all that their documents can lose. Student's t allows no such thing, and the last",
        "columns show what comes of it: with 50 queries judged at random it covers far less often than it says.",
        "Against *known* the interval is therefore several times as wide: *known* is what a judge could do who knew",
        "the variance of all losses before judging any, and none that covers whatever the losses are is as narrow.",
        "Against an interval that knows no more than it does itself (*same rule*) it is narrower, as it is everywhere.",
        "",
        "What to do about it is to judge more: see the lines with 200 and 1,000. The rule, in full: with fewer than 30",
        "judged queries that lose or gain, mostly on one side, the interval is half as long again on that side; with",
        "fewer than 12 it also holds a bound for any losses that labels and moves of documents allow (Gaffke's). These",
        "numbers were chosen on logs made in the same three ways, from other seeds: other kinds of losses may cover",
        "less often than the lowest line here, or more.",
        "",
        "## Machine-made labels",
        "",
        "Prediction-powered intervals, 10,000 logged queries, graded labels, beside those of people's labels alone. A",
        "machine's losses are the true ones (perfect), with noise of .75 standard deviations (good), noise alone, the",
        "true ones turned round with noise (reversed), or half the true ones, noise and a constant error of 3 standard",
        "deviations (biased).",
        "",
        "| machine | judged | p | covers | width / people's alone |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, judged, share, covers, ratio in machine_rows(runs):
        lines.append(f"| {name} | {judged:,} | {share:g} | {covers:.1%} | {ratio:.2f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    PAGE.write_text(page(parser.parse_args().runs))


if __name__ == "__main__":
    main()
