"""Bad files of every format, each opened in a process of its own that may take 10 s and 2 GB.

A good file of each format is changed in a few places and opened as a user would open it. Refusing it with one of
leanrank's own errors is right, and so is taking what is still good. These are not: a signal (the process is gone), a
raw traceback, more than 10 s of work, more than 2 GB of memory. Each is printed with the case that repeats it.

    python -m benchmarks.fuzz --minutes 10
    python -m benchmarks.fuzz --seconds 60 --seed 1 --only parquet
    python -m benchmarks.fuzz --repeat parquet:81604378624

The bad files of what went wrong are kept in `build/fuzz`. Exit code 1 says that something went wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import selectors
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 10.0
#: Where others use the machine, a process waits longer than it works: so many times as long it may.
WAITING = 6
BYTES = 2 << 30
_KEPT = Path("build/fuzz")


@dataclass
class Worker:
    """The process that opens files; started anew when it is gone or has to be stopped."""

    process: subprocess.Popen[str] | None = None
    names: list[str] = field(default_factory=list)

    def start(self) -> None:
        """Start it and wait until it has made the good files and opened each of them."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "LEANRANK_THREADS": "1", "PYTHONFAULTHANDLER": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fuzz_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        told = self._line(600.0)
        if not isinstance(told, dict):
            raise SystemExit("The good files could not be made or opened.")
        self.names = told["formats"]

    def run(self, name: str, seed: int) -> dict[str, Any]:
        """Open one bad file: what became of it."""
        if self.process is None:
            self.start()
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name} {seed}\n")
        self.process.stdin.flush()
        told = self._line(SECONDS)
        if isinstance(told, dict):
            return told
        self.stop()
        return {"outcome": told}

    def stop(self) -> None:
        """End the process, if there is one."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _line(self, seconds: float) -> dict[str, Any] | str:
        """What the process answers, or what it died of."""
        assert self.process is not None
        assert self.process.stdout is not None
        begun, worked = time.monotonic(), _processor_seconds(self.process.pid)
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while not ready.select(timeout=0.5):
                spent = _processor_seconds(self.process.pid) - worked
                if spent > seconds or time.monotonic() - begun > WAITING * seconds:
                    return "hang"
        line = self.process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = self.process.wait()
        return f"signal {-code}" if code < 0 else f"exit {code}"


def _processor_seconds(pid: int) -> float:
    """Seconds that a process has worked; where the system does not say, those on the clock."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fuzz(seconds: float, seed: int, only: str | None, kept: Path = _KEPT) -> int:
    """Open bad files for so many seconds; return how many went wrong."""
    worker = Worker()
    worker.start()
    names = [name for name in worker.names if only is None or only in name]
    rng, counts, wrong = random.Random(seed), Counter[str](), 0
    slowest: tuple[float, str] = (0.0, "")
    print(f"seed {seed}: {len(names)} formats for {seconds:g} s", flush=True)
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < seconds:
            for name in names:
                case = f"{name}:{rng.randrange(2**40)}"
                told = worker.run(name, int(case.partition(":")[2]))
                counts[told["outcome"] if told["outcome"] in ("taken", "refused") else "wrong"] += 1
                slowest = max(slowest, (told.get("seconds", 0.0), case))
                if told["outcome"] not in ("taken", "refused"):
                    wrong += 1
                    print(f"{case}: {told['outcome']} {told.get('detail', '')}".rstrip(), flush=True)
                    keep(worker, case, kept)
                if time.monotonic() - begun >= seconds:
                    break
    finally:
        worker.stop()
    print(f"{sum(counts.values()):,} files in {time.monotonic() - begun:,.0f} s: {dict(counts)}", flush=True)
    print(f"slowest: {slowest[1]}, {slowest[0]:.2f} s", flush=True)
    return wrong


def keep(worker: Worker, case: str, kept: Path) -> None:
    """Write the bad files of a case, without opening them."""
    name, _, seed = case.partition(":")
    told = worker.run(f"write={kept.absolute() / case.replace(':', '-')}={name}", int(seed))
    if told["outcome"] != "written":
        print(f"{case}: its files could not be kept: {told}", flush=True)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__.split("\n", 1)[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="how long")
    length.add_argument("--seconds", type=float, help="how long; 60 if not given")
    parser.add_argument("--seed", type=int, help="which bad files; a random one, which is printed, if not given")
    parser.add_argument("--only", help="formats whose name has this in it")
    parser.add_argument("--repeat", metavar="FORMAT:SEED", help="one case, as it was printed")
    given = parser.parse_args()
    if given.repeat:
        worker = Worker()
        worker.start()
        name, _, seed = given.repeat.partition(":")
        told = worker.run(name, int(seed))
        keep(worker, given.repeat, _KEPT)
        worker.stop()
        print(json.dumps(told, indent=1))
        return int(told["outcome"] not in ("taken", "refused"))
    seconds = given.seconds or 60.0 * (given.minutes or 1.0)
    seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    return int(fuzz(seconds, seed, given.only) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
