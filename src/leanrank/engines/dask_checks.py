"""Whether a Dask cluster can do the work, and what it says when it cannot."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pkgutil import resolve_name
from platform import python_version
from typing import Any

from leanrank import __version__
from leanrank._lazy import require
from leanrank.errors import EngineError, LeanRankError

distributed = require("distributed", "DaskEngine")

#: Seconds to wait for a scheduler, and then for its first worker.
PATIENCE = 10


def check_workers(client: Any) -> dict[str, int]:
    """Threads of each worker; a cluster that cannot run leanrank is refused in one sentence."""
    address = address_of(client)
    if client.status != "running":
        raise EngineError(
            f"The Dask client of {address} is {client.status}: its scheduler is gone. Make a client of a running one."
        )
    with explained(client):
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise EngineError(
                f"The Dask scheduler {address} has no worker after {PATIENCE} s. Start some: dask worker {address}"
            ) from error
        # Functions of the standard library: to send one of ours to a worker without leanrank would end the worker.
        versions = client.run(resolve_name, "leanrank:__version__", on_error="return")
        pythons = client.run(python_version, on_error="return")
        n_threads = dict(client.nthreads())
    for worker in n_threads.keys() & versions.keys() & pythons.keys():
        if not isinstance(pythons[worker], Exception):  # else it is about to leave
            _check_versions(worker, versions[worker], _minor(pythons[worker]), _minor(python_version()))
    return n_threads


def _check_versions(worker: str, theirs: Any, their_python: str, python: str) -> None:
    if isinstance(theirs, ImportError):
        raise EngineError(
            f"leanrank is not installed on the Dask worker {worker}. Install it there: "
            f"pip install leanrank=={__version__}"
        )
    if theirs != __version__:
        raise EngineError(
            f"The Dask worker {worker} has leanrank {theirs}, and here it is {__version__}. Install the same version "
            "on all machines."
        )
    if their_python != python:
        raise EngineError(
            f"The Dask worker {worker} runs Python {their_python}, and here it is {python}. Use one on all machines."
        )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


class _Client(distributed.Client):  # type: ignore[misc, name-defined]
    """A client that never arrived has nobody to say good-bye to: Dask's tries, and ends in a traceback."""

    def __del__(self) -> None:
        if getattr(self, "status", None) == "running":
            super().__del__()


def connected(address: str) -> Any:
    try:
        with _quiet():
            return _Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # whatever listens there may answer anything
        reason = " ".join(str(error).split())
        raise EngineError(
            f"No Dask scheduler answers at {address} ({type(error).__name__}: {reason[:200]}). Check the address, or "
            "start one: dask scheduler"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask logs of its attempts, with tracebacks, is left out: the error says it in one sentence."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    before = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def address_of(client: Any) -> str:
    return str(getattr(getattr(client, "scheduler", None), "address", None) or "no scheduler")


@contextmanager
def explained(client: Any) -> Iterator[None]:
    """Turn Dask's own failures into ours; errors about the data pass as they are."""
    try:
        yield
    except LeanRankError:
        raise
    except distributed.KilledWorker as error:
        raise EngineError(
            f"Dask workers died again and again on the same task ({error.last_worker}): most often memory. Give the "
            "engine a smaller block_rows, or the workers fewer threads or more memory; their logs say more."
        ) from error
    except ModuleNotFoundError as error:
        raise EngineError(
            f"A Dask worker lacks the package {error.name!r}. Install the same packages on all machines."
        ) from error
    except Exception as error:
        # A cluster that is closed under the work fails in many ways; what fails while it is there is the caller's.
        if not isinstance(error, (CancelledError, OSError)) and client.status == "running":
            raise
        reason = " ".join(str(error).split())
        raise EngineError(
            f"The Dask cluster at {address_of(client)} was lost during the work ({type(error).__name__}: "
            f"{reason[:200]}). Run again on a new one."
        ) from error
