"""Interrupt select, compare, reproduce and import at random moments; nothing may be lost, and nothing left behind.

Each command is run once undisturbed; this gives its answer, its files and how long it takes. Then it is started again
in an empty folder and gets kill -9, TERM or INT at a random moment, is started again as its user would, gets another
signal, and so on until it ends by itself. After every signal: it ends within seconds and leaves no process, prints no
traceback, its journal is sound and holds no fewer results than before. At the end: the same answer and the same files.

    python -m benchmarks.interrupts --times 200
    python -m benchmarks.interrupts --times 20 --only import,select --seed 7

`reproduce` is left out where there are no data of the papers (--data, or LEANRANK_DATA).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from leanrank import make_ranking, write_letor

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
#: Seconds within which an interrupted command has ended.
PATIENCE = 30.0
#: The interpreter itself answers a signal in its first moments, before a program can: so many seconds at least.
STARTING = 0.15
RAW = ("Traceback", "Exception ignored", "Segmentation", "Fatal Python error", "Aborted")
#: After kill -9 multiprocessing's tracker removes semaphores and says so; after other signals it has none to remove.
LEFT = "leaked"
PROGRAM = (sys.executable, "-X", "faulthandler", "-c", "from leanrank.cli import main; main()")


@dataclass(frozen=True)
class Case:
    """A command that is interrupted: what it needs is written by `prepare`, and its answer read by `answer`."""

    name: str
    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]
    answer: Callable[[Path], Any]
    journal: str | None = None


@dataclass
class Tally:
    """What has happened so far."""

    sent: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    finished: int = 0

    def fault(self, what: str) -> None:
        """Keep what went wrong, and say it at once: a long run is watched."""
        self.wrong.append(what)
        print(what, file=sys.stderr, flush=True)


def cases(data: Path | None) -> list[Case]:
    """The commands, small enough that many runs are affordable."""
    quick = ("--ranker", "ranksvm", "--methods", "gas", "--cv", "3", "--effort", "quick", "--jobs", "2")
    compared = ("--methods", "gas,fcbf", "--rankers", "expected-rank-regression", "-k", "2", "--folds", "3", "-j", "2")
    all_of_them = [
        Case("select", ("select", "a.txt", *quick, "-o", "f.json"), write_judged, selection, "f.json.db"),
        Case("compare", ("compare", "a.txt", *compared, "-o", "r.db"), write_judged, comparison, "r.db"),
        Case("import", ("import", "log.jsonl", "--judgements", "qrels.txt", "-o", "log.csv"), write_log, imported),
    ]
    if data is not None:
        there = str(data.resolve())
        reproduce = ("reproduce", "rcdr", "--quick", "--data", there, "--journal", "p.db", "-o", "p.md", "-j", "2")
        all_of_them.append(Case("reproduce", reproduce, lambda folder: None, reproduced, "p.db"))
    return all_of_them


def write_judged(folder: Path) -> None:
    data, _ = make_ranking(30, n_informative=3, n_redundant=2, n_noise=3, random_state=0)
    write_letor(data, folder / "a.txt")


def write_log(folder: Path, queries: int = 500, documents: int = 30) -> None:
    """Responses of a search engine, and grades of their documents."""
    draw = random.Random(0)
    with (folder / "log.jsonl").open("w") as log, (folder / "qrels.txt").open("w") as qrels:
        for query in range(queries):
            hits = []
            for document in range(documents):
                values = [{"name": f"f{i}", "value": draw.random()} for i in range(8)]
                hits.append({"_id": f"d{document}", "fields": {"_ltrlog": [{"log_entry1": values}]}})
                qrels.write(f"{query} 0 d{document} {draw.randrange(3)}\n")
            log.write(json.dumps({"qid": str(query), "response": {"hits": {"hits": hits}}}) + "\n")


def selection(folder: Path) -> Any:
    record = json.loads((folder / "f.json").read_text())
    return without_seconds({key: value for key, value in record.items() if key != "source"})


def comparison(folder: Path) -> Any:
    """The results of a journal, without how long they took."""
    with closing(sqlite3.connect(folder / "r.db")) as database:
        rows = database.execute("SELECT task, result FROM tasks ORDER BY key").fetchall()
    return [(task, without_seconds(json.loads(result))) for task, result in rows]


def without_seconds(value: Any) -> Any:
    """A record of JSON without the fields that tell a time, at any depth."""
    if isinstance(value, dict):
        return {key: without_seconds(part) for key, part in value.items() if not key.endswith("seconds")}
    return [without_seconds(part) for part in value] if isinstance(value, list) else value


def imported(folder: Path) -> Any:
    return (folder / "log.csv").read_bytes()


def reproduced(folder: Path) -> Any:
    return (folder / "p.md").read_text()


def started(case: Case, folder: Path) -> subprocess.Popen[bytes]:
    """The command, in a session of its own: whatever it starts can be found."""
    with (folder / ".said").open("wb") as said:
        return subprocess.Popen(
            [*PROGRAM, *case.arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            preexec_fn=hear_interrupts,
        )


def hear_interrupts() -> None:
    """A shell that runs this in the background has Ctrl-C ignored, also by what we start: hear it again."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def left_running(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    there = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = status.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(of) == session and state != "Z":
            there.append(int(status.parent.name))
    return there


