"""Another answer of a finished run: by size, cost or loss, without training."""

import json

import numpy as np
import pytest
from tests.report.made_up import made_up

from leanrank import load_selection, make_ranking, select
from leanrank.errors import DataError, ParameterError

NAMES = [f"f{j}" for j in range(30)]


@pytest.fixture(scope="module")
def run():
    data, _ = make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=0)
    costs = {name: 1.0 + j % 3 for j, name in enumerate(data.feature_names)}
    return select(data, "ranksvm", methods=["gas"], costs=costs, must_keep=[data.feature_names[4]], progress=False)


@pytest.fixture
def selection():
    return made_up(NAMES, 5)[0]


def test_a_measured_size_has_the_numbers_of_the_curve(run):
    for point in run.walked:
        at = run.at(point.k)
        assert at.features == run.path[: point.k]
        assert at.indices == tuple(run.feature_names.index(name) for name in at.features)
        assert (at.answer, at.chosen.is_measured) == ("asked", True)
        assert at.nested["mean"] == point.difference
        assert (at.nested["low"], at.nested["high"]) == (point.low, point.high)
        assert at.chosen.certified_loss == point.certified_loss
        assert at.cost == pytest.approx(sum(run.settings["costs"][name] for name in at.features))
        assert (at.losers, at.per_query) == (point.evidence.losers, point.evidence.per_query)
        assert at.sentence().startswith(f"{point.k} of 12 features")
    assert run.at(run.n_features).features == run.features
    assert run.at(run.n_features).at(2).features == run.at(2).features  # again and again


def test_a_size_between_is_not_made_up(selection):
    sizes = sorted(point.k for point in selection.walked)
    k = next(k for k in range(sizes[0], 30) if k not in sizes)
    at = selection.at(k)
    below, above = max(s for s in sizes if s < k), min(s for s in [*sizes, 30] if s > k)
    assert at.features == selection.path[:k]
    assert not at.chosen.is_measured
    assert (at.proven, at.chosen.certified_loss, at.losers, at.per_query) == (False, None, (), {})
    assert at.sentence() == f"{k} of 30 features: what they do to NDCG@10 was not measured"
    assert f"not measured, it lies between {below} (" in at.reason
    assert f") and {above} (" in at.reason
    assert "not measured" in repr(at)


def test_all_of_the_path(selection):
    at = selection.at(30)
    assert (at.method, at.nested["mean"], at.proven) == ("all features", 0.0, False)
    assert at.sentence() == "All 30 features: nothing that can be used is dropped"


@pytest.mark.parametrize("k", [0, 31, 2.5, True, "3"])
def test_sizes_that_cannot_be(selection, k):
    with pytest.raises(ParameterError, match="'k' parameter of at must be a whole number from 1 to 30"):
        selection.at(k)


def test_what_must_be_kept_is_kept(run):
    assert run.settings["must_keep"][0] in run.at(1).features


def test_cheaper_than(run):
    bills = {point.k: run.at(point.k).cost for point in run.walked}
    for k, bill in bills.items():
        assert run.cheaper_than(bill).cost == bill
        assert run.cheaper_than(bill).n_features >= k
        assert run.cheaper_than(bill + 0.5).cost <= bill + 0.5
    everything = run.cheaper_than(1e9)
    copies = {name for others in run.stands_for.values() for name in others}
    assert set(everything.features) == set(run.path) - copies
    with pytest.raises(
        ParameterError, match=r"'cost' parameter of cheaper_than must be >= .*, the cost of the cheapest set"
    ):
        run.cheaper_than(run.at(1).cost / 2)


def test_numbers_of_numpy_are_numbers_and_others_are_none(run):
    assert run.at(np.int64(2)).features == run.at(2).features
    assert run.cheaper_than(np.float32(1000)).features == run.cheaper_than(1000).features
    assert run.cheaper_than(float("inf")).features == run.cheaper_than(1000).features
    for wrong in ("3", None, [[1]], True):
        with pytest.raises(ParameterError, match="'cost' parameter of cheaper_than must be >="):
            run.cheaper_than(wrong)
        with pytest.raises(ParameterError, match="'max_loss' parameter of within must be >= 0"):
            run.within(wrong)


