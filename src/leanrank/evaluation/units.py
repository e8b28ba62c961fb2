"""Units: what chance draws. A query, or a group of queries that have something in common; and how much each counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.side_columns import SideColumns
from leanrank.data.splits import numbered

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Units:
    r"""Which queries are drawn together, and how much they count.

    A mean over queries of weights w is a ratio of sums over units, :math:`m = \sum_u D_u / \sum_u W_u` with
    :math:`D_u = \sum_{q \in u} w_q d_q` and :math:`W_u = \sum_{q \in u} w_q`. What chance does to it is, to first
    order, what it does to the mean of

    .. math:: v_u = m + \frac{n}{\sum_u W_u} (D_u - m W_u)

    over the n units (the linearised ratio: Cochran 1977, chapter 6), whose mean is m and whose standard error is the
    one that is robust to any likeness inside units. So every test and bootstrap works on these values as it does on
    queries. Queries that are units of their own and count alike are taken as they are.

    Parameters
    ----------
    group : array of shape (Q,), optional
        What queries have in common; None makes each a unit of its own.
    weight : array of shape (Q,), optional
        How much a query counts; None counts all alike.

    Examples
    --------
    >>> Units(group=np.array(["tea", "cup", "tea"])).of(np.array([[0.1, 0.3, 0.2]]))
    array([[0.13333333, 0.26666667]])
    """

    group: NDArray[Any] | None = None
    weight: Values | None = None

    @classmethod
    def beside(cls, columns: SideColumns) -> Units:
        """Those that data know of their queries."""
        return cls(columns.query_group, columns.query_weight)

    def on(self, queries: Any) -> Units:
        """Those of some of the queries."""
        return Units(*(None if column is None else column[queries] for column in (self.group, self.weight)))

    def of(self, table: Values) -> Values:
        """A column for each unit, of a table with one for each query; queries with a NaN are left out."""
        counted = ~np.isnan(table).any(axis=0)
        here, table = self.on(counted), table[:, counted]
        if here.weight is not None and table.shape[1]:
            here = here.on(here.weight > 0)
            table = table[:, self.weight[counted] > 0]  # type: ignore[index]
        if (here.group is None and here.weight is None) or not table.shape[1]:
            return table
        n_queries = table.shape[1]
        weight = np.ones(n_queries) if here.weight is None else here.weight
        number = np.arange(n_queries) if here.group is None else numbered(here.group)
        total = np.bincount(number, weight)
        sums = np.stack([np.bincount(number, weight * row) for row in table]) if len(table) else table[:, : len(total)]
        mean = sums.sum(axis=1, keepdims=True) / total.sum()
        return np.asarray(mean + len(total) / total.sum() * (sums - mean * total))

    def count(self, counted: NDArray[np.bool_]) -> int | None:
        """How many groups have a query that is counted; None where there are no groups."""
        return None if self.group is None else len(np.unique(self.group[counted]))


#: Each query by itself, all counting alike.
QUERIES = Units()
