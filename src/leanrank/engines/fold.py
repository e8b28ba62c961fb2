"""fold: one pass over blocks of whole queries, for one statistic or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.errors import DataError, ParameterError


@runtime_checkable
class Statistic(Protocol):
    """What a filter needs to know, computed from blocks of whole queries.

    `merge` is associative and commutative, so blocks may be of any size, on any machine, in any order.
    A statistic is a small frozen object without data of its own; a partial is a tuple of arrays. It may have a form
    for accelerators beside `of`: see `leanrank.engines.fold.Arithmetic`.
    """

    def of(self, block: RankingData) -> Any:
        """The partial result of one block."""
        ...

    def merge(self, a: Any, b: Any) -> Any:
        """The partial result of two blocks together."""
        ...

    def finish(self, partial: Any) -> Any:
        """The result, from the partial of all blocks."""
        ...


@runtime_checkable
class Engine(Protocol):
    """A place to run a fold. It knows nothing of the statistics, and they know nothing of it."""

    def run(self, statistics: Sequence[Statistic], source: RankingSource, *, progress: bool = False) -> list[Any]:
        """The merged partial of each statistic over all blocks of `source`, read once."""
        ...


def fold(statistics: Any, source: RankingSource, engine: Engine | str | None = None, *, progress: bool = False) -> Any:
    """Compute statistics in one pass over the queries of `source`.

    Parameters
    ----------
    statistics : Statistic, sequence of them, or dict of name to Statistic
        All are computed from the same pass.
    source : RankingData or RankingSource
        Anything with ``.blocks()`` and ``.feature_names``.
    engine : Engine or str, default=None
        Where to run; threads of this machine (`LocalEngine()`) if not given. A name as the command line takes it does
        too: "local:4", "cuda" for a GPU, "dask://host:8786", "spark".
    progress : bool, default=False
        Show a bar while a terminal is watching.

    Returns
    -------
    The result, or the results in the shape of `statistics` (list, tuple or dict).

    Examples
    --------
    >>> from leanrank import RankingData, Similarity
    >>> data = RankingData([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], [1, 0, 0], [0, 3])
    >>> fold(Similarity("kendall"), data).round(3).tolist()
    [[1.0, -0.333], [-0.333, 1.0]]
    """
    if isinstance(statistics, Mapping):
        each = list(statistics.values())
    elif isinstance(statistics, (list, tuple)):
        each = list(statistics)
    else:
        each = [statistics]
    if not each:
        raise ParameterError.of("fold", "statistics", "at least one statistic", statistics)
    partials = fold_partials(each, source, engine, progress=progress)
    results = [statistic.finish(partial) for statistic, partial in zip(each, partials, strict=True)]
    if isinstance(statistics, Mapping):
        return dict(zip(statistics, results, strict=True))
    if isinstance(statistics, (list, tuple)):
        return type(statistics)(results)
    return results[0]


def fold_partials(
    statistics: Sequence[Statistic],
    source: RankingSource,
    engine: Engine | str | None = None,
    *,
    progress: bool = False,
) -> list[Any]:
    """The merged partial of each statistic: a fold without `finish`, for results that are to be merged further."""
    if not isinstance(source, RankingSource):
        raise ParameterError.of("fold", "source", "a RankingData or a RankingSource", type(source).__name__)
    for statistic in statistics:
        if not isinstance(statistic, Statistic):
            raise ParameterError.of("fold", "statistics", "objects with of, merge and finish", statistic)
    return engine_for(engine).run(statistics, source, progress=progress)


def engine_for(engine: Engine | str | None) -> Engine:
    """The engine itself, the one a name stands for, or threads of this machine."""
    if engine is None:
        from leanrank.engines.local import LocalEngine

        return LocalEngine()
    if isinstance(engine, str):
        from leanrank.engines.parse import engine_of

        return engine_of(engine)
    if not isinstance(engine, Engine):
        raise ParameterError.of("fold", "engine", "an engine, or the name of one", engine)
    return engine


def merge_in_order(statistics: Sequence[Statistic], merged: list[Any] | None, new: list[Any]) -> list[Any]:
    """Merge the partials of the next block into those of the blocks before it."""
    if merged is None:
        return new
    return [statistic.merge(a, b) for statistic, a, b in zip(statistics, merged, new, strict=True)]


def nothing_to_fold() -> DataError:
    return DataError("The source yielded no block: there are no queries to compute anything from.")


class Arithmetic(Protocol):
    """What an accelerator computes from a block of whole queries: the same integers as the processor.

    A statistic with a form for it has `of_on(block, arithmetic)` beside `of(block)`. Its attribute `accelerated`
    says whether that form does for its parameters; a statistic without the attribute goes along where another one of
    the same pass is accelerated, and is not worth an accelerator alone.
    """

    def kendall_sums(self, block: RankingData, mode: int) -> NDArray[np.int64]:
        """Exact sum (2, K, K) of Kendall's similarity over queries; `mode` as in `kernels.concordance`."""
        ...

    def spearman_sums(self, block: RankingData) -> NDArray[np.int64]:
        """Exact sum (2, K, K) of the correlations of mid-ranks over queries."""
        ...

    def metric_sums(
        self, block: RankingData, measure: Any, low_first: tuple[bool, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Exact sums of a metric of each feature and of its square (2, directions, K), and the queries counted (K,)."""
        ...

    def varies(self, block: RankingData) -> NDArray[np.bool_]:
        """Which features tell two documents of some query apart."""
        ...
