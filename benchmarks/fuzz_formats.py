"""Every format that leanrank reads: a good file of it, how it is made bad, and what opens it."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import fuzz_mutations as mutate
from benchmarks.fuzz_frames import odd_frame
from benchmarks.fuzz_mutations import Files, Way

import leanrank

#: Settings that make the models small, by the name of the ranker.
_SMALL: dict[str, dict[str, Any]] = {
    "lightgbm": {"n_estimators": 3, "num_leaves": 5, "min_child_samples": 2},
    "xgboost": {"n_estimators": 3, "max_depth": 3},
    "catboost": {"iterations": 3, "depth": 3},
    "adarank": {"n_rounds": 5},
    "rankboost": {"n_rounds": 5},
}


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes
    ----------
    name : str
    files : dict
        A good example by names; the first is the one that is opened.
    ways : tuple of functions
        How it is made bad; one that is there twice is taken twice as often.
    opened : function
        Opens the first file and makes use of what is in it.
    """

    name: str
    files: Files
    ways: tuple[Way, ...]
    opened: Callable[[Path], Any]


def formats(folder: Path) -> list[Format]:
    """All formats, their good files made in `folder`; the same ones whenever they are made."""
    data, _ = leanrank.make_ranking(24, docs_per_query=8, n_informative=2, n_redundant=2, n_noise=2, random_state=0)
    return [*_judged(folder, data), *_models(folder, data), *_answers(folder, data), *_engines(), *_frames()]


def _judged(folder: Path, data: leanrank.RankingData) -> list[Format]:
    from leanrank.data.tabular.csv_files import write_csv

    words, cut = mutate.words_of, mutate.bytes_of
    leanrank.write_letor(data, folder / "data.txt")
    write_csv(data, folder / "data.csv")
    leanrank.write_parquet(data, folder / "data.parquet")
    plain = {name: (folder / f"data.{name}").read_bytes() for name in ("txt", "csv", "parquet")}
    return [
        Format("letor", {"data.txt": plain["txt"]}, (words, words, cut, mutate.packed(words)), _read),
        Format("letor-sizes", _with_sizes(plain["txt"]), (words, cut), _read),
        Format("csv", {"data.csv": plain["csv"]}, (words, words, cut, mutate.packed(words)), _read),
        Format("parquet", {"data.parquet": plain["parquet"]}, (cut,), _read),
        Format("parquet-footer", {"data.parquet": plain["parquet"]}, (_footer_bytes,), _read),
        Format("sushi", _sushi(), (words, cut), lambda path: leanrank.read_sushi(path.parent)),
        Format("costs", {"c.csv": b"feature,cost,group\n1,2.5,\n2,,g\n3,1,g\ng,4,\n"}, (words, cut), _costs),
    ]


def _read(path: Path) -> None:
    from leanrank.stats.lint import lint

    data = leanrank.read(path)
    lint(data)
    for block in leanrank.scan(path).blocks(n_rows=50):
        block.dense()
    leanrank.read(path, regroup=True)


def _costs(path: Path) -> None:
    from leanrank.cli._limits import read_costs

    read_costs(path)


