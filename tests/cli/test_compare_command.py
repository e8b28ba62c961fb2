"""`leanrank compare`: tables, killing, interrupting, going on."""

import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from leanrank import make_ranking
from leanrank.cli._tables import show_comparison
from leanrank.cli.app import run
from leanrank.data.letor.reader import write_letor
from leanrank.evaluation.compare.comparison import Comparison
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.journal import Journal, read_about

ARGUMENTS = ["--methods", "gas,top-k", "--rankers", "ranksvm", "-k", "2,4", "--metrics", "ndcg@5,map", "--folds", "3"]


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=18, docs_per_query=12, random_state=3)[0]


@pytest.fixture(scope="module")
def file(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "train.txt"
    write_letor(data, path)
    return path


@pytest.fixture(scope="module")
def journal(file, tmp_path_factory):
    path = tmp_path_factory.mktemp("journal") / "results.db"
    assert run(["compare", str(file), *ARGUMENTS, "-o", str(path), "-j", "1"]) == 0
    return path


def test_show_prints_every_table(journal, capsys):
    assert run(["compare", "--show", str(journal)]) == 0
    shown = capsys.readouterr().out
    for expected in ("mean over 3 folds", "competition ranks", "Unified ranking", "paired tests over 18 queries"):
        assert expected in shown
    for expected in ("Nogueira", "3x", "features", "select s", "Feature graphs computed: 3"):
        assert expected in shown


def test_show_as_json(journal, capsys):
    assert run(["compare", "--show", str(journal), "--json", "--metric", "ndcg@5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["method"] for row in found["means"]} == {"all features", "gas", "top-k"}
    assert found["tests"]["metric"] == "ndcg@5"
    assert len(found["tests"]["rows"]) == 4


def test_a_table_for_other_programs(file, journal, tmp_path, capsys):
    path = tmp_path / "results.parquet"
    assert run(["compare", "--show", str(journal), "--table", str(path)]) == 0
    capsys.readouterr()
    assert pq.read_table(path).num_rows == 5 * 3  # all features, two methods at two sizes
    assert run(["compare", str(file), "-o", str(tmp_path / "other.db"), "--table", "results.xls"]) == 2
    assert "kind of file" in capsys.readouterr().err
    assert not (tmp_path / "other.db").exists()  # refused before the work


def test_tables_fit_a_hundred_columns(tmp_path, data):
    """With the longest names of methods, and every metric of the default."""
    path = tmp_path / "wide.db"
    names = ["symmetrical-uncertainty", "stability-selection", "top-k"]
    compare(data, methods=names, rankers=["ranksvm"], k=[2, 14], journal=path)
    with Console(width=100, record=True, file=io.StringIO()) as console:
        show_comparison(Comparison.load(path), None, console)
    shown = console.export_text()
    assert "…" not in shown
    for name in names:
        lines = [line for line in shown.splitlines() if name in line]
        assert len(lines) == 2 + 2 + 1 + 2 + 2 + 2  # means, ranks, unified, tests, stability, features


def test_mistakes_are_one_sentence(journal, tmp_path, capsys):
    assert run(["compare"]) == 2
    assert "Name the data to compare on" in capsys.readouterr().err
    assert run(["compare", "--show", str(tmp_path / "none.db")]) == 2
    assert "no such journal" in capsys.readouterr().err
    assert run(["compare", str(tmp_path), "-k", "five"]) == 2
    assert "-k 5,10" in capsys.readouterr().err
    other = tmp_path / "other.db"
    Journal(other, {"what": "select"}).close()
    assert run(["compare", "--show", str(other)]) == 2
    assert "not one of `compare`" in capsys.readouterr().err


def start(file, path, jobs, *, slow):
    """The command in a process of its own, each cell taking at least `slow` seconds."""
    program = (
        "import sys, time\n"
        "import leanrank.evaluation.compare.run as module\n"
        f"def slowed(*a, work=module._cell):\n    time.sleep({slow})\n    return work(*a)\n"
        "if __name__ == '__main__':\n"
        "    module._cell = slowed\n"
        "    from leanrank.cli.app import run\n"
        f"    sys.exit(run(['compare', {str(file)!r}, *{ARGUMENTS!r}, '-o', {str(path)!r}, '-j', '{jobs}']))\n"
    )
    script = path.with_suffix(".py")
    script.write_text(program)
    return subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def cells_in(path):
    """How many cells the journal holds, once it has some."""
    for _ in range(600):
        if path.exists():
            try:
                with Journal(path, read_about(path)) as file:
                    n = sum(task["task"] == "cell" for task, _, _ in file)
            except Exception:
                n = 0  # being created
            if n:
                return n
        time.sleep(0.1)
    raise AssertionError("no cell was finished in a minute")


def is_running(process_id):
    """Whether a process of this number runs Python (what has ended but was not waited for has no command line)."""
    try:
        return "python" in Path(f"/proc/{process_id}/cmdline").read_text()
    except FileNotFoundError:
        return False


def test_ctrl_c_keeps_everything_and_says_how_to_go_on(file, tmp_path):
    path = tmp_path / "results.db"
    process = start(file, path, 2, slow=0.5)
    n = cells_in(path)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted after" in errors
    assert f"kept in {path}" in errors
    assert cells_in(path) >= n


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at /proc")
def test_kill_9_loses_nothing_and_leaves_no_workers(file, journal, tmp_path, capsys):
    path = tmp_path / "results.db"
    process = start(file, path, 2, slow=0.5)
    n = cells_in(path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) >= 2
    process.kill()
    process.communicate(timeout=60)
    for _ in range(100):
        if not (running := [child for child in children if is_running(child)]):
            break
        time.sleep(0.1)
    assert not running
    assert cells_in(path) >= n
    with Journal(path, read_about(path)) as kept:
        done = {json.dumps(task, sort_keys=True): seconds for task, _, seconds in kept}
    assert run(["compare", str(file), *ARGUMENTS, "-o", str(path), "-j", "1", "--json"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    with Journal(path, read_about(path)) as kept:
        again = {json.dumps(task, sort_keys=True): seconds for task, _, seconds in kept}
    assert all(again[task] == seconds for task, seconds in done.items())  # nothing was computed twice
    assert run(["compare", "--show", str(journal), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert [r["scores"] for r in resumed["means"]] == [r["scores"] for r in whole["means"]]
