"""Journal: finished work in an SQLite file, so that nothing is computed twice and nothing is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from leanrank.errors import DataError, JournalMismatch, ParameterError

FORMAT = 1

Task = Mapping[str, Any]
#: Computes tasks by key on other machines: yields the key, the result (or why there is none) and the seconds of each.
Elsewhere = Callable[[dict[str, Task]], Iterable[tuple[str, Any, float]]]


class Journal:
    """Results of tasks by what the tasks are.

    A task is a dict of plain values that says completely what is to be computed; its result is plain values too.
    Each result is written in a transaction of its own the moment it is there: after a crash, a kill or a power cut the
    file holds every finished task and no half of one.

    Parameters
    ----------
    path : path or None
        The file; None keeps the journal in memory.
    about : dict
        What all tasks have in common (data fingerprint, parameters, seed). A file that says otherwise is refused:
        results of other data must not be taken for these.

    Attributes
    ----------
    computed, reused : int
        Tasks computed and tasks found done, since this journal was opened.

    Examples
    --------
    >>> journal = Journal(None, {"seed": 0})
    >>> journal.once({"task": "square", "of": 3}, lambda: 9)
    9
    >>> journal.once({"of": 3, "task": "square"}, lambda: 1 / 0)
    9
    >>> journal.computed, journal.reused
    (1, 1)
    """

    def __init__(self, path: str | os.PathLike[str] | None, about: Task) -> None:
        self.path = None if path is None else Path(path)
        self.computed = self.reused = 0
        self._lock = threading.Lock()
        self._database = _open(self.path)
        self._agree(json.loads(canonical(about)))

    def _agree(self, about: dict[str, Any]) -> None:
        """Write `about` into a new file; refuse an old one that says something else."""
        row = self._database.execute("SELECT value FROM about WHERE name = 'about'").fetchone()
        if row is None:
            with self._database:
                self._database.execute("INSERT INTO about VALUES ('about', ?)", (canonical(about),))
            return
        there = json.loads(row[0])
        differing = sorted(name for name in {*there, *about} if there.get(name) != about.get(name))
        if differing:
            name, before, now = _first_difference(differing[0], there.get(differing[0]), about.get(differing[0]))
            self.close()
            raise JournalMismatch(
                f"{self.path} is the journal of another run: its {name} is {_short(before)}, here it is "
                f"{_short(now)}. Name another journal, or repeat that run's settings.",
                setting=name,
            )

    def get(self, task: Task) -> Any:
        """The result of `task`, or None if it is not done."""
        with self._lock:
            row = self._database.execute("SELECT result FROM tasks WHERE key = ?", (key_of(task),)).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, task: Task, result: Any, seconds: float = 0.0) -> None:
        """Keep the result of `task`; on disk when this returns."""
        row = (key_of(task), canonical(task), json.dumps(result, allow_nan=False), seconds)
        with self._lock, self._database:
            self._database.execute("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?)", row)

    def once(self, task: Task, compute: Callable[[], Any]) -> Any:
        """The result of `task`: the one kept, or `compute()`, which is then kept."""
        result = self.get(task)
        if result is not None:
            self.reused += 1
            return result
        start = time.perf_counter()
        result = compute()
        self.put(task, result, time.perf_counter() - start)
        self.computed += 1
        return result

    def all(
        self,
        tasks: Iterable[Task],
        compute: Callable[[Task], Any],
        *,
        n_jobs: int = 1,
        done: Callable[[Task], None] = lambda task: None,
        elsewhere: Elsewhere | None = None,
    ) -> list[Any]:
        """The results of many tasks, in their order; what is not kept is computed on `n_jobs` threads.

        With `elsewhere`, what is not kept is handed to it, and each result is kept here as it comes. `done` is called
        in the caller's thread after each task. On an error or an interrupt, tasks that have not begun are dropped and
        everything finished is kept.
        """
        if n_jobs < 1:
            raise ParameterError.of("Journal.all", "n_jobs", ">= 1", n_jobs)
        wanted = list(tasks)
        if elsewhere is not None:
            return self._all_elsewhere(wanted, elsewhere, done)
        if n_jobs == 1:
            results = []
            for task in wanted:
                results.append(self.once(task, lambda task=task: compute(task)))  # type: ignore[misc]
                done(task)
            return results
        distinct = {key_of(task): task for task in wanted}
        kept: dict[str, Any] = {}
        pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="leanrank")
        try:
            waiting: dict[Future[Any], str] = {
                pool.submit(self.once, task, lambda task=task: compute(task)): key  # type: ignore[misc]
                for key, task in distinct.items()
            }
            while waiting:
                finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    key = waiting.pop(future)
                    kept[key] = future.result()
                    done(distinct[key])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return [kept[key_of(task)] for task in wanted]

    def _all_elsewhere(self, wanted: list[Task], elsewhere: Elsewhere, done: Callable[[Task], None]) -> list[Any]:
        distinct = {key_of(task): task for task in wanted}
        kept = {key: result for key, task in distinct.items() if (result := self.get(task)) is not None}
        self.reused += len(kept)
        for key in kept:
            done(distinct[key])
        absent = {key: task for key, task in distinct.items() if key not in kept}
        for key, result, seconds in elsewhere(absent) if absent else ():
            if isinstance(result, Exception):
                raise result
            self.put(distinct[key], result, seconds)
            self.computed += 1
            kept[key] = result
            done(distinct[key])
        return [kept[key_of(task)] for task in wanted]

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Any, float]]:
        """Every finished task with its result and the seconds it took, in the order they were finished."""
        with self._lock:
            rows = self._database.execute("SELECT task, result, seconds FROM tasks ORDER BY rowid").fetchall()
        for task, result, seconds in rows:
            yield json.loads(task), json.loads(result), float(seconds)

    def __len__(self) -> int:
        with self._lock:
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
        row = database.execute("SELECT value FROM about WHERE name = 'about'").fetchone()
    finally:
        database.close()
    if row is None:
        raise DataError(f"{source}: the journal is empty.")
    about: dict[str, Any] = json.loads(row[0])
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
            raise DataError(f"{path}: is a database, but not a journal of this version of leanrank.")
        database.execute("PRAGMA journal_mode = WAL")
        # one transaction: a kill leaves a whole journal or an empty file
        database.executescript(
            f"""
            BEGIN IMMEDIATE;
            CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS tasks
                (key TEXT PRIMARY KEY, task TEXT NOT NULL, result TEXT NOT NULL, seconds REAL NOT NULL);
            PRAGMA user_version = {FORMAT};
            COMMIT;
            """
        )
        return database
    except sqlite3.Error as error:
        raise DataError(f"{path}: cannot be used as a journal ({error}).") from error


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
