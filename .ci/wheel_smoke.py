"""Every kind of command from an installed wheel, in a folder of its own, with nothing of the repository in sight.

Run by the Python of the environment that the wheel is installed in. Ends with `leanrank warm`, after which no command
may compile.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

COUNTING = (
    "import sys; from leanrank.cli.app import run; from leanrank.kernels._compiling import compiling; "
    "code = run(sys.argv[1:]); print(f'compiled={compiling.count}', file=sys.stderr); sys.exit(code)"
)


def lines(data: str) -> list[str]:
    return [
        f"lint {data}",
        f"convert {data} -o data.txt",
        "lint data.txt --catalogue mslr",
        f"graph {data} -o g.npz",
        "order --graph g.npz -m gas -k 4 -o o.json",
        f"order {data} -m mrmr -k 4",
        f"select {data} --ranker ranksvm --effort quick -o f.json --report r.html",
        "report f.json -o r.md",
        f"train {data} --features f.json -r ranksvm -o m.json",
        f"predict {data} -m m.json -o scores.txt",
        f"evaluate {data} --scores scores.txt --metric ndcg@10,map",
        f"compare {data} --methods gas --rankers ranksvm -k 2 --folds 3 -o c.db",
        f"reduce {data} -k 2 -o reduced.csv",
        f"convert {data} -o data.parquet",
        "lint data.parquet",
    ]


def main() -> None:
    program = Path(sys.executable).with_name("leanrank")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:

        def call(*command: str) -> subprocess.CompletedProcess[str]:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
            return done

        where = call(sys.executable, "-c", "import leanrank; print(leanrank.__file__)").stdout
        assert "site-packages" in where, where
        demo = json.loads(call(str(program), "demo", "--json", "--queries", "60").stdout)
        print(demo["planted"])
        commands = lines(demo["data"])
        for line in commands:
            call(str(program), *line.split())
        print(call(str(program), "warm").stdout.strip())
        for line in commands:
            said = call(sys.executable, "-c", COUNTING, *line.split()).stderr
            if "compiled=0" not in said:
                raise SystemExit(f"after leanrank warm, leanrank {line} still compiles: {said}")
        print(f"{len(commands)} commands work from the wheel, and after leanrank warm none of them compiles")


if __name__ == "__main__":
    main()
