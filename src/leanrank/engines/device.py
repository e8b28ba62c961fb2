"""Where a fold's arithmetic runs: this machine's processor or a GPU; statistics and selectors know neither."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from leanrank._lazy import require
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import refuse_weights
from leanrank.errors import LeanRankError, ParameterError

if TYPE_CHECKING:
    from leanrank.engines.fold import Statistic
    from leanrank.engines.gpu import Gpu

DEVICES = ("cpu", "cuda", "auto")
#: Bytes of feature values to read at once where a GPU works on them.
_BLOCK_BYTES = 512 << 20


def check_device(owner: str, device: object) -> None:
    """Refuse an unknown device.

    >>> check_device("LocalEngine", "auto")
    >>> check_device("LocalEngine", "tpu")
    Traceback (most recent call last):
    ...
    leanrank.errors.ParameterError: The 'device' parameter of LocalEngine must be 'cpu', 'cuda' or 'auto'. Got 'tpu' ...
    """
    if device not in DEVICES:
        raise ParameterError.of(owner, "device", "'cpu', 'cuda' or 'auto'", device)


def check_forms(owner: str, device: str, statistics: Sequence[Statistic]) -> None:
    """Refuse "cuda" for a statistic that an accelerator could compute, but not with these parameters."""
    if device == "cuda":
        for statistic in statistics:
            if not getattr(statistic, "accelerated", True):
                raise ParameterError.of(owner, "device", f"'cpu' or 'auto' for {statistic!r}", device)


def has_form(statistic: Statistic) -> bool:
    """Whether an accelerator can compute it."""
    return hasattr(statistic, "of_on") and bool(getattr(statistic, "accelerated", True))


def gpu_for(statistics: Sequence[Statistic], device: str) -> Gpu | None:
    """The GPU to compute on, or None for the processor.

    "auto" takes a GPU where torch sees one; "cuda" insists that there is one. Where no statistic gains by it the
    processor does the work.
    """
    if device == "cpu" or (device == "auto" and find_spec("torch") is None):
        return None
    gains = any(getattr(statistic, "accelerated", False) for statistic in statistics)
    if device == "auto" and not gains:
        return None
    torch = require("torch", "engine='cuda'")
    if torch.cuda.is_available():
        from leanrank.engines.gpu import Gpu

        return Gpu(torch.device("cuda", torch.cuda.current_device())) if gains else None
    if device == "cuda":
        raise LeanRankError(
            "engine='cuda' needs a CUDA GPU and torch sees none: leave it out to compute on the processor, or take "
            "LocalEngine(device='auto'), which uses a GPU only where there is one."
        )
    return None


def rows_for_gpu(n_features: int) -> int:
    """Rows to read at once where a GPU works on them: far more than for a thread, in bounded memory.

    >>> rows_for_gpu(136), rows_for_gpu(2000)
    (986895, 67108)
    """
    return max(1, _BLOCK_BYTES // (4 * n_features))


def partials_of(statistics: Sequence[Statistic], block: RankingData, gpu: Gpu | None = None) -> list[Any]:
    """The partial of each statistic, from the GPU where there is one and the statistic has a form for it.

    A statistic says in its attribute `weights` which weights of the data it takes; data with others are refused.
    """
    for statistic in statistics:
        refuse_weights(block, type(statistic).__name__, getattr(statistic, "weights", ()))
    if gpu is None:
        return [statistic.of(block) for statistic in statistics]
    there = iter(gpu.partials_of([statistic for statistic in statistics if has_form(statistic)], block))
    return [next(there) if has_form(statistic) else statistic.of(block) for statistic in statistics]
