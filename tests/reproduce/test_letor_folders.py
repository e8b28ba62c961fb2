"""Data that are not here, in folders of LETOR's layout: the same command fills every row that needs them."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.reproduce.letor_layout import write_folds, write_letor, write_parts

from leanrank.errors import DataError
from leanrank.reproduce import large
from leanrank.reproduce.datasets import large_folds
from leanrank.reproduce.markdown import document, section
from leanrank.reproduce.papers import run_paper


def quick(paper, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return run_paper(paper, folder, quick=True, n_jobs=1)


@pytest.fixture
def letor(tmp_path):
    """Every data set of the papers, the .gov sets binary and as folds, the others as parts."""
    for name in ("ohsumed", "mq2008"):
        write_parts(tmp_path / name)
    for name in ("TD2003", "td2004", "HP2004", "NP2004", "gov"):
        write_folds(tmp_path / name, n_levels=2)
    return tmp_path


def needing(outcome):
    """What cells and claims still ask for."""
    asked = [cell.reason for cell in outcome.cells if cell.ours is None]
    return {reason for reason in asked + [c.figures for c in outcome.claims if c.holds is None] if "needs" in reason}


def test_every_row_of_bestgain_is_filled(letor):
    outcome = quick("bestgain", letor)
    assert needing(outcome) == {"needs TD2003, TD2004, OHSUMED"}  # the means: the wrapper is not in the quick version
    of = {
        c.published.dataset for c in outcome.cells if c.ours is not None and c.published.table in ("1", "2", "5", "6")
    }
    assert of == {"TD2003", "TD2004", "OHSUMED", "avg.", "TD2003 and TD2004"}
    features = {c.published.dataset: c.ours for c in outcome.cells if c.published.metric == "features"}
    assert features == {"TD2003": 12.0, "TD2004": 12.0, "OHSUMED": 12.0}
    assert any(claim.text.startswith("TD2003: the heuristic") for claim in outcome.claims)


def test_every_row_of_fs_scpr_is_filled(letor):
    outcome = quick("fs-scpr", letor)
    assert needing(outcome) == set()
    ours = {(c.published.dataset, c.published.method) for c in outcome.cells if c.ours is not None}
    assert {(d, m) for d in ("HP2004", "NP2004") for m in ("FS-SCPR", "RankSVM-Primal", "GAS-E")} <= ours


def test_the_gov_curves_of_gas(letor):
    outcome = quick("gas", letor)
    assert needing(outcome) == {"needs the documents"}
    assert {"Figure 2", "Figure 4", "Figure 6"} <= {claim.where for claim in outcome.claims}
    assert "| Figure 2 | .gov, Ranking SVM, MAP:" in section(outcome)
    assert any(".gov" in table.title for table in outcome.tables)


def test_large_data_sets_in_their_layouts(tmp_path):
    write_folds(tmp_path / "mslr", n_folds=2)
    assert [fold.name for fold in large_folds(tmp_path / "mslr")] == ["Fold1", "Fold2"]
    for role, size in (("train", 10), ("valid", 3), ("test", 4)):
        write_letor(tmp_path / "yahoo" / f"set1.{role}.txt", size, 12, size)
        write_letor(tmp_path / "yahoo" / f"set2.{role}.txt", size + 1, 12, size)
    [fold] = large_folds(tmp_path / "yahoo")
    assert (fold.train.n_queries, fold.valid.n_queries, fold.test.n_queries) == (10, 3, 4)
    for role, size in (("train", 10), ("test", 4)):
        write_letor(tmp_path / "istella" / "full" / f"{role}.txt", size, 12, size)
    [fold] = large_folds(tmp_path / "istella")
    assert (fold.train.n_queries, fold.valid.n_queries, fold.test.n_queries) == (8, 2, 4)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"neither Fold1/train\.txt nor files"):
        list(large_folds(tmp_path / "empty"))


def test_large_page(tmp_path, monkeypatch):
    """All features, `select` and peers at every size below the number of features."""
    with pytest.raises(DataError, match="None of the folders mslr-web10k, "):
        quick("large", tmp_path)
    write_folds(tmp_path / "MSLR-WEB10K", n_folds=1, n_queries=8)
    monkeypatch.setattr(large, "SIZES", (3, 5))
    text = document(quick("large", tmp_path))
    assert "## MSLR-WEB10K" in text
    assert "| method | k = 3 | k = 5 |" in text
    for method in ("all features", "leanrank select", *large.PEERS):
        [row] = [line for line in text.splitlines() if line.startswith(f"| {method} |")]
        assert all(0 < float(value) <= 1 for value in row.split("|")[2:-1])
