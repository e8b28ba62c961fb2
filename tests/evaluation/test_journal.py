"""The journal: nothing twice, nothing lost, nothing mixed up."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from leanrank.errors import DataError
from leanrank.evaluation.journal import Journal, key_of, read_about


def test_key_ignores_the_order_of_names():
    assert key_of({"a": 1, "b": [2, 3]}) == key_of({"b": [2, 3], "a": 1})
    assert key_of({"a": 1}) != key_of({"a": 2})


def test_results_survive_closing(tmp_path):
    path = tmp_path / "run.db"
    with Journal(path, {"seed": 0}) as journal:
        journal.once({"x": 1}, lambda: [0.1, None, "text"])
    with Journal(path, {"seed": 0}) as journal:
        assert journal.once({"x": 1}, lambda: pytest.fail("computed twice")) == [0.1, None, "text"]
        assert (journal.computed, journal.reused, len(journal)) == (0, 1, 1)
    assert read_about(path) == {"seed": 0}


def test_another_run_is_refused(tmp_path):
    path = tmp_path / "run.db"
    Journal(path, {"seed": 0, "data": "abc"}).close()
    with pytest.raises(DataError, match="journal of another run: its seed is 0, here it is 1"):
        Journal(path, {"seed": 1, "data": "abc"})


def test_foreign_files_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to be mistaken for one " * 10)
    before = text.read_bytes()
    with pytest.raises(DataError, match="cannot be used as a journal"):
        Journal(text, {})
    assert text.read_bytes() == before
    import sqlite3

    other = tmp_path / "other.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    with pytest.raises(DataError, match="not a journal"):
        Journal(other, {})
    with pytest.raises(DataError, match="no such journal"):
        read_about(tmp_path / "none.db")


def test_threads_give_the_same_results_in_order():
    tasks = [{"n": n % 7} for n in range(20)]
    calls: list[int] = []
    lock = threading.Lock()

    def compute(task):
        with lock:
            calls.append(task["n"])
        return task["n"] ** 2

    for n_jobs in (1, 3):
        calls.clear()
        journal = Journal(None, {})
        seen = []
        assert journal.all(tasks, compute, n_jobs=n_jobs, done=seen.append) == [(n % 7) ** 2 for n in range(20)]
        assert sorted(calls) == list(range(7))
        assert journal.computed == 7


def test_an_error_keeps_what_was_finished(tmp_path):
    def compute(task):
        if task["n"] == 3:
            raise RuntimeError("third")
        return task["n"]

    with Journal(tmp_path / "run.db", {}) as journal:
        with pytest.raises(RuntimeError, match="third"):
            journal.all([{"n": n} for n in range(6)], compute)
        assert [task["n"] for task, _, _ in journal] == [0, 1, 2]


def test_kill_9_loses_no_finished_task(tmp_path):
    path = tmp_path / "run.db"
    program = f"""
import os, signal
from leanrank.evaluation.journal import Journal
journal = Journal({str(path)!r}, {{}})
for n in range(10):
    if n == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    journal.once({{"n": n}}, lambda: n)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -9
    with Journal(path, {}) as journal:
        assert [result for _, result, _ in journal] == [0, 1, 2, 3, 4, 5]
