"""The journal: nothing twice, nothing lost, nothing mixed up."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from types import SimpleNamespace

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
        assert len(journal) == 1
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


def test_a_journal_of_another_format_is_refused_and_stays_as_it_is(tmp_path):
    import sqlite3

    path = tmp_path / "before.db"
    with Journal(path, {"seed": 0}) as journal:
        journal.put({"task": "fit"}, 1.0)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 1")
    database.close()
    with pytest.raises(DataError, match=r"before\.db: is a database, but not a journal of this version.*another file"):
        Journal(path, {"seed": 0})
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
    database.close()


def test_what_sqlite_refuses_is_told_in_a_sentence(tmp_path):
    path = tmp_path / "run.db"
    with Journal(path, {"seed": 0}) as journal:
        journal.put({"n": 1}, list(range(1000)))
        journal._database.execute(
            f"PRAGMA max_page_count = {journal._database.execute('PRAGMA page_count').fetchone()[0]}"
        )
        with pytest.raises(DataError, match=r"run\.db: the journal cannot be used any more \(database or disk is full"):
            journal.put({"n": 2}, "x" * 100_000)
        assert len(journal) == 1  # what is finished is kept
        journal._database.execute("PRAGMA query_only = ON")
        with pytest.raises(DataError, match="Make the file and its folder writable"):
            journal.put({"n": 2}, 2)
    for other in tmp_path.glob("run.db-*"):
        other.unlink()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\x07" * (len(content) - 4096))
    with pytest.raises(DataError, match=r"run\.db: .*(damaged|malformed)"), Journal(path, {"seed": 0}) as journal:
        list(journal)


@pytest.mark.parametrize("text", ["{half of", b"\x00\x01", "[1, 2]"])
def test_entries_that_are_not_json_are_told_in_a_sentence(text, tmp_path):
    import sqlite3

    path = tmp_path / "run.db"
    with Journal(path, {"seed": 0}) as journal:
        journal.put({"n": 1}, 1)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE tasks SET result = ?", (text,))
    database.close()
    if text != "[1, 2]":
        with Journal(path, {"seed": 0}) as journal:
            with pytest.raises(DataError, match=r"run\.db: the journal has an entry that is not JSON .* damaged"):
                journal.get({"n": 1})
            with pytest.raises(DataError, match="an entry that is not JSON"):
                list(journal)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE about SET value = ?", (text,))
    database.close()
    for read in (lambda: read_about(path), lambda: Journal(path, {"seed": 0})):
        with pytest.raises(DataError, match=r"run\.db: .*damaged"):
            read()


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


def test_the_time_of_all_sittings_adds_up(tmp_path, monkeypatch):
    clock = iter([100.0, 130.0, 150.0, 1000.0, 1005.0, 5000.0])
    monkeypatch.setattr("leanrank.evaluation.journal.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    path = tmp_path / "j.db"
    with Journal(path, {"seed": 0}) as journal:
        assert journal.earlier == 0
        journal.put({"task": 1}, 1)
        journal.put({"task": 2}, 2)
    with Journal(path, {"seed": 0}) as journal:
        assert journal.earlier == 50
        journal.put({"task": 3}, 3)
    with Journal(path, {"seed": 0}) as journal:
        assert journal.earlier == 55
        assert len(journal) == 3


def test_a_time_that_is_none_is_refused(tmp_path):
    path = tmp_path / "j.db"
    with Journal(path, {"seed": 0}) as journal:
        journal.put({"task": 1}, 1)
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE worked SET seconds = -1.0")
    database.close()
    with pytest.raises(DataError, match=r"names is -1\.0"):
        Journal(path, {"seed": 0})
