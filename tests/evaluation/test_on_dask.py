"""select and compare with their cross-validation on a real Dask cluster of two processes, and on Spark."""

from __future__ import annotations

import sqlite3

import pytest
from tests.engines.deadly import break_ranksvm, die_with_the_first_task, mend_ranksvm
from typer.testing import CliRunner

from leanrank import DaskEngine, LocalEngine, RankSVM, make_ranking, select
from leanrank.data.letor.reader import write_letor
from leanrank.errors import LeanRankError
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.journal import Journal, read_about
from leanrank.selectors import registry

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of Dask

SMALL = {
    "methods": ["gas", "fcbf"],
    "rankers": ["ranksvm"],
    "k": [2],
    "metrics": ["map"],
    "settings": CompareSettings(n_splits=3),
}
CHOICE = {"ranker": RankSVM(C=1.0), "methods": ["mrmr", "rfe", "importance+mrmr"], "cv": 3, "progress": False}


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def engine(cluster):
    import distributed

    with distributed.Client(cluster, set_as_default=False) as client:
        yield DaskEngine(client)


@pytest.fixture(scope="module")
def data():
    return make_ranking(24, 10, n_informative=3, n_redundant=1, n_noise=2, random_state=3)[0]


def answer(selection):
    record = selection.to_dict()
    return {key: value for key, value in record.items() if key != "seconds"}


def test_select_is_the_same(data, engine, tmp_path):
    here = select(data, **CHOICE)
    there = select(data, **CHOICE, engine=engine, journal=tmp_path / "there.db")
    assert answer(there) == answer(here)
    with Journal(tmp_path / "there.db", read_about(tmp_path / "there.db")) as journal:
        tasks = [task["task"] for task, _, _ in journal]
    assert {"path", "fit", "selection"} <= set(tasks)
    # what is in the journal is not computed again, wherever it was computed
    assert answer(select(data, **CHOICE, journal=tmp_path / "there.db")) == answer(here)


def test_the_work_is_done_by_the_workers(data, engine, tmp_path, monkeypatch):
    def never(*arguments):
        raise AssertionError("a ranker was trained here")

    monkeypatch.setattr("leanrank.evaluation.select.held_out.HeldOut.fit", never)
    select(data, **{**CHOICE, "methods": ["mrmr"]}, n_features=2, engine=engine)


def test_compare_is_the_same(data, engine, tmp_path):
    here = compare(data, **SMALL)
    there = compare(data, **SMALL, engine=engine, journal=tmp_path / "there.db")
    assert {key: run.mean for key, run in there.runs.items()} == {key: run.mean for key, run in here.runs.items()}
    assert {k: run.feature_sets for k, run in there.runs.items()} == {k: r.feature_sets for k, r in here.runs.items()}
    more = compare(data, **{**SMALL, "k": [2, 3]}, engine=engine, journal=tmp_path / "there.db")
    assert len(more.runs) == len(here.runs) + 2


def test_compare_takes_any_engine(data):
    here = compare(data, **SMALL)
    there = compare(data, **SMALL, engine=LocalEngine(1))
    assert {key: run.mean for key, run in there.runs.items()} == {key: run.mean for key, run in here.runs.items()}


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_spark_does_the_same(data, make_engine):
    spark = make_engine("spark", 1000)
    here, there = compare(data, **SMALL), compare(data, **SMALL, engine=spark)
    assert {key: run.mean for key, run in there.runs.items()} == {key: run.mean for key, run in here.runs.items()}
    few = {**CHOICE, "methods": ["mrmr"], "n_features": 2}
    assert answer(select(data, **few, engine=spark)) == answer(select(data, **few))


def test_compare_on_the_command_line(data, cluster, tmp_path):
    from leanrank.cli.app import app

    write_letor(data, tmp_path / "judged.txt")
    address = cluster.scheduler_address.replace("tcp://", "dask://")
    command = f"compare {tmp_path}/judged.txt --methods gas --rankers ranksvm -k 2 --metrics map --folds 3 -j 1 "
    for number, where in enumerate(("", f"--engine {address}")):
        run = CliRunner().invoke(app, f"{command} -o {tmp_path}/{number}.db {where}")
        assert run.exit_code == 0, run.output
    results = []
    for number in range(2):
        with sqlite3.connect(tmp_path / f"{number}.db") as database:
            results.append(database.execute("SELECT task FROM tasks ORDER BY key").fetchall())
    assert results[0] == results[1]


def test_an_error_in_a_task_is_told_and_the_rest_kept(data, engine, tmp_path):
    both = {**SMALL, "methods": ["gas"], "k": [2, 3]}
    engine.client.run(break_ranksvm)
    try:
        with pytest.raises(LeanRankError, match=r"3 of the tasks failed, the first .*three is too many"):
            compare(data, **both, engine=engine, journal=tmp_path / "there.db")
        with pytest.raises(LeanRankError, match="three is too many"):
            select(data, **{**CHOICE, "methods": ["mrmr"]}, n_features=3, engine=engine)
    finally:
        engine.client.run(mend_ranksvm)
    found = compare(data, **both, engine=engine, journal=tmp_path / "there.db")
    assert found.unfinished == 0


def test_a_worker_that_dies_changes_nothing(data, engine, tmp_path):
    engine.client.run(die_with_the_first_task, str(tmp_path / "died"))
    few = {**CHOICE, "methods": ["mrmr"], "n_features": 2}
    assert answer(select(data, **few, engine=engine)) == answer(select(data, **few))
    assert (tmp_path / "died").exists()


def test_what_cannot_work(data, engine):
    selector = registry.get("gas", engine=engine)
    with pytest.raises(LeanRankError, match="cannot be sent to the Dask workers"):
        select(data, **{**CHOICE, "methods": [selector]}, engine=engine)
