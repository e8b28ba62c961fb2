"""Where a statistic computes: this machine's processor or a GPU."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from leanrank._optional import require
from leanrank.data.ranking_data import RankingData
from leanrank.errors import LeanRankError, ParameterError

DEVICES = ("cpu", "cuda", "auto")
#: Documents of the longest query that goes to a GPU: ranks have 16 bits there, one of them to spare.
LONGEST = 32_767
#: Bytes of feature values to read at once where a GPU works on them.
_BLOCK_BYTES = 512 << 20


def check_device(owner: str, device: object, *, unsupported: str | None = None) -> None:
    """Refuse an unknown device, and "cuda" for what has no GPU form (`unsupported` names it).

    >>> check_device("Similarity", "auto", unsupported="'tau_ap'")
    >>> check_device("Similarity", "tpu")
    Traceback (most recent call last):
    ...
    leanrank.errors.ParameterError: The 'device' parameter of Similarity must be 'cpu', 'cuda' or 'auto'. Got 'tpu' ...
    """
    if device not in DEVICES:
        raise ParameterError.of(owner, "device", "'cpu', 'cuda' or 'auto'", device)
    if device == "cuda" and unsupported is not None:
        raise ParameterError.of(owner, "device", f"'cpu' or 'auto' for {unsupported}", device)


def torch_device(device: str, *, supported: bool = True) -> Any:
    """The torch device to compute on, or None for the processor.

    "auto" takes a GPU where torch sees one and the statistic has a GPU form; "cuda" insists.
    """
    if device == "cpu" or (device == "auto" and (not supported or find_spec("torch") is None)):
        return None
    torch = require("torch", "device='cuda'")
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    if device == "cuda":
        raise LeanRankError(
            "device='cuda' needs a CUDA GPU and torch sees none: use device='cpu', or device='auto' to take a GPU only "
            "where there is one."
        )
    return None


def rows_for_gpu(n_features: int) -> int:
    """Rows to read at once where a GPU works on them: far more than for a thread, in bounded memory.

    >>> rows_for_gpu(136), rows_for_gpu(2000)
    (986895, 67108)
    """
    return max(1, _BLOCK_BYTES // (4 * n_features))


def by_length(block: RankingData) -> tuple[RankingData | None, RankingData | None]:
    """The queries that a GPU takes, and those too long for it, where there are any."""
    fits = block.query_sizes <= LONGEST
    if fits.all():
        return block, None
    return (block.take_queries(fits) if fits.any() else None), block.take_queries(np.flatnonzero(~fits))
