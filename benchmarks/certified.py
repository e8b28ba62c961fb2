"""Whether certified sets lose what they promise at most, and how small they are: simulated differences, known truth.

    python -m benchmarks.certified

Validity: every set loses exactly `max_loss`, or the next more, so that every certificate is a false one; methods race
in the folds as in `select`. Power: ten methods at sixteen sizes, beside the rule used before (simultaneous bounds over
all sets, single step). Writes docs/certified.md; some half an hour on one core.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.bootstrap import deviations, standard_errors
from leanrank.evaluation.select.certify import loss_bounds
from leanrank.evaluation.select.choice import MCS_LEVEL, MCS_LEVEL_ONCE
from leanrank.evaluation.select.effort import EFFORTS as SHIPPED
from leanrank.evaluation.select.effort import Plan

PAGE = Path(__file__).parent.parent / "docs" / "certified.md"
RUNS = 400
LEVEL = 0.95
FOLDS = 5
RESAMPLES = 500
#: Resamples of the race, of which there are many.
RACES = 100
#: Rows of differences that are resampled together.
TOGETHER = 2_000
#: How differences per query are spread, each with mean 0 and about the same deviation.
SPREADS = ("normal", "skewed", "mostly none", "rare large")
QUERIES = (50, 100, 300, 1_000, 3_000)
LOSS = 0.01
#: Power: loss asked for and queries.
CELLS = ((0.005, 300), (0.005, 1_000), (0.01, 100), (0.01, 300), (0.02, 100))
METHODS, SIZES = 10, 16


#: The two of them by which rules are compared.
DECIDE = ((0.005, 1_000), (0.01, 300))
#: Seeds of the runs that compare them: the first is that of the table of all cells.
DECIDING = (1, 2, 3, 4)
MEAN = "## How much less than by the rule before"
#: The sizes, as shares of the features.
SHARES = np.geomspace(0.9, 0.04, SIZES)


@dataclass(frozen=True)
class World:
    """Where methods begin to lose, as shares of the features; how steeply; and how deviations go together.

    A loss is the steepness times the logarithm of the share that was passed, to this power. `shared` is the part of the
    variance that all methods have in common; deviations of sizes next to each other are correlated by `along` the path
    of a method, and by `along_shared` in what is common. None: own deviations are those of a random walk.
    """

    methods: str
    begin: tuple[float, float]
    steepness: float
    shared: float
    power: int = 2
    along: float | None = None
    along_shared: float = 0.0


WORLDS = [
    World("alike", (0.18, 0.22), 0.02, 0.0),
    World("alike", (0.18, 0.22), 0.02, 0.5),
    World("apart", (0.1, 0.3), 0.02, 0.0),
    World("apart", (0.1, 0.3), 0.02, 0.5),
    World("far apart", (0.3, 1.0), 0.01, 0.5),
    World("fitted", (0.107, 1.225), 0.0249, 0.255, power=1, along=0.326, along_shared=1.0),
    World("fitted", (0.152, 0.954), 0.0228, 0.29, power=1, along=0.258, along_shared=0.967),
    World("fitted", (0.126, 0.912), 0.0345, 0.39, power=1, along=0.216, along_shared=0.969),
]


@dataclass(frozen=True)
class Effort:
    """How `select` races: the sizes, of sixteen, and the level of the confidence set."""

    sizes: tuple[int, ...]
    level: float

    @classmethod
    def of(cls, name: str) -> Effort:
        """That of a name: the sizes next to those at which `select` races, as shares of the features."""
        effort, many = SHIPPED[name], 10_000
        plan = Plan(
            effort, effort.methods, None, least=1, n_features=many, n_all=many, n_folds=FOLDS, n_repeats=0, sampled=None
        )
        sizes = tuple(int(np.argmin(np.abs(np.log(SHARES * many / k)))) for k in plan.race)
        return cls(sizes, MCS_LEVEL if effort.repeats else MCS_LEVEL_ONCE)


EFFORTS = {name: Effort.of(name) for name in ("normal", "thorough")}
#: Worst cases: the effort, how many methods race, in what share of the queries all sets do the same, and by how many
#: standard errors the first method is behind.
WORST = (
    ("normal", 1, 0.0, 0.0),
    ("normal", 1, 0.8, 0.0),
    ("normal", 4, 0.0, 0.0),
    ("normal", 4, 0.0, 2.5),
    ("normal", 4, 0.8, 0.0),
    ("thorough", 9, 0.0, 0.0),
    ("thorough", 9, 0.0, 2.5),
    ("thorough", 9, 0.8, 0.0),
)
POWER = """\
{methods} methods at {sizes} sizes, deviations per query from .02 (large sets) to .10 (small ones), a part of whose
variance is shared by all methods; curves that are flat down to some share of the features, and then fall.
Methods are alike (from .18 to .22 of the features), apart (.1 to .3) or far apart (.3 to 1, half as steep); the
first is any of them. *Fitted* are three worlds of some 2,000 drawn ones whose figures come nearest to those of an
older simulation (40 runs, four rules in these five cells: single step, step-down, one path that is known, every
path at alpha/methods; the root mean square of what is left is .024, about what 40 runs leave to chance). The rule
of `select` took no part in fitting them.

