"""Every block of code in the README and in the guide runs, in the order of its page, in a folder of its own."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import leanrank
from leanrank.cli.app import run

ROOT = Path(__file__).resolve().parent.parent.parent
# scaling.md shows addresses of clusters, which are nowhere to be reached; tests/engines run what it shows
GUIDE = (
    "index",
    "start",
    "reading",
    "which_method",
    "exports",
    "metrics",
    "rankers",
    "command_line",
    "how_it_works",
    "benchmarks",
)
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in GUIDE),
    *sorted((ROOT / "docs/guides").glob("*.md")),
]
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Languages of blocks that are no programs: directives of the site, requests to a server, text.
NOT_CODE = re.compile(r"\{[\w-]+\}( \w+)?|http|text|none|csv|json")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page):
    return FENCE.findall(page.read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that a reader is supposed to have: judged data as text and as a table, and an engine's feature set."""
    monkeypatch.chdir(tmp_path)
    data, _ = leanrank.make_ranking(30, (5, 9), n_informative=2, n_redundant=1, n_noise=1, random_state=0)
    train, test = next(iter(leanrank.QueryKFold(3).split_queries(data)))
    for name in ("train.txt", "train.txt.gz", "train.parquet"):
        write = leanrank.write_parquet if name.endswith("parquet") else leanrank.write_letor
        write(data.take_queries(train), tmp_path / name)
    for name in ("test.txt", "test.txt.gz", "vali.txt"):
        leanrank.write_letor(data.take_queries(test), tmp_path / name)
    names = ", ".join(f'{{"name": "{name}", "template": {{}}}}' for name in data.feature_names)
    (tmp_path / "full.json").write_text(f'{{"featureset": {{"features": [{names}]}}}}')
    return tmp_path


def run_python(code, names, where):
    if ">>>" in code:
        test = doctest.DocTestParser().get_doctest(code, names, where, where, 0)
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        assert runner.run(test, clear_globs=False).failed == 0
        names.update(test.globs)
    else:
        exec(compile(code, where, "exec"), names)


def run_line(line, capsys):
    """A line of shell: our commands run, others are checked as far as they can be here."""
    words = shlex.split(line, comments=True)
    if not words:
        return
    if words[0] == "leanrank":
        end = min((words.index(sign) for sign in ("|", ">") if sign in words), default=len(words))
        code, seen = run(words[1:end]), capsys.readouterr()
        assert code == 0, seen.err
        if ">" in words:
            Path(words[words.index(">") + 1]).write_text(seen.out)
    elif words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(words[1:]) <= set(targets)
    elif words[:2] == ["pip", "install"]:
        wanted = {extra for word in words for part in re.findall(r"\[(.*)\]", word) for extra in part.split(",")}
        assert wanted <= set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    elif words[0] == "python" and words[1] == "-m":
        module = words[2].replace(".", "/")
        assert (ROOT / f"{module}.py").exists() or (ROOT / module / "__main__.py").exists()
    else:
        assert words[0] in ("cd", "git"), f"who runs {line!r}?"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page, folder, capsys, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    names = {"__name__": "__page__"}
    for number, (language, code) in enumerate(blocks(page), start=1):
        where = f"{page.name}, block {number}"
        if language == "python":
            run_python(code, names, where)
        elif language in ("sh", "console"):
            for line in code.replace("\\\n", " ").splitlines():
                run_line(line.removeprefix("$ "), capsys)
        else:
            assert NOT_CODE.fullmatch(language), f"{where}: say what language it is in, got {language!r}"


def test_code_is_fenced_so_that_it_is_run():
    """An indented block would be code that nobody runs."""
    for page in PAGES:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        assert not re.search(r"^    (leanrank|make|pip|python|import|from|>>>) ?", text, re.MULTILINE), page
