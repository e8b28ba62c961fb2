"""Feature values to a device, the next piece on its way while the last one is worked on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from leanrank.kernels._threads import default_threads

_COPY_THREADS, _COPY_BYTES = 8, 8 << 20


def uploaded(X: NDArray[Any], rows: Sequence[tuple[int, int]], device: torch.device) -> Iterator[torch.Tensor]:
    """The values of each range of rows, in order. A tensor may be overwritten once the next one is asked for."""
    if device.type == "cuda":
        yield from _streamed(X, rows, device)
    else:
        for a, b in rows:
            yield torch.from_numpy(np.array(X[a:b]))  # a copy: the array itself may be read-only


def _streamed(X: NDArray[Any], rows: Sequence[tuple[int, int]], device: torch.device) -> Iterator[torch.Tensor]:
    """Two buffers on the device, filled in turn by a stream of their own.

    Values in pinned memory are copied from where they are; others go through two pinned buffers first.
    """
    pinned = torch.from_numpy(X) if X.flags.writeable else None
    if pinned is not None and not pinned.is_pinned():
        pinned = None
    cuda: Any = torch.cuda  # typed in part
    work, copies = cuda.current_stream(device), cuda.Stream(device)
    shape, kind = (max(b - a for a, b in rows), X.shape[1]), torch.float32 if X.dtype == np.float32 else torch.float64
    slots = range(min(2, len(rows)))
    buffers = [torch.empty(shape, dtype=kind, device=device) for _ in slots]
    staging = [] if pinned is not None else [torch.empty(shape, dtype=kind, pin_memory=True) for _ in slots]
    arrived, used = [cuda.Event() for _ in slots], [cuda.Event() for _ in slots]
    copies.wait_stream(work)  # the buffers' memory may still be in use by work queued before

    def send(i: int) -> None:
        (a, b), slot = rows[i], i % 2
        if pinned is not None:
            source = pinned[a:b]
        else:
            arrived[slot].synchronize()  # the last copy out of this buffer
            source = staging[slot][: b - a]
            _copy(source.numpy(), X[a:b])
        with cuda.stream(copies):
            used[slot].wait(copies)
            buffers[slot][: b - a].copy_(source, non_blocking=True)
            arrived[slot].record(copies)

    try:
        send(0)
        for i, (a, b) in enumerate(rows):
            if i + 1 < len(rows):
                send(i + 1)
            arrived[i % 2].wait(work)
            yield buffers[i % 2][: b - a]
            used[i % 2].record(work)
    finally:
        copies.synchronize()  # only now may the buffers be given back


def _copy(to: NDArray[Any], values: NDArray[Any]) -> None:
    """Copy rows, on a few threads where they are many: one cannot keep up with the bus."""
    n_threads = min(_COPY_THREADS, default_threads(), 1 + values.nbytes // _COPY_BYTES)
    cuts = np.linspace(0, len(values), n_threads + 1).astype(int)
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(lambda a, b: np.copyto(to[a:b], values[a:b]), cuts[:-1], cuts[1:]))
