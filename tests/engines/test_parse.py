"""Engines by name."""

from __future__ import annotations

import socket

import pytest

from leanrank.engines.local import LocalEngine
from leanrank.engines.parse import engine_of
from leanrank.errors import EngineError, ParameterError, UnknownNameError

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of Dask and Spark


def test_local():
    assert engine_of("local") == LocalEngine()
    assert engine_of("local:4") == LocalEngine(4)
    for bad in ("local:", "local:0", "local:many", "local:-2"):
        with pytest.raises(ParameterError, match="a number of threads after the colon, as in local:4"):
            engine_of(bad)


def test_cuda():
    assert engine_of("cuda") == LocalEngine(device="cuda")


@pytest.mark.parametrize(
    ("wrong", "right"), [("locl", "local"), ("sprak", "spark"), ("dsak://host:1", "dask"), ("cude", "cuda")]
)
def test_the_nearest_name(wrong, right):
    with pytest.raises(UnknownNameError, match=f"did you mean '{right}'"):
        engine_of(wrong)


@pytest.mark.parametrize("text", ["dask", "dask:", "dask://", "dask://host", "dask:host:1", "spark://host", "spark:7"])
def test_addresses_that_are_none(text):
    with pytest.raises(ParameterError, match="needs the address of its cluster, as in dask://localhost:8786"):
        engine_of(text)


def test_dask(dask_client):
    address = dask_client.scheduler.address
    engine = engine_of(address.replace("tcp://", "dask://"))
    assert repr(engine) == f"DaskEngine('{address}')"
    assert engine_of(address.replace("tcp://", "dask://")) is engine  # one connection for all who name it
    engine.client.close()
    again = engine_of(address.replace("tcp://", "dask://"))
    assert again is not engine
    again.client.close()


def test_spark(spark_session):
    engine = engine_of("spark")
    assert engine.session.sparkContext is spark_session.sparkContext
    assert repr(engine) == "SparkEngine('local[2, 4]')"


def test_spark_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(EngineError, match=f"No Spark master answers at spark://127.0.0.1:{port}"):
        engine_of(f"spark://127.0.0.1:{port}")
