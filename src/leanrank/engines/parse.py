"""Engines by name, as the command line takes them."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING, Any

from leanrank._lazy import require
from leanrank.engines.fold import Engine
from leanrank.errors import EngineError, ParameterError, UnknownNameError

if TYPE_CHECKING:
    from leanrank.engines.dask_engine import DaskEngine

_PATIENCE = 10
#: Dask engines by the address of their scheduler: a name given again is the same connection.
_connected: dict[str, DaskEngine] = {}


def engine_of(text: str) -> Engine:
    """The engine that `text` names.

    =======================  =======================================================================
    ``local``                threads of this machine, as many as it has cores
    ``local:4``              four threads of this machine
    ``cuda``                 the GPU of this machine
    ``dask://host:8786``     the Dask cluster with this scheduler
    ``spark``                the Spark session of the environment (spark-submit, or all cores here)
    ``spark://host:7077``    the Spark cluster with this master
    =======================  =======================================================================

    >>> engine_of("local:4")
    LocalEngine(n_threads=4, block_rows=None, device='cpu')
    """
    kind, colon, rest = text.strip().partition(":")
    if kind == "local":
        from leanrank.engines.local import LocalEngine

        if colon and not (rest.isdecimal() and int(rest) >= 1):
            raise ParameterError.of("--engine", "local", "a number of threads after the colon, as in local:4", text)
        return LocalEngine(int(rest)) if colon else LocalEngine()
    if text.strip() == "cuda":
        from leanrank.engines.local import LocalEngine

        return LocalEngine(device="cuda")
    if kind == "dask":
        from leanrank.engines.dask_engine import DaskEngine

        address = "tcp://{}:{}".format(*_host_and_port(rest, text))
        known = _connected.get(address)
        if known is None or known.client.status != "running":
            known = _connected[address] = DaskEngine(address)
        return known
    if kind == "spark":
        from leanrank.engines.spark_engine import SparkEngine

        return SparkEngine(_session(text.strip() if colon else None, rest))
    raise UnknownNameError.of("engine", kind, ("cuda", "dask", "local", "spark"))


def _host_and_port(rest: str, text: str) -> tuple[str, int]:
    host, _, port = rest.removeprefix("//").rpartition(":")
    if not rest.startswith("//") or not host or not port.isdecimal():
        raise ParameterError(f"The engine {text!r} needs the address of its cluster, as in dask://localhost:8786.")
    return host, int(port)


def _session(master: str | None, rest: str) -> Any:
    builder = require("pyspark.sql", "--engine spark").SparkSession.builder.appName("leanrank")
    builder = builder.config("spark.ui.showConsoleProgress", "false")  # ours is silent in a pipe
    if master is None:
        if "spark.master" not in dict(require("pyspark", "--engine spark").SparkConf().getAll()):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers on this machine: the same Python
        return builder.getOrCreate()
    host, port = _host_and_port(rest, master)
    try:  # Spark itself would try for minutes
        socket.create_connection((host, port), timeout=_PATIENCE).close()
    except OSError as error:
        raise EngineError(f"No Spark master answers at {master} ({error}). Check the address.") from error
    return builder.master(master).getOrCreate()
