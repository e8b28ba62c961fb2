"""AdaRank: the worked example, a literal loop, its fixed point, directions, validation."""

import numpy as np
import pytest
from tests.rankers.conformance import judged

from leanrank import AdaRank, RankingData
from leanrank.errors import ParameterError
from leanrank.metrics import metric
from leanrank.rankers._base import NothingToLearnWarning

# f0 has AP 1, 1 and 5/6; f1 is worse everywhere.
EXAMPLE = RankingData(
    np.array([[3, 0], [2, 1], [1, 2], [3, 0], [2, 1], [1, 2], [3, 1], [2, 2], [1, 3]], dtype=float),
    [1, 0, 0, 1, 1, 0, 1, 0, 1],
    [0, 3, 6, 9],
)


def ap(data, scores):
    return metric("map", ties="input").per_query(data.y, scores, data.query_ptr)


def test_worked_example_and_its_fixed_point():
    np.testing.assert_allclose(ap(EXAMPLE, EXAMPLE.X[:, 0]), [1, 1, 5 / 6], atol=1e-12)
    ranker = AdaRank(on_fixed_point="stop").fit(EXAMPLE)
    assert ranker.chosen_.tolist() == [0]
    np.testing.assert_allclose(ranker.alphas_, [1.777674], atol=5e-7)
    P = np.exp(-ap(EXAMPLE, EXAMPLE.X @ ranker.coef_))
    assert (P / P.sum()).round(4).tolist() == [0.3143, 0.3143, 0.3713]
    one = AdaRank(n_rounds=1).fit(EXAMPLE)  # the ranking of the best single feature
    np.testing.assert_allclose(ap(EXAMPLE, one.predict(EXAMPLE)), ap(EXAMPLE, EXAMPLE.X[:, 0]))


def literal(data, E_of, n_rounds):
    """The published loop, query by query."""
    Q, K = data.n_queries, data.n_features
    E = np.array([E_of(data.X[:, k]) for k in range(K)])
    P, f, chosen, alphas, reached = np.full(Q, 1 / Q), np.zeros(data.n_rows), [], [], []
    for _ in range(n_rounds):
        k = max(range(K), key=lambda k: (round(sum(P[q] * E[k, q] for q in range(Q)), 12), -k))
        above = sum(P[q] * (1 + E[k, q]) for q in range(Q))
        below = sum(P[q] * (1 - E[k, q]) for q in range(Q))
        chosen.append(k)
        alphas.append(0.5 * np.log(above / below))
        f = f + alphas[-1] * data.X[:, k]
        e = E_of(f)
        reached.append(e.mean())
        P = np.array([np.exp(-value) for value in e])
        P = P / P.sum()
        assert P.sum() == pytest.approx(1)
        assert (P[np.argsort(e, kind="stable")][:-1] >= P[np.argsort(e, kind="stable")][1:] - 1e-15).all()
    best = int(np.argmax(np.round(reached, 12))) + 1
    return chosen[:best], alphas[:best]


@pytest.mark.parametrize("name", ["map", "ndcg@3"])
def test_rounds_equal_a_literal_loop(name):
    rng = np.random.default_rng(7)  # three features take turns
    X = rng.random((120, 5)).round(1)  # many ties
    data = RankingData(X, X.sum(axis=1) + rng.normal(size=120) > 2.5, np.arange(0, 121, 12))
    measure = metric(name, ties="input")
    chosen, alphas = literal(data, lambda s: measure.per_query(data.y, s, data.query_ptr), 12)
    assert len(set(chosen)) > 1
    ranker = AdaRank(name, n_rounds=12).fit(data)
    assert ranker.chosen_.tolist() == chosen
    np.testing.assert_allclose(ranker.alphas_, alphas, atol=1e-10)
    np.testing.assert_allclose(ranker.coef_, np.bincount(chosen, alphas, minlength=5), atol=1e-10)


def test_a_fixed_point_is_left_or_ends_the_boosting():
    stay = AdaRank(on_fixed_point="stop", n_rounds=50).fit(EXAMPLE)
    leave = AdaRank(on_fixed_point="exclude", n_rounds=50).fit(EXAMPLE, eval_set=EXAMPLE)
    assert stay.n_iter_ == 1
    assert leave.n_iter_ <= 50
    assert leave.score(EXAMPLE, metric="map") >= stay.score(EXAMPLE, metric="map") - 1e-12


def test_a_perfect_feature_is_all_there_is():
    ranker = AdaRank().fit(np.array([[0.0, 2.0], [5.0, 1.0]]), [1, 0], qid=[1, 1])
    assert ranker.coef_.tolist() == [0.0, 1.0]


def test_small_values_are_preferred_only_if_both_directions_are_offered():
    data = judged()
    turned = RankingData(-data.X, data.y, data.query_ptr)
    assert (AdaRank().fit(turned).coef_ >= 0).all()
    both = AdaRank(both_directions=True).fit(turned)
    assert both.coef_[0] < 0
    assert both.score(turned) > 0.9 > AdaRank().fit(turned).score(turned)


def test_validation_keeps_the_best_prefix():
    data, held_out = judged(), judged(3)
    full = AdaRank(n_rounds=40).fit(data, eval_set=held_out)
    watched = [
        metric("map")(held_out.y, AdaRank(n_rounds=t).fit(data, eval_set=held_out).predict(held_out), qid=held_out.qid)
        for t in (1, 2, 3, 5, 8)
    ]
    assert full.score(held_out, metric="map") >= max(watched) - 1e-12
    stopped = AdaRank(n_rounds=40, early_stopping_rounds=1).fit(data, eval_set=held_out)
    assert stopped.n_iter_ <= full.n_iter_
    assert AdaRank(n_rounds=40, tol=2.0).fit(data).n_iter_ == 1


def test_queries_without_relevant_documents_play_no_part():
    data = judged()
    empty = RankingData(np.random.default_rng(0).random((30, 4)), np.zeros(30), [0, 10, 20, 30], [1, 2, 3])
    np.testing.assert_array_equal(AdaRank().fit(data + empty).coef_, AdaRank().fit(data).coef_)
    zero = metric("map", convention="letor3")  # there an empty query scores 0
    np.testing.assert_array_equal(AdaRank(zero).fit(data + empty).coef_, AdaRank(zero).fit(data).coef_)


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="'n_rounds' parameter of AdaRank must be >= 1"):
        AdaRank(n_rounds=0).fit(EXAMPLE)
    with pytest.raises(ParameterError, match="'on_fixed_point' parameter of AdaRank"):
        AdaRank(on_fixed_point="x").fit(EXAMPLE)
    with pytest.warns(NothingToLearnWarning, match="AdaRank: no query has a relevant document"):
        AdaRank().fit(EXAMPLE.X, np.zeros(9), qid=EXAMPLE.qid)
    with pytest.warns(NothingToLearnWarning, match="AdaRank: no feature"):
        AdaRank().fit(np.ones((9, 2)), EXAMPLE.y, qid=EXAMPLE.qid)
