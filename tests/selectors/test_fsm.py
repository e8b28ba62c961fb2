"""FSMRank: its optimum against scipy and LinearSVC, the optimality conditions, near copies, the choice of lambdas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from tests.selectors.metamorphic import tie_free
from tests.selectors.test_rfe import differences

from leanrank.data.arrangement import Arrangement
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.data.synthetic import make_ranking
from leanrank.errors import ParameterError
from leanrank.metrics import metric
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.rankers.ranksvm import RankSVM
from leanrank.selectors import FSMSVM, FSMRank
from leanrank.selectors.fsm_problem import FSMProblem
from leanrank.selectors.fsmrank import Fitting
from leanrank.stats.feature_graph import feature_graph

DATA = tie_free(3, n_queries=16).subset([0, 1, 2, 3, 5, 6, 7, 8])
GRAPH = feature_graph(DATA, similarity="strict")
LAMBDAS = [(1e-1, 1e-1), (1e-1, 1e-3), (1e-3, 1e-1), (1e-3, 1e-3), (1e-5, 1e-5), (0.0, 1e-2), (1e-2, 0.0)]


def problem():
    return FSMProblem(DATA, GRAPH.similarity, 1 - GRAPH.importance)


def by_pairs(x, Z, A, b, lambda1, lambda2):
    """The objective and its gradient with the pairs formed."""
    u, v = np.split(x, 2)
    s, short = u + v, np.maximum(0, 1 - Z @ (u - v))
    value = (short**2).mean() + lambda1 / 2 * s @ A @ s + lambda2 * b @ s
    g_w, g_s = -2 / len(Z) * Z.T @ short, lambda1 * A @ s + lambda2 * b
    return value, np.concatenate([g_s + g_w, g_s - g_w])


@pytest.fixture(scope="module")
def pairs():
    Z, sign = differences(DATA)
    return Z * sign[:, None]


def test_the_objective_is_that_of_the_pairs(pairs):
    x = np.random.default_rng(0).random(16)
    value, gradient = problem().at(x, 0.3, 0.2)
    expected, slope = by_pairs(x, pairs, GRAPH.similarity, 1 - GRAPH.importance, 0.3, 0.2)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("lambda1", "lambda2"), LAMBDAS)
def test_the_minimum_is_scipys_and_the_optimality_conditions_hold(lambda1, lambda2, pairs):
    found = problem().minimise(lambda1, lambda2, tol=1e-9, max_iter=50_000)
    theirs = minimize(
        by_pairs,
        np.zeros(16),
        (pairs, GRAPH.similarity, 1 - GRAPH.importance, lambda1, lambda2),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * 16,
        options={"maxiter": 10_000, "ftol": 1e-16, "gtol": 1e-11},
    )
    assert found.value <= theirs.fun + 1e-12
    assert found.value == pytest.approx(theirs.fun, abs=1e-9)
    _, G = by_pairs(found.x, pairs, GRAPH.similarity, 1 - GRAPH.importance, lambda1, lambda2)
    assert (found.x >= 0).all()
    assert G.min() >= -1e-6
    assert np.abs(found.x * G).max() <= 1e-6
    u, v = np.split(found.x, 2)
    assert np.minimum(u, v).max() < 1e-6 or lambda2 == 0


def test_without_similarity_it_is_l1_regularised_squared_hinge():
    lambda2 = 0.2
    Z, sign = differences(DATA)
    fixed = {"penalty": "l1", "loss": "squared_hinge", "dual": False, "fit_intercept": False, "max_iter": 100_000}
    theirs = LinearSVC(C=1 / (len(Z) * lambda2), tol=1e-9, **fixed).fit(Z, sign)
    ours = FSMProblem(DATA, GRAPH.similarity, np.ones(8)).minimise(0.0, lambda2, tol=1e-9)
    np.testing.assert_allclose(ours.w, theirs.coef_[0], atol=1e-5)
    assert 0 < (np.abs(ours.w) > 1e-6).sum() < 8


def test_of_a_feature_and_its_near_copy_one_survives():
    rng = np.random.default_rng(0)
    base = tie_free(1, n_queries=20).subset([0, 1, 2])
    copy = base.X[:, [0]] + 1e-3 * rng.standard_normal((base.n_rows, 1))
    data = RankingData(np.hstack([base.X, copy]), base.y, base.query_ptr)
    alone = FSMRank(lambda1=0.01, lambda2=0.01).fit(base)
    assert alone.support_[0]
    both = FSMRank(lambda1=0.01, lambda2=0.01).fit(data)
    assert both.support_[[0, 3]].sum() == 1
    unpriced = FSMProblem(data, np.eye(4), np.ones(4)).minimise(0.01, 0.0)
    assert (np.abs(unpriced.w)[[0, 3]] > 1e-3).all()  # without their similarity both would


def test_a_similarity_with_negative_eigenvalues_is_raised_to_be_convex():
    A = np.array([[0.0, 1.0], [1.0, 0.0]])
    raised = FSMProblem(DATA.subset([0, 1]), A, np.ones(2))
    assert np.linalg.eigvalsh(raised.A)[0] == pytest.approx(0, abs=1e-12)
    assert np.array_equal(FSMProblem(DATA, GRAPH.similarity, np.ones(8)).A, GRAPH.similarity)


def test_high_prices_leave_nothing_and_no_pairs_give_nothing():
    nothing = FSMRank(lambda2=100.0).fit(DATA)
    assert not nothing.coef_.any()
    assert nothing.selected_.tolist() == []
    flat = RankingData(DATA.X, np.ones(DATA.n_rows), DATA.query_ptr)
    with pytest.warns(NothingToLearnWarning, match="FSMRank: no query has two documents with different labels"):
        found = FSMRank().fit(flat)
    assert not found.coef_.any()
    assert found.order_.tolist() == []


def test_the_path_is_by_weight_and_scores_rank():
    found = FSMRank(lambda1=0.05, lambda2=0.05).fit(DATA)
    used = np.flatnonzero(found.coef_)
    assert 0 < len(used) < 8
    assert sorted(found.order_.tolist()) == used.tolist()
    assert found.order_.tolist() == sorted(used.tolist(), key=lambda j: -abs(found.coef_[j]))
    np.testing.assert_allclose(found.scores_, np.abs(found.coef_))
    np.testing.assert_allclose(found.predict(DATA), DATA.X @ found.coef_, rtol=1e-9)
    np.testing.assert_allclose(found.predict(DATA.X[:5]), DATA.X[:5] @ found.coef_, rtol=1e-9)
    assert found.violation_ <= 1e-7
    small = FSMRank(2, lambda1=0.05, lambda2=0.05).fit(DATA)
    assert small.selected_.tolist() == found.order_[:2].tolist()


def test_lambdas_are_chosen_by_held_out_queries():
    data, _ = make_ranking(30, n_informative=3, n_redundant=2, n_noise=6, noise=0.8, random_state=0)
    train, valid = data.take_queries(range(20)), data.take_queries(range(20, 30))
    grid1, grid2, measure = [1e-2, 1.0], [100.0, 1e-3, 0.1], metric("map")
    found = FSMRank(lambda1=grid1, lambda2=grid2).fit(train, eval_set=valid)
    quality = {}
    for lambda1 in grid1:
        for lambda2 in grid2[1:]:
            one = FSMRank(lambda1=lambda1, lambda2=lambda2).fit(train)
            quality[lambda1, lambda2] = measure(valid.y, one.predict(valid), qid=valid.qid)
    assert quality[found.lambda1_, found.lambda2_] == pytest.approx(max(quality.values()), abs=1e-4)
    assert found.coef_ == pytest.approx(
        FSMRank(lambda1=found.lambda1_, lambda2=found.lambda2_).fit(train).coef_, abs=1e-5
    )
    folds = FSMRank(lambda1=grid1, lambda2=grid2, fitting=Fitting(cv=3)).fit(train)
    assert folds.lambda2_ < 100  # a price that leaves no feature is never taken
    again = FSMRank(lambda1=grid1[::-1], lambda2=grid2[::-1], fitting=Fitting(cv=3)).fit(train)
    assert (again.lambda1_, again.lambda2_) == (folds.lambda1_, folds.lambda2_)


def test_fsmsvm_trains_a_ranksvm_on_the_largest_weights():
    whole = FSMRank(lambda1=0.01, lambda2=0.01).fit(DATA)
    found = FSMSVM(3, lambda1=0.01, lambda2=0.01).fit(DATA)
    np.testing.assert_allclose(found.weights_, whole.coef_)
    assert found.selected_.tolist() == np.argsort(-np.abs(whole.coef_), kind="stable")[:3].tolist()
    assert len(found.order_) == 8
    expected = RankSVM().fit(DATA.subset(found.selected_)).coef_
    np.testing.assert_allclose(found.coef_[found.selected_], expected, rtol=1e-4)
    assert (found.coef_ != 0).sum() == 3


def test_fsmsvm_tunes_its_size_on_held_out_queries():
    train, valid = DATA.take_queries(range(10)), DATA.take_queries(range(10, 16))
    found = FSMSVM(lambda1=0.01, lambda2=0.01, C=[0.1, 1.0]).fit(train, eval_set=valid)
    ranks = [
        RankSVM([0.1, 1.0]).fit(train.subset(found.order_[:t]), eval_set=valid.subset(found.order_[:t]))
        for t in range(1, 9)
    ]
    maps = [r.score(valid.subset(found.order_[: t + 1]), metric="map") for t, r in enumerate(ranks)]
    assert len(found.selected_) == int(np.argmax(np.round(maps, 9))) + 1
    everything = FSMSVM(lambda1=0.01, lambda2=0.01).fit(train)
    assert everything.support_.sum() == (everything.weights_ != 0).sum()


def test_too_few_steps_are_said():
    with pytest.warns(ConvergenceWarning, match="FSMRank stopped after 3 steps"):
        FSMRank(fitting=Fitting(max_iter=3)).fit(DATA)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lambda1": -1}, "The 'lambda1' parameter of FSMRank must be a number >= 0 or several. Got -1"),
        ({"lambda2": []}, "a number >= 0 or several"),
        ({"lambda2": "low"}, "a number >= 0 or several"),
        ({"unimportance": "none"}, "one of 'complement', 'stretched', 'inverse'"),
        ({"fitting": Fitting(tol=0)}, "The 'tol' parameter of Fitting must be > 0"),
        ({"fitting": Fitting(max_iter=0)}, ">= 1"),
        ({"fitting": Fitting(cv=1)}, ">= 2"),
    ],
)
def test_impossible_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        FSMRank(**parameters).fit(DATA)


def test_one_query_cannot_choose():
    with pytest.raises(ParameterError, match="FSMRank needs an eval_set, or two queries, to choose among 2 pairs"):
        FSMRank(lambda1=[0.1, 1.0]).fit(DATA.take_queries([0]))


@pytest.mark.parametrize("folds", ["eval_set", "cv"])
def test_lambdas_are_judged_in_the_order_of_the_file_where_the_metric_says_so(folds):
    data = tie_free(4, n_queries=12)
    X = (data.X[:, :3] > 0).astype(float)  # many ties
    order = np.lexsort((data.y, data.qid))  # the worst case first
    coarse = RankingData(X[order], data.y[order], data.query_ptr)
    by_file = metric("map", convention="letor3")
    train, valid = coarse.take_queries(range(6)), coarse.take_queries(range(6, 12))
    given = {"lambda1": [1.0, 0.01], "lambda2": 0.1, "fitting": Fitting(cv=2, metric=by_file)}
    if folds == "eval_set":
        found = FSMRank(**given).fit(train, eval_set=valid)
        parts = [(train, valid)]
    else:
        found = FSMRank(**given).fit(coarse)
        arranged = Arrangement.of(coarse, sort_rows=False).data
        splits = QueryKFold(2).split_queries(arranged)
        parts = [(arranged.take_queries(a), arranged.take_queries(b)) for a, b in splits]
    for entry in found.grid_:
        values = []
        for learn, judge in parts:
            model = FSMRank(lambda1=entry["lambda1"], lambda2=0.1).fit(learn)
            values.append(by_file.per_query(judge.y, model.predict(judge), judge.query_ptr))
        assert entry["metric"] == pytest.approx(np.concatenate(values).mean(), abs=1e-9)


def test_stretched_unimportance_is_1_for_the_worst_feature_and_0_for_the_best():
    b = FSMRank(unimportance="stretched")._problem(DATA, GRAPH).b
    assert (b[GRAPH.importance.argmin()], b[GRAPH.importance.argmax()]) == (1.0, 0.0)
    np.testing.assert_allclose(
        1 - b, (GRAPH.importance - GRAPH.importance.min()) / np.ptp(GRAPH.importance), atol=1e-12
    )
    same = replace(GRAPH, importance=np.full(8, 0.4))
    assert (FSMRank(unimportance="stretched")._problem(DATA, same).b == 0).all()
