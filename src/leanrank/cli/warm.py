"""`leanrank warm`: compile ahead, so that no command has to."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from leanrank.cli._reading import JsonOption

#: Learners that compile nothing of ours.
_OTHERS = ("catboost", "lightgbm", "xgboost")
#: Methods that train a learner again and again: its kernels are compiled by `train`.
_WRAPPERS = ("greedy-wrapper", "mrmr>rfe", "ranking-boruta", "ranking-rfe", "rfe", "stability-selection")
_METRICS = "ndcg@10,map,p@5,recall@5,mrr,err@10,kendall,kendall_a,spearman,mean_ndcg"


def warm(as_json: JsonOption = False) -> None:
    """Compile everything now: in the image of a container, or before a machine leaves the network.

    Runs the commands on a few made-up queries. What is compiled is kept beside the installed code where that can be
    written, and read from there by every user; else, or with NUMBA_CACHE_DIR, in a folder of this user. It is for this
    kind of processor and these versions.

    Example: leanrank warm
    """
    from leanrank.cli.app import run
    from leanrank.engines.progress import progress_bar
    from leanrank.kernels._compiling import compiling
    from leanrank.kernels._jit import cache_folder

    before = compiling.count
    with TemporaryDirectory() as folder, chdir(folder), Path(os.devnull).open("w") as nowhere:
        _write_data()
        lines = list(_lines())
        with progress_bar("compiling", len(lines), shown=not as_json) as advance:
            for line in lines:
                with redirect_stdout(nowhere), redirect_stderr(nowhere), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a few made-up queries are no data
                    run(line.split())
                advance(1)
    compiled, kept = compiling.count - before, cache_folder()
    if as_json:
        print(json.dumps({"compiled": compiled, "folder": kept}))
        return
    news = f"{compiled} functions were compiled, and are" if compiled else "Everything was compiled before, and is"
    Console().print(Text(f"{news} kept in {kept}."), soft_wrap=True)


def _write_data() -> None:
    """The same few queries in every form that has kernels of its own: single and double precision, few values."""
    from leanrank.data.letor.reader import write_letor
    from leanrank.data.synthetic import make_ranking
    from leanrank.data.tabular.csv_files import write_csv

    data, _ = make_ranking(12, n_informative=3, n_redundant=1, n_noise=2, random_state=0)
    write_letor(data, "single.txt")
    write_csv(data, "double.csv")
    with Path("sparse.txt").open("w") as file:
        for row in range(120):
            file.write(f"{row % 3} qid:{row // 10} {row % 97 + 1}:{1 + row % 5}.5 {row % 89 + 100}:2\n")


def _lines() -> Iterator[str]:
    """Commands that between them call every kernel."""
    from leanrank.rankers import registry as rankers
    from leanrank.selectors import registry as selectors

    for file in ("single.txt", "double.csv", "sparse.txt"):
        yield f"lint {file}"
        for ranker in rankers.names():
            if ranker not in _OTHERS:
                yield f"train {file} -r {ranker} -o {ranker}.json"
                yield f"evaluate {file} -m {ranker}.json --metric {_METRICS}"
        for kind in ("kendall", "spearman", "tau_ap"):
            yield f"graph {file} --similarity {kind} -o g.npz"
        for ties in ("clipped", "half", "ordinal", "strict", "tau-b"):
            yield f"graph {file} --ties {ties} -o g.npz"
        for method in selectors.names():
            if method not in _WRAPPERS:
                yield f"order {file} -m {method} -k 2 -o f.json"
        yield f"reduce {file} --kind spearman -o r.txt"
        yield f"reduce {file} --kind kendall -o r.txt"
        yield f"convert {file} --to letor -o c.txt"
    yield "select single.txt --ranker ranksvm --effort quick -j 1 -o s.json"
    yield "compare single.txt --methods gas --rankers ranksvm -k 2 --folds 3 -j 1 -o r.db"
