"""One way to run tasks, wherever: the same results, each kept at once, and a lost worker costs only its tasks."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from leanrank.errors import DataError, EngineError, LeanRankError, ParameterError
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.tasks import Tasks

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Dask and Spark
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

PLACES = ("here", "threads", "processes", "dask", "spark")


class Shared:
    """Counts in a folder how often it arrived somewhere."""

    def __init__(self, folder: str, base: int = 100) -> None:
        self.folder, self.base = folder, base

    def __setstate__(self, state):
        vars(self).update(state)
        Path(self.folder, f"arrived-{os.getpid()}-{time.monotonic_ns()}").touch()


def add(shared, task, needs):
    return {"sum": shared.base + task["n"] + (needs or 0), "process": os.getpid()}


def refuse_odd(shared, task, needs):
    if task["n"] % 2:
        raise DataError(f"{task['n']} is odd.")
    return task["n"]


def stumble(shared, task, needs):
    if task["n"] == 3:
        raise ZeroDivisionError("a bug")
    return task["n"]


def die_once(shared, task, needs):
    if task["n"] == 3:
        try:
            os.close(os.open(f"{shared.folder}/died", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    Path(shared.folder, f"call-{task['n']}-{time.monotonic_ns()}").touch()
    return task["n"]


def die(shared, task, needs):
    if task["n"] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return task["n"]


@pytest.fixture
def place(make_engine):
    def options(name):
        if name in ("dask", "spark"):
            return {"engine": make_engine(name, 1000)}
        return {"n_jobs": 1 if name == "here" else 2, "processes": name == "processes"}

    return options


@pytest.mark.parametrize("name", PLACES)
def test_results_come_in_order_and_are_kept(name, place, tmp_path):
    tasks = [{"n": n % 7} for n in range(20)]
    shared = Shared(str(tmp_path))
    with Journal(tmp_path / "run.db", {}) as journal, Tasks(journal, **place(name)) as runner:
        results = runner.run(add, shared, tasks, lambda task: 1000 * task["n"])
        assert [r["sum"] for r in results] == [100 + 1001 * (n % 7) for n in range(20)]
        assert (runner.computed, runner.reused, len(journal)) == (7, 0, 7)
        again = runner.run(add, shared, [*tasks, {"n": 8}])
        assert again[:20] == results
        assert again[20]["sum"] == 108
        assert (runner.computed, runner.reused) == (8, 7)
        away = {r["process"] for r in results} - {os.getpid()}
        assert runner.elsewhere == bool(away) == (name not in ("here", "threads"))
        # the shared object travels once to a worker, and to none where there is none
        arrived = [path.name.split("-")[1] for path in tmp_path.glob("arrived-*")]
        assert len(arrived) <= 2 if name != "spark" else len(arrived) == len(set(arrived))


@pytest.mark.parametrize("name", PLACES)
def test_refused_tasks_are_collected_or_raised(name, place, tmp_path):
    tasks = [{"n": n} for n in range(5)]
    with Journal(None, {}) as journal, Tasks(journal, **place(name)) as runner:
        failed = []
        assert runner.run(refuse_odd, None, tasks, failed=failed) == [0, None, 2, None, 4]
        assert [(task["n"], str(error)) for task, error in failed] == [(1, "1 is odd."), (3, "3 is odd.")]
        assert len(journal) == 3
        with pytest.raises(LeanRankError, match="is odd"):
            runner.run(refuse_odd, None, tasks)


@pytest.mark.parametrize("name", PLACES)
def test_a_bug_is_told_and_what_was_finished_is_kept(name, place, tmp_path):
    with Journal(tmp_path / "run.db", {}) as journal, Tasks(journal, **place(name)) as runner:
        with pytest.raises((ZeroDivisionError, EngineError), match="a bug"):
            runner.run(stumble, None, [{"n": n} for n in range(40)])
        kept = {task["n"] for task, _, _ in journal}
        assert 3 not in kept
        if name == "here":
            assert kept == {0, 1, 2}
        # and the runner can still be used
        assert runner.run(stumble, None, [{"n": 50}]) == [50]


@pytest.mark.parametrize("name", ["processes", "dask", "spark"])
def test_a_lost_worker_costs_only_its_tasks(name, place, tmp_path):
    with Journal(None, {}) as journal, Tasks(journal, **place(name)) as runner:
        assert runner.run(die_once, Shared(str(tmp_path)), [{"n": n} for n in range(8)]) == list(range(8))
    assert (tmp_path / "died").exists()
    if name == "processes":  # no other task was computed twice
        assert len(list(tmp_path.glob("call-*"))) == 8


def test_the_data_are_sent_again_when_they_died_with_their_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    from leanrank import DaskEngine

    options = {"n_workers": 1, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        Journal(None, {}) as journal,
        Tasks(journal, engine=DaskEngine(client)) as runner,
    ):
        assert runner.run(die_once, Shared(str(tmp_path)), [{"n": n} for n in range(8)]) == list(range(8))
        assert (tmp_path / "died").exists()
        cluster.close()
        with pytest.raises(EngineError, match="Dask"):
            runner.run(add, Shared(str(tmp_path)), [{"n": 99}])


def test_a_task_that_kills_every_process_is_given_up(tmp_path):
    with Journal(tmp_path / "run.db", {}) as journal, Tasks(journal, n_jobs=2, processes=True) as runner:
        with pytest.raises(EngineError, match=r"A task \(n 1\) was given up after 3 attempts: its process ended"):
            runner.run(die, None, [{"n": n} for n in range(4)])
        assert 1 not in {task["n"] for task, _, _ in journal}


def test_an_interrupt_keeps_what_the_threads_are_at():
    begun = threading.Barrier(2, timeout=10)

    def work(shared, task, needs):
        begun.wait()
        if task["n"] == 0:
            raise KeyboardInterrupt
        time.sleep(0.2)
        return task["n"]

    with Journal(None, {}) as journal, Tasks(journal, n_jobs=2) as runner:
        with pytest.raises(KeyboardInterrupt):
            runner.run(work, None, [{"n": n} for n in range(10)])
        assert [result for _, result, _ in journal] == [1]


def test_ctrl_c_while_processes_start_is_quiet(tmp_path):
    program = """