The single step over all sets was the rule before, and needs ten times the trainings of one path. *normal*
and *thorough* are what `select` does: a fixed sequence down one path, which a race in folds at two sizes, or at
three, chooses. Mean share of the features kept ({runs} runs a cell), and how much less than by the
single step: over the same path, over all sets."""
Table = NDArray[np.float64]


def spread(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Table:
    """Deviations per query with mean 0; the rarest loss of "rare large" is met by one query in ten."""
    if kind == "normal":
        return rng.normal(0, 0.05, shape)
    if kind == "skewed":
        return -0.05 * (rng.exponential(1.0, shape) - 1)
    if kind == "mostly none":
        return np.where(rng.random(shape) < 0.3, rng.normal(-LOSS / 0.3, 0.08, shape), 0.0) + LOSS
    return np.where(rng.random(shape) < 0.1, -LOSS / 0.1, 0.0) + LOSS + rng.normal(0, 0.01, shape)


def bounds_of(table: Table, level: float = LEVEL) -> Table:
    """`loss_bounds` of many rows."""
    rows = [
        loss_bounds(table[i : i + TOGETHER], level=level, n_resamples=RESAMPLES) for i in range(0, len(table), TOGETHER)
    ]
    return np.concatenate(rows)


def first_not_worse(race: Table, level: float) -> NDArray[np.int64]:
    """What `confidence_set(...)[0]` takes of each run (runs, methods, n), with one set of resamples for all runs."""
    runs, methods, n = race.shape
    first, second = np.triu_indices(methods, 1)
    table = (race[:, first] - race[:, second]).reshape(-1, n)
    lead, error = table.mean(axis=1), standard_errors(table)
    safe = np.where(error > 0, error, 1.0)  # methods that do the same for every query do not differ
    standard = (table - lead[:, None]) / (safe * np.sqrt(n))[:, None]
    chance = np.abs(deviations(standard, n_resamples=RACES, seed=0)).reshape(RACES, runs, -1)
    lead, seen = lead.reshape(runs, -1), np.abs(lead / safe).reshape(runs, -1)
    out = np.zeros(runs, dtype=np.int64)
    for run in range(runs):
        left = np.ones(methods, dtype=bool)
        while left.sum() > 1:
            pairs = np.flatnonzero(left[first] & left[second])
            largest = pairs[np.argmax(seen[run, pairs])]
            if seen[run, largest] <= np.quantile(chance[:, run, pairs].max(axis=1), level):
                break
            left[second[largest] if lead[run, largest] > 0 else first[largest]] = False
        out[run] = np.flatnonzero(left)[0]
    return out


def chosen_in_folds(race: Table, level: float) -> NDArray[np.int64]:
    """The method of each query, by the rule of `select` on the queries of other folds. `race` is (runs, methods, n)."""
    runs, methods, n = race.shape
    fold = np.arange(n) % FOLDS
    winner = np.zeros((runs, n), dtype=np.int64)
    for f in range(FOLDS if methods > 1 else 0):
        winner[:, fold == f] = first_not_worse(race[:, :, fold != f], level)[:, None]
    return winner


def winners_of(values: Table, effort: Effort) -> NDArray[np.int64]:
    """The method of each query (runs, n) of (runs, methods, sizes, n)."""
    return chosen_in_folds(values[:, :, effort.sizes].mean(axis=2), effort.level)


def along(values: Table, winner: NDArray[np.int64]) -> Table:
    """(runs, sizes, n): the path that fold winners make."""
    return np.take_along_axis(values, winner[:, None, None, :], axis=1)[:, 0]


def certified(path: Table, loss: float) -> NDArray[np.int64]:
    """How many sets of each path (runs, sizes, n), from the largest down, are certified."""
    runs, sizes, n = path.shape
    bounds = bounds_of(path.reshape(-1, n)).reshape(runs, sizes)
    return np.minimum.accumulate(bounds <= loss, axis=1).sum(axis=1)


def false_share(
    kind: str, n: int, n_methods: int, correlated: float, behind: float, level: float, rng: np.random.Generator
) -> float:
    """How often a set is certified that loses more than `LOSS`: the worst case, all of them at the edge.

    The largest set loses nothing, so that the sequence goes on to where it can err: the race is run there alone, as if
    the sets of other sizes did the same. The first method is `behind` the others by so many standard errors, so that
    it is left, or nearly.
    """
    wrong = 0
    for _ in range(RUNS // 50):
        shape = (50, n_methods, 3, n)
        common, own = spread(kind, (50, 1, 1, n), rng), spread(kind, shape, rng)
        values = np.where(rng.random(shape) < correlated, common, own) - LOSS  # by query: the spread stays as it is
        values[:, 0] -= behind * 0.07 / np.sqrt(n)
        values[:, :, 0] = 0.001 * spread("normal", (50, n_methods, n), rng)
        path = along(values, winners_of(values, Effort((1,), level)))
        wrong += int((certified(path, LOSS + 1e-12) > 1).sum())
    return wrong / RUNS


def made(n: int, world: World, rng: np.random.Generator, runs: int) -> tuple[Table, Table, Table]:
    """Differences (runs, methods, sizes, n) of sizes from the largest down, their shares, and the true losses."""
    worth = rng.uniform(*world.begin, (runs, METHODS, 1))  # the share at which a method begins to lose
    losses = world.steepness * np.maximum(0.0, np.log(worth / SHARES)) ** world.power
    deviation = 0.02 + 0.08 * (1 - SHARES) ** 2
    common = _correlated(rng.normal(size=(runs, 1, SIZES, n)), world.along_shared)
    own = rng.normal(size=(runs, METHODS, SIZES, n))
    if world.along is None:
        own = np.cumsum(own, axis=2) / np.sqrt(np.arange(1, SIZES + 1))[:, None]
    else:
        own = _correlated(own, world.along)
    noise = np.sqrt(world.shared) * common + np.sqrt(1 - world.shared) * own
    return deviation[:, None] * noise - losses[..., None], SHARES, losses


def _correlated(values: Table, along: float) -> Table:
    """Independent values of variance 1 (runs, methods, sizes, n), correlated from each size to the next."""
    for size in range(1, values.shape[2]) if along else ():
        values[:, :, size] = along * values[:, :, size - 1] + np.sqrt(1 - along**2) * values[:, :, size]
    return values


def simultaneous(values: Table, shares: Table, loss: float, *, steps: int) -> Table:
    """The share kept by bounds over all sets at once (max-t), a fifth of the error kept for sizes between.

    In further steps the bounds are over the sets that are not proven yet.
    """
    kept = np.ones(len(values))
    for run, table in enumerate(values.reshape(len(values), -1, values.shape[3])):
        mean, error = table.mean(axis=1), standard_errors(table)
        standard = (table - mean[:, None]) / (error * np.sqrt(table.shape[1]))[:, None]
        t = deviations(standard, n_resamples=RESAMPLES, seed=0)
        proven = np.zeros(len(table), dtype=bool)
        for _ in range(steps):
            if proven.all():
                break
            width = np.quantile(t[:, ~proven].max(axis=1), 1 - 0.8 * (1 - LEVEL))
            before, proven = proven, proven | (mean - width * error >= -loss)
            if (before == proven).all():
                break
        sizes = np.flatnonzero(proven.reshape(-1, SIZES).any(axis=0))
        kept[run] = shares[sizes[-1]] if len(sizes) else 1.0
    return kept


def share_kept(path: Table, shares: Table, loss: float) -> tuple[Table, NDArray[np.int64]]:
    """The share kept by the fixed sequence down a path, and the number of the set (-1: all features)."""
    last = certified(path, loss) - 1
    return np.where(last < 0, 1.0, shares[last]), last


def by_methods(values: Table, shares: Table, loss: float) -> Table:
    """The share kept by a fixed sequence down every path, each at its part of the error."""
    runs, methods, sizes, n = values.shape
    bounds = bounds_of(values.reshape(-1, n), 1 - (1 - LEVEL) / methods).reshape(runs, methods, sizes)
    last = np.minimum.accumulate(bounds <= loss, axis=2).sum(axis=2).max(axis=1) - 1
    return np.where(last < 0, 1.0, shares[last])


SINGLE, ONE_PATH = "single step, all sets", "single step, path chosen in folds"


def power(loss: float, n: int, world: World, runs: int, rng: np.random.Generator) -> tuple[dict[str, float], float]:
    """Mean share kept by each rule, and how often that of `select` is wrong, by the effort that is more often."""
    kept: dict[str, list[Table]] = {}
    wrong: dict[str, list[Table]] = {name: [] for name in EFFORTS}
    for _ in range(runs // 20):
        values, shares, losses = made(n, world, rng, 20)
        winners = {name: winners_of(values, effort) for name, effort in EFFORTS.items()}
        one_path = along(values, winners["normal"])
        rows = {
            SINGLE: simultaneous(values, shares, loss, steps=1),
            "step-down, all sets": simultaneous(values, shares, loss, steps=METHODS * SIZES),
            "fixed sequence, every path at alpha/methods": by_methods(values, shares, loss),
            ONE_PATH: simultaneous(one_path[:, None], shares, loss, steps=1),
        }
        for name, winner in winners.items():
            rows[name], last = share_kept(along(values, winner), shares, loss)
            # a query is ranked by the method of its fold: what the path truly loses is the mean over queries
            own = np.take_along_axis(losses, winner[:, :, None], axis=1).mean(axis=1)
            true = np.take_along_axis(own, np.maximum(last, 0)[:, None], axis=1)[:, 0]
            wrong[name].append((last >= 0) & (true > loss))
        for name, row in rows.items():
            kept.setdefault(name, []).append(row)
    often = max(float(np.mean(each)) for each in wrong.values())
    return {name: float(np.mean(rows)) for name, rows in kept.items()}, often


def less_than_before(runs: int) -> list[str]:
    """How much less each effort keeps than the single step over all sets, on the mean of two cells, by worlds."""
    said, n_runs = " and ".join(f"{loss:g} with {n:,} queries" for loss, n in DECIDE), runs * len(DECIDING)
    lines = [
        MEAN,
        "",
        f"The two cells {said}, {n_runs:,} runs of each:",
        "how much less is kept than by the single step over all sets, on the mean of the cells and worlds of a kind,",
        f"and the standard error over {len(DECIDING)} seeds.",
        "",
        "| methods | " + " | ".join(EFFORTS) + " |",
        "|---|" + "---:|" * len(EFFORTS),
    ]
    for methods in dict.fromkeys(world.methods for world in WORLDS):
        less = []
        for seed in DECIDING:
            own = [world for world in WORLDS if world.methods == methods]
            rows = [power(*cell, world, runs, np.random.default_rng(seed))[0] for world in own for cell in DECIDE]
            before = sum(row[SINGLE] for row in rows)
            less.append([1 - sum(row[name] for row in rows) / before for name in EFFORTS])
            print(methods, seed, less[-1], flush=True)
        error = np.std(less, axis=0, ddof=1) / np.sqrt(len(less))
        cells = " | ".join(f"{m:.1%} ± {e:.1%}" for m, e in zip(np.mean(less, axis=0), error, strict=True))
        lines.append(f"| {methods} | {cells} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--power-runs", type=int, default=400)
    parser.add_argument("--deciding", action="store_true", help="the last section alone; the rest stays")
    given = parser.parse_args()
    if given.deciding:
        rest = PAGE.read_text().partition(MEAN)[0]
        PAGE.write_text(rest + "\n".join(less_than_before(given.power_runs)) + "\n")
        return
    begin = time.process_time()
    limit = 0.05 + 2 * np.sqrt(0.05 * 0.95 / RUNS)
    lines = [
        "# Certified sets: how often they are wrong, and how small they are",
        "",
        "Simulated differences per query whose truth is known. Made by `python -m benchmarks.certified`.",
        "",
        "## How often a certificate is false",
        "",
        f"The worst case: all sets below the largest truly lose exactly what is certified, {LOSS:g} ({RUNS} runs a",
        "cell, so every certificate counts as false; at 95% confidence at most 5% may be, which with two standard",
        f"errors of so many runs is {limit:.1%}). The method is chosen inside five folds, at the size where it matters",
        "most, by the rule of `select`. Differences are normal, skewed (exponential losses), none for seven queries in",
        "ten, or rare and large (one query in ten loses ten times as much). `correlated`: in how many of the queries",
        "all sets do the same. The race of the effort *thorough* has more methods and leaves the first one sooner.",
        "`behind`: by how many standard errors the first method, which is preferred, is worse than the others.",
        "",
        "| effort | methods | correlated | behind | differences | "
        + " | ".join(f"{n:,} queries" for n in QUERIES)
        + " |",
        "|---|---:|---:|---:|---|" + "---:|" * len(QUERIES),
    ]
    worst = 0.0
    for effort, n_methods, correlated, behind in WORST:
        for kind in SPREADS:
            rng = np.random.default_rng(0)
            level = EFFORTS[effort].level
            row = [false_share(kind, n, n_methods, correlated, behind, level, rng) for n in QUERIES]
            worst = max(worst, *row)
            cells = " | ".join(f"{share:.1%}" for share in row)
            lines.append(f"| {effort} | {n_methods} | {correlated:g} | {behind:g} | {kind} | {cells} |")
            print(lines[-1], f"{time.process_time() - begin:.0f} s", flush=True)
    within = "within" if worst <= limit else "above"
    lines += [
        "",
        f"The largest is {worst:.1%}, {within} {limit:.1%}. Losses so rare that none of the queries shows one are",
        "beyond any rule: what one query in 50 loses, 50 queries do not show in a third of all cases.",
        "",
        "## How small certified sets are",
        "",
        POWER.format(methods=METHODS, sizes=SIZES, runs=given.power_runs),
        "",
    ]
    cells = [(world, cell) for world in WORLDS for cell in CELLS]
    rows = [power(*cell, world, given.power_runs, np.random.default_rng(1)) for world, cell in cells]
    names = list(rows[0][0])
    less = ["normal, less than one path", *(f"{name}, less than all sets" for name in EFFORTS)]
    lines += [
        "| methods | shared | max_loss | queries | " + " | ".join([*names, *less]) + " | false |",
        "|---|---:|---:|---:|" + "---:|" * (len(names) + len(less) + 1),
    ]
    for (world, (loss, n)), (row, often) in zip(cells, rows, strict=True):
        parts = [1 - row["normal"] / row[ONE_PATH], *(1 - row[name] / row[SINGLE] for name in EFFORTS)]
        figures = " | ".join([*(f"{row[name]:.3f}" for name in names), *(f"{part:.0%}" for part in parts)])
        lines.append(f"| {world.methods} | {world.shared:g} | {loss:g} | {n:,} | {figures} | {often:.1%} |")
        print(lines[-1], flush=True)
    lines += ["", *less_than_before(given.power_runs)]
    text = "\n".join(lines) + "\n"
    PAGE.write_text(text)
    print(text, f"{time.process_time() - begin:.0f} s of one core")


if __name__ == "__main__":
    main()
