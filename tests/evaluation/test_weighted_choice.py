"""Weights of queries in tests, certificates, `select` and `compare`: weighted means, and levels that hold."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from leanrank import LeanSelector, Protocol, RankingData, cross_validate, select
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError
from leanrank.evaluation.bootstrap import weighed
from leanrank.evaluation.compare.run import compare
from leanrank.evaluation.confidence_set import confidence_set
from leanrank.evaluation.records import CrossValidation
from leanrank.evaluation.select.certify import certified_losses
from leanrank.evaluation.select.choice import mean
from leanrank.evaluation.select.stop_rule import differences
from leanrank.evaluation.significance import paired_bootstrap, paired_t_test

FAST = {"methods": ["gas", "mrmr"], "effort": "quick", "n_jobs": 1}


@pytest.fixture(scope="module")
def two_kinds():
    """Queries of two kinds: feature 1 ranks the first, feature 2 the second; the weights say which of them matter."""
    rng = np.random.default_rng(0)
    n_queries, length = 120, 8
    kind = np.repeat(np.arange(n_queries) % 4 == 0, length)  # a quarter is of the second kind
    y = rng.integers(0, 3, n_queries * length)
    X = rng.normal(size=(n_queries * length, 5))
    X[:, 0] = np.where(kind, X[:, 0], 2.0 * y + 0.3 * X[:, 0])
    X[:, 1] = np.where(kind, 2.0 * y + 0.3 * X[:, 1], X[:, 1])
    ptr = np.arange(0, n_queries * length + 1, length)
    weight = np.where(np.arange(n_queries) % 4 == 0, 20.0, 1.0)
    return RankingData(X, y, ptr, beside=SideColumns(query_weight=weight))


def test_a_weighted_mean_has_the_error_of_a_ratio():
    rng = np.random.default_rng(1)
    table, weight = rng.normal(size=(2, 50)), rng.random(50)
    mean, error, centred = weighed(table, weight)
    np.testing.assert_allclose(mean, np.average(table, axis=1, weights=weight))
    expected = np.sqrt(((weight * (table - mean[:, None])) ** 2).sum(axis=1)) / weight.sum()
    np.testing.assert_allclose(error, expected * np.sqrt(50 / 49))
    np.testing.assert_allclose(centred.mean(axis=1), 0.0, atol=1e-12)
    for one, other in zip(weighed(table, np.full(50, 3.0)), weighed(table), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_the_mean_of_one_query_is_its_value():
    assert mean(np.array([0.25])) == mean(np.array([0.25, 0.5]), np.array([2.0, 0.0])) == 0.25
    assert mean(np.array([0.25, 0.5]), np.array([3.0, 1.0])) == 0.3125
    assert mean(np.array([np.nan])) == 0.0


def test_equal_weights_change_no_bit_of_a_test():
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 40))
    ones = np.full(40, 2.5)
    assert paired_t_test(a, b, weight=ones) == paired_t_test(a, b)
    assert paired_bootstrap(a, b, weight=ones, n_resamples=200) == paired_bootstrap(a, b, n_resamples=200)
    assert differences(a[None], b, weight=ones) == differences(a[None], b)
    np.testing.assert_array_equal(certified_losses(a[None], b, weight=ones), certified_losses(a[None], b))
    assert confidence_set(np.stack([a, b]), weight=ones) == confidence_set(np.stack([a, b]))


def test_a_query_without_weight_is_not_there():
    rng = np.random.default_rng(3)
    a, b, weight = *rng.random((2, 60)), rng.integers(0, 3, 60).astype(float)
    there = weight > 0
    alone = paired_t_test(a[there], b[there], weight=weight[there])
    assert paired_t_test(a, b, weight=weight) == alone
    assert alone.n == there.sum()
    assert differences(a[None], b, weight=weight) == differences(a[None, there], b[there], weight=weight[there])


@pytest.mark.parametrize("how", ["certificate", "interval", "t-test", "bootstrap"])
def test_levels_hold_where_weights_go_with_what_is_lost(how):
    """The true weighted loss is 0.01, the unweighted one is not: heavy queries lose, light ones gain."""
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        heavy = rng.random(120) < 0.3
        weight = np.where(heavy, 4.0, 1.0) * rng.uniform(0.5, 1.5, 120)
        # E[w d] / E[w] = -0.01: (0.3 * 4 * (-0.03) + 0.7 * gain) / (0.3 * 4 + 0.7) with the gain that makes it so
        gain = (-0.01 * 1.9 + 0.3 * 4 * 0.03) / 0.7
        d = np.where(heavy, -0.03, gain) + rng.normal(0, 0.05, 120)
        nothing = np.zeros(120)
        if how == "certificate":  # a claim that it loses less than it does
            wrong += certified_losses(d[None], nothing, weight=weight, n_resamples=300, random_state=seed)[0] < 0.01
        elif how == "interval":
            [one] = differences(d[None], nothing, weight=weight, n_resamples=300, random_state=seed)
            wrong += not one.low <= -0.01 <= one.high
        else:
            settings = {} if how == "t-test" else {"n_resamples": 500}
            one = (paired_t_test if how == "t-test" else paired_bootstrap)(d, nothing, weight=weight, **settings)
            wrong += not one.low <= -0.01 <= one.high
    assert wrong / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_select_goes_by_the_queries_that_weigh(two_kinds):
    weighted = select(two_kinds, "ranksvm", n_features=1, **FAST)
    plain = select(replace(two_kinds, beside=SideColumns()), "ranksvm", n_features=1, **FAST)
    assert (weighted.features, plain.features) == (("2",), ("1",))
    ones = replace(two_kinds, beside=SideColumns(query_weight=np.ones(two_kinds.n_queries)))
    same = select(ones, "ranksvm", n_features=1, **FAST).to_dict()
    for name in ("answers", "curve", "baseline"):
        assert json.dumps(same.get(name)) == json.dumps(plain.to_dict().get(name))
    assert weighted.baseline["mean"] != plain.baseline["mean"]


def test_select_does_not_depend_on_the_order_of_weighted_queries(two_kinds):
    order = np.random.default_rng(0).permutation(two_kinds.n_queries)
    one, other = (select(d, "ranksvm", **FAST) for d in (two_kinds, two_kinds.take_queries(order)))
    assert [point.to_dict()["mean"] for point in one.curve] == [point.to_dict()["mean"] for point in other.curve]
    assert one.features == other.features


def test_queries_without_weight_are_no_judged_queries(two_kinds):
    weight = np.where(np.arange(120) < 117, 0.0, 1.0)
    data = replace(two_kinds, beside=SideColumns(query_weight=weight))
    with pytest.raises(DataError, match="3 of 120 queries are judged"):
        select(data, "ranksvm", **FAST)


def test_lean_selector_takes_the_weight_of_every_row(two_kinds):
    data = two_kinds
    rows = np.repeat(data.beside.query_weight, data.query_sizes)
    lean = LeanSelector("ranksvm", n_features_to_select=1, methods=["gas", "mrmr"], effort="quick", n_jobs=1)
    assert lean.fit(data.X, data.y, qid=data.qid, sample_weight=rows).selection_.features == ("2",)
    with pytest.raises(DataError, match=r"The rows of query 0 have the sample_weight 20 and 1"):
        lean.fit(data.X, data.y, qid=data.qid, sample_weight=np.where(np.arange(data.n_rows) == 1, 1.0, rows))
    with pytest.raises(DataError, match="Data carry their own weights"):
        lean.fit(data, sample_weight=rows)


def test_select_refuses_weights_of_documents(two_kinds):
    data = replace(two_kinds, beside=SideColumns(weight=np.ones(two_kinds.n_rows) * 2))
    with pytest.raises(DataError, match="select cannot take weights of documents"):
        select(data, "ranksvm", **FAST)


def test_cross_validation_and_comparison_weigh_queries(two_kinds):
    got = cross_validate("gas", "ranksvm", two_kinds, "ndcg@10", k=1, protocol=Protocol(n_splits=3), n_jobs=1)
    assert {record.feature_names for record in got.records} == {("2",)}
    weight = got.query_weights
    per_query = got.per_query("ndcg@10")
    first = len(got.records[0].query_ids)
    mean = np.average(per_query[:first], weights=weight[:first])
    assert got.records[0].scores["ndcg@10"] == pytest.approx(mean)
    again = CrossValidation.from_json(got.to_json())
    np.testing.assert_array_equal(again.query_weights, weight)
    table = compare(two_kinds, methods=["gas"], rankers=["ranksvm"], k=[1], metrics=["ndcg@10"], n_jobs=1)
    [row] = table.tests(n_resamples=200)
    run, everything = (run for _, run in sorted(table.runs.items(), key=lambda item: item[0][2] == "all features"))
    gain = run.per_query("ndcg@10") - everything.per_query("ndcg@10")
    assert row.t.difference == pytest.approx(np.average(gain, weights=run.query_weights))
