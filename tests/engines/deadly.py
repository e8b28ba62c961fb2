"""Statistics and functions that workers import: they die, or break what is there."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DiesOnce:
    """Sums of labels and query ids; kills the process it runs in, at its first chance, if the flag is not there yet."""

    flag: str
    where: str  # "of" or "merge"

    def _die_once(self) -> None:
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def of(self, block):
        if self.where == "of" and 20 in block.query_ids:
            self._die_once()
        return np.array([block.y.sum(), block.query_ids.sum(), block.n_queries])

    def merge(self, a, b):
        if self.where == "merge" and a[2] >= 10 and b[2] >= 10:  # a later level of the tree: partials are lost too
            self._die_once()
        return a + b

    def finish(self, partial):
        return partial.tolist()


@dataclass(frozen=True)
class Breaks:
    """Fails, and not by an error of ours."""

    def of(self, block):
        raise ZeroDivisionError("a bug in a statistic")

    def merge(self, a, b):
        return a

    def finish(self, partial):
        return partial


def break_ranksvm() -> None:
    """Training on three features is refused from now on."""
    from leanrank.errors import DataError
    from leanrank.rankers.ranksvm import RankSVM

    RankSVM.unbroken = RankSVM._fit

    def broken(self, train, valid):
        if train.n_features == 3:
            raise DataError("three is too many.")
        RankSVM.unbroken(self, train, valid)

    RankSVM._fit = broken


def mend_ranksvm() -> None:
    from leanrank.rankers.ranksvm import RankSVM

    RankSVM._fit = RankSVM.unbroken


def die_with_the_first_task(flag: str) -> None:
    """The process dies once, in the middle of training."""
    from leanrank.rankers.ranksvm import RankSVM

    fit = RankSVM._fit

    def deadly(self, train, valid):
        DiesOnce(flag, "of")._die_once()
        fit(self, train, valid)

    RankSVM._fit = deadly


@dataclass(frozen=True)
class Waits:
    """Takes half a minute a block."""

    def of(self, block):
        time.sleep(30)
        return block.n_queries

    def merge(self, a, b):
        return a + b

    def finish(self, partial):
        return partial
