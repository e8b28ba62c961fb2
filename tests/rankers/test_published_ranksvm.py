"""RankSVM on the official folds reproduces the published rows (LETOR's conventions, C by validation MAP)."""

import csv

import numpy as np
import pytest

from leanrank import RankSVM, letor_folds
from leanrank.metrics import metric

MEASURES = ["ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map"]
# C' = C / (number of pairs): the grid of the LETOR scripts
GRID = [1e-2, 1e-1, 1.0, 1e1, 1e2]


def mean_over_folds(folder, convention):
    measures = [metric(name, convention=convention) for name in MEASURES]
    rows = []
    for fold in letor_folds(folder):
        ranker = RankSVM(C=GRID, C_mode="total", eval_metric=measures[-1]).fit(fold.train, eval_set=fold.valid)
        rows.append([ranker.score(fold.test, metric=measure) for measure in measures])
    return np.mean(rows, axis=0)


@pytest.mark.data
def test_ohsumed_to_the_printed_digits(data_dir):
    found = mean_over_folds(data_dir / "ohsumed", "letor3")
    assert found.round(4).tolist() == [0.5460, 0.4855, 0.4689, 0.4504, 0.4446]


@pytest.mark.data
def test_mq2008_to_the_published_row(data_dir, published_dir):
    with open(published_dir / "fs-scpr_table06_MQ2008.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "RankSVM-Primal"]
    published = [next(float(r["value"]) for r in rows if r["metric"].lower() == name) for name in MEASURES]
    found = mean_over_folds(data_dir / "mq2008", "letor4")
    np.testing.assert_allclose(found, published, atol=1.5e-4)  # measured: four cells equal, NDCG@1 off by .0001
