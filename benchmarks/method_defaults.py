"""Whether each method's default is its best setting: made data, and parts cut out of the training queries of real data.

    python -m benchmarks.method_defaults   # writes docs/method_defaults.md

Made data have seeds that no other page uses; real data are cut anew inside the training part of their first split,
whose test part takes no part. Where a page tests on five folds, those queries are tested on in other folds: the last
table leaves out the two data sets of which that is so. A linear ranker is trained on 5, 8 and 15 features of each
method's own order and measured by NDCG@10. Finished work is kept in benchmarks/results/method_defaults.db.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.made_kinds import KINDS
from benchmarks.methods_alone import SIZES, TEST, TRAIN, VALID, measured, order_of
from benchmarks.quality_data import LETOR, READ, Split, splits

from leanrank.data.ranking_data import RankingData
from leanrank.data.whole_file import write_whole
from leanrank.evaluation.journal import Journal
from leanrank.selectors import registry
from leanrank.selectors.fsscpr import Clustering
from leanrank.selectors.pagerank import BiasedPageRank

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RANKER = "RankSVM"
#: Seeds of made data and of the cuts of real data.
SEEDS = (50, 51, 52)
#: Of each method the parameters that are open, with other values than the default.
SETTINGS: dict[str, dict[str, tuple[Any, ...]]] = {
    "forward-regression": {"ridge": (0.003, 0.3), "scale": ("rank",)},
    "fs-scpr": {
        "sigma": (0.03, 0.3),
        "edge_scale": ("tau",),
        "pagerank": tuple(BiasedPageRank(scale=scale) for scale in ("max", "none")),
        "clustering": (Clustering(n_init=1),),
    },
    "gas": {"c": (0.01, 0.03, 0.3, 1.0), "importance": ("ndcg@10",)},
    "hcas": {"linkage": ("average", "complete"), "importance": ("map",)},
    "mmr": {"lam": (0.1, 0.3, 0.7, 0.9), "aggregate": ("mean",), "importance": ("ndcg@10",)},
    "mpt": {"b": (0.25, 4.0), "importance": ("map",)},
    "mrmr": {"offset": (0.1, 10.0), "form": ("difference",), "importance": ("ndcg@10",)},
    "mrmr-f": {"offset": (0.1, 1.0), "form": ("difference",)},
    "msd": {"lam": (0.1, 0.3, 0.7, 0.9), "importance": ("ndcg@10",)},
    "ngas": {"importance": ("map",)},
    "rank-filter": {"n_neighbors": (1, 10, 20)},
    "relieff": {"n_neighbors": (1, 5, 20)},
    "rrelieff": {"n_neighbors": (1, 5, 20)},
    "top-k": {"importance": ("ndcg@10",)},
    "xgas": {"p": (0.05, 0.2, 0.8), "importance": ("map",)},
}
ABOUT = """\
# Defaults of the methods

Whether another setting of a method is better than its default: mean NDCG@10 of RankSVM on 5, 8 and 15 features, over
{n_sets} data sets: {n_made} of made data (benchmarks/made_kinds.py, seeds of their own) and {n_real} cut out of the
training part of the first split of real ones, whose test part takes no part. *Against the default*: the mean
difference, with its standard error over the data sets. Made by `python -m benchmarks.method_defaults`.

A setting is called better or worse where the difference is more than three of its errors: {n_tried} settings are tried,
of which at two errors one or two would be better by luck. `fs-scpr` (PageRank as it is), `mpt` (importance = map) and
`xgas` (p = 0.05) had the settings of their papers until this page showed others to be better. `relieff` keeps the 10
neighbours of Robnik-Sikonja and Kononenko, as other implementations do.
"""
WITHOUT = """
## PageRank in fs-scpr, without {letor}

