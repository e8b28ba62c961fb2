"""One seed reaches everything that a selector draws: its own numbers, those of its settings, the order of ties."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from leanrank import BestGain, Neighbours, ReliefF, StabilitySelection, make_ranking, write_letor
from leanrank.cli.app import run
from leanrank.errors import ParameterError
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare
from leanrank.selectors import registry
from leanrank.selectors.stability_selection import _with_seeds

DATA, _ = make_ranking(20, n_informative=2, n_redundant=1, n_noise=3, random_state=0)
SAMPLED = ("rank-filter", "rank-wrapper", "relieff", "rrelieff")


def seeds(selector):
    """Every number that a selector's draws begin from."""
    params = selector.get_params(deep=False)
    ties = params.get("shuffle_ties")
    return [
        *([params["random_state"]] if "random_state" in params else []),
        *(value.random_state for value in params.values() if isinstance(value, Neighbours)),
        *([] if ties is None else [ties]),
    ]


@pytest.mark.parametrize("name", registry.names())
def test_every_seed_of_a_selector_is_changed(name):
    given = {"neighbours": Neighbours(n_samples=30)} if name in SAMPLED else {}
    if name.startswith("best-gain"):
        given = {"shuffle_ties": True}
    selector = registry.get(name, **given)
    drawing = seeds(selector)
    assert set(seeds(selector.change_seeds(lambda _: 7))) == ({7} if drawing else set())
    if name in SAMPLED:
        assert selector.neighbours == replace(given["neighbours"], random_state=7)


def test_without_a_seed_nothing_is_set():
    assert BestGain().change_seeds(lambda _: 7).shuffle_ties is None
    assert ReliefF().change_seeds(lambda _: 7).neighbours is None


def test_true_shuffles_ties_from_the_seed_0():
    ties = replace(DATA, X=DATA.X.round(0))
    by_seed = [BestGain(1e-9, shuffle_ties=seed).fit(ties).gains_.tolist() for seed in (True, 0, 1)]
    assert by_seed[0] == by_seed[1] != by_seed[2]


def test_every_run_of_a_stability_selection_draws_a_sample_of_its_own():
    inner = ReliefF(2, neighbours=Neighbours(n_samples=30, random_state=5))
    stable = StabilitySelection(inner)
    assert [seeds(_with_seeds(stable._inner, run)) for run in range(3)] == [[5], [6], [7]]
    assert inner.neighbours.random_state == 5


@pytest.fixture
def train(tmp_path):
    write_letor(DATA, tmp_path / "train.txt")
    return str(tmp_path / "train.txt")


def ordered(capsys, *arguments):
    assert run(["order", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_seed_of_the_command_line_reaches_the_sample_of_relief(train, capsys):
    sample = ["--method", "relieff", "--set", "neighbours.n_samples=40"]
    records = [ordered(capsys, train, *sample, "--seed", str(seed)) for seed in (0, 0, 1)]
    assert records[0]["scores"] == records[1]["scores"] != records[2]["scores"]
    assert records[2]["parameters"]["neighbours"]["random_state"] == 1


def test_the_seed_of_the_command_line_reaches_the_order_of_ties(train, capsys):
    ties = ["--method", "best-gain", "--set", "shuffle_ties=true"]
    assert ordered(capsys, train, *ties, "--seed", "3")["parameters"]["shuffle_ties"] == 3


@pytest.mark.parametrize(
    ("method", "setting", "shown"),
    [
        ("relieff", ["--set", "neighbours.n_samples=40", "--set", "neighbours.random_state=9"], "9"),
        ("best-gain", ["--set", "shuffle_ties=9"], "9"),
        ("fs-scpr", ["--set", "random_state=9"], "9"),
    ],
)
def test_a_seed_among_the_settings_comes_before_that_of_the_command(train, capsys, method, setting, shown):
    parameters = ordered(capsys, train, "--method", method, *setting, "--seed", "3", "-k", "2")["parameters"]
    assert shown in str([parameters.get(name) for name in ("neighbours", "shuffle_ties", "random_state")])


def test_the_seed_of_compare_reaches_the_sample_of_relief(monkeypatch):
    entry = registry._ENTRIES["relieff"]
    monkeypatch.setitem(
        registry._ENTRIES, "relieff", replace(entry, preset=lambda: {"neighbours": Neighbours(n_samples=40)})
    )
    drawn, fit = [], ReliefF.fit

    def watched(self, *args, **kwargs):
        drawn.append(self.neighbours.random_state)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(ReliefF, "fit", watched)
    settings = CompareSettings(n_splits=3, random_state=11)
    compare(DATA, methods=["relieff"], rankers=["ranksvm"], k=[2], metrics=["map"], settings=settings)
    assert drawn == [11, 11, 11]


@pytest.mark.parametrize(
    ("name", "key", "match"),
    [
        ("relieff", "neighbours.n_sample", "n_samples"),
        ("relieff", "neighbour.n_samples", "neighbours"),
        ("gas", "c.x", "no settings inside"),
    ],
)
def test_settings_that_are_not_there_are_refused_with_the_nearest_name(name, key, match):
    with pytest.raises(ParameterError, match=match):
        registry.get(name, **{key: 1})
