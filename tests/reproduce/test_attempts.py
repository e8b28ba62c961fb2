"""Baselines in other settings: each is tried on every fold, and the row's own setting gives the row."""

import warnings

from sklearn.exceptions import ConvergenceWarning
from tests.reproduce.letor_layout import write_folds

from leanrank.data.folds import letor_folds
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.tasks import Tasks
from leanrank.rankers.adarank import AdaRank
from leanrank.reproduce.fs_scpr_attempts import attempts, attempts_table
from leanrank.reproduce.letor_rows import MEASURES, best_of_folds, row_of_folds


def test_every_attempt_has_a_row(tmp_path):
    write_folds(tmp_path, n_folds=1, n_features=19, n_queries=6)
    folds = list(letor_folds(tmp_path))
    chosen = {fold.name: {"lambda1": 0.01, "lambda2": 0.01, "n_features": 3} for fold in folds}
    with Tasks(Journal(None, {})) as tasks, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        table = attempts_table(tasks, folds, "letor3", chosen)
        what = {"dataset": "OHSUMED", "method": "AdaRank"}
        done = best_of_folds(tasks, what, lambda by, _: [AdaRank(by, 500, eval_metric=by)], folds, "letor3")
    assert [row[:2] for row in table.rows] == list(attempts())
    # NDCG@10 of a list of eight is 0 in these conventions
    assert all(0 < float(value) <= 1 for row in table.rows for value in (*row[2:5], row[6], row[8]))
    sizes = {row[1]: row[7] for row in table.rows}
    assert sizes["as many features as FSMRank keeps"] == "3.0"
    assert table.rows[0][2:7] == tuple(f"{row_of_folds(done)[name]:.4f}" for name in MEASURES)
    assert f"in {len(table.rows)} settings" in table.title
