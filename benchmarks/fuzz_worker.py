"""The process that opens bad files: one case a line on standard input, what became of it on standard output."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz import BYTES
from benchmarks.fuzz_formats import Format, made_formats

from leanrank.errors import LeanRankError


def main() -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries write what they like
    warnings.simplefilter("ignore")
    known = {one.name: one for one in made_formats()}
    with tempfile.TemporaryDirectory() as folder:
        for one in known.values():  # everything is loaded and compiled before memory and time are measured
            with suppress(LeanRankError):  # a frame of no rows is one too
                one.opened(_written(Path(folder), one.name, one.files))
        _limit_memory()
        print(json.dumps({"formats": list(known)}), file=answers, flush=True)
        for line in sys.stdin:
            name, _, seed = line.strip().rpartition(" ")
            target, _, name = name.rpartition("=")
            files = _bad(known[name], int(seed))
            if target:
                _written(Path(target.removeprefix("write=")), "", files)
                told: dict[str, Any] = {"outcome": "written"}
            else:
                told = _opened(known[name], _written(Path(folder), "case", files))
            print(json.dumps(told), file=answers, flush=True)


def _bad(one: Format, seed: int) -> dict[str, bytes]:
    rng = Random(seed)
    return rng.choice(one.ways)(one.files, rng)


def _written(folder: Path, name: str, files: dict[str, bytes]) -> Path:
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for file, content in files.items():
        (place / file).write_bytes(content)
    return place / next(iter(files))


def _opened(one: Format, path: Path) -> dict[str, Any]:
    _forget_peak()
    begun = time.process_time()
    try:
        one.opened(path)
        told: dict[str, Any] = {"outcome": "taken"}
    except LeanRankError as error:
        told = {"outcome": "refused", "detail": str(error)}
        if _of_memory(error):
            told = {"outcome": "memory", "detail": f"asked for more than there is: {error}"}
    except BaseException as error:
        told = {"outcome": "traceback", "detail": f"{error!r}"[:300], "where": traceback.format_exc()}
        told["detail"] += " at " + " < ".join(_places(error))
    peak = _peak()
    if peak > BYTES:
        told = {"outcome": "memory", "detail": f"{peak >> 20:,} MB"}
    return {**told, "seconds": round(time.process_time() - begun, 3)}


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[::-1]
    return [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames if "leanrank" in frame.filename][:3]


def _of_memory(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _limit_memory() -> None:
    """Let the process take twice the limit beside what it has now: more is refused by the system."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + 2 * BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The most memory since `_forget_peak`, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    main()
