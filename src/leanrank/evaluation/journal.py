"""Journal: finished work in an SQLite file, so that nothing is computed twice and nothing is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from leanrank.data.text_file import parse_json
from leanrank.errors import DataError, JournalMismatch

#: Raised whenever a task of the same name is computed otherwise: results of then and now are never mixed.
FORMAT = 2

Task = Mapping[str, Any]

#: How to go on after an error of SQLite, by its primary code.
_GO_ON = {
    sqlite3.SQLITE_FULL: "Make room on the disk and repeat the command: what is finished is kept.",
    sqlite3.SQLITE_IOERR: "See to the disk and repeat the command: what is finished is kept.",
    sqlite3.SQLITE_BUSY: "Another run writes to it: wait for that one, or name another journal.",
    sqlite3.SQLITE_READONLY: "Make the file and its folder writable, or name another journal.",
    sqlite3.SQLITE_CANTOPEN: "Make the file and its folder writable, or name another journal.",
}
_DAMAGED = "The file is damaged: bring back a copy of it, or name another journal."


class Journal:
    """Results of tasks by what the tasks are, and how long was worked on them before (`earlier`, seconds).

    A task is a dict of plain values that says completely what is to be computed; its result is plain values too.
    Each result is written in a transaction of its own the moment it is there: after a crash, a kill or a power cut the
    file holds every finished task and no half of one. Who computes tasks is another question: see `Tasks`.

    Parameters
    ----------
    path : path or None
        The file; None keeps the journal in memory.
    about : dict
        What all tasks have in common (data fingerprint, parameters, seed). A file that says otherwise is refused:
        results of other data must not be taken for these.

    Examples
    --------
    >>> journal = Journal(None, {"seed": 0})
    >>> journal.put({"task": "square", "of": 3}, 9)
    >>> journal.get({"of": 3, "task": "square"})
    9
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Task) -> None:
        self.path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._opened = time.perf_counter()
        self._database = _open(self.path)
        try:
            self._agree(json.loads(canonical(about)))
            self.earlier = self._worked()
        except BaseException:
            self.close()
            raise

    def _agree(self, about: dict[str, Any]) -> None:
        """Write `about` into a new file; refuse an old one that says something else."""
        there = _about(self._database, self.path)
        if there is None:
            with _told(self.path), self._database:
                self._database.execute("INSERT INTO about VALUES ('about', ?)", (canonical(about),))
            return
        differing = sorted(name for name in {*there, *about} if there.get(name) != about.get(name))
        if differing:
            name, before, now = _first_difference(differing[0], there.get(differing[0]), about.get(differing[0]))
            raise JournalMismatch(
                f"{self.path} is the journal of another run: its {name} is {_short(before)}, here it is "
                f"{_short(now)}. Name another journal, or repeat that run's settings.",
                setting=name,
            )

    def _worked(self) -> float:
        """How long the journal was worked on before, all sittings together: until the last task of each."""
        with _told(self.path):
            row = self._database.execute("SELECT MAX(seconds) FROM worked").fetchone()
        seconds = 0.0 if row[0] is None else row[0]
        if not (isinstance(seconds, float) and 0 <= seconds < float("inf")):
            raise DataError(f"{self.path}: the time that the journal names is {seconds!r}. {_DAMAGED}")
        return seconds

    def get(self, task: Task) -> Any:
        """The result of `task`, or None if it is not done."""
        with self._lock, _told(self.path):
            row = self._database.execute("SELECT result FROM tasks WHERE key = ?", (key_of(task),)).fetchone()
        return None if row is None else _parsed(row[0], self.path)

    def put(self, task: Task, result: Any, seconds: float = 0.0) -> None:
        """Keep the result of `task`; on disk when this returns."""
        row = (key_of(task), canonical(task), json.dumps(result, allow_nan=False), seconds)
        with self._lock, _told(self.path), self._database:
            self._database.execute("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?)", row)
            worked = self.earlier + time.perf_counter() - self._opened
            self._database.execute("INSERT OR REPLACE INTO worked VALUES (0, ?)", (worked,))

    def once(self, task: Task, compute: Callable[[], Any]) -> Any:
        """The result of `task`: the one kept, or `compute()`, which is then kept."""
        result = self.get(task)
        if result is None:
            start = time.perf_counter()
            result = compute()
            self.put(task, result, time.perf_counter() - start)
        return result

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Any, float]]:
        """Every finished task with its result and the seconds it took, in the order they were finished."""
        with self._lock, _told(self.path):
            rows = self._database.execute("SELECT task, result, seconds FROM tasks ORDER BY rowid").fetchall()
        for task, result, seconds in rows:
            what = _parsed(task, self.path)
            if not (isinstance(what, dict) and isinstance(seconds, float)):
                raise DataError(f"{self.path}: the journal has an entry that is no task of ours. {_DAMAGED}")
            yield what, _parsed(result, self.path), seconds

    def __len__(self) -> int:
        with self._lock, _told(self.path):
            return int(self._database.execute("SELECT COUNT(*) FROM tasks").fetchone()[0])

    def close(self) -> None:
        """Close the file. The journal cannot be used after that."""
        with suppress(sqlite3.Error):
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a journal file says its tasks have in common."""
    source = Path(path)
    if not source.is_file():
        raise DataError(f"{source}: there is no such journal.")
    database = _open(source)
    try:
        about = _about(database, source)
    finally:
        database.close()
    if about is None:
        raise DataError(f"{source}: the journal is empty.")
    return about


def canonical(value: Any) -> str:
    """One text for equal plain values, whatever the order of the keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def key_of(task: Task) -> str:
    """The key a task is filed under."""
    return blake2b(canonical(dict(task)).encode(), digest_size=16).hexdigest()


