"""Which of features that say the same stands for the others, where costs and rules have a say.

A file of its own: `ColumnLimits` is read where nothing is measured, and loads no compiler.
"""

from __future__ import annotations

import numpy as np

from leanrank.selectors.column_limits import ColumnLimits
from leanrank.stats.copies import Copies, Groups


def limited_copies(limits: ColumnLimits, groups: Groups) -> Copies:
    """Which of the features that say the same stands for the others: the cheapest, then that of fewest families.

    What goes together stands for nothing, and nothing for it: the group would lose a feature, or a feature that may go
    alone would bring the group.
    """
    families = limits.families
    alone = [[j for j in group if not families.grouped[j]] for group in groups]
    cost = limits.marginal(np.zeros(len(limits.own), dtype=bool))
    if len(families.at_most):
        keys = np.stack([cost, families.limited.sum(axis=0)])
        cost = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1).astype(np.float64)
    return Copies.of([g for g in alone if len(g) > 1], cost=cost, must_keep=limits.must_keep, never=limits.never)
