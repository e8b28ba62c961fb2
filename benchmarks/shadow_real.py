"""Labels that are hidden and revealed on request: how fast the interval of `shadow` shrinks on real data.

    python -m benchmarks.shadow_real

A fifth of the queries of MQ2008 and OHSUMED trains a ranker on all features and ones on 10 and on 30 of them; the
others are the log, their labels hidden. Labels are revealed of queries that `shadow` asks for, or of queries at random.
Writes docs/shadow_real.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from benchmarks.quality_data import LETOR, splits
from benchmarks.shadow_coverage import Tally
from benchmarks.shadow_kinds import LEVEL
from numpy.typing import NDArray
from scipy import stats

from leanrank import GAS, QueryMinMaxScaler, RankingData, RankSVM, Shadow, shadow
from leanrank.data.ranking_data import concatenate
from leanrank.evaluation.shadow.intervals import interval
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.logged_queries import inclusion_probabilities, systematic
from leanrank.evaluation.shadow.loss import dcg_losses, gains

PAGE = Path(__file__).resolve().parent.parent / "docs" / "shadow_real.md"
BUDGETS = (10, 20, 40, 80, 160, 320)
KEPT = (10, 30)
DRAWS, SPLITS, K = 20, 20, 10
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Hidden:
    """A log whose labels are hidden: what `shadow` sees, and what each query that changes loses."""

    shadowed: Shadow
    loss: Floats
    highest: float

    @property
    def mean(self) -> float:
        return float(self.loss.sum()) / self.shadowed.n_queries


def hidden(data: RankingData, n_kept: int, seed: int) -> Hidden:
    """A fifth of the queries trains both rankers; the others are the log."""
    order = np.random.default_rng(seed).permutation(data.n_queries)
    cut = data.n_queries // 5
    train, log = data.take_queries(np.sort(order[:cut])), data.take_queries(np.sort(order[cut:]))
    kept = GAS(n_features_to_select=n_kept).fit(train).get_feature_names_out()
    shadowed = shadow(log, RankSVM().fit(train), RankSVM().fit(train.subset(list(kept))), k=K)
    changed = np.flatnonzero(shadowed.is_changed)
    moved = shadowed.changes.documents
    labels = log.y[log.query_ptr[moved.query] + moved.document - 1].astype(np.float64)
    return Hidden(shadowed, dcg_losses(moved, labels, K, changed), float(data.y.max()))


def by_shadow(log: Hidden, n: int, rng: np.random.Generator) -> tuple[float, float]:
    changes, changed = log.shadowed.changes, log.shadowed.is_changed
    probability = inclusion_probabilities(changes.spread[changed], n)
    most = changes.reach[changed] * gains(np.array([log.highest]))[0]
    taken = systematic(probability, rng.permutation(len(log.loss)), rng.random())
    largest = Largest.of(most, probability)
    estimate = interval(log.loss[taken], probability[taken], log.shadowed.n_queries, largest=largest, level=LEVEL)
    return estimate.low, estimate.high


def at_random(log: Hidden, n: int, rng: np.random.Generator) -> tuple[float, float]:
    n_queries = log.shadowed.n_queries
    padded = np.concatenate((log.loss, np.zeros(n_queries - len(log.loss))))
    drawn = padded[rng.choice(n_queries, n, replace=False)]
    half = stats.t.ppf((1 + LEVEL) / 2, n - 1) * drawn.std(ddof=1) * np.sqrt((1 - n / n_queries) / n)
    return float(drawn.mean() - half), float(drawn.mean() + half)


def rows(name: str, n_kept: int) -> Iterator[str]:
    parts = splits(name)[0]
    data = concatenate([parts.train, parts.valid, parts.test])
    logs = [hidden(QueryMinMaxScaler().fit_transform(data), n_kept, seed) for seed in range(SPLITS)]
    share = np.mean([log.shadowed.changed_share for log in logs])
    loses = np.mean([(log.loss != 0).mean() for log in logs])
    moved = sum(len(log.shadowed.changes.documents) for log in logs) / sum(len(log.loss) for log in logs)
    shown = np.mean([np.minimum(log.shadowed.changes.n_documents, 2 * K).mean() for log in logs])
    n_queries = logs[0].shadowed.n_queries
    yield f"\n## {name}, {n_kept} of {data.n_features} features\n"
    yield (
        f"{n_queries} logged queries, of which {share:.0%} change and {loses:.0%} of those lose or gain anything. A "
        f"query that `shadow` asks for has {moved:.1f} documents to judge, one at random up to {shown:.1f}.\n"
    )
    yield "| judged | width, shadow | width, random | shadow / random | shadow covers | random covers |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for budget in (n for n in BUDGETS if n < n_queries):
        rng = np.random.default_rng([7, budget])
        ours, random = Tally(), Tally()
        for log in logs:
            for _ in range(DRAWS):
                ours.add(*by_shadow(log, budget, rng), log.mean)
                random.add(*at_random(log, budget, rng), log.mean)
        yield (
            f"| {budget} | {ours.mean_width:.3f} | {random.mean_width:.3f} "
            f"| {ours.mean_width / random.mean_width:.2f} | {ours.coverage:.1%} | {random.coverage:.1%} |"
        )


def main() -> None:
    lines = [
        "# Labels revealed on request",
        "",
        "The labels of four fifths of the queries are hidden; the other fifth trains RankSVM on all features and on",
        f"those that GAS chooses. Labels are revealed of queries that `shadow` draws among those whose first {K}",
        f"places change, or at random: the 95% interval of the mean loss of DCG@{K} over all logged queries, and",
        f"how often the loss by all labels lies inside. Means of {DRAWS} draws for each of {SPLITS} splits. Made by",
        "`python -m benchmarks.shadow_real`.",
        "",
        "With ten judged queries the interval of `shadow` rests in part on the largest loss that labels allow, and is",
        "about as wide as at random: ask for twenty or more.",
    ]
    for name, n_kept in product(LETOR, KEPT):
        for line in rows(name, n_kept):
            print(line, flush=True)
            lines.append(line)
    PAGE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
