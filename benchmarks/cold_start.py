"""What the first command on a fresh machine costs, and that after `leanrank warm` none of them compiles.

Every measurement is a process of its own with an empty folder for compiled kernels (NUMBA_CACHE_DIR); processor time,
its children's included.

    python -m benchmarks.cold_start
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from leanrank import make_ranking, write_letor
from leanrank.cli.demo import PLANTED

#: Seconds of processor time: the first `lint` in all, and what the first `select` takes more than the second.
MOST = {"lint": 6.0, "select": 15.0}
COMMANDS = {"lint": "lint demo.txt", "select": "select demo.txt --ranker ranksvm --max-loss 0.02 -o f.json"}
PROGRAM = (
    "import sys; from leanrank.cli.app import run; from leanrank.kernels._compiling import compiling; "
    "code = run(sys.argv[1:]); print(f'compiled={compiling.count}', file=sys.stderr); sys.exit(code)"
)


def seconds(line: str, folder: Path, cache: Path) -> tuple[float, int]:
    """Processor time of a command, and how many functions its process compiled."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *line.split()],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"leanrank {line}: {done.stderr}")
    for path in folder.glob("f.json*"):
        path.unlink()
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, int(done.stderr.rpartition("compiled=")[2])


def main() -> None:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "work")
        folder.mkdir()
        write_letor(make_ranking(400, random_state=0, **PLANTED)[0], folder / "demo.txt")
        for name, line in COMMANDS.items():
            cache = Path(place, name)
            figures[f"{name}, cold"], figures[f"{name}, functions compiled"] = seconds(line, folder, cache)
            figures[f"{name}, warm"], again = seconds(line, folder, cache)
            figures[f"{name}, compiled again"] = again
        cache = Path(place, "warmed")
        figures["leanrank warm"], figures["leanrank warm, functions compiled"] = seconds("warm", folder, cache)
        for name, line in COMMANDS.items():
            _, figures[f"{name} after leanrank warm, functions compiled"] = seconds(line, folder, cache)
    print(json.dumps({name: round(value, 1) for name, value in figures.items()}, indent=1))
    more = figures["select, cold"] - figures["select, warm"]
    late = sum(value for name, value in figures.items() if "after leanrank warm" in name or "again" in name)
    raise SystemExit(figures["lint, cold"] > MOST["lint"] or more > MOST["select"] or late > 0)


if __name__ == "__main__":
    main()
