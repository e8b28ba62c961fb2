"""The model to ship: constants learned and taken into the weights, C chosen, features taken as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from leanrank import (
    AdaRank,
    CommitteePerceptron,
    ListNet,
    OrderSVM,
    QueryMinMaxScaler,
    RankingData,
    RankNet,
    RankSVM,
    load_ranker,
    make_ranking,
    train_to_ship,
)
from leanrank.data.query_ranges import divided, mean_ranges
from leanrank.errors import DataError

DATA, _ = make_ranking(60, n_informative=4, n_redundant=2, n_noise=4, random_state=0)
TEST, _ = make_ranking(60, n_informative=4, n_redundant=2, n_noise=4, random_state=0)
#: Features in units that are far apart.
UNITS = 10.0 ** np.linspace(-5, 5, DATA.n_features)
RANKERS = [
    RankSVM(),
    RankSVM(C=[0.1, 1.0, 10.0]),
    ListNet(n_epochs=5),
    OrderSVM(max_iter=50),
    AdaRank(n_rounds=20),
    CommitteePerceptron(n_epochs=2, combine="vote"),
    RankNet(hidden=3, n_epochs=3),
    RankNet(n_epochs=3),
]


def in_units(data, units=UNITS):
    return replace(data, X=data.dense().astype(np.float64) * units)


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
def test_the_unit_of_a_feature_does_not_matter(ranker, tmp_path):
    plain = replace(DATA, X=DATA.dense().astype(np.float64))
    one, other = train_to_ship(ranker, plain), train_to_ship(ranker, in_units(DATA))
    before, after = one.predict(plain), other.predict(in_units(DATA))
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5 * np.abs(before).max())
    other.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load_ranker(tmp_path / "model.json").predict(in_units(DATA)), after)


@pytest.mark.parametrize("ranker", RANKERS[2:], ids=repr)
def test_what_was_learned_is_told_of_the_features_as_they_are(ranker):
    scale = mean_ranges(DATA)
    by_hand = type(ranker)(**ranker.get_params()).fit(divided(DATA, scale))
    shipped = train_to_ship(ranker, DATA)
    np.testing.assert_allclose(shipped.predict(DATA), by_hand.predict(divided(DATA, scale)), rtol=1e-4, atol=1e-6)
    assert not hasattr(ranker, "n_features_in_")  # it is left as it is


def test_it_ranks_better_where_scales_differ():
    learn, test = in_units(DATA).take_queries(range(40)), in_units(DATA).take_queries(range(40, 60))
    bare, shipped = RankSVM().fit(learn), train_to_ship(RankSVM(), learn)
    assert shipped.score(test) > bare.score(test) + 0.02


def test_data_that_are_scaled_already_train_the_same_model():
    scaled = QueryMinMaxScaler().fit_transform(DATA)
    np.testing.assert_array_equal(mean_ranges(scaled), 1.0)
    np.testing.assert_array_equal(train_to_ship(RankSVM(), scaled).coef_, RankSVM().fit(scaled).coef_)


def test_c_is_chosen_on_the_data_given_or_on_a_fifth_of_the_queries():
    grid = [1e-6, 1.0]
    assert train_to_ship(RankSVM(C=grid), DATA, TEST).C_ == 1.0
    alone = train_to_ship(RankSVM(C=grid), DATA)
    assert alone.C_ == alone.C == 1.0
    np.testing.assert_array_equal(alone.coef_, train_to_ship(RankSVM(C=1.0), DATA).coef_)


@pytest.mark.parametrize("n_rows", [10, 10_000])
def test_ranges_of_sparse_data_are_those_of_dense(n_rows, monkeypatch):
    monkeypatch.setattr("leanrank.data.query_ranges._ROWS", n_rows)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)) * (rng.random((60, 7)) < 0.4) + (np.arange(7) == 3) * 5.0
    X[:, 5] = 0.0
    X[:, 6] = -2.0
    dense = RankingData(X, np.tile([0, 1], 30), np.arange(0, 61, 6))
    sparse = replace(dense, X=sp.csr_array(X))
    by_hand = [np.ptp(X[a : a + 6], axis=0) for a in range(0, 60, 6)]
    expected = [np.mean([r[j] for r in by_hand if r[j] > 0] or [1.0]) for j in range(7)]
    for data in (dense, sparse):
        np.testing.assert_allclose(mean_ranges(data), expected)
        np.testing.assert_allclose(divided(data, mean_ranges(data)).dense(), X / expected)


def test_trees_are_trained_as_they_are():
    pytest.importorskip("lightgbm")
    from leanrank.rankers import get

    fitted = get("lightgbm", n_estimators=5).fit(in_units(DATA))
    np.testing.assert_array_equal(
        train_to_ship(get("lightgbm", n_estimators=5), in_units(DATA)).predict(in_units(DATA)),
        fitted.predict(in_units(DATA)),
    )


def test_missing_values_are_refused_by_name():
    X = DATA.dense().copy()
    X[3, 2] = np.nan
    with pytest.raises(DataError, match="missing"):
        train_to_ship(RankSVM(), replace(DATA, X=X, missing=True))