import sys
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.tasks import Tasks
from operator import add

if __name__ == "__main__":
    print("go", flush=True)
    try:
        with Journal(None, {}) as journal, Tasks(journal, n_jobs=2, processes=True) as tasks:
            tasks.run(print, None, [{"n": n} for n in range(4)])
    except KeyboardInterrupt:
        sys.exit(130)
"""
    file = tmp_path / "program.py"
    file.write_text(program)
    process = subprocess.Popen(
        [sys.executable, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    process.stdout.readline()
    time.sleep(0.15)
    os.killpg(process.pid, signal.SIGINT)  # the terminal sends it to the whole group
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode == 130


def test_what_cannot_be_sent():
    with Journal(None, {}) as journal, Tasks(journal, n_jobs=2, processes=True) as runner:
        with pytest.raises(ParameterError, match="cannot be sent to other processes"):
            runner.run(add, threading.Lock(), [{"n": 1}])
        with pytest.raises(ParameterError, match="cannot be sent to other processes"):
            runner.run(lambda shared, task, needs: 1, None, [{"n": 1}])
        with pytest.raises(ParameterError, match="'n_jobs' parameter of compare must be >= 1"):
            Tasks(journal, n_jobs=0, owner="compare")


def times_ten(shared, task, needs):
    return 10 * task["n"]


def test_a_callback_hears_of_every_task_once_and_of_those_from_the_journal(tmp_path):
    path, heard = tmp_path / "journal.sqlite", []
    for _ in range(2):
        with Journal(path, {}) as journal, Tasks(journal, callback=heard.append) as tasks:
            tasks.run(times_ten, None, [{"n": 1}, {"n": 2}, {"n": 1}], title="products")
    assert [(one.stage, one.task["n"], one.result, one.reused) for one in heard] == [
        ("products", 1, 10, False),
        ("products", 2, 20, False),
        ("products", 1, 10, True),
        ("products", 2, 20, True),
    ]


def test_what_is_finished_is_kept_when_a_callback_raises(tmp_path):
    def tired(finished):
        raise RuntimeError("enough")

    with Journal(tmp_path / "journal.sqlite", {}) as journal:
        with Tasks(journal, callback=tired) as tasks, pytest.raises(RuntimeError, match="enough"):
            tasks.run(times_ten, None, [{"n": 1}, {"n": 2}])
        assert journal.get({"n": 1}) == 10


def test_a_callback_that_cannot_be_called_is_refused():
    with pytest.raises(ParameterError, match="The 'callback' parameter of select must be a callable"):
        Tasks(Journal(None, {}), callback=3, owner="select")


def test_steps_are_logged_at_info_and_tasks_at_debug(caplog):
    with caplog.at_level(logging.DEBUG, logger="leanrank"), Tasks(Journal(None, {})) as tasks:
        tasks.run(times_ten, None, [{"task": "product", "n": 1}], title="products")
    assert {record.name.partition(".")[0] for record in caplog.records} == {"leanrank"}
    steps = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert steps[0] == "products: 1 tasks, 0 of them done before"
    assert steps[1].startswith("products: finished in ")
    (one,) = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert one.startswith("products: product (n 1): ")
