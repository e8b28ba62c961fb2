"""select with a clock: it ends when it should, says what it left out, and says beforehand that it will take long."""

from __future__ import annotations

import time

import pytest

from leanrank import make_ranking, select
from leanrank.errors import LeanRankError, ParameterError, TimeIsUpError
from leanrank.evaluation import clock as clock_module
from leanrank.evaluation.clock import Clock, seconds_of
from leanrank.rankers.ranksvm import RankSVM

#: Seconds that one training of the stub takes, which is nearly all of a run's time.
TAKEN = 0.08


class SlowSVM(RankSVM):
    """RankSVM that takes its time."""

    def fit(self, *given, **options):
        time.sleep(TAKEN)
        return super().fit(*given, **options)


@pytest.fixture(scope="module")
def data():
    return make_ranking(40, 10, n_informative=3, n_redundant=3, n_noise=14, random_state=0)[0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_third_of_the_time_gives_an_honest_answer(data, n_jobs):
    asked = {"ranker": SlowSVM(C=1.0), "effort": "quick", "progress": False, "n_jobs": n_jobs}
    select(data, **asked, n_features=3, methods=["mrmr-f"])  # kernels are compiled
    begin = time.perf_counter()
    whole = select(data, **asked)
    full = time.perf_counter() - begin
    begin = time.perf_counter()
    part = select(data, **asked, time_limit=full / 3)
    taken = time.perf_counter() - begin
    # on a machine that is busy with other things a task may be slow to end: never earlier, and not much later
    assert taken < full / 3 * 1.15 + 5 * TAKEN + 1.0
    assert taken < full
    assert "left out" in part.reason
    assert "left out" not in whole.reason
    assert len(part.curve) < len(whole.curve)
    measured = {(point.method, point.k): point for point in whole.curve}
    for point in part.curve:  # what was measured is what the whole run measures
        assert point.mean == pytest.approx(measured[point.method, point.k].mean, abs=1e-12)


def test_no_time_at_all_keeps_everything_and_says_why(data):
    chosen = select(data, SlowSVM(C=1.0), progress=False, time_limit=1e-3)
    assert chosen.n_features == 20
    assert "time was up before any smaller set was measured" in chosen.reason
    with pytest.raises(TimeIsUpError, match="before any set of 4 features was measured") as raised:
        select(data, SlowSVM(C=1.0), progress=False, n_features=4, time_limit=1e-3)
    assert isinstance(raised.value, LeanRankError)
    assert raised.value.parameter == "time_limit"


def test_more_time_goes_on_from_the_journal(data, tmp_path):
    asked = {"ranker": RankSVM(C=1.0), "progress": False, "effort": "quick", "journal": tmp_path / "run.db"}
    select(data, **asked, time_limit=1e-3)
    again = select(data, **asked)
    alone = select(data, **{**asked, "journal": None})
    assert again.features == alone.features
    assert again.curve == alone.curve


@pytest.mark.parametrize("given", [0, -1, "soon", "10 minutes or so", True, float("inf"), ""])
def test_times_that_are_none(given):
    with pytest.raises(ParameterError, match="'time_limit' parameter of select must be a number of seconds"):
        seconds_of(given)


def test_a_long_run_says_so_after_the_first_training(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(clock_module.time, "monotonic", lambda: now[0])
    clock = Clock(says=True)
    clock.plan(30.0, 1)
    now[0] = 40.0
    clock.done(1.0)
    clock.close()
    assert "this will take about 20 minutes" in capsys.readouterr().err
    clock.done(1.0)
    assert not capsys.readouterr().err  # once


def test_a_run_whose_first_training_does_not_end_says_so_too(monkeypatch, capsys):
    monkeypatch.setattr(clock_module, "SOON", 0.01)
    monkeypatch.setattr(clock_module, "LONG", 0.1)
    clock = Clock(says=True)
    clock.plan(30.0, 1)
    clock._timer.join()
    assert "one training takes more than" in capsys.readouterr().err


@pytest.mark.parametrize("limit", [None, 100.0])
def test_a_short_run_says_nothing(limit, monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(clock_module.time, "monotonic", lambda: now[0])
    clock = Clock(limit, says=True)
    clock.plan(30.0, 2)
    now[0] = 2.0
    clock.done(1.0)
    clock.close()
    assert not capsys.readouterr().err
