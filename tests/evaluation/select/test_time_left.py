"""The one time left of a run of select: right within a factor of 1.5 from a fifth of the run on."""

from __future__ import annotations

import time

import pytest

from leanrank import make_ranking, select
from leanrank.engines import progress
from leanrank.engines.progress import ProgressBar
from leanrank.evaluation.clock import FIXED_SHARE, Clock, Pace, Trainings
from leanrank.evaluation.select import measuring
from leanrank.rankers.ranksvm import RankSVM

N_FEATURES = 40


class Time:
    """A clock that only trainings move on."""

    now = 0.0


class Slow(RankSVM):
    """RankSVM that takes `fixed` hours, and the rest of one by its columns and queries."""

    def __init__(self, C=1.0, fixed=0.5, n_queries=1):
        super().__init__(C=C)
        self.fixed = fixed
        self.n_queries = n_queries

    def fit(self, X, *given, **options):
        Time.now += 3600 * X.n_queries / self.n_queries * (self.fixed + (1 - self.fixed) * X.n_features / N_FEATURES)
        return super().fit(X, *given, **options)


@pytest.fixture
def shown(monkeypatch):
    """(time, time left) whenever a time left was to be shown."""
    records = []
    Time.now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: Time.now)
    monkeypatch.setattr(time, "perf_counter", lambda: Time.now)
    monkeypatch.setattr(ProgressBar, "at", lambda self, share, left: records.append((Time.now, share, left)))
    return records


@pytest.mark.parametrize("fixed", [0.17, 0.3, 0.5])
@pytest.mark.parametrize(
    "asked",
    [
        {"effort": "normal"},
        {"effort": "quick"},
        {"effort": "normal", "n_features": 6},
        {"effort": "normal", "queries": 30},
        {"effort": "normal", "methods": ["rfe"], "n_features": 6},
    ],
    ids=["normal", "quick", "of a size", "race on a sample", "elimination"],
)
def test_the_time_left_is_right_from_a_fifth_of_the_run_on(fixed, asked, shown, monkeypatch):
    data, _ = make_ranking(50, 10, n_informative=4, n_redundant=6, n_noise=30, random_state=0)
    given = dict(asked)
    if "queries" in given:
        monkeypatch.setattr(measuring, "SAMPLE_QUERIES", given.pop("queries"))
    select(data, Slow(fixed=fixed, n_queries=30), progress=False, n_jobs=1, **given)
    end = Time.now
    later = [(now, share, left) for now, share, left in shown if now >= end / 5]
    assert len(later) > 5
    for now, share, left in later:
        # of the last training the time is known only when it is over
        assert (end - now) / 1.5 - 3600 <= left <= 1.5 * (end - now) + 3600, (now / end, left, end - now)
        assert share == pytest.approx(now / (now + left))


def test_what_was_done_before_takes_no_time(shown, tmp_path):
    data, _ = make_ranking(50, 10, n_informative=4, n_redundant=6, n_noise=30, random_state=0)
    asked = {"progress": False, "n_jobs": 1, "journal": tmp_path / "run.db"}
    select(data, Slow(n_queries=30), **asked, time_limit=10 * 3600.0)
    first, before = Time.now, len(shown)
    select(data, Slow(n_queries=30), **asked)
    taken = Time.now - first
    assert taken > 3600
    for now, _, left in shown[before:]:
        if now >= first + taken / 5:
            assert left == pytest.approx(first + taken - now, rel=0.5, abs=3600)


def test_the_pace_is_learned_from_trainings_of_different_sizes():
    pace = Pace()
    assert pace.fixed_share == FIXED_SHARE
    for size in (1.0, 0.5, 0.1):
        pace.done(Trainings(1.0, size), 2.0 + 6.0 * size)
    assert pace.fixed_share == pytest.approx(0.25)
    assert pace.units(pace.finished) == pytest.approx(0.25 * 3 + 0.75 * 1.6)
    for _ in range(9):  # times that no such ranker takes
        pace.done(Trainings(1.0, 1.0), 0.0)
    assert 0 <= pace.fixed_share <= 1


def test_tasks_under_way_count_by_half(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock()
    assert clock.left is None
    clock.plan(10.0, 3)
    now[0] = 8.0
    clock.done(1.0, 8.0)
    assert clock.left == pytest.approx(8.0 * 8 / 2)  # two others are half done: 2 of 10
    clock.spare(4.0)
    assert clock.left == pytest.approx(8.0 * 4 / 2)


def test_the_bar_counts_down_what_the_plan_says(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    with ProgressBar() as bar:
        bar.stage("reading", 4)
        bar.step(2)
        bar.plan()
        bar.stage("race", 7)
        bar.at(0.25, 90.0)
        now[0] += 30
        [_, planned] = bar._bar.tasks
        assert planned.percentage == 25.0
        assert planned.description == "race"
        assert str(bar._bar.columns[-1].render(planned)) == "0:01:00"