def results_in(path: Path) -> int:
    """Finished tasks of a journal that is sound; -1 where there is none."""
    if not path.exists() or path.stat().st_size == 0:
        return -1
    with closing(sqlite3.connect(path)) as database:
        (state,) = database.execute("PRAGMA integrity_check").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
        there = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'tasks'").fetchone()[0]
        return int(database.execute("SELECT count(*) FROM tasks").fetchone()[0]) if there else -1


def catches(pid: int, kind: signal.Signals) -> bool:
    """Whether a process has come so far as to answer this signal itself; taken for granted where none can tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (kind - 1) & 1)


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".said")


def interrupted_once(case: Case, folder: Path, seconds: float, draw: random.Random, tally: Tally) -> bool:
    """Start the command and send a signal at a random moment; whether it had ended by itself, and well."""
    kind = draw.choice(SIGNALS)
    when = draw.uniform(STARTING, max(seconds, 2 * STARTING))
    before = results_in(folder / case.journal) if case.journal else -1
    process, listens = started(case, folder), True
    try:
        process.wait(when)
    except subprocess.TimeoutExpired:
        listens = catches(process.pid, signal.SIGTERM)
        if kind == signal.SIGINT:  # as a terminal does
            os.killpg(process.pid, kind)
        else:
            process.send_signal(kind)
        tally.sent[kind.name] += 1
    label = f"{case.name}, {kind.name} after {when:.2f} s"
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGABRT)  # faulthandler says where every thread is
        process.wait()
        os.killpg(process.pid, signal.SIGKILL)
        tally.fault(f"{label}: did not end within {PATIENCE:g} s: {(folder / '.said').read_text(errors='replace')}")
        return False
    deadline = monotonic() + PATIENCE
    while left_running(process.pid) and monotonic() < deadline:
        sleep(0.05)
    if left_running(process.pid):
        tally.fault(f"{label}: processes were left")
        os.killpg(process.pid, signal.SIGKILL)
    said = (folder / ".said").read_text(errors="replace")
    if listens and (any(word in said for word in RAW) or (kind != signal.SIGKILL and LEFT in said)):
        tally.fault(f"{label}: said {said.strip()}")
    allowed = {0, 130, -signal.SIGKILL} if kind == signal.SIGKILL else {0, 130}
    if code not in allowed and listens:
        tally.fault(f"{label}: exit code {code}, said {said.strip()}")
    if case.journal is not None:
        try:
            after = results_in(folder / case.journal)
        except sqlite3.Error as error:
            tally.fault(f"{label}: the journal is damaged ({error})")
            after = before
        if after < before:
            tally.fault(f"{label}: {before - after} finished results were lost")
    return code == 0


def run_case(case: Case, times: int, draw: random.Random, tally: Tally) -> None:
    """So many signals to one command."""
    with tempfile.TemporaryDirectory() as place:
        calm = Path(place, "calm")
        calm.mkdir()
        case.prepare(calm)
        start = monotonic()
        process = started(case, calm)
        if process.wait() not in (0, 1):
            raise SystemExit(f"{case.name} does not work: {(calm / '.said').read_text()}")
        seconds = monotonic() - start
        answer, files = case.answer(calm), files_in(calm)
        target, round_number = sum(tally.sent.values()) + times, 0
        while sum(tally.sent.values()) < target:
            round_number += 1
            folder = Path(place, str(round_number))
            folder.mkdir()
            case.prepare(folder)
            ended = False
            while not ended and sum(tally.sent.values()) < target:
                ended = interrupted_once(case, folder, seconds, draw, tally)
            if not ended and started(case, folder).wait() not in (0, 1):
                tally.fault(f"{case.name}: cannot go on: {(folder / '.said').read_text().strip()}")
                continue
            tally.finished += 1
            if case.answer(folder) != answer:
                tally.fault(f"{case.name}: another answer after interrupts")
            if files_in(folder) != files:
                tally.fault(f"{case.name}: files {files_in(folder)} instead of {files}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=200, help="signals to send, in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="names of commands, with commas between")
    parser.add_argument("--data", type=Path, default=os.environ.get("LEANRANK_DATA"), help="data of the papers")
    options = parser.parse_args()
    hear_interrupts()
    wanted = [case for case in cases(options.data) if not options.only or case.name in options.only.split(",")]
    draw, tally = random.Random(options.seed), Tally()
    try:
        for number, case in enumerate(wanted):
            rest = options.times - sum(tally.sent.values())
            run_case(case, -(-rest // (len(wanted) - number)), draw, tally)
            print(f"{case.name}: {dict(tally.sent)} so far, {len(tally.wrong)} went wrong", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("stopped early", file=sys.stderr)
    print(json.dumps({"signals": tally.sent, "runs finished": tally.finished, "wrong": tally.wrong}, indent=1))
    raise SystemExit(1 if tally.wrong else 0)


if __name__ == "__main__":
    main()
