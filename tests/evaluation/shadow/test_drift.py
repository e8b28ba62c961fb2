"""Drift between two logs: seen where it was planted, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.shadow.logs import made

import leanrank
from leanrank.errors import DataError, ParameterError
from leanrank.evaluation.shadow.feature_values import FeatureValues, ValueCuts


@pytest.fixture(scope="module")
def halves():
    data, full, pruned = made(400)
    return data.take_queries(range(200)), data.take_queries(range(200, 400)), full, pruned


def with_column(data, j, values, *, missing=False):
    X = data.X.copy()
    X[:, j] = values
    return replace(data, X=X, missing=missing)


def test_two_halves_of_one_log_do_not_drift(halves):
    compared = leanrank.drift(*halves)
    assert compared.ok
    assert compared.to_dict()["alarms"] == []


@pytest.mark.parametrize("engine", [leanrank.LocalEngine(1, 300), leanrank.LocalEngine(2, 1_000)])
def test_blocks_and_threads_do_not_matter(halves, engine):
    assert leanrank.drift(*halves, engine=engine).to_dict() == leanrank.drift(*halves).to_dict()


def test_a_shifted_feature_is_named(halves):
    before, after, full, pruned = halves
    shifted = leanrank.drift(before, with_column(after, 0, after.X[:, 0] + 1.5 * after.X[:, 0].std()), full, pruned)
    assert not shifted.ok
    assert shifted.features[0].name == before.feature_names[0]
    assert shifted.features[0].distance > 0.3
    assert any(repr(before.feature_names[0]) in alarm for alarm in shifted.alarms)


def test_a_feature_that_the_pruned_ranker_does_not_read_raises_no_alarm(halves):
    before, after, full, pruned = halves
    j = after.n_features - 1
    assert after.feature_names[j] not in pruned.feature_names_in_
    shifted = leanrank.drift(before, with_column(after, j, after.X[:, j] + 1.5 * after.X[:, j].std()), full, pruned)
    assert shifted.features[0].distribution > 0.2
    assert not [alarm for alarm in shifted.alarms if repr(after.feature_names[j]) in alarm]


def test_missing_values_are_counted(halves):
    before, after, _, pruned = halves
    X = after.X[:, 1].copy()
    X[::5] = np.nan
    taken = leanrank.as_ranker(pruned)
    cuts = leanrank.fold(ValueCuts(), before)
    gone = with_column(after, 1, X, missing=True)
    zeros = type("Zeros", (), {"predict": lambda self, data: np.zeros(data.n_rows)})()
    values = leanrank.fold(FeatureValues(tuple(cuts), zeros), gone)
    assert values[1].missing_share == pytest.approx(0.2, abs=0.01)
    assert values[0].missing_share == 0
    assert taken is pruned


def test_counts_are_those_of_the_definition(halves):
    before = halves[0]
    cuts = leanrank.fold(ValueCuts(), before)
    ranker = halves[2]
    values = leanrank.fold(FeatureValues(tuple(cuts), ranker), before)
    column = before.X[:, 0]
    expected = [int(((column > low) & (column <= high)).sum()) for low, high in zip(cuts[0], cuts[0][1:], strict=False)]
    assert values[0].counts.tolist() == [0, *expected, 0, 0]
    scores, centred = ranker.predict(before), []
    for a, b in zip(before.query_ptr, before.query_ptr[1:], strict=False):
        centred.append(np.stack((column[a:b] - column[a:b].mean(), scores[a:b] - scores[a:b].mean())))
    x, s = np.concatenate(centred, axis=1)
    assert values[0].importance == pytest.approx(x @ s / np.sqrt((x @ x) * (s @ s)), abs=1e-6)


def test_other_features_are_refused(halves):
    before, after, full, pruned = halves
    with pytest.raises(DataError, match="different features"):
        leanrank.drift(before, after.subset(after.feature_names[:-1]), full, pruned)
    with pytest.raises(ParameterError, match="'missing' parameter of DriftLimits must be > 0"):
        leanrank.DriftLimits(missing=0)
