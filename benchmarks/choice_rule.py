"""What the rule by which `select` chooses a method at a fixed size is worth, beside other rules, on all quality data.

`select` takes the first method of its portfolio that a model confidence set does not exclude. Two things were settled
by people: the order of the methods, and the level. Here every order and level is measured from the same fits; and each
data set also gets the setting that is best on the others, which is what settling by other data is worth.

    python -m benchmarks.choice_rule

Writes docs/choice_rule.md. Fits of benchmarks.quality are reused; what was measured is kept in
benchmarks/results/choice_rule.db.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
from benchmarks.quality import DOCS, HERE, OURS, RANKERS, RUNS, K, choose, final_ranker, ndcg, per_query
from benchmarks.quality_data import ELSEWHERE, FIXED, LETOR, Split, splits

from leanrank.evaluation.confidence_set import confidence_set
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.select.choice import MCS_LEVEL, MCS_LEVEL_ONCE, mean
from leanrank.evaluation.select.effort import EFFORTS
from leanrank.evaluation.select.held_out import HeldOut, Material
from leanrank.evaluation.select.portfolio import Sight, portfolio
from leanrank.evaluation.select.race import Race
from leanrank.evaluation.tasks import Tasks
from leanrank.selectors.column_limits import ColumnLimits

#: The method that is preferred to all others; None leaves the order of the portfolio.
FIRST = (None, "mrmr-f", "best-gain-path", "importance", "rfe")
#: How sure one must be to leave a preferred method: 0 takes the best looking, 1 always the first.
LEVELS = (0.0, 0.55, MCS_LEVEL, MCS_LEVEL_ONCE, 0.95, 1.0)
OURS_IS = (None, MCS_LEVEL_ONCE)
#: The methods that `select` runs at a size asked for.
METHODS = EFFORTS["normal"].at_a_size
Setting = tuple[str | None, float]
Cell = tuple[str, str]


class _Seen(Race):
    """The race, and what it was shown."""

    shown: ClassVar[list[tuple[Any, Any]]] = []

    def winner(self, without: Any = ()) -> str:
        self.shown.append((self.candidates, self.values))
        return super().winner(without)


def held_out_values(split: Split, kind: str, name: str, f: int) -> dict[str, list[float | None]]:
    """The metric of every training query as `select` sees it, of each method that chooses as many as asked."""
    _Seen.shown.clear()
    with patch("leanrank.evaluation.select.curves.Race", _Seen):
        choose(OURS, split, kind, K, name, f)
    candidates, values = _Seen.shown[0]
    rows = [(c, row) for c, row in zip(candidates, values, strict=True) if all(len(s) == K for s in c.sets)]
    return {c.method: [None if np.isnan(v) else float(v) for v in row] for c, row in rows}


def tested(split: Split, kind: str, name: str) -> dict[str, float]:
    """The mean test metric of what each method chooses from the whole training part."""
    ranker, metric = final_ranker(kind), ndcg(name)
    held_out = HeldOut(Material(split.train, None, ranker), metric, cv=5, random_state=0)
    with Tasks(Journal(None, {})) as tasks:
        held_out.reference(tasks)
    sight = Sight(held_out, None, ColumnLimits.none(split.train.n_features), K, held_out.share(None))
    chosen = {method: sight.order(selector)[:K] for method, selector in portfolio("auto", METHODS).items()}
    return {method: float(np.nanmean(per_query(split, c, kind, name))) for method, c in chosen.items()}


def picked(values: dict[str, list[float | None]], first: str | None, level: float) -> str:
    """The method that a setting of the rule takes."""
    order = sorted(values, key=lambda method: (method != first, METHODS.index(method)))
    if level == 1:
        return order[0]
    table = np.array([values[method] for method in order], dtype=float)
    if level == 0:
        return order[int(np.argmax(np.round([mean(row) for row in table], 12)))]
    return order[confidence_set(table, level=level)[0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", default=[*FIXED, *ELSEWHERE], help="data sets")
    names = parser.parse_args().data
    worth: dict[Setting, dict[Cell, float]] = {s: {} for s in product(FIRST, LEVELS)}
    RUNS.mkdir(parents=True, exist_ok=True)
    with Journal(HERE / "results" / "choice_rule.db", {"what": "choice rule"}) as journal:
        for name in names:
            for f, split in enumerate(splits(name)):
                for kind in RANKERS:
                    task = {"data": name, "fold": f, "ranker": kind}
                    values = journal.once(
                        {"task": "held out", **task}, lambda s=split, k=kind, n=name, g=f: held_out_values(s, k, n, g)
                    )
                    tests = journal.once({"task": "test", **task}, lambda s=split, k=kind, n=name: tested(s, k, n))
                    for setting, cells in worth.items():
                        cells[name, kind] = cells.get((name, kind), 0.0) + tests[picked(values, *setting)] / 5
                    print(name, f, kind, flush=True)
    text = page(worth, names)
    (DOCS / "choice_rule.md").write_text(text)
    print(text)


def page(worth: dict[Setting, dict[Cell, float]], names: Sequence[str]) -> str:
    """The tables."""
    here, there = [n for n in names if n in FIXED], [n for n in names if n in ELSEWHERE]

    def over(setting: Setting, sets: Sequence[str]) -> float:
        return float(np.mean([worth[setting][name, kind] for name in sets for kind in RANKERS]))

    def best(sets: Sequence[str]) -> Setting:
        return max(worth, key=lambda setting: round(over(setting, sets), 12))

    def said(setting: Setting) -> str:
        level = {0.0: "the best looking", 1.0: "always the first"}.get(setting[1], f"{setting[1]:.0%}")
        return f"{level}, {setting[0] or 'mrmr-f'} first"

    def both(setting: Setting) -> str:
        return f"{over(setting, here):.4f}, LETOR {over(setting, [n for n in here if n in LETOR]):.4f}"

    by_others = [over(best([n for n in here if n != name]), [name]) for name in here]
    letor = [value for name, value in zip(here, by_others, strict=True) if name in LETOR]
    lines = [
        "# How sure `select` must be",
        "",
        f"At a fixed size `select` takes the first method of its portfolio that {MCS_LEVEL_ONCE:.0%} confidence does",
        "not show to be worse than the best. Mean test NDCG@10 (k = 8, RankSVM and LightGBM) of other levels, and of",
        "other methods put first, from the same fits. Made by `python -m benchmarks.choice_rule`. The data sets on the",
        "left were known when the rule was made, those on the right were not.",
        "",
        "| first method | level | " + " | ".join([*here, *there]) + " | mean, left | mean, right |",
        "|---|---|" + "---|" * (len(here) + len(there) + 2),
    ]
    for first, level in worth:
        setting = (first, level)
        row = [over(setting, [n]) for n in (*here, *there)] + [over(setting, here), over(setting, there)]
        mark = "**" if setting == OURS_IS else ""
        word = {0.0: "best looking", 1.0: "always the first"}.get(level, f"{level:.0%}")
        lines.append(f"| {mark}{first or 'mrmr-f'}{mark} | {word} | " + " | ".join(f"{v:.4f}" for v in row) + " |")
    lines += [
        "",
        "## Settled by other data",
        "",
        f"- As `select` does it ({said(OURS_IS)}): {both(OURS_IS)}.",
        "- Each data set on the left by the setting that is best on the other two: "
        f"{np.mean(by_others):.4f}, LETOR {np.mean(letor):.4f} ("
        + "; ".join(f"{n}: {said(best([m for m in here if m != n]))}" for n in here)
        + ").",
        f"- All on the left by the setting that is best on the right ({said(best(there))}): {both(best(there))}.",
        f"- The best setting by hindsight ({said(best(here))}): {both(best(here))}.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
