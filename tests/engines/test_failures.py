"""Workers that die, clusters that cannot work, files that workers cannot see."""

from __future__ import annotations

import copy
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from time import monotonic, sleep

import numpy as np
import pytest
from tests.engines.deadly import Breaks, DiesOnce, Waits
from tests.engines.interpreters import python_like_this

from leanrank import (
    DaskEngine,
    LocalEngine,
    RankingData,
    SparkEngine,
    __version__,
    fold,
    scan_parquet,
    write_letor,
    write_parquet,
)
from leanrank.errors import DataError, EngineError, LeanRankError, ParameterError
from leanrank.selectors import registry
from leanrank.stats.constant import Constant

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Dask and Spark
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

CLUSTERS = ("dask", "spark")
DATA = RankingData(np.arange(240.0).reshape(120, 2) % 7, np.arange(120) % 3, np.arange(0, 121, 2), np.arange(60) + 1)


@pytest.fixture
def parquet(tmp_path):
    """Ten files of six queries."""
    for i in range(10):
        write_parquet(DATA.take_queries(np.arange(6 * i, 6 * i + 6)), tmp_path / f"{i}.parquet")
    return scan_parquet(tmp_path)


@pytest.mark.parametrize("where", ["of", "merge"])
@pytest.mark.parametrize("name", CLUSTERS)
def test_a_worker_killed_in_the_middle_changes_nothing(name, where, tmp_path, parquet, make_engine):
    expected = fold(DiesOnce("", "never"), DATA, LocalEngine(1))
    flag = tmp_path / "died"
    assert fold(DiesOnce(str(flag), where), parquet, make_engine(name, 12)) == expected
    assert flag.exists()


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_worker_killed_with_a_block_it_was_sent(name, tmp_path, make_engine):
    expected = fold(DiesOnce("", "never"), DATA, LocalEngine(1))
    flag = tmp_path / "died"
    assert fold(DiesOnce(str(flag), "of"), DATA, make_engine(name, 12)) == expected
    assert flag.exists()


@pytest.mark.parametrize("name", CLUSTERS)
def test_files_that_workers_cannot_see(name, parquet, make_engine):
    for file in parquet.files[3:]:
        file.path.unlink()
    with pytest.raises(DataError, match=r"The worker on .* cannot see .*[3-9]\.parquet.*read_on='driver'"):
        fold(Constant(), parquet, make_engine(name, 12))


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_driver_can_read_instead(name, parquet, make_engine, monkeypatch):
    monkeypatch.setattr(type(parquet), "partitions", lambda self, n: pytest.fail("workers were to read"))
    found = fold(Constant(), parquet, make_engine(name, 12, read_on="driver"))
    np.testing.assert_array_equal(found, fold(Constant(), DATA))


@pytest.mark.parametrize("name", CLUSTERS)
def test_an_engine_is_a_parameter_like_any_other(name, make_engine):
    from sklearn.base import clone

    engine = make_engine(name, 50)
    assert copy.deepcopy(engine) is engine
    selector = clone(registry.get("top-k", n_features_to_select=1, engine=engine)).fit(DATA)
    assert selector.to_dict()["parameters"]["engine"] == repr(engine)


def test_a_bug_in_a_statistic_is_told(make_engine):
    with pytest.raises(ZeroDivisionError, match="a bug in a statistic"):
        fold(Breaks(), DATA, make_engine("dask", 50))
    with pytest.raises(EngineError, match=r"Spark gave up on the work: .*a bug in a statistic"):
        fold(Breaks(), DATA, make_engine("spark", 500))


def test_parameters_are_checked(dask_client):
    with pytest.raises(ParameterError, match="'block_rows' parameter of DaskEngine must be >= 1"):
        DaskEngine(dask_client, block_rows=0)
    with pytest.raises(ParameterError, match="'read_on' parameter of DaskEngine must be 'workers' or 'driver'"):
        DaskEngine(dask_client, read_on="moon")
    with pytest.raises(ParameterError, match=r"'client' parameter of DaskEngine must be a distributed\.Client"):
        DaskEngine(7)
    with pytest.raises(ParameterError, match="'session' parameter of SparkEngine must be a SparkSession"):
        SparkEngine(7)


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    return python_like_this(tmp_path_factory.mktemp("bare"), None)


@pytest.fixture(scope="module")
def old_python(tmp_path_factory):
    return python_like_this(tmp_path_factory.mktemp("old"), "0.0.1")


class _Within:
    """A clear error of ours, soon."""

    def __init__(self, match: str, seconds: float = 30.0) -> None:
        self.raised, self.seconds = pytest.raises(LeanRankError, match=match), seconds

    def __enter__(self):
        self.start = monotonic()
        self.raised.__enter__()

    def __exit__(self, *error):
        assert monotonic() - self.start < self.seconds
        return self.raised.__exit__(*error)


@pytest.fixture
def little_patience(monkeypatch):
    monkeypatch.setattr("leanrank.engines.dask_checks.PATIENCE", 1)


