"""Which features each graph method chooses on the official folds of OHSUMED and MQ2008; docs/chosen_features.md.

python -m benchmarks.chosen_features
"""

from __future__ import annotations

import csv
import os
import warnings
from pathlib import Path

from leanrank import (
    FSSCPR,
    GAS,
    HCAS,
    MMR,
    MPT,
    MRMR,
    MSD,
    NGAS,
    XGAS,
    Importance,
    Similarity,
    TopK,
    feature_graph,
    letor_folds,
)

HERE = Path(__file__).parent
DATA = Path(os.environ.get("LEANRANK_SHARED", HERE.parent.parent / "shared")) / "data"
SETS = {"OHSUMED": "ohsumed", "MQ2008": "mq2008"}
SIZES = (5, 10, 15)
METHODS = {
    **{f"GAS c={c:g}": GAS(c=c) for c in (0, 0.01, 0.05, 0.1, 0.2, 0.5, 1)},
    "FS-SCPR": FSSCPR(),
    "HCAS": HCAS(),
    "NGAS": NGAS(),
    "XGAS": XGAS(),
    "MMR": MMR(),
    "MSD": MSD(),
    "MPT": MPT(),
    "MRMR quotient": MRMR(),
    "MRMR difference": MRMR(form="difference"),
    "TopK": TopK(),
}


def main() -> None:
    rows, common = [], {}
    for title, folder in SETS.items():
        graphs = [feature_graph(f.train, Importance("map"), Similarity("kendall")) for f in letor_folds(DATA / folder)]
        for k in SIZES:
            for name, selector in METHODS.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    chosen = [sorted(int(j) + 1 for j in selector.fit_graph(g).select(k)) for g in graphs]
                common[name, title, k] = len(set(chosen[0]).intersection(*chosen))
                rows += [(title, k, name, fold, " ".join(map(str, c))) for fold, c in enumerate(chosen, start=1)]
    docs = HERE.parent / "docs"
    with (docs / "chosen_features.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([("data", "k", "method", "fold", "features"), *rows])
    text = page(common)
    (docs / "chosen_features.md").write_text(text)
    print(text)


def page(common: dict[tuple[str, str, int], int]) -> str:
    """How many features a method, on a data set, at a size, chooses in all folds."""
    columns = [(title, k) for title in SETS for k in SIZES]
    lines = [
        "# Chosen features, fold by fold",
        "",
        "Which features each method on the feature graph chooses from the training part of the official folds is in",
        "[chosen_features.csv](chosen_features.csv): 1-based numbers of the data files, ascending, a line a fold.",
        "Importance: MAP of the feature alone, expected ties, descending. Similarity: Kendall's, signed ties.",
        "Made by `python -m benchmarks.chosen_features`.",
        "",
        "How many features are chosen in all five folds:",
        "",
        "| method | " + " | ".join(f"{title}, {k} chosen" for title, k in columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    lines += [
        f"| {name} | " + " | ".join(str(common[name, title, k]) for title, k in columns) + " |" for name in METHODS
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
