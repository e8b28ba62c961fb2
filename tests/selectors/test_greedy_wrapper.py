"""GreedyWrapper: equal to brute-force greedy, every set trained once, whole queries, held-out data."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit
from tests.naive import set_search as naive
from tests.selectors.metamorphic import tie_free
from tests.selectors.set_function import MeanScore, SetFunction, SetRanker

from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.errors import DataError, ParameterError
from leanrank.metrics import metric
from leanrank.rankers._base import NothingToLearnWarning
from leanrank.rankers.ranksvm import RankSVM
from leanrank.selectors import GreedyWrapper, Limits
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.set_search import forward

DATA = tie_free(5, n_queries=10)
SIX = DATA.subset([0, 1, 2, 3, 5, 6])
SIX = RankingData(SIX.X, SIX.y, SIX.query_ptr)
SEEDS = range(12)


def wrapper(g, **parameters):
    SetRanker.trained.clear()
    limits = Limits(**{field.name: parameters.pop(field.name) for field in fields(Limits) if field.name in parameters})
    selector = GreedyWrapper(SetRanker(g), metric=MeanScore(), validation="train", limits=limits, **parameters)
    return selector.fit(SIX)


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_is_brute_force_greedy(seed):
    g = SetFunction(seed)
    whole = wrapper(g, n_features_to_select=6)
    assert whole.order_.tolist() == naive.forward(g, 6)
    assert wrapper(g, n_features_to_select=3).order_.tolist() == naive.forward(g, 6, size=3)
    assert wrapper(g, delta=0.4).order_.tolist() == naive.forward(g, 6, delta=0.4)
    assert wrapper(g).order_.tolist() == naive.forward(g, 6, delta=0.001)
    gains = np.diff([0.0] + [g(frozenset(whole.order_[: k + 1].tolist())) for k in range(6)])
    np.testing.assert_allclose(whole.scores_[whole.order_], gains, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_backward_is_brute_force_greedy(seed):
    g = SetFunction(seed)
    for parameters in ({"size": 2}, {"delta": 0.3}, {"size": 1}):
        kept, out = naive.backward(g, 6, **parameters)
        size = {"n_features_to_select": parameters["size"]} if "size" in parameters else {"delta": 0.3}
        found = wrapper(g, direction="backward", **size)
        assert set(found.selected_.tolist()) == kept
        assert found.order_[len(kept) :].tolist() == out[::-1]
        loss = [round(g(frozenset(kept)) - g(frozenset(kept - {j})), 9) for j in found.selected_.tolist()]
        assert loss == sorted(loss, reverse=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_floating_finds_what_pudils_search_finds(seed):
    g = SetFunction(seed)
    found = wrapper(g, n_features_to_select=4, floating=True)
    best = naive.floating_forward(g, 6, 4)
    for size, quality in best.items():
        assert g(frozenset(found.select(size).tolist())) == pytest.approx(quality)
    assert found.selected_.tolist() == found.select(4).tolist()
    found = wrapper(g, n_features_to_select=2, floating=True, direction="backward")
    for size, quality in naive.floating_backward(g, 6, 2).items():
        assert g(frozenset(found.select(size).tolist())) == pytest.approx(quality)
    assert set(found.selected_.tolist()) == set(found.select(2).tolist())
    assert sorted(found.order_.tolist()) == list(range(6))


def test_floating_pays_off():
    plain, floating = [], []
    for seed in range(60):
        g = SetFunction(seed, n=8)
        for out, undo in ((plain, False), (floating, True)):
            found = forward(g, ColumnLimits.none(8), size=4, delta=None, floating=undo)
            out.append(g(frozenset(taken.feature for taken in found.order)))
    assert np.mean(floating) > np.mean(plain)


def test_no_set_is_trained_twice():
    g = SetFunction(1)
    found = wrapper(g, n_features_to_select=5, floating=True)
    sets = [features for features, *_ in SetRanker.trained]
    assert len(sets) == len(set(sets))
    assert {frozenset(features) for features in found.qualities_} == set(sets) | {frozenset()}
    assert all(value == g(features) for features, value in found.qualities_.items())


def test_equal_gains_fall_to_the_lowest_index():
    assert wrapper(len, n_features_to_select=3).order_.tolist() == [0, 1, 2]
    assert wrapper(len, n_features_to_select=3, direction="backward").selected_.tolist() == [0, 1, 2]


def test_costs_rules_and_budget():
    g = SetFunction(3, interaction=0.0)
    best = int(np.argmax(g.worth))
    costs = np.where(np.arange(6) == best, 100.0, 1.0)
    assert wrapper(g, n_features_to_select=6, costs=costs).order_[-1] == best
    assert wrapper(g, n_features_to_select=6, costs=np.full(6, 3.0)).order_.tolist() == naive.forward(g, 6)
    assert wrapper(g, costs=costs, budget=3).cost_ == 3
    assert wrapper(g, n_features_to_select=2, must_keep=[4], never=[best]).order_[0] == 4
    assert all(best not in features for features, *_ in SetRanker.trained)
    back = wrapper(g, direction="backward", costs=costs, budget=3, must_keep=[0])
    assert back.cost_ <= 3
    assert 0 in back.selected_
    assert best not in back.selected_
    assert wrapper(g, direction="backward", never=[2], n_features_to_select=2).order_.size == 5


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_backward_never_spends_more_than_the_budget(seed, floating):
    g, rng = SetFunction(seed), np.random.default_rng(seed)
    costs = rng.integers(1, 5, 6).astype(float)
    for budget in (0, 3, 6, 9):
        for size in (None, 2, 5):
            found = wrapper(
                g, n_features_to_select=size, direction="backward", floating=floating, costs=costs, budget=budget
            )
            assert found.cost_ <= budget
            assert all(costs[found.order_[:n]].sum() <= budget for n in range(len(found.order_) + 1))
            assert size is None or len(found.selected_) <= size
            assert len(found.selected_) or not (costs <= budget).any()
            room = budget - found.cost_
            if size == 5 and len(found.selected_) < size:
                assert all(costs[j] > room for j in range(6) if j not in found.selected_)


def test_backward_with_a_budget_alone_stops_as_soon_as_the_bill_fits():
    assert len(wrapper(SetFunction(1), direction="backward", budget=4).selected_) == 4
    assert len(wrapper(SetFunction(1), direction="backward", budget=6).selected_) == 6


def worths(*worth):
    """A quality that is the sum of the features' own."""
    g = SetFunction(0, interaction=0.0)
    g.worth[:] = [*worth, *[0.0] * (6 - len(worth))]
    return g


