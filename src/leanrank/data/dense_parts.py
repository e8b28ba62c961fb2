"""Dense pieces of a block, so that kernels need to know nothing of sparse storage."""

from __future__ import annotations

from collections.abc import Iterator

from leanrank.data.ranking_data import RankingData

#: Values of a sparse block made dense at once.
_DENSE_VALUES = 4_000_000


def dense_parts(block: RankingData) -> Iterator[RankingData]:
    """The block itself or, where it is sparse, pieces of whole queries made dense one after the other."""
    if not block.is_sparse:
        yield block
        return
    for part in block.blocks(max(1, _DENSE_VALUES // block.n_features)):
        yield RankingData(part.dense(), part.y, part.query_ptr, feature_names=block.feature_names, beside=part.beside)
