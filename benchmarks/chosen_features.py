"""Which features each graph method chooses on the official folds of OHSUMED and MQ2008; writes docs/chosen_features.md.

python -m benchmarks.chosen_features
"""

from __future__ import annotations

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
    lines = [
        "# Chosen features, fold by fold",
        "",
        "Features (1-based numbers of the data files, ascending) that each method on the feature graph chooses from",
        "the training part of the official folds. Importance: MAP of the feature alone, expected ties, descending.",
        "Similarity: Kendall's, signed ties. In all folds: features chosen in every fold.",
        "Made by `python -m benchmarks.chosen_features`.",
    ]
    for title, folder in SETS.items():
        graphs = [feature_graph(f.train, Importance("map"), Similarity("kendall")) for f in letor_folds(DATA / folder)]
        for k in SIZES:
            folds = " | ".join(f"fold {f + 1}" for f in range(len(graphs)))
            lines += [
                "",
                f"## {title}, k = {k}",
                "",
                f"| method | {folds} | in all folds |",
                "|---|" + "---|" * (len(graphs) + 1),
            ]
            for name, selector in METHODS.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    chosen = [sorted(int(j) + 1 for j in selector.fit_graph(g).select(k)) for g in graphs]
                common = set(chosen[0]).intersection(*chosen)
                cells = " | ".join(" ".join(map(str, c)) for c in chosen)
                lines.append(f"| {name} | {cells} | {len(common)} |")
    text = "\n".join(lines) + "\n"
    (HERE.parent / "docs" / "chosen_features.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
