"""Clicks: propensities recovered, sums over clicks unbiased, and features found that position would hide."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from leanrank import evaluate, make_ranking
from leanrank.data.clicks import per_click, simulate_clicks
from leanrank.data.propensities import Propensities, estimate_propensities
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, ParameterError
from leanrank.metrics.click_metrics import click_value

TRUE = Propensities(1.0 / np.arange(1, 9))


@pytest.fixture(scope="module")
def judged():
    return make_ranking(150, 8, n_informative=3, n_redundant=0, n_noise=3, random_state=1)[0]


@pytest.fixture(scope="module")
def engine(judged):
    """By what the engine orders: half by chance, the same in every session of a query."""
    rng = np.random.default_rng(7)
    return judged.X[:, 0] + rng.normal(0, 1.5 * judged.X[:, 0].std(), judged.n_rows)


def test_em_finds_the_propensities(judged, engine):
    log = simulate_clicks(judged, engine, TRUE, n_sessions=6_000, random_state=3)
    with_shown = replace(log, X=np.column_stack([log.X, shown(log)]), feature_names=(*log.feature_names, "shown"))
    for data in (log, with_shown):
        got = estimate_propensities(data)
        assert got.values[0] == 1.0
        np.testing.assert_allclose(got.values, TRUE.values, atol=0.08)


def shown(log):
    """A feature that has a little to do with the place."""
    return log.beside.position + np.random.default_rng(0).normal(0, 3, log.n_rows)


def test_em_goes_by_weights(judged, engine):
    log = simulate_clicks(judged, engine, TRUE, n_sessions=2_000, random_state=3)
    times = np.random.default_rng(0).integers(1, 4, log.n_queries)
    weighted = replace(log, beside=replace(log.beside, query_weight=times.astype(float)))
    numbers = np.repeat(np.arange(log.n_queries), times)
    repeated = replace(log.take_queries(numbers), query_ids=np.arange(len(numbers)))
    one, other = (estimate_propensities(d, max_iter=20).values for d in (weighted, repeated))
    np.testing.assert_allclose(one, other, atol=1e-8)


def test_sums_over_clicks_are_unbiased_with_propensities_and_not_without(judged, engine):
    """200 logs: the mean of the estimates is within 3 of its standard errors of the truth, the naive one is not."""
    scores = judged.X[:, 1]  # another ranking than the one that was shown
    weights = {"corrected": TRUE, "naive": None}
    attraction = 0.1 + 0.9 * (np.exp2(judged.y.astype(float)) - 1) / (np.exp2(judged.y.max()) - 1)
    truth = true_value(judged, scores, attraction)
    got = {name: [] for name in weights}
    errors = []
    for seed in range(200):
        log, numbers = sessions(judged, engine, seed)
        for name, propensities in weights.items():
            estimate = click_value(log, scores[numbers], propensities, k=5)
            got[name].append(estimate.value)
            if name == "corrected":
                errors.append(estimate.error)
    spread = {name: np.std(values, ddof=1) for name, values in got.items()}
    off = {name: abs(np.mean(values) - truth) / (spread[name] / np.sqrt(200)) for name, values in got.items()}
    assert off["corrected"] < 3
    assert off["naive"] > 20
    assert np.mean(errors) == pytest.approx(spread["corrected"], rel=0.2)  # the variance is that which is seen


def sessions(judged, engine, seed):
    """A log, and which row of the judged data each of its rows is."""
    numbered = replace(judged, X=np.column_stack([judged.X, np.arange(judged.n_rows)]), feature_names=())
    log = simulate_clicks(numbered, engine, TRUE, n_sessions=500, random_state=seed)
    return log, log.X[:, -1].astype(int)


def true_value(judged, scores, attraction):
    """The expected sum over a query whose every document is looked at."""
    total = 0.0
    for a, b in pairwise(judged.query_ptr):
        order = np.argsort(-scores[a:b], kind="stable")[:5]
        total += (attraction[a:b][order] / np.log2(np.arange(len(order)) + 2)).sum()
    return total / judged.n_queries


def test_propensities_of_one_change_nothing(judged, engine):
    log = simulate_clicks(judged, engine, TRUE, n_sessions=300)
    ones = Propensities(np.ones(8))
    assert click_value(log, log.X[:, 0], ones).value == click_value(log, log.X[:, 0], None).value
    np.testing.assert_array_equal(per_click(log, ones).beside.query_weight, 1.0)


def test_a_click_is_a_query_with_its_weight_and_its_session(judged, engine):
    log = simulate_clicks(judged, engine, TRUE, n_sessions=200)
    clicks = per_click(log, TRUE)
    assert clicks.n_queries == int(log.y.sum())
    assert (np.add.reduceat(clicks.y, clicks.query_ptr[:-1]) == 1).all()
    assert clicks.beside.position is None
    weights = 1.0 / TRUE.at(log.beside.position[log.y > 0])
    np.testing.assert_allclose(clicks.beside.query_weight, weights)
    # a mean over clicks is the sum over sessions, over the weights of all clicks
    mean = evaluate(clicks, clicks.X[:, 0], "mrr").mean["mrr"]
    value = click_value(log, log.X[:, 0], TRUE, k=None, discount="reciprocal")
    assert mean == pytest.approx(value.per_session.sum() / weights.sum())
    cut = per_click(log, TRUE, largest_weight=2.0)
    assert cut.beside.query_weight.max() == 2.0
    plain = replace(log, beside=SideColumns(position=log.beside.position))
    assert set(per_click(plain, TRUE).beside.query_group.tolist()) <= set(range(200))


def test_what_cannot_be_is_refused(judged, tmp_path):
    log = simulate_clicks(judged, judged.X[:, 0], TRUE, n_sessions=20)
    with pytest.raises(DataError, match="Where documents were shown is not known"):
        per_click(judged, TRUE)
    with pytest.raises(DataError, match=r"shown at place \d, but propensities are known for places 1 to 2"):
        per_click(log, Propensities([1.0, 0.5]))
    with pytest.raises(DataError, match="propensity of place 2 is 0: it must be above 0"):
        Propensities([1.0, 0.0])
    with pytest.raises(DataError, match="There is no click"):
        per_click(replace(log, y=np.zeros(log.n_rows)), TRUE)
    with pytest.raises(DataError, match="Nothing was shown at place 1"):
        estimate_propensities(replace(log, beside=replace(log.beside, position=log.beside.position + 1)))
    with pytest.raises(DataError, match="name the column position"):
        estimate_propensities(judged)
    with pytest.raises(ParameterError, match="The 'largest_weight' parameter of per_click must be >= 1"):
        per_click(log, TRUE, largest_weight=0.5)
    file = tmp_path / "propensities.csv"
    TRUE.write(file)
    np.testing.assert_array_equal(Propensities.read(file).values, TRUE.values)
    file.write_text("position,propensity\n1,1\n3,0.5\n")
    with pytest.raises(DataError, match=r"one line for each place, from 1 on without a gap"):
        Propensities.read(file)
    file.write_text("place,p\n1,1\n")
    with pytest.raises(DataError, match="a CSV with the columns position and propensity"):
        Propensities.read(file)


def test_lightgbm_is_given_the_positions(judged, engine):
    lightgbm = pytest.importorskip("lightgbm")
    from leanrank.rankers.registry import get

    log = simulate_clicks(judged, engine, TRUE, n_sessions=800)
    ours = get("lightgbm", n_estimators=5, n_threads=1).fit(log).predict(log)
    params = {"objective": "lambdarank", "learning_rate": 0.05, "verbosity": -1, "seed": 0, "num_threads": 1}
    params |= {"deterministic": True, "force_row_wise": True}
    data = lightgbm.Dataset(log.X, log.y, group=log.query_sizes, position=log.beside.position)
    np.testing.assert_allclose(ours, lightgbm.train(params, data, 5).predict(log.X), rtol=0, atol=1e-12)
    without = replace(log, beside=SideColumns())
    assert not np.allclose(ours, get("lightgbm", n_estimators=5, n_threads=1).fit(without).predict(log))