def test_a_cost_that_only_an_unmeasured_size_meets(selection):
    smallest = min(point.k for point in selection.walked)
    if smallest > 1:
        at = selection.cheaper_than(smallest - 0.5)
        assert (at.n_features, at.chosen.is_measured) == (smallest - 1, False)


def test_another_loss_is_certified_where_the_curve_says_so(run):
    losses = {point.k: point.certified_loss for point in run.walked if point.certified_loss is not None}
    assert losses
    for k, loss in losses.items():
        at = run.within(loss)
        assert at.answer == "certified"
        assert at.n_features == min(k for k, other in losses.items() if other <= loss) <= k
        assert at.proven
        assert at.settings["max_loss"] == at.forecast.max_loss == loss
        assert at.settings["max_loss"] != run.settings["max_loss"]
    none = run.within(0.0)
    assert none.certified.features == run.safe.features or losses[none.certified.k] == 0
    assert run.within(run.settings["max_loss"]).certified.features == run.certified.features
    with pytest.raises(ParameterError, match="'max_loss' parameter of within"):
        run.within(-1)


def test_what_was_estimated_without_choosing_stays(run):
    """A loss at which the recommended set stays the recommended one keeps its honest estimate."""
    again = run.within(run.settings["max_loss"])
    assert again.recommended.features == run.recommended.features
    assert again.recommended.estimate == run.recommended.estimate


@pytest.mark.parametrize("metrics", [["ndcg@10"], ["ndcg@10", "map"]])
def test_another_loss_recommends_what_a_run_asked_for_it_does(tmp_path, metrics):
    data, _ = make_ranking(60, n_informative=6, n_redundant=6, n_noise=8, noise=1.5, weakest=0.1, random_state=1)
    asked = {"ranker": "ranksvm", "methods": ["mrmr-f"], "metrics": metrics, "progress": False}
    first = select(data, **asked, journal=tmp_path / "run.db")
    sizes = set()
    for loss in (0.0, 0.002, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2):
        fresh = select(data, **asked, max_loss=loss, journal=tmp_path / "run.db")
        again = first.within(loss)
        assert again.recommended.features == fresh.recommended.features
        assert again.certified.features == fresh.certified.features
        assert fresh.recommended_by_loss == first.recommended_by_loss
        sizes.add(fresh.recommended.k)
    assert len(sizes) > 2
    first.save(tmp_path / "features.json")
    saved = load_selection(tmp_path / "features.json")
    assert saved.within(0.05).recommended.features == first.within(0.05).recommended.features


@pytest.mark.parametrize("steps", [[[0.0]], [[0.0, 2.5]], [[0.1, 3]]])
def test_a_file_whose_steps_are_damaged_is_refused(tmp_path, run, steps):
    record = {**run.to_dict(), "recommended_by_loss": steps}
    (tmp_path / "features.json").write_text(json.dumps(record))
    with pytest.raises(DataError, match="recommended_by_loss"):
        load_selection(tmp_path / "features.json")


@pytest.mark.parametrize("again", [lambda s: s.at(3), lambda s: s.at(7), lambda s: s.within(0.5), lambda s: s.at(30)])
def test_saved_and_read(selection, tmp_path, again):
    chosen = again(selection)
    chosen.save(tmp_path / "features.json")
    read = load_selection(tmp_path / "features.json")
    assert read.to_dict() == chosen.to_dict()
    assert json.loads(chosen.to_json())["names"] == list(chosen.features)


@pytest.mark.parametrize("ending", ["html", "md", "json"])
@pytest.mark.parametrize("k", [3, 7, 30])
def test_it_can_be_reported(tmp_path, ending, k):
    selection, data = made_up(NAMES, 5)
    at = selection.at(k)
    at.report(tmp_path / f"report.{ending}", data)
    text = (tmp_path / f"report.{ending}").read_text()
    assert at.sentence() in text.replace("\\[", "[").replace("\\]", "]")
    assert at.chosen.is_measured or "not measured" in text
