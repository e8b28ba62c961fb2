"""How many threads are taken where nobody names a number."""

from __future__ import annotations

import pytest

from leanrank.engines.calls import Calls, ThreadCalls
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.tasks import Tasks
from leanrank.kernels import _threads
from leanrank.kernels._threads import cores_of_container, default_threads


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "50000 100000\n"}, 1),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({"cpu.max": "\n"}, None),
        ({}, None),
    ],
)
def test_a_container_has_the_cores_it_is_given(tmp_path, files, cores):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    given = cores_of_container(str(tmp_path))
    assert given > 1000 if cores is None else given == cores


def test_no_more_threads_than_cores_of_the_container(monkeypatch):
    monkeypatch.delenv("LEANRANK_THREADS", raising=False)
    monkeypatch.setattr(_threads, "cores_of_container", lambda: 1)
    assert default_threads() == 1


def test_tasks_take_every_core_and_each_of_them_one(monkeypatch):
    monkeypatch.setenv("LEANRANK_THREADS", "3")
    with Journal(None, {}) as journal, Tasks(journal, n_jobs=None) as tasks:
        assert tasks.n_jobs == 3
        assert tasks.run(lambda base, task, needs: default_threads(), None, [{"n": n} for n in range(4)]) == [1] * 4
    assert default_threads() == 3


@pytest.mark.parametrize("calls", [Calls(), ThreadCalls(2)])
def test_a_call_has_one_core(monkeypatch, calls):
    monkeypatch.setenv("LEANRANK_THREADS", "4")
    with calls:
        assert calls.outcome(calls.submit(lambda *_: default_threads(), None, None, None))[0] == 1
