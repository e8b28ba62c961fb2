"""The paper's reading of SUSHI: RCDR's first vector on all orders, and its spread over samples of 500 orders.

    python -m benchmarks.sushi_rcdr FOLDER

FOLDER holds sushi3.idata and sushi3b.5000.10.order. Writes docs/sushi_rcdr.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from leanrank import RCDR, read_sushi

# Weights of the first vector in T. Kamishima, S. Akaho, Dimension reduction for supervised ordering, ICDM 2006.
PUBLISHED = {13: 0.5951, 15: 0.4278, 1: 0.4237, 14: 0.2822, 12: -0.2317}
N_SEEDS = 20
SAMPLE = 500


def table(folder: str | Path) -> str:
    """One row per attribute of the paper: published, all orders, samples of 500 (20 seeds)."""
    data = read_sushi(folder)
    rcdr = RCDR(1, kind="kendall")
    whole = rcdr.fit(data).components_[0]
    samples = np.array(
        [
            rcdr.fit(data.take_queries(np.random.default_rng(seed).choice(data.n_queries, SAMPLE, replace=False)))
            .components_[0]
            .copy()
            for seed in range(N_SEEDS)
        ]
    )
    lines = [
        f"| attribute | published | all {data.n_queries:,} orders | samples of {SAMPLE}: mean | sd | least | largest |",
        "|---|---|---|---|---|---|---|",
    ]
    for attribute, value in PUBLISHED.items():
        of_samples = samples[:, attribute]
        lines.append(
            f"| {attribute} {data.feature_names[attribute]} | {value:.4f} | {whole[attribute]:.4f} | "
            f"{of_samples.mean():.4f} | {of_samples.std():.4f} | {of_samples.min():.4f} | {of_samples.max():.4f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.sushi_rcdr FOLDER")
    title = "# The first vector of Kendall RCDR on SUSHI"
    head = f"{title}\n\nWeights of the five attributes that the paper names, beside ours."
    page = f"{head} Made by `python -m benchmarks.sushi_rcdr FOLDER`.\n\n{table(sys.argv[1])}\n"
    (Path(__file__).parent.parent / "docs" / "sushi_rcdr.md").write_text(page)
    print(page)
