"""Race: methods beside each other, and which of them is taken, with or without some of the queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.select.choice import Candidate, Rule

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Race:
    """Methods at the sizes of the race, in the order of preference.

    A fold's winner is chosen without its queries, so what is then measured on these is not the luck of the winner:
    that is why the path that winners make pays nothing for the number of methods that raced.

    Parameters
    ----------
    candidates : list of Candidate
    values : array of shape (candidates, queries)
        Their metric, of all queries of the data; NaN for those that took no part.
    rule : Rule
        How sure one must be to leave the first method.
    whole : bool
        Whether all queries took part.
    others : array of shape (metrics - 1, candidates, queries) or None
        Further metrics, which choose nothing.
    """

    candidates: list[Candidate]
    values: Values
    rule: Rule
    whole: bool = True
    others: Values | None = None

    @property
    def table(self) -> Values:
        """Every metric (metrics, candidates, queries)."""
        return self.values[None] if self.others is None else np.concatenate([self.values[None], self.others])

    def winner(self, without: Sequence[int] | NDArray[np.int64] = ()) -> str:
        """The first method that these queries do not show to be worse than another."""
        rows = self.rule.of_the_size(self.candidates)
        methods = list(dict.fromkeys(self.candidates[i].method for i in rows))
        if len(methods) == 1:
            return methods[0]
        seen = np.setdiff1d(np.arange(self.values.shape[1]), np.asarray(without, dtype=np.int64))
        means = [self.values[[i for i in rows if self.candidates[i].method == name]].mean(axis=0) for name in methods]
        return methods[self.rule.on(seen).first_not_worse(np.stack(means)[:, seen])]

    def winners(self, folds: Sequence[NDArray[np.int64]]) -> tuple[str, ...]:
        """The winner without each of the folds."""
        return tuple(self.winner(fold) for fold in folds)