def backward(g, costs, budget, **parameters):
    """The features that a search backward keeps, of those with a cost."""
    n = len(costs)
    prices = [*costs, *[0] * (6 - n)]
    found = wrapper(g, direction="backward", costs=prices, budget=budget, never=range(n, 6), **parameters)
    return sorted(found.selected_.tolist())


def test_backward_what_cannot_be_paid_goes_first():
    assert backward(worths(0.9, 0.5, 0.1), [10, 1, 1], 5) == [1, 2]
    assert backward(worths(9, 0.5, 0.1), [10, 1, 1], 1) == [1]
    assert backward(worths(9, 0.5, 0.4), [3, 2, 1], 3, must_keep=[2]) == [1, 2]
    assert all(0 not in features for features, *_ in SetRanker.trained)
    group = {"costs": {"1": 0.5, "2": 1, "3": 1, "4": 0, "5": 0, "6": 0, "log": 1}, "groups": {"log": [0]}}
    found = wrapper(worths(9, 0.5, 0.1), direction="backward", **group, budget=1, never=[3, 4, 5])
    assert found.selected_.tolist() == [1]


def test_backward_what_fits_in_the_rest_of_the_budget_comes_back():
    # per cost 2 and 1 are missed least, but without them there is room for 2
    assert backward(worths(0.9, 0.2, 0.1), [4, 2, 1], 5) == [0, 2]
    assert backward(worths(0.9, 0.2, 0.1), [4, 2, 1], 5, n_features_to_select=2) == [0, 2]
    assert backward(worths(0.9, 0.2, 0.1), [4, 2, 1], 5, n_features_to_select=1) == [0]
    # without a size only what gains comes back
    assert backward(worths(0.9, 0.2, -0.1), [4, 2, 1], 5) == [0]
    assert backward(worths(0.9, 0.2, -0.1), [4, 2, 1], 5, n_features_to_select=2) == [0, 2]


