"""Whether certified sets lose what they promise at most for several metrics, in every slice and over groups of queries.

    python -m benchmarks.certified_more

Simulated differences per query whose truth is known, by the bounds that `select` takes. Every claim that is tested at
its edge is false, so that every certificate is. Writes docs/certified_more.md; two minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from benchmarks.certified import LEVEL, LOSS, spread
from numpy.typing import NDArray

from leanrank.evaluation.bootstrap import counted
from leanrank.evaluation.select.certify import loss_bounds

DOCS = Path(__file__).parent.parent / "docs"
RUNS = 400
#: What a set gains where it is not at the edge, so that nothing but the edge can refuse it.
GAIN = 0.2
RESAMPLES = 1_000
#: Rows of differences that are resampled together.
TOGETHER = 1_000
SPREADS = ("normal", "skewed", "mostly none", "rare large")
#: One that took no part when the bounds of slices were made as they are.
LONG_TAIL = "long tail"
QUERIES = (50, 100, 300, 1_000)
#: Queries of each slice.
SLICE_QUERIES = (10, 30, 100, 300)
#: Those of slices that are certified; `FEWEST_CERTIFIED` are needed.
CERTIFIED_QUERIES = (30, 50, 100, 300)
#: Those of slices by the bounds of all queries, without one query more.
PLAIN_QUERIES = (10, 15, 30, 50)
GROUP_SIZES = {"two alike": (2, 1.0), "five alike": (5, 1.0), "one to nine, half alike": (0, 0.5)}
#: Runs that share the sizes of their groups.
SHARED = 100
Table = NDArray[np.float64]


def drawn_from(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Table:
    """As `spread`, and losses with a long tail (log-normal)."""
    if kind != LONG_TAIL:
        return spread(kind, shape, rng)
    return -0.025 * (rng.lognormal(0.0, 1.0, shape) - np.exp(0.5))


def bounds_of(table: Table, level: float = LEVEL, resamples: int = RESAMPLES, weight: Table | None = None) -> Table:
    """`loss_bounds` of many rows."""
    parts = [
        loss_bounds(table[i : i + TOGETHER], level=level, n_resamples=resamples, weight=weight)
        for i in range(0, len(table), TOGETHER)
    ]
    return np.concatenate(parts)


def alike(kind: str, runs: int, parts: int, n: int, correlated: float, rng: np.random.Generator) -> Table:
    """Deviations (runs, parts, n) with mean 0; in the share `correlated` of the queries all parts have the same."""
    common, own = spread(kind, (runs, 1, n), rng), spread(kind, (runs, parts, n), rng)
    return np.where(rng.random((runs, 1, n)) < correlated, common, own)


def several_metrics(kind: str, n: int, metrics: int, correlated: float, edge: int, rng: np.random.Generator) -> float:
    """How often a set is certified that loses exactly `LOSS` of `edge` of the metrics, and gains much in the others."""
    values = alike(kind, RUNS, metrics, n, correlated, rng) + GAIN
    values[:, :edge] -= GAIN + LOSS
    bounds = bounds_of(values.reshape(-1, n)).reshape(RUNS, metrics)
    return float((bounds <= LOSS + 1e-12).all(axis=1).mean())


def one_more(values: Table) -> Table:
    """Slices (runs, slices, n) as rows, each with one query more, as bad as the worst of its run: see `SliceTable`."""
    worst = np.broadcast_to(values.min(axis=(1, 2))[:, None, None], (*values.shape[:2], 1))
    return np.concatenate([values, worst], axis=2).reshape(-1, values.shape[2] + 1)


def every_slice(kind: str, n: int, slices: int, edge: int, rng: np.random.Generator, *, plain: bool = False) -> float:
    """How often a set is certified in every slice that loses exactly `LOSS` in `edge` of them, and gains elsewhere."""
    values = drawn_from(kind, (RUNS, slices, n), rng) + GAIN
    values[:, :edge] -= GAIN + LOSS
    rows = values.reshape(-1, n) if plain else one_more(values)
    bounds = bounds_of(rows).reshape(RUNS, slices)
    whole = bounds_of(values.reshape(RUNS, -1))
    return float(((bounds <= LOSS + 1e-12).all(axis=1) & (whole <= LOSS + 1e-12)).mean())


def missed_slices(kind: str, n: int, slices: int, rng: np.random.Generator) -> float:
    """How often the interval of any slice misses its true difference: they are to hold for all at once."""
    values = drawn_from(kind, (RUNS, slices, n), rng)
    alpha = (1 - LEVEL) / (2 * slices)
    resamples = max(RESAMPLES, int(np.ceil(10 / alpha)))
    low, high = (bounds_of(one_more(sign * values), 1 - alpha, resamples) for sign in (1, -1))
    return float(((low < 0) | (high < 0)).reshape(RUNS, slices).any(axis=1).mean())


def in_groups(kind: str, n_groups: int, which: str, rng: np.random.Generator) -> tuple[float, float]:
    """How often a set at the edge is certified, drawing groups and, which is wrong, drawing queries.

    The queries of a group do the same in the share of the groups that are alike. `SHARED` runs share their sizes.
    """
    size, same = GROUP_SIZES[which]
    false = np.zeros(2)
    for _ in range(RUNS // SHARED):
        sizes = rng.integers(1, 10, n_groups) if size == 0 else np.full(n_groups, size)
        group = np.repeat(np.arange(n_groups), sizes)
        common, own = spread(kind, (SHARED, n_groups), rng)[:, group], spread(kind, (SHARED, len(group)), rng)
        values = np.where((rng.random((SHARED, n_groups)) < same)[:, group], common, own) - LOSS
        means, weight = counted(values, None, group)
        for i, bounds in enumerate((bounds_of(means, weight=weight), bounds_of(values))):
            false[i] += (bounds <= LOSS + 1e-12).sum()
    by_group, by_query = false / RUNS
    return float(by_group), float(by_query)


def rows_of(cells: list[tuple[list[object], list[float]]]) -> list[str]:
    """Rows of Markdown: what the cell is, and its shares."""
    return [f"| {' | '.join(map(str, what))} | {' | '.join(f'{x:.1%}' for x in shares)} |" for what, shares in cells]


def heading(names: list[str], columns: tuple[int, ...], unit: str) -> list[str]:
    titles = " | ".join([*names, *(f"{n:,} {unit}" for n in columns)])
    return [f"| {titles} |", "|" + "---|" * len(names) + "---:|" * len(columns)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    begin = time.process_time()
    limit = 0.05 + 2 * np.sqrt(0.05 * 0.95 / RUNS)
    seeds = iter(np.random.SeedSequence(1).spawn(10_000))

    def rng() -> np.random.Generator:
        return np.random.default_rng(next(seeds))

    metrics = [
        ([m, f"{c:g}", edge, kind], [several_metrics(kind, n, m, c, edge, rng()) for n in QUERIES])
        for m, c, edge in ((2, 0.0, 1), (2, 0.8, 1), (2, 0.0, 2), (3, 0.8, 1), (3, 0.8, 3))
        for kind in SPREADS
    ]
    print("metrics", time.process_time() - begin, flush=True)
    slices = [
        ([s, edge, kind], [every_slice(kind, n, s, edge, rng()) for n in CERTIFIED_QUERIES])
        for s, edge in ((3, 1), (3, 3), (10, 1), (10, 10))
        for kind in (*SPREADS, LONG_TAIL)
    ]
    plain = [
        ([kind], [every_slice(kind, n, 3, 1, rng(), plain=True) for n in PLAIN_QUERIES])
        for kind in (*SPREADS, LONG_TAIL)
    ]
    print("slices", time.process_time() - begin, flush=True)
    missed = [
        ([s, kind], [missed_slices(kind, n, s, rng()) for n in SLICE_QUERIES])
        for s in (3, 10)
        for kind in (*SPREADS, LONG_TAIL)
    ]
    print("intervals", time.process_time() - begin, flush=True)
    by_groups = [
        ([which, kind], [in_groups(kind, n, which, rng()) for n in QUERIES])
        for which in GROUP_SIZES
        for kind in ("normal", "skewed")
    ]
    print("groups", time.process_time() - begin, flush=True)
    text = page((metrics, slices, plain, missed), by_groups, limit)
    (DOCS / "certified_more.md").write_text(text)
    print(text, f"{time.process_time() - begin:.0f} s of one core")


def verdict(cells: list[tuple[list[object], list[float]]], limit: float) -> str:
    """The mean and the largest of the cells, and how many are above what chance allows a single one."""
    every = np.array([share for _, shares in cells for share in shares])
    above = int((every > limit).sum())
    said = f"{above} of {len(every)} cells are above {limit:.1%}" if above else f"none is above {limit:.1%}"
    return f"The mean is {every.mean():.1%} and the largest {every.max():.1%}; {said}."


def page(
    tables: tuple[list[tuple[list[object], list[float]]], ...],
    by_groups: list[tuple[list[object], list[tuple[float, float]]]],
    limit: float,
) -> str:
    """The page of all that was simulated."""
    metrics, slices, plain, missed = tables
    drawn = [(what, [group for group, _ in pairs]) for what, pairs in by_groups]
    wrong = [(what, [query for _, query in pairs]) for what, pairs in by_groups]
    lines = [
        "# Certified for several metrics, in every slice, over groups of queries",
        "",
        "Simulated differences per query whose truth is known, by the bounds that `select` takes. Made by",
        f"`python -m benchmarks.certified_more`, {RUNS:,} runs a cell: at 95% confidence at most 5% may be false,",
        f"which with two standard errors of so many runs is {limit:.1%} for a single cell. Differences are spread as",
        "on the page on certified sets: normal, skewed, none for most queries, rare and large. A set at the edge loses",
        f"exactly {LOSS:g}, what it is certified for, so that every certificate counts as false.",
        "",
        "## Several metrics",
        "",
        "A set is certified where it is for every metric, each tested at the whole level. Nothing is corrected for the",
        "number of metrics: a set that loses too much of one metric passes only if the test of that metric errs,",
        "however many others there are (intersection-union: Berger 1982). The worst case is a set at the edge of one",
        "metric that gains so much in the others that these never refuse it; at the edge of several, several tests",
        "have to err. `correlated`: in how many of the queries all metrics do the same. `at the edge`: how many of the",
        "metrics are.",
        "",
        *heading(["metrics", "correlated", "at the edge", "differences"], QUERIES, "queries"),
        *rows_of(metrics),
        "",
        verdict(metrics, limit),
        "",
        "## Every slice",
        "",
        "With `certify_slices` a set is certified where it is over all queries and in every slice, again each at the",
        "whole level. In a small slice losses that are rare may not show at all: it needs 30 queries, and its bound is",
        "that of one query more, as bad as the worst of all. Both were made so when the bounds of all queries were",
        "seen to fail in small slices; the long tail took no part in that.",
        "",
        *heading(["slices", "at the edge", "differences"], CERTIFIED_QUERIES, "queries a slice"),
        *rows_of(slices),
        "",
        verdict(slices, limit),
        "",
        "The same by the bounds of all queries as they are, 3 slices with one at the edge:",
        "",
        *heading(["differences"], PLAIN_QUERIES, "queries a slice"),
        *rows_of(plain),
        "",
        verdict(plain, limit),
        "",
        "## Intervals of slices",
        "",
        "How often the interval of any slice misses its true difference: the intervals hold for all slices at once",
        "(Bonferroni), each by bounds of one query more on either side. They are wide where slices are small.",
        "",
        *heading(["slices", "differences"], SLICE_QUERIES, "queries a slice"),
        *rows_of(missed),
        "",
        verdict(missed, limit),
        "",
        "## Groups of queries",
        "",
        "Queries that have something in common, as the same query on several days: all or half of the groups do the",
        "same for all their queries. How often a set at the edge is certified where chance draws groups, as `select`",
        "does where queries have groups.",
        "",
        *heading(["groups", "differences"], QUERIES, "groups"),
        *rows_of(drawn),
        "",
        verdict(drawn, limit),
        "",
        "The same where groups are not named, and chance draws queries:",
        "",
        *heading(["groups", "differences"], QUERIES, "groups"),
        *rows_of(wrong),
        "",
        verdict(wrong, limit),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
