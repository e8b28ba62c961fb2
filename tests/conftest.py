"""Fixtures shared by all tests: real data, and a real Dask and a real Spark, started when first asked for."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says something of the machine, nothing of the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# A shell starts jobs in the background with Ctrl-C ignored, and so would be all programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_ROOT = Path(__file__).resolve().parent.parent


def _beside(name: str) -> Path:
    """A folder of material that is not part of the project: `$LEANRANK_SHARED/name`, or beside the checkout."""
    shared = Path(os.environ.get("LEANRANK_SHARED", _ROOT.parent / "shared"))
    folder = shared / name
    if not folder.is_dir():
        pytest.skip(f"the folder '{name}' of real data is not on this machine (set LEANRANK_SHARED to point to it)")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Real data sets (never part of the project)."""
    return _beside("data")


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """Output of the official LETOR evaluation scripts."""
    return _beside("golden")


@pytest.fixture(scope="session")
def published_dir() -> Path:
    """The papers' tables as CSV."""
    return _beside("published")


@pytest.fixture(scope="session")
def dask_client():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="session")
def spark_session():
    sql = pytest.importorskip("pyspark.sql")
    path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    set_here = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": path}
    before = {name: os.environ.get(name) for name in set_here}
    os.environ.update(set_here)
    builder = sql.SparkSession.builder.master("local[2, 4]").appName("leanrank tests")
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a short life: compile little, collect simply
    builder = builder.config("spark.driver.extraJavaOptions", quick)
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, about versions of pandas
        session = builder.config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture
def make_engine(request):
    """The engine of that name; clusters are shared by all tests."""

    def make(name: str, block_rows: int, **options):
        from leanrank import DaskEngine, LocalEngine, SparkEngine

        if name == "dask":
            return DaskEngine(request.getfixturevalue("dask_client"), block_rows=block_rows, **options)
        if name == "spark":
            return SparkEngine(request.getfixturevalue("spark_session"), block_rows=block_rows, **options)
        return LocalEngine(int(name.removeprefix("local-")), block_rows)

    return make