@pytest.mark.usefixtures("little_patience")
def test_dask_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with _Within(f"No Dask scheduler answers at tcp://127.0.0.1:{port} .*Check the address"):
        DaskEngine(f"tcp://127.0.0.1:{port}")
    with _Within("No Dask scheduler answers at carrier://pigeon:1"):
        DaskEngine("carrier://pigeon:1")


def _answer_with_http(server):
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.mark.usefixtures("little_patience")
def test_dask_something_else_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer_with_http, args=(server,), daemon=True)
        thread.start()
        with _Within("No Dask scheduler answers at tcp://127.0.0.1"):
            DaskEngine(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


@pytest.mark.usefixtures("little_patience")
def test_dask_without_workers_and_then_without_scheduler():
    import distributed

    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        engine = DaskEngine(client)
        with _Within("has no worker after 1 s. Start some: dask worker"):
            fold(Constant(), DATA, engine)
        client.close()
        with _Within("The Dask client of .* is closed: its scheduler is gone"):
            fold(Constant(), DATA, engine)


@pytest.mark.parametrize("place", ["memory", "files"])
def test_dask_closed_under_the_work(place, parquet):
    import distributed

    with distributed.LocalCluster(n_workers=1, processes=True, dashboard_address=":0") as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        closing = threading.Timer(2.0, lambda: (client.close(), cluster.close()))
        closing.start()
        with _Within("Dask (cluster at|client of) .* (was lost during the work|its scheduler is gone)", 60.0):
            fold(Waits(), DATA if place == "memory" else parquet, DaskEngine(client, block_rows=12))
        closing.join()


COMMAND = [sys.executable, "-c", "from leanrank.cli import main; main()", "graph", "a.txt", "-o", "g.npz", "--engine"]


@pytest.fixture
def judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_letor(DATA, tmp_path / "a.txt")


@pytest.mark.usefixtures("judged")
def test_a_foreign_address_on_the_command_line_is_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_answer_with_http, args=(server,), daemon=True).start()
        address = f"dask://127.0.0.1:{server.getsockname()[1]}"
        done = subprocess.run([*COMMAND, address], capture_output=True, text=True, check=False, timeout=120)
        server.shutdown(socket.SHUT_RDWR)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No Dask scheduler answers at tcp://127.0.0.1" in done.stderr


@pytest.mark.usefixtures("judged")
def test_an_interrupt_while_workers_start_is_one_line():
    import distributed

    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0", protocol="tcp") as cluster:
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        with subprocess.Popen([*COMMAND, address], stderr=subprocess.PIPE, text=True) as process:
            deadline = monotonic() + 60
            while len(cluster.scheduler.clients) < 2 and monotonic() < deadline:  # one is the cluster's own
                sleep(0.05)
            sleep(1.0)  # it waits for workers now
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "leanrank: interrupted\n"


@contextmanager
def dask_worker(python):
    """An engine of a scheduler whose one worker is a process of this Python."""
    import distributed

    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0", protocol="tcp") as cluster:
        command = [python, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        worker = subprocess.Popen(command, cwd="/", env=environment, **quiet)
        try:
            with distributed.Client(cluster, set_as_default=False) as client:
                client.wait_for_workers(1, timeout=60)
                yield DaskEngine(client)
        finally:
            worker.terminate()
            worker.wait(20)


def test_dask_worker_without_leanrank(bare_python):
    with dask_worker(bare_python) as engine:
        with _Within(r"leanrank is not installed on the Dask worker tcp://.*pip install leanrank=="):
            fold(Constant(), DATA, engine)
        with _Within("leanrank is not installed on the Dask worker"):
            engine.calls().ready()


def test_dask_worker_of_another_version(old_python):
    with (
        dask_worker(old_python) as engine,
        _Within(rf"worker tcp.* has leanrank 0\.0\.1, and here it is {__version__}"),
    ):
        fold(Constant(), DATA, engine)


def test_dask_worker_of_another_python():
    from leanrank.engines.dask_checks import _check_versions

    with pytest.raises(EngineError, match=r"worker w runs Python 3\.9, and here it is 3\.11"):
        _check_versions("w", __version__, "3.9", "3.11")


def test_spark_workers_without_leanrank(spark_session, make_engine, monkeypatch, bare_python):
    monkeypatch.setattr(spark_session.sparkContext, "pythonExec", bare_python)
    with _Within("leanrank is not installed for Spark's Python workers"):
        fold(Constant(), DATA, make_engine("spark", 50))


def test_spark_workers_of_another_version(spark_session, make_engine, monkeypatch, old_python):
    monkeypatch.setattr(spark_session.sparkContext, "pythonExec", old_python)
    with _Within(rf"Spark's Python workers have leanrank 0\.0\.1, and here it is {__version__}"):
        fold(Constant(), DATA, make_engine("spark", 50))


def test_spark_session_that_was_stopped(spark_session, make_engine, monkeypatch):
    engine = make_engine("spark", 50)
    monkeypatch.setattr(spark_session._sc, "_jsc", None)  # as stop() leaves it
    with _Within("The Spark session is stopped. Make a new one"):
        fold(Constant(), DATA, engine)
