"""The papers by name."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from leanrank.errors import UnknownNameError
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.tasks import Tasks
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Page, Reproduction

PAPERS = {
    "fs-scpr": "leanrank.reproduce.fs_scpr",
    "bestgain": "leanrank.reproduce.bestgain",
    "gas": "leanrank.reproduce.gas",
    "rankrelief": "leanrank.reproduce.rankrelief",
    "rcdr": "leanrank.reproduce.rcdr",
}
#: Pages beside the papers' own protocols: methods and rankers that several papers report.
PAGES = {
    "fsmrank": "leanrank.reproduce.fsmrank",
    "rankers": "leanrank.reproduce.letor_rankers",
    "sushi-rankers": "leanrank.reproduce.sushi_rankers",
    "sushi-rcdr": "leanrank.reproduce.sushi_rcdr",
    "large": "leanrank.reproduce.large",
}


def names() -> list[str]:
    """The papers that can be run."""
    return list(PAPERS)


def run_paper(
    paper: str,
    data: str | Path | None = None,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
    journal: str | Path | None = None,
) -> Reproduction | Page:
    """Run a paper's protocol, or what makes a page, on the data at hand.

    Parameters
    ----------
    paper : str
        "fs-scpr", "bestgain", "gas", "rankrelief", "rcdr"; or a page: "fsmrank", "rankers", "sushi-rankers",
        "sushi-rcdr", "large".
    data : path, optional
        The folder of data sets; that of the environment variable LEANRANK_DATA if not given.
    quick : bool
        A reduced version: fewer methods, sizes and runs; the exact cells are the same.
    n_jobs : int, optional
        Folds or draws at a time, in threads, each on one core; every core if None.
    journal : path, optional
        A file that every finished piece of work goes to at once: a run that was interrupted goes on from there. It is
        of one version of leanrank and these data.
    """
    modules = PAPERS | PAGES
    if paper not in modules:
        raise UnknownNameError.of("paper", paper, modules)
    folder = DataFolder.of(data)
    about = {"what": "reproduce", "version": version("leanrank"), "quick": quick, "files": folder.sizes()}
    with Journal(journal, about) as kept, Tasks(kept, n_jobs=n_jobs, progress=True, owner="reproduce") as tasks:
        outcome: Reproduction | Page = import_module(modules[paper]).run(folder, tasks, quick=quick)
    return outcome
