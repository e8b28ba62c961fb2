"""What `select` costs: processor seconds, in trainings on all features, beside CatBoost's `select_features`.

    python -m benchmarks.select_cost [--data NAME ...] [--rankers NAME ...]   # writes docs/select_cost.md

The unit is one training of the same ranker on all features with 80% of the queries, stopping early on the other 20%,
on one thread: the mean over five cuts. `select` runs on one thread too, in this process; nothing is kept between runs.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from benchmarks.quality_data import DATA
from benchmarks.quality_peers import PEERS
from threadpoolctl import threadpool_limits

from leanrank import RankingData, letor_folds, read_letor, select
from leanrank.evaluation.folds import QueryFolds
from leanrank.evaluation.select.run import default_ranker
from leanrank.evaluation.training import prepared

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "select_cost.md"
RESULTS = HERE / "results" / "select_cost.json"
K = 8
RANKERS = ("lightgbm", "ranksvm")
EFFORTS = ("quick", "normal")
#: A ranker whose training takes hundredths of a second may take this long, whatever the number of trainings.
ENOUGH_SECONDS = 5.0
MOST = 40.0


def whole(name: str) -> RankingData:
    """All queries of a data set."""
    if name == "MSLR sample":
        return read_letor(DATA / "mslr-sample" / "mslr-sample.txt.gz")
    from leanrank.data.ranking_data import concatenate

    return concatenate([fold.test for fold in letor_folds(DATA / name.lower())])


def seconds(work: Callable[[], object]) -> float:
    """Processor time of this process, on one thread."""
    begin = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        work()
    return time.process_time() - begin


def unit(data: RankingData, ranker: str) -> float:
    """One training on all features with 80% of the queries."""
    learner = default_ranker(ranker)
    taken = []
    for part in QueryFolds.cut(data, 5).parts:
        rest = np.setdiff1d(np.arange(data.n_queries), part)
        train, valid = (prepared(data.take_queries(index), learner) for index in (rest, part))
        fresh = learner.for_columns(list(range(data.n_features)), data.n_features)
        taken.append(seconds(lambda fresh=fresh, train=train, valid=valid: fresh.fit(train, eval_set=valid)))
    return float(np.mean(taken))


def measured(names: Iterable[str], rankers: Iterable[str]) -> list[dict[str, object]]:
    """A row for each data set, ranker, effort and way to stop."""
    rows: list[dict[str, object]] = []
    for name in names:
        data = whole(name)
        for ranker in rankers:
            one = unit(data, ranker)
            for effort in EFFORTS:
                for k in (None, K):
                    asked = {"n_features": k, "effort": effort, "n_jobs": 1, "progress": False}
                    taken = seconds(lambda ranker=ranker, asked=asked, data=data: select(data, ranker, **asked))
                    row = {"data": name, "ranker": ranker, "effort": effort, "k": k, "one": one, "seconds": taken}
                    rows.append(row)
                    print({**row, "fits": round(taken / one, 1)}, flush=True)
        for peer in (p for p in PEERS if p.startswith("CatBoost")):
            taken = seconds(lambda peer=peer, data=data: PEERS[peer](data, K))
            rows.append({"data": name, "ranker": peer, "k": K, "seconds": taken})
            print(rows[-1], flush=True)
    return rows


def within(row: dict[str, object]) -> bool:
    """Whether a row of `select` costs at most what it may."""
    return row["seconds"] <= max(MOST * row["one"], ENOUGH_SECONDS if row["ranker"] == "ranksvm" else 0.0)


def page(rows: list[dict[str, object]]) -> str:
    lines = [
        "# What `select` costs",
        "",
        "Processor seconds on one thread, and the same in trainings of that ranker on all features with 80% of the",
        f"queries. Beside it CatBoost's `select_features` for k = {K}, as on the page of [quality](quality.md): 150",
        "trees and 3 steps, one model each, where `select` measures on queries left out. Made by",
        "`python -m benchmarks.select_cost`.",
        "",
        "| data | ranker | effort | asked for | seconds | one training | trainings |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        asked = "the stop rule" if row["k"] is None else f"{row['k']} features"
        ours = (
            [row["effort"], asked, f"{row['seconds']:.1f}", f"{row['one']:.3f}", f"{row['seconds'] / row['one']:.1f}"]
            if "one" in row
            else ["", asked, f"{row['seconds']:.1f}", "", ""]
        )
        lines.append("| " + " | ".join([row["data"], row["ranker"], *ours]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", default=["OHSUMED", "MQ2008", "MSLR sample"])
    parser.add_argument("--rankers", nargs="*", default=RANKERS)
    given = parser.parse_args()
    rows = measured(given.data, given.rankers)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n")
    PAGE.write_text(page(rows))
    print(page(rows))
    dear = [row for row in rows if "one" in row and not within(row)]
    raise SystemExit(f"dearer than {MOST:g} trainings: {dear}" if dear else 0)


if __name__ == "__main__":
    main()
