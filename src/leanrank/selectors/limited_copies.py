"""Which of the features that say the same stands for the others, within limits."""

from __future__ import annotations

import numpy as np

from leanrank.selectors.column_limits import ColumnLimits
from leanrank.stats.copies import Copies, Groups


def limited_copies(limits: ColumnLimits, groups: Groups) -> Copies:
    """Of each group one stands for the others: what must be kept, else what goes together with other features.

    Where nothing does, the cheapest stands, the first of several. Cheap is what adds least to the bill of `must_keep`.
    Before it comes what the families leave room for beside those, behind it what few families have. What must be kept
    and what goes together stays in any case: it was asked for, and what it goes together with would be lost with it.
    Where it cannot be had beside `must_keep`, it stands for nothing.

    Parameters
    ----------
    limits : ColumnLimits
    groups : list of lists of int
        Columns that say the same.
    """
    families, kept = limits.families, limits.must_keep
    stays = kept | (families.grouped & limits.payable())
    either = [[j for j in group if stays[j] or not families.grouped[j]] for group in groups]
    keys = [~kept, ~families.allowed(kept), limits.marginal(kept), families.limited.sum(axis=0)]
    rank = np.unique(np.stack(keys).astype(np.float64), axis=1, return_inverse=True)[1]
    return Copies.of([g for g in either if len(g) > 1], cost=rank.reshape(-1), must_keep=stays, never=limits.never)


def exchangeable(limits: ColumnLimits, copies: Copies) -> Groups:
    """Of each group of copies those that limits treat as they do the one that stands, which is the first of them.

    They cost the same, share the same groups and families, and are as free; groups of one are not among them.
    """
    bound = (
        limits.own,
        limits.member,
        limits.must_keep,
        limits.never,
        limits.families.limited,
        limits.families.grouped,
    )
    rules = np.vstack([np.asarray(rule, dtype=np.float64) for rule in bound])
    groups = []
    for stands in np.unique(copies.stands_in[copies.left_out]).tolist():
        members = np.flatnonzero(copies.stands_in == stands)
        alike = members[(rules[:, members] == rules[:, [stands]]).all(axis=0)]
        groups.append([stands, *(j for j in alike.tolist() if j != stands)])
    return [group for group in groups if len(group) > 1]
