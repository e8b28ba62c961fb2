"""Folders in LETOR's layouts, made up: for protocols whose data are not here."""

from __future__ import annotations

import numpy as np


def write_letor(path, n_queries, n_features, seed, n_levels=3, first_query=1):
    """Queries of eight documents; the first features tell the grade, the others nothing."""
    rng = np.random.default_rng(seed)
    lines = []
    for query in range(first_query, first_query + n_queries):
        grades = np.arange(8) % n_levels
        X = rng.random((8, n_features))
        X[:, :3] += 0.4 * grades[:, None]
        X = np.round((X - X.min(axis=0)) / np.ptp(X, axis=0), 6)
        for grade, row in zip(grades, X, strict=True):
            features = " ".join(f"{j + 1}:{value:.6f}" for j, value in enumerate(row))
            lines.append(f"{grade} qid:{query} {features}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def write_parts(folder, n_features=12, n_queries=4, n_levels=3):
    """S1.txt to S5.txt."""
    for part in range(5):
        write_letor(folder / f"S{part + 1}.txt", n_queries, n_features, part, n_levels, 1 + part * n_queries)


def write_folds(folder, n_folds=5, n_features=12, n_queries=4, n_levels=3):
    """Fold1/train.txt, vali.txt, test.txt and so on."""
    for fold in range(n_folds):
        for i, role in enumerate(("train", "vali", "test")):
            path = folder / f"Fold{fold + 1}" / f"{role}.txt"
            write_letor(
                path, n_queries * (3 if role == "train" else 1), n_features, 10 * fold + i, n_levels, 1 + 100 * i
            )
