"""The papers by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.evaluation.journal import Journal
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Reproduction

PAPERS = {
    "fs-scpr": "leanrank.reproduce.fs_scpr",
    "bestgain": "leanrank.reproduce.bestgain",
    "gas": "leanrank.reproduce.gas",
    "rankrelief": "leanrank.reproduce.rankrelief",
    "rcdr": "leanrank.reproduce.rcdr",
}


def run_paper(
    paper: str,
    data: str | Path | None = None,
    *,
    quick: bool = False,
    n_jobs: int = 1,
    journal: str | Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Reproduction:
    """Run a paper's protocol on the data at hand.

    Parameters
    ----------
    paper : {"fs-scpr", "bestgain", "gas", "rankrelief", "rcdr"}
    data : path, optional
        The folder of data sets; that of the environment variable LEANRANK_DATA if not given.
    quick : bool
        A reduced version: fewer methods, sizes and runs; the exact cells are the same.
    n_jobs : int
        Folds or draws at a time, in threads.
    journal : path, optional
        A file that every finished piece of work goes to at once: a run that was interrupted goes on from there. It is
        of one version of leanrank and these data.
    say : callable
        Called with a line of text before each piece of work.
    """
    if paper not in PAPERS:
        raise UnknownNameError.of("paper", paper, PAPERS)
    if n_jobs < 1:
        raise ParameterError.of("reproduce", "n_jobs", ">= 1", n_jobs)
    folder = DataFolder.of(data)
    about = {"what": "reproduce", "version": version("leanrank"), "quick": quick, "files": folder.sizes()}
    with Journal(journal, about) as kept:
        found: Reproduction = import_module(PAPERS[paper]).run(folder, kept, quick=quick, n_jobs=n_jobs, say=say)
    return found
