"""The papers' rankers on the official folds of OHSUMED and MQ2008, beside the published figures.

    python -m benchmarks.published_rankers [FOLDER]

FOLDER holds the folders ohsumed and mq2008 with S1..S5; the default is `$LEANRANK_SHARED/data`. Writes
docs/published_rankers.md and prints it. Takes a few minutes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from leanrank import SVMMAP, AdaRank, ListNet, RankBoost, RankSVM, letor_folds
from leanrank.data.folds import Fold
from leanrank.data.whole_file import write_whole
from leanrank.metrics import metric
from leanrank.rankers import Ranker

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("LEANRANK_SHARED", HERE.parents[1] / "shared"))
MEASURES = ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map"]
CONVENTION = {"ohsumed": "letor3", "mq2008": "letor4"}
TARGET = 0.012

# J.-Y. Yeh, C.-J. Tsai, the paper on FS-SCPR, 2022, tables 14 (OHSUMED) and 15 (MQ2008).
# M. Costa, M. J. Silva, the report on BestGain, table 2: SVM-MAP with all features, MAP and NDCG@10 only.
PUBLISHED: dict[tuple[str, str], dict[str, float]] = {
    ("ohsumed", "RankSVM"): dict(zip(MEASURES, (0.5460, 0.4855, 0.4689, 0.4504, 0.4446), strict=True)),
    ("ohsumed", "AdaRank-MAP"): dict(zip(MEASURES, (0.5388, 0.4682, 0.4613, 0.4429, 0.4487), strict=True)),
    ("ohsumed", "ListNet"): dict(zip(MEASURES, (0.5326, 0.4732, 0.4432, 0.4410, 0.4457), strict=True)),
    ("ohsumed", "RankBoost"): dict(zip(MEASURES, (0.4632, 0.4555, 0.4494, 0.4302, 0.4411), strict=True)),
    ("ohsumed", "SVM-MAP"): {"ndcg@10": 0.4319, "map": 0.4453},
    ("mq2008", "RankSVM"): dict(zip(MEASURES, (0.3725, 0.4333, 0.4765, 0.2309, 0.4744), strict=True)),
    ("mq2008", "AdaRank-MAP"): dict(zip(MEASURES, (0.3754, 0.4370, 0.4794, 0.2288, 0.4764), strict=True)),
    ("mq2008", "ListNet"): dict(zip(MEASURES, (0.3754, 0.4324, 0.4747, 0.2303, 0.4775), strict=True)),
    ("mq2008", "RankBoost"): dict(zip(MEASURES, (0.3856, 0.4288, 0.4666, 0.2255, 0.4775), strict=True)),
}

Candidates = Callable[[Any], Sequence[Ranker]]


class AllRounds(RankBoost):
    """RankBoost that keeps all its rounds: for choosing among a few numbers of them."""

    def _watch(self, valid: Any) -> None:
        return None


#: How each row was made; `m` is MAP by the data set's convention. Of several rankers, validation MAP chooses.
SETTINGS: dict[str, tuple[str, Candidates]] = {
    "RankSVM": (
        "C of 0.01, 0.1, 1, 10, 100 (divided by the number of pairs)",
        lambda m: [RankSVM([1e-2, 1e-1, 1.0, 1e1, 1e2], eval_metric=m)],
    ),
    "SVM-MAP": ("C of 10^-3 .. 10^4", lambda m: [SVMMAP(10.0 ** np.arange(-3, 5), eval_metric=m)]),
    "AdaRank-MAP": ("up to 500 rounds", lambda m: [AdaRank(m, 500, eval_metric=m)]),
    "ListNet": (
        "steps of 1e-5, 1e-4, 1e-3, 1e-2, up to 300 epochs",
        lambda m: [ListNet(rate, 300, eval_metric=m) for rate in (1e-5, 1e-4, 1e-3, 1e-2)],
    ),
    "RankBoost": (
        "255 thresholds a feature, up to 500 rounds",
        lambda m: [RankBoost(500, n_threshold=255, eval_metric=m)],
    ),
}
#: Settings that the papers leave open, tried as well.
VARIANTS: list[tuple[str, str, Candidates]] = [
    ("AdaRank-MAP", "stops at a fixed point", lambda m: [AdaRank(m, 500, on_fixed_point="stop", eval_metric=m)]),
    (
        "ListNet",
        "targets from 2^y - 1",
        lambda m: [ListNet(rate, 300, label_transform="exp2", eval_metric=m) for rate in (1e-5, 1e-4, 1e-3, 1e-2)],
    ),
    *(
        (
            "ListNet",
            f"queries shuffled by another seed, {seed}",
            lambda m, seed=seed: [ListNet(r, 300, eval_metric=m, random_state=seed) for r in (1e-5, 1e-4, 1e-3, 1e-2)],
        )
        for seed in (1, 2, 3)
    ),
    (
        "RankBoost",
        "255 thresholds, 50, 100, .., 300 rounds",
        lambda m: [AllRounds(n, n_threshold=255) for n in range(50, 301, 50)],
    ),
    ("RankBoost", "thresholds between all values", lambda m: [RankBoost(500, eval_metric=m)]),
    ("RankBoost", "10 thresholds", lambda m: [RankBoost(500, n_threshold=10, eval_metric=m)]),
    (
        "RankBoost",
        "255 thresholds, no negative weights",
        lambda m: [RankBoost(500, n_threshold=255, negative_weights=False, eval_metric=m)],
    ),
]


def on_folds(folds: Sequence[Fold], convention: str, candidates: Candidates) -> tuple[Any, Any, str]:
    """Mean over folds of the five measures, the standard error of each over all test queries, iterations kept."""
    measures = [metric(name, convention=convention) for name in MEASURES]
    means, queries, kept = [], [], []
    for fold in folds:
        rankers = [ranker.fit(fold.train, eval_set=fold.valid) for ranker in candidates(measures[-1])]
        quality = [round(ranker.score(fold.valid, metric=measures[-1]), 12) for ranker in rankers]
        best = rankers[int(np.argmax(quality))]
        scores = best.predict(fold.test)
        values = np.column_stack([m.per_query(fold.test.y, scores, fold.test.query_ptr) for m in measures])
        means.append(np.nanmean(values, axis=0))
        queries.append(values)
        kept.append(str(best.n_iter_))
    every = np.concatenate(queries)
    return np.mean(means, axis=0), np.nanstd(every, axis=0, ddof=1) / np.sqrt(len(every)), ", ".join(kept)


def difference(ours: np.ndarray, published: dict[str, float]) -> float:
    return float(np.mean([abs(ours[MEASURES.index(name)] - value) for name, value in published.items()]))


def report(folder: Path) -> str:
    lines = [*HEAD, ""]
    notes: list[str] = []
    tried = ["| data | learner | setting | mean difference | iterations kept, folds 1 to 5 |", "|---|---|---|---|---|"]
    for data, convention in CONVENTION.items():
        folds = list(letor_folds(folder / data))
        lines += [f"## {data.upper()} ({convention})", "", HEADING, "|---|---|" + "---|" * 6]
        for name, (_, candidates) in SETTINGS.items():
            published = PUBLISHED.get((data, name))
            if published is None:
                continue
            start = perf_counter()
            ours, error, kept = on_folds(folds, convention, candidates)
            mean = difference(ours, published)
            lines += rows(name, published, ours, mean)
            print(*lines[-2:], f"{perf_counter() - start:.1f} s", sep="\n", flush=True)
            tried.append(f"| {data.upper()} | {name} | **{SETTINGS[name][0]}** | {mean:.4f} | {kept} |")
            every = [ours]
            for who, setting, variant in VARIANTS:
                if who == name:
                    other, _, kept = on_folds(folds, convention, variant)
                    tried.append(
                        f"| {data.upper()} | {name} | {setting} | {difference(other, published):.4f} | {kept} |"
                    )
                    every.append(other)
            notes += further_off(f"{data.upper()}, {name}", published, np.array(every), error)
        lines.append("")
    lines += [f"## Cells further off than {TARGET}", "", *notes, "", *REASONS, ""]
    return "\n".join([*lines, "## What else was tried", "", *TRIED, "", *tried, "", *FOOT, ""])


def rows(name: str, published: dict[str, float], ours: np.ndarray, mean: float) -> list[str]:
    def cells(values: Sequence[float | None]) -> str:
        return " | ".join("" if value is None else f"{value:.4f}" for value in values)

    return [
        f"| {name} | published | {cells([published.get(m) for m in MEASURES])} | |",
        f"| | ours | {cells(ours.tolist())} | {mean:.4f} |",
    ]


def further_off(what: str, published: dict[str, float], every: np.ndarray, error: np.ndarray) -> list[str]:
    """Cells of the first row of `every` that miss the target, with what all its rows (settings) reach."""
    found = []
    for column, measure in enumerate(MEASURES):
        off = every[0, column] - published.get(measure, every[0, column])
        if abs(off) > TARGET:
            low, high = every[:, column].min(), every[:, column].max()
            found.append(
                f"- {what}, {measure.upper()}: {off:+.4f} ({abs(off) / error[column]:.1f} standard errors of the mean "
                f"over queries). Published {published[measure]:.4f}; settings tried reach {low:.4f} to {high:.4f}."
            )
    return found


HEADING = "| learner | | NDCG@1 | NDCG@3 | NDCG@5 | NDCG@10 | MAP | mean difference |"
HEAD = [
    "# Rankers beside published figures",
    "",
    "Official five folds, all features, hyper-parameters by MAP on the validation part, the (unweighted) mean of the",
    "five test parts. Published: tables 14 and 15 of the paper on FS-SCPR (J.-Y. Yeh, C.-J. Tsai, 2022); for SVM-MAP",
    "the baseline row of the report on BestGain (M. Costa, M. J. Silva; table 2: MAP and NDCG@10). The last column is",
    "the mean of the absolute differences; the aim is 0.012.",
]
REASONS = [
    "Why. RankBoost: the LETOR 3.0 baselines list numbers of rounds that are multiples of 50; chosen so, ours is",
    "0.0016 off (below). AdaRank and ListNet: the code, seeds and grids behind the published rows are not known here,",
    "and no setting tried reaches these cells, so something in those runs differs that we do not know. The standard",
    "errors say how much a mean over 106 (OHSUMED) or 784 (MQ2008) queries can tell at all. RankSVM, whose optimum is",
    "unique and whose grid is known, agrees to the printed digits, but for one unit in the last (MQ2008, NDCG@1).",
]
TRIED = [
    "Settings that are open; the one in bold makes the rows above, and all were run before it was settled. RankBoost's",
    "255 thresholds are those of the LETOR baselines (their page on RankBoost), which kept 220, 11, 56, 58 and 34",
    "rounds on MQ2008. The default of `RankBoost`, a threshold between every two values, is further off. AdaRank's and",
    "ListNet's rows are the defaults of this library, with the grids named.",
]
FOOT = ["Made by `python -m benchmarks.published_rankers`."]


if __name__ == "__main__":
    text = report(Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data")
    write_whole(HERE.parent / "docs" / "published_rankers.md", text)
    print(text)