def test_folds_are_of_whole_queries_and_training_is_the_papers_way():
    g = SetFunction(0)
    for validation, sizes in ((None, {8}), (2, {5}), ("train", {10}), (QueryKFold(5), {8}), (ShuffleSplit(2), {9})):
        SetRanker.trained.clear()
        GreedyWrapper(SetRanker(g), 2, metric=MeanScore(), validation=validation).fit(SIX)
        assert {n_queries for _, n_queries, _ in SetRanker.trained} == sizes


def test_held_out_data_are_cut_together_with_the_columns():
    g = SetFunction(0)
    SetRanker.trained.clear()
    valid = SIX.take_queries([0, 1, 2])
    GreedyWrapper(SetRanker(g), 2, metric=MeanScore()).fit(SIX, eval_set=valid)
    assert all(
        tuple(sorted(valid_names)) == tuple(sorted(str(j + 1) for j in features))
        for features, _, valid_names in SetRanker.trained
    )
    assert {n_queries for _, n_queries, _ in SetRanker.trained} == {10}


def test_the_first_step_is_the_best_single_feature_by_a_real_ranker():
    measure = metric("map")
    train, valid = DATA.take_queries(range(7)), DATA.take_queries(range(7, 10))
    found = GreedyWrapper(RankSVM(), 2, metric=measure).fit(train, eval_set=valid)
    alone = {j: RankSVM().fit(train.subset([j])).score(valid.subset([j]), metric=measure) for j in range(9) if j != 4}
    first = found.order_[0]
    assert alone[first] == pytest.approx(max(alone.values()))
    both = RankSVM().fit(train.subset(found.selected_)).score(valid.subset(found.selected_), metric=measure)
    assert found.qualities_[tuple(sorted(found.selected_.tolist()))] == pytest.approx(both, abs=1e-6)
    assert found.trace_[1]["reason"].startswith(f"map {both:.4g}"[:8])


def test_names_and_estimators_are_rankers_too():
    from sklearn.linear_model import Ridge

    by_name = GreedyWrapper("ranksvm", 2, validation="train").fit(DATA)
    assert (
        by_name.order_.tolist() == GreedyWrapper(n_features_to_select=2, validation="train").fit(DATA).order_.tolist()
    )
    assert GreedyWrapper(Ridge(), 2, validation="train").fit(DATA).support_.sum() == 2


def test_one_query_is_judged_by_itself_and_said_so():
    with pytest.warns(UserWarning, match="there is one query, so none can be held out"):
        GreedyWrapper(n_features_to_select=2).fit(DATA.take_queries([3]))


def test_nothing_to_learn_is_said_once():
    flat = RankingData(DATA.X, np.zeros(DATA.n_rows), DATA.query_ptr)
    with pytest.warns(NothingToLearnWarning, match="no query has two documents with different labels") as caught:
        GreedyWrapper(n_features_to_select=2).fit(flat)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"direction": "sideways"}, "one of 'forward', 'backward'"),
        ({"validation": "test"}, "None, 'train', a number of folds >= 2"),
        ({"validation": 1}, "a number of folds >= 2"),
        ({"validation": object()}, "a splitter over queries"),
        ({"delta": "small"}, "The 'delta' parameter of GreedyWrapper must be a number or None"),
    ],
)
def test_impossible_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        GreedyWrapper(**parameters).fit(DATA)


def test_held_out_data_of_other_features_are_refused():
    with pytest.raises(DataError, match="eval_set has 8 features, the training data 9"):
        GreedyWrapper().fit(DATA, eval_set=DATA.subset(range(8)))
    with pytest.raises(DataError, match="other feature names"):
        GreedyWrapper().fit(DATA, eval_set=DATA.subset(range(8, -1, -1)))
    with pytest.raises(DataError, match="a tuple"):
        GreedyWrapper().fit(DATA, eval_set=(DATA.X, DATA.y))