The paper of FS-SCPR is [reproduced](reproduction.md) on the five official folds of {letor}, where training
queries of the first fold are test queries of others. So that the scale of PageRank can be chosen for it by other data,
the same on the remaining {n_sets} data sets; and on the {n_real} real ones among them, where the scales cannot be told
apart.
"""
HEAD = ["| method | setting | NDCG@10 | against the default | |", "|---|---|---:|---:|---|"]


def cut(data: RankingData, seed: int) -> Split:
    """Queries to learn from, to tune on and to test on: 60, 15 and 25 of a hundred."""
    order = np.random.default_rng(seed).permutation(data.n_queries)
    parts = np.split(order, [int(0.6 * len(order)), int(0.75 * len(order))])
    return Split(*(data.take_queries(np.sort(part)) for part in parts))


def development() -> Iterator[tuple[str, int, Split]]:
    """Name, seed and parts of every data set."""
    cuts = [TRAIN, TRAIN + VALID]
    for name, make in KINDS.items():
        for seed in SEEDS:
            data, _ = make(TRAIN + VALID + TEST, seed)
            yield name, seed, Split(*(data.take_queries(q) for q in np.split(np.arange(data.n_queries), cuts)))
    for name in (*LETOR, *READ):
        learned = splits(name)[0].train
        yield from ((name, seed, cut(learned, seed)) for seed in SEEDS)


def worth(book: Journal, name: str, seed: int, split: Split, method: str, params: dict[str, Any]) -> float:
    """The mean over sizes."""
    order = order_of(book, name, seed, split, method, params)
    return float(np.mean([measured(book, name, seed, split, RANKER, order[:k]) for k in SIZES]))


def line(method: str, said: str, values: np.ndarray, default: np.ndarray) -> str:
    """A row of the table."""
    apart = values - default
    error = float(apart.std(ddof=1) / np.sqrt(len(apart)))
    if not apart.any():
        return f"| `{method}` | {said} | {values.mean():.4f} | the same | |"
    word = "" if abs(apart.mean()) <= 3 * error else "**better**" if apart.mean() > 0 else "worse"
    return f"| `{method}` | {said} | {values.mean():.4f} | {apart.mean():+.4f} ± {error:.4f} | {word} |"


def without_letor(values: dict[tuple[str, str], list[float]], names: list[str]) -> list[str]:
    """The scales of PageRank once more, on the data that the paper's folds have no query of."""
    others = np.array([name not in LETOR for name in names])
    real = others & np.array([name in READ for name in names])
    lines = [WITHOUT.format(letor=" and ".join(LETOR), n_sets=others.sum(), n_real=real.sum()), *HEAD]
    for of, where in (("", others), (", real data", real)):
        default = np.array(values["fs-scpr", ""])[where]
        lines.append(line("fs-scpr", "default" + of, default, default))
        for scale in SETTINGS["fs-scpr"]["pagerank"]:
            said = f"pagerank = {scale}"
            lines.append(line("fs-scpr", said + of, np.array(values["fs-scpr", said])[where], default))
    return lines


def main() -> None:
    (HERE / "results").mkdir(exist_ok=True)
    tried = [(method, name, value) for method, own in SETTINGS.items() for name, each in own.items() for value in each]
    values: dict[tuple[str, str], list[float]] = {}
    names = []
    n_made, n_real = len(KINDS) * len(SEEDS), (len(LETOR) + len(READ)) * len(SEEDS)
    with Journal(HERE / "results" / "method_defaults.db", {"what": "defaults of methods"}) as book:
        for name, seed, split in development():
            names.append(name)
            for method in SETTINGS:
                values.setdefault((method, ""), []).append(worth(book, name, seed, split, method, {}))
            for method, parameter, value in tried:
                score = worth(book, name, seed, split, method, {parameter: value})
                values.setdefault((method, f"{parameter} = {value}"), []).append(score)
            print(name, seed, flush=True)
    lines = [ABOUT.format(n_sets=n_made + n_real, n_made=n_made, n_real=n_real, n_tried=len(tried))]
    lines += HEAD
    for (method, said), scores in sorted(values.items(), key=lambda item: item[0][0]):
        own = {name: registry.get(method).get_params(deep=False)[name] for name in SETTINGS[method]}
        named = said or "default: " + ", ".join(f"{name} = {value}" for name, value in own.items())
        lines.append(line(method, named, np.array(scores), np.array(values[method, ""])))
    lines += without_letor(values, names)
    text = "\n".join(lines) + "\n"
    write_whole(DOCS / "method_defaults.md", text)
    print(text)


if __name__ == "__main__":
    main()