def _with_sizes(text: bytes) -> Files:
    lines = [line.split(b" ") for line in text.splitlines()]
    rows = b"".join(b" ".join([line[0], *line[2:]]) + b"\n" for line in lines)
    return {"data.txt": rows, "data.txt.query": b"8\n" * (len(lines) // 8)}


def _sushi() -> Files:
    items = "".join(f"{j}\titem{j}\t1\t0\t{j % 3}\t1.5\t0.5\t2.{j}\t0.{j}\n" for j in range(100))
    orders = "100 1\n" + "".join(f"0 10 {' '.join(str((7 * i + j) % 100) for j in range(10))}\n" for i in range(5))
    return {"sushi3b.5000.10.order": orders.encode(), "sushi3.idata": items.encode()}


def _footer_bytes(files: Files, rng: random.Random) -> Files:
    """The part of a Parquet file that says what is where: its length stands before the last four bytes."""
    ((name, content),) = files.items()
    length = int.from_bytes(content[-8:-4], "little")
    at = len(content) - 8 - length
    footer = mutate.bytes_of({"": content[at:-8]}, rng)[""]
    return {name: content[:at] + footer + len(footer).to_bytes(4, "little") + content[-4:]}


def _models(folder: Path, data: leanrank.RankingData) -> list[Format]:
    from leanrank.rankers import registry
    from leanrank.rankers._saving import BIG

    ways = (mutate.behind_digest, mutate.behind_digest, mutate.nodes_of, mutate.words_of, mutate.bytes_of)
    made = []
    for name in registry.names():
        model = registry.get(name, **_SMALL.get(name, {}))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(data)
        model.save(folder / "model.json")
        files = {"model.json": (folder / "model.json").read_bytes()}
        made.append(Format(f"model-{name}", files, ways, lambda path: _predict(path, data)))
    wide = leanrank.RankingData(np.random.default_rng(0).random((8, BIG + 1)), [0, 1] * 4, [0, 8])
    leanrank.RankSVM().fit(wide).save(folder / "model.json")
    files = {name: (folder / name).read_bytes() for name in ("model.json", "model.json.npz")}
    made.append(Format("model-npz", files, ways, leanrank.load_ranker))
    return made


def _predict(path: Path, data: leanrank.RankingData) -> None:
    model = leanrank.load_ranker(path)
    if model.n_features_in_ == data.n_features:
        model.predict(data)
        model.predict(replace(data, X=1e30 * data.X))


def _answers(folder: Path, data: leanrank.RankingData) -> list[Format]:
    from leanrank.evaluation.compare.run import compare

    chosen = leanrank.select(data, "ranksvm", methods=["gas", "mrmr"], cv=3, max_loss=0.1, progress=False)
    replace(chosen, seconds=0.0).save(folder / "features.json")
    leanrank.select(
        data, "ranksvm", methods=["gas", "mrmr"], cv=3, max_loss=0.1, progress=False, journal=folder / "select.db"
    )
    compare(data, methods=["gas"], rankers=["ranksvm"], k=[2], metrics=["map"], journal=folder / "compare.db")
    order = leanrank.GAS(n_features_to_select=3).fit(data).to_dict()
    leanrank.feature_graph(data).save(folder / "graph.npz")
    crossed = leanrank.cross_validate("gas", leanrank.RankSVM(), data, metrics=["map"], k=2)
    nodes = (mutate.nodes_of, mutate.nodes_of, mutate.nodes_of, mutate.words_of, mutate.bytes_of)
    rows = (mutate.rows_of_journal, mutate.rows_of_journal, mutate.bytes_of)
    return [
        Format("selection", {"features.json": (folder / "features.json").read_bytes()}, nodes, _report),
        Format("order", {"order.json": json.dumps(order).encode()}, nodes, lambda path: _chosen(path, data)),
        Format("select-journal", {"run.db": _timeless(folder / "select.db")}, rows, _report),
        Format("compare-journal", {"run.db": _timeless(folder / "compare.db")}, rows, _report),
        Format("resumed-journal", {"run.db": _timeless(folder / "select.db")}, rows, lambda path: _resume(path, data)),
        Format("cross-validation", {"cv.json": crossed.to_json().encode()}, nodes, _cross_validation),
        Format(
            "graph", {"graph.npz": (folder / "graph.npz").read_bytes()}, (mutate.arrays_of, mutate.bytes_of), _graph
        ),
    ]


def _timeless(journal: Path) -> bytes:
    """A journal without the seconds that its tasks took, which differ from run to run."""
    with sqlite3.connect(journal) as database:
        database.execute("UPDATE tasks SET seconds = 0")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return journal.read_bytes()


def _report(path: Path) -> None:
    from leanrank.report.loading import load_results
    from leanrank.report.writing import write_report

    if path.suffix == ".json":
        _chosen(path, None)
    loaded = load_results(path)
    repr(loaded.results)
    options = {} if loaded.test is None else {"test": loaded.test}
    write_report(loaded.results, path.parent / "report.md", **options)


def _chosen(path: Path, data: leanrank.RankingData | None) -> None:
    from leanrank.selectors.features_file import read_names, read_selection

    names, _ = read_names(path)
    read_selection(path)
    if data is not None:
        data.subset(names)


def _resume(path: Path, data: leanrank.RankingData) -> None:
    leanrank.select(data, "ranksvm", methods=["gas", "mrmr"], cv=3, max_loss=0.1, progress=False, journal=path)


def _cross_validation(path: Path) -> None:
    from leanrank.evaluation.records import CrossValidation

    crossed = CrossValidation.from_json(path.read_bytes().decode("utf-8", "replace"))
    repr(crossed)
    crossed.to_frame()
    crossed.to_json()


def _graph(path: Path) -> None:
    graph = leanrank.FeatureGraph.load(path)
    repr(graph)
    leanrank.GAS(n_features_to_select=2).fit_graph(graph)
    graph + graph


def _engines() -> list[Format]:
    hit = {"_id": "d1", "fields": {"_ltrlog": [{"log": [{"name": "bm25", "value": 1.5}, {"name": "age"}]}]}}
    elastic = {"took": 3, "hits": {"total": {"value": 1}, "hits": [hit]}}
    solr = {"response": {"docs": [{"id": "d1", "[features]": "bm25=1.5,age=2"}, {"id": "d2", "[features]": "age=7"}]}}
    vespa = {"root": {"children": [{"id": "id:s:p::d1", "fields": {"matchfeatures": {"bm25": 1.5, "age": 0}}}]}}
    lines = "".join(json.dumps({"qid": q, "response": elastic}) + "\n" for q in ("1", "2"))
    child = {"type": "TermQuery", "description": "a", "time_in_nanos": 1000}
    ranker = {"type": "RankerQuery", "children": [child, {**child, "description": "b"}]}
    profile = {"profile": {"shards": [{"searches": [{"query": [ranker]}]}]}}
    nodes = (mutate.nodes_of, mutate.nodes_of, mutate.words_of, mutate.bytes_of, mutate.packed(mutate.nodes_of))
    text = (mutate.words_of, mutate.words_of, mutate.bytes_of, mutate.packed(mutate.words_of))
    logged = {"elasticsearch": lines, "solr": json.dumps(solr, indent=1), "vespa": json.dumps(vespa)}
    template = {"featureset": {"name": "s", "features": [{"name": n, "params": [], "template": {}} for n in "abc"]}}
    stored = [{"store": "s", "name": n, "class": "c", "params": {"q": "x"}} for n in "abc"]
    sets = {
        "elasticsearch": json.dumps(template),
        "solr": json.dumps(stored),
        "vespa": "rank-profile p {\n match-features {\n  a\n  b\n  c\n }\n}\n",
        "ranklib": "1\ta\n2\tb\n3\tc\n",
        "xgboost": "0\ta\tq\n1\tb\tint\n2\tc\ti\n",
        "lightgbm": "a\nb\nc\n",
    }
    return [
        *(Format(f"log-{e}", {"1.json": t.encode()}, nodes, _import) for e, t in logged.items()),
        Format("profile", {"p.json": json.dumps(profile).encode()}, nodes, _timings),
        Format("timings", {"t.csv": b"feature,milliseconds\nbm25,1.5\nage,2\nbm25,1.75\n"}, text, _timings),
        *(Format(f"set-{e}", {"set": t.encode()}, nodes, _exporter(e)) for e, t in sets.items()),
        Format("qrels", {"a.qrels": b"1 0 d1 2\n1 0 d2 0\n2 0 d1 1\n"}, text, _judgements),
        Format("judgements", {"j.txt": b"# qid:1: tea\n4 qid:1 # d1 tea\n0 qid:1 # d2\n"}, text, _judgements),
        Format("run", {"a.run": b"1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n2 Q0 d1 1 0.5 t\n"}, text, _run),
    ]


def _import(path: Path) -> None:
    from leanrank.data.logs.table import import_logs

    import_logs([path], {"1": {"d1": 1.0}}, path.parent / "out.csv", unjudged=0.0)


def _timings(path: Path) -> None:
    from leanrank.data.logs.timings import costs_text, read_timings

    costs_text(read_timings([path], ["bm25", "age"]))


def _exporter(engine: str) -> Callable[[Path], None]:
    from leanrank.exports import export_features
    from leanrank.selectors.features_file import ChosenFeatures

    chosen = ChosenFeatures(("a", "c"), (1, 3), 3)
    return lambda path: export_features(chosen, path, to=engine)  # type: ignore[return-value]


def _judgements(path: Path) -> None:
    from leanrank.data.trec import read_judgements

    read_judgements(path)


def _run(path: Path) -> None:
    from leanrank.data.trec import judge, read_run

    judge(read_run(path), {"1": {"d1": 1.0, "d3": 2.0}}, like_trec=True)


def _frames() -> list[Format]:
    def numbered(files: Files, rng: random.Random) -> Files:
        return {"frame": str(rng.randrange(2**60)).encode()}

    def opened(path: Path) -> None:
        leanrank.from_frame(odd_frame(random.Random(int(path.read_bytes()))), label="label", qid="qid", missing=True)

    return [Format("arrow", {"frame": b"0"}, (numbered,), opened)]


def made_formats() -> list[Format]:
    """All formats, made in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return formats(Path(folder))