def _open(path: Path | None) -> sqlite3.Connection:
    """Open or create a journal file; a file that is none is refused and left as it is."""
    try:
        database = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False, timeout=30)
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and (version != FORMAT or not {"tasks", "about"} <= tables):
            database.close()
            raise DataError(f"{path}: is a database, but not a journal of this version of leanrank: name another file.")
        database.execute("PRAGMA journal_mode = WAL")
        # one transaction: a kill leaves a whole journal or an empty file
        database.executescript(
            f"""
            BEGIN IMMEDIATE;
            CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS tasks
                (key TEXT PRIMARY KEY, task TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL);
            CREATE TABLE IF NOT EXISTS worked (only INTEGER PRIMARY KEY, seconds REAL NOT NULL);
            PRAGMA user_version = {FORMAT};
            COMMIT;
            """
        )
        return database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own message may hold damaged bytes
        raise DataError(f"{path}: cannot be used as a journal ({error}).") from error


def _about(database: sqlite3.Connection, path: Path | None) -> dict[str, Any] | None:
    with _told(path):
        row = database.execute("SELECT value FROM about WHERE name = 'about'").fetchone()
    about = None if row is None else _parsed(row[0], path)
    if not (about is None or isinstance(about, dict)):
        raise DataError(f"{path}: what the journal says of its run cannot be read. {_DAMAGED}")
    return about


@contextmanager
def _told(path: Path | None) -> Iterator[None]:
    """Say in one sentence what SQLite has against the file, and how to go on."""
    try:
        yield
    except sqlite3.ProgrammingError:  # used after it was closed
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        go_on = _GO_ON.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _DAMAGED)
        raise DataError(f"{path}: the journal cannot be used any more ({error}). {go_on}") from error


def _parsed(text: Any, path: Path | None) -> Any:
    try:
        return parse_json(text, "it")
    except DataError as error:
        raise DataError(f"{path}: the journal has an entry that is not JSON ({error}) {_DAMAGED}") from error


def _first_difference(name: str, there: Any, here: Any) -> tuple[str, Any, Any]:
    """Where two values differ: inside tables and lists of the same kind, the first entry that does."""
    if isinstance(there, dict) and isinstance(here, dict):
        inner = min(key for key in {*there, *here} if there.get(key) != here.get(key))
        return _first_difference(f"{name}.{inner}", there.get(inner), here.get(inner))
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        i = next(i for i, pair in enumerate(zip(there, here, strict=True)) if pair[0] != pair[1])
        return _first_difference(f"{name}[{i}]", there[i], here[i])
    return name, there, here


def _short(value: Any, width: int = 60) -> str:
    text = json.dumps(value)
    return text if len(text) <= width else text[: width - 1] + "…"
