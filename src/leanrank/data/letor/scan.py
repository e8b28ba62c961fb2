"""LETOR files larger than memory, as blocks of whole queries."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Unpack

from leanrank.data.compressed import PathLike, name_of
from leanrank.data.letor.options import LetorOptions, Query, Sizes, as_paths, checked, sizes_of
from leanrank.data.letor.reader import assemble, choose_storage
from leanrank.data.letor.rows import Format, Rows, Sparse
from leanrank.data.letor.stream import PIECE_BYTES, Stretch, stretches
from leanrank.data.ranking_data import BLOCK_ROWS, RankingData
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.data.letor.parts import LetorPart


def scan_letor(
    path: PathLike | Iterable[PathLike], *, query: Query = None, **options: Unpack[LetorOptions]
) -> LetorSource:
    """A source of query-whole blocks of one or several LETOR files, for what does not fit in memory.

    Parameters are those of `read_letor`, but for `regroup`. Without `n_features` or `feature_names` the files are read
    once here, to count features (and check every line); every `blocks()` reads them again. Memory is bounded by the
    largest query plus a block, and some 100 bytes per query, by which a query that comes back is noticed.

    With ``sparse="auto"`` all blocks are stored alike: by the share of stored cells of the whole if it was counted,
    else of the first block. Query ids of a block are int64 if all ids of that block are whole numbers.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "train.txt")
    >>> _ = path.write_text("2 qid:1 1:0.5\\n0 qid:1 1:3\\n1 qid:2 1:7\\n0 qid:3 2:1\\n")
    >>> source = scan_letor(path)
    >>> source.feature_names
    ('1', '2')
    >>> [block.query_ids.tolist() for block in source.blocks(n_rows=2)]
    [[1], [2, 3]]
    >>> folder.cleanup()
    """
    sources = as_paths(path)
    return LetorSource(sources, checked("scan_letor", **options), sizes_of(query, sources))


class LetorSource:
    """LETOR files as a `RankingSource`; made by `scan_letor`."""

    def __init__(
        self, sources: Sequence[Any], form: Format, sizes: Sizes = None, *, piece_bytes: int = PIECE_BYTES
    ) -> None:
        self._sources, self._form, self._sizes = sources, form, sizes
        self._piece_bytes = piece_bytes
        self._sparse: Sparse = form.sparse
        self._missing = form.marks_missing
        self._n_features = form.n_features if form.n_features is not None else self._count()
        names = form.feature_names if form.feature_names is not None else range(1, self._n_features + 1)
        self.feature_names: tuple[str, ...] = tuple(str(name) for name in names)

    def __repr__(self) -> str:
        files = name_of(self._sources[0]) + (f" and {len(self._sources) - 1} more" * (len(self._sources) > 1))
        return f"LetorSource: {files}, {len(self.feature_names):,} features"

    @property
    def sources(self) -> Sequence[Any]:
        """The files."""
        return self._sources

    @property
    def sizes(self) -> Any:
        """The sizes of the queries, or the files that tell them, where `query` was given."""
        return self._sizes

    def over(self, sources: Sequence[Any]) -> LetorSource:
        """The same features, read in the same way, from other files or streams."""
        other = copy(self)
        other._sources = sources
        return other

    def partitions(self, n: int) -> list[LetorPart] | None:
        """About `n` ranges of bytes, for workers to read; None where bytes do not tell where queries begin."""
        from leanrank.data.letor.parts import letor_parts

        return letor_parts(self, n)

    def _stretches(self) -> Iterator[Stretch]:
        return stretches(self._sources, self._form, sizes=self._sizes, piece_bytes=self._piece_bytes)

    def _count(self) -> int:
        """One pass that only counts: the number of features, and how full and complete the rows are."""
        stored = n_rows = n_nulls = n_features = 0
        largest_at = ""
        for part in self._stretches():
            stored += len(part.rows.values)
            n_rows += len(part.rows)
            n_nulls += part.n_nulls
            if part.largest_id > n_features or not largest_at:
                n_features, largest_at = part.largest_id, part.largest_at
        self._missing = self._missing and n_nulls > 0
        block = min(n_rows, BLOCK_ROWS)
        if self._sparse == "auto" or n_features == 0:
            self._sparse = choose_storage(self._sparse, stored, n_rows, n_features, largest_at)
        else:
            choose_storage(self._sparse, stored * block // n_rows, block, n_features, largest_at)
        return n_features

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """Yield the blocks that `read_letor(...).blocks(n_rows)` would, reading the files as they are asked for."""
        if n_rows < 1:
            raise ParameterError.of("blocks", "n_rows", ">= 1", n_rows)
        return self._blocks(n_rows)

    def _blocks(self, n_rows: int) -> Iterator[RankingData]:
        held = _Held()
        sparse = self._sparse
        for part in self._stretches():
            held.add(part)
            while (end := held.block_end(n_rows)) is not None:
                block, sparse = self._block(held, end, sparse)
                yield block
        while held:
            block, sparse = self._block(held, held.block_end(n_rows, at_end=True), sparse)
            yield block

    def _block(self, held: _Held, end: Any, sparse: Sparse) -> tuple[RankingData, bool]:
        rows, starts, where = held.take(end)
        stored, n_rows = sum(len(part.values) for part in rows), sum(len(part) for part in rows)
        is_sparse = choose_storage(sparse, stored, n_rows, self._n_features, where)
        names = self.feature_names
        return assemble(rows, starts, len(names), names, sparse=is_sparse, missing=self._missing), is_sparse


class _Held:
    """Rows that were read and not yet given out, and where queries begin among them (rows counted over the whole)."""

    def __init__(self) -> None:
        self._parts: deque[tuple[Rows, str]] = deque()
        self._begins: list[int] = []
        self._names: list[bytes] = []
        self._open = 0  # the first of these queries that was not given out
        self._given = self._read = 0

    def __bool__(self) -> bool:
        return self._given < self._read

    def add(self, part: Stretch) -> None:
        if self._open:
            del self._begins[: self._open], self._names[: self._open]
            self._open = 0
        self._parts.append((part.rows, part.largest_at))
        self._begins += [self._read + row for row, _ in part.starts]
        self._names += [name for _, name in part.starts]
        self._read += len(part.rows)

    def block_end(self, n_rows: int, *, at_end: bool = False) -> int | None:
        """Query at which the next block ends: as many as fit, at least one; None if rows to come may change it."""
        fits = self._given + n_rows
        n_queries = len(self._begins)
        if at_end and self._read <= fits:
            return n_queries
        if not at_end and (n_queries - self._open < 2 or self._begins[-1] <= fits):
            return None
        return max(bisect_right(self._begins, fits, lo=self._open) - 1, self._open + 1)

    def take(self, end: int) -> tuple[list[Rows], list[tuple[int, bytes]], str]:
        """Give out the queries up to `end`: their rows, where each begins, and where in the files they are."""
        stop = self._begins[end] if end < len(self._begins) else self._read
        starts = [
            (row - self._given, name)
            for row, name in zip(self._begins[self._open : end], self._names[self._open : end], strict=True)
        ]
        rows, where = [], ""
        while self._given < stop:
            part, where = self._parts.popleft()
            n = min(len(part), stop - self._given)
            if n < len(part):
                self._parts.appendleft((part.cut(n, len(part)), where))
                part = part.cut(0, n)
            rows.append(part)
            self._given += n
        self._open = end
        return rows, starts, where
