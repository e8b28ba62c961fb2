"""What `select` recommends and certifies, on test queries: how many features, what they lose, what was foretold.

    python -m benchmarks.recommended                       # all data, both rankers; writes docs/recommended.md
    python -m benchmarks.recommended --rankers RankSVM     # some
    python -m benchmarks.recommended --finished            # what there is so far

Journals of the runs are kept in a temporary folder (--runs), so another rule is measured without training.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality import DOCS, RANKERS, final_ranker, ndcg, per_query
from benchmarks.quality_data import ELSEWHERE, FIXED, Split, splits
from scipy import stats

from leanrank import select
from leanrank.evaluation.journal import Journal

NAMES = (*FIXED, *ELSEWHERE)
ANSWERS = ("recommended", "certified")


def measured(split: Split, kind: str, name: str, run: Path) -> dict[str, Any]:
    """Both answers: how many features, what was foretold, and the differences of the test queries."""
    chosen = select(split.train, final_ranker(kind), ndcg(name), progress=False, journal=run)
    everything = per_query(split, range(split.train.n_features), kind, name)
    out: dict[str, Any] = {"n_features": split.train.n_features, "max_loss": chosen.settings["max_loss"]}
    for answer in ANSWERS:
        own = chosen.answers[answer]
        change = per_query(split, own.indices, kind, name) - everything
        counted = change[~np.isnan(change)]
        out[answer] = {
            "k": own.k,
            "everything": own.is_everything,
            **{part: own.estimate[part] for part in ("mean", "low", "high")},
            "test": float(counted.mean()),
            "error": float(counted.std(ddof=1) / np.sqrt(len(counted))),
        }
    return out


def covers(answer: dict[str, Any]) -> bool:
    """Whether the interval that was shown covers the test difference, which has an error of its own.

    Each side of the interval is widened by it as independent errors add: to the root of the sum of the squares.
    """
    noise = 1.96 * answer["error"]
    low = answer["mean"] - np.hypot(answer["mean"] - answer["low"], noise)
    high = answer["mean"] + np.hypot(answer["high"] - answer["mean"], noise)
    return bool(low <= answer["test"] <= high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", default=list(NAMES))
    parser.add_argument("--rankers", nargs="*", default=list(RANKERS))
    parser.add_argument("--runs", type=Path, default=Path(tempfile.gettempdir()) / "leanrank-recommended")
    parser.add_argument("--finished", action="store_true", help="only what is measured already")
    given = parser.parse_args()
    given.runs.mkdir(parents=True, exist_ok=True)
    results: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with Journal(given.runs / "results.db", {"what": "recommended"}) as book:
        for kind in given.rankers:
            for name in given.data:
                for f, split in enumerate(splits(name)):
                    task = {"task": "split", "data": name, "fold": f, "ranker": kind}
                    if given.finished and book.get(task) is None:
                        continue
                    run = given.runs / f"{name}-{kind}-{f}.db".replace(" ", "_")
                    record = book.once(task, lambda s=split, k=kind, n=name, r=run: measured(s, k, n, r))
                    results.setdefault((name, kind), []).append(record)
                    print(name, kind, f, record["recommended"], flush=True)
    text = page(results)
    (DOCS / "recommended.md").write_text(text)
    print(text)


def page(results: dict[tuple[str, str], list[dict[str, Any]]]) -> str:
    """The table, and what it comes to."""
    lines = [
        "# What `select` recommends, on test queries",
        "",
        "`select` on the training part of each split, with its defaults. A ranker trained on the chosen features and",
        "one on all of them are compared on the test part (NDCG@10). Made by `python -m benchmarks.recommended`; the",
        "data are those of [quality](quality.md) and [quality elsewhere](quality_elsewhere.md). *Covered*: in how many",
        "splits the 95% interval that `select` shows for the recommended set covers the test difference, each side",
        "widened by 1.96 standard errors of that difference, as independent errors add; of those where more is dropped",
        "than by the safe answer, since without there is no interval.",
        "",
        "| data | ranker | splits | share kept | foretold | test difference | covered | certified: share kept | test |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (name, kind), rows in results.items():
        r, c = ([row[answer] for row in rows] for answer in ANSWERS)
        kept, certain = ([row[a]["k"] / row["n_features"] for row in rows] for a in ANSWERS)
        cells = [
            f"{np.mean(kept):.2f}",
            f"{np.mean([a['mean'] for a in r]):+.4f}",
            f"{np.mean([a['test'] for a in r]):+.4f}",
            "{} of {}".format(*_covered(r)),
            f"{np.mean(certain):.2f}",
            f"{np.mean([a['test'] for a in c]):+.4f}",
        ]
        lines.append(f"| {name} | {kind} | {len(rows)} | " + " | ".join(cells) + " |")
    every = [row for rows in results.values() for row in rows]
    r = [row["recommended"] for row in every]
    share = np.mean([row["recommended"]["k"] / row["n_features"] for row in every])
    smaller = [row for row in every if not row["certified"]["everything"]]
    p_values = [_p_worse(row) for row in smaller]
    alone, together = (sum(p * tests < 0.05 for p in p_values) for tests in (1, len(p_values)))
    covered, counted = _covered(r)
    lines += [
        "",
        f"All {len(every)} splits: recommended sets keep {share:.2f} of the features, for a mean test difference of",
        f"{np.mean([a['test'] for a in r]):+.4f} (foretold: {np.mean([a['mean'] for a in r]):+.4f}); the interval",
        f"covers {covered} of {counted}. Something smaller than the safe set is certified in {len(smaller)} splits; of",
        f"these, worse than `max_loss` on the test queries at 95%, one-sided: {alone} each alone,",
        f"{together} where the error is shared by so many tests (Bonferroni).",
    ]
    return "\n".join(lines) + "\n"


def _p_worse(row: dict[str, Any]) -> float:
    """How likely a test difference so far below would be, if the certified set lost exactly `max_loss`."""
    own = row["certified"]
    return float(stats.norm.cdf((own["test"] + row["max_loss"]) / own["error"])) if own["error"] > 0 else 1.0


def _covered(answers: list[dict[str, Any]]) -> tuple[int, int]:
    """How many intervals cover, of how many that there are."""
    shown = [answer for answer in answers if not answer["everything"]]
    return sum(map(covers, shown)), len(shown)


if __name__ == "__main__":
    main()
