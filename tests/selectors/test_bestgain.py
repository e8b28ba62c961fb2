"""BestGain against its naive twin; how it stops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive.bestgain import best_gain, combine_counting_picked
from tests.selectors.metamorphic import Blocks, check_blocks_and_threads, check_rows_and_queries, tie_free

from leanrank import NDCG, BestGain, LocalEngine, RankingData
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.selectors.bestgain import elbow


def random_data(seed, decimals=1):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 7)
    X = np.round(rng.random((sizes.sum(), 5)), decimals)
    y = rng.integers(0, 3, sizes.sum())
    return RankingData(X, y, np.concatenate(([0], np.cumsum(sizes))))


def queries(data):
    return [(q.X.tolist(), q.y.tolist()) for q in map(data.query, range(data.n_queries))]


@pytest.mark.parametrize("seed", range(10))
def test_equals_the_naive_twin(seed):
    data = random_data(seed)
    for delta in (1e-9, 0.02, 0.1):
        chosen, gains = best_gain(queries(data), delta)
        found = BestGain(delta=delta).fit(data)
        assert found.order_.tolist() == chosen
        np.testing.assert_allclose(found.gains_, gains, atol=1e-11)
        assert [step["gain"] for step in found.trace_] == found.gains_[: len(chosen)].tolist()
    chosen, _ = best_gain(queries(data), 1e-9, merge=combine_counting_picked)
    assert BestGain(delta=1e-9, count_picked=True).fit(data).order_.tolist() == chosen
    chosen, _ = best_gain(queries(data), 1e-9, max_features=2)
    assert BestGain(delta=1e-9, max_features=2).fit(data).order_.tolist() == chosen


def test_rounds_as_folds_are_the_rounds_in_memory():
    data = tie_free(3)
    in_memory = BestGain(delta=1e-6).fit(data)
    assert len(in_memory.order_) > 2
    for source, engine in ((Blocks(data, 20), None), (data, LocalEngine(n_threads=2, block_rows=15))):
        folded = BestGain(delta=1e-6, engine=engine).fit(source)
        assert folded.order_.tolist() == in_memory.order_.tolist()
        assert folded.gains_.tolist() == in_memory.gains_.tolist()


def test_the_check_comes_before_adding():
    data = random_data(1)
    _, gains = best_gain(queries(data), 1e-9)
    assert gains[1] > 0
    assert len(BestGain(delta=gains[1] * 1.01).fit(data).order_) == 1
    assert len(BestGain(delta=gains[1] * 0.99).fit(data).order_) >= 2


def test_a_number_of_features_overrides_delta():
    data = random_data(2)
    assert len(BestGain(delta=0.9, n_features_to_select=4).fit(data).order_) == 4
    assert len(BestGain(delta="auto", n_features_to_select=0.4).fit(data).order_) == 2
    full = BestGain(n_features_to_select=5).fit(data)
    assert BestGain(n_features_to_select=2).fit(data).order_.tolist() == full.select(2).tolist()


def test_auto_keeps_the_path_up_to_the_elbow():
    data = tie_free(5)
    auto, whole = BestGain("auto").fit(data), BestGain(n_features_to_select=8).fit(data)
    rising = int(np.argmax(np.append(whole.gains_, 0.0) <= 0.0))
    kept = elbow(np.cumsum(whole.gains_[:rising]))
    assert auto.order_.tolist() == whole.order_[:kept].tolist()
    assert 1 <= kept < rising


@pytest.mark.parametrize(
    ("curve", "kept"),
    [([0.5], 1), ([0.5, 0.5], 1), ([0.2, 0.4], 2), ([0.1, 0.5, 0.6, 0.65], 2), ([0.1, 0.2, 0.3, 0.4], 4)],
)
def test_elbow(curve, kept):
    assert elbow(np.array(curve)) == kept


def test_another_metric():
    data = tie_free(1)
    measure = NDCG(5, ties="input", empty="zero")
    found = BestGain(delta=1e-9, metric=measure).fit(data)
    best = max(range(9), key=lambda j: measure(data.y, data.X[:, j], qid=data.qid) if j != 4 else -1)
    assert found.order_[0] == best
    assert found.gains_[0] == pytest.approx(measure(data.y, data.X[:, best], qid=data.qid), abs=1e-12)
    check_rows_and_queries(lambda: BestGain(delta=0.001, metric="ndcg@5"), data)
    check_blocks_and_threads(lambda: BestGain(delta=0.001, metric="ndcg@5"), data)


def test_thresholds_and_queries_without_contrast():
    rng = np.random.default_rng(0)
    X = rng.random((12, 3))
    y = np.array([0, 2, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    data = RankingData(X, y, [0, 4, 8, 12])  # the second has no relevant document, the third only such
    found = BestGain(delta=1e-9).fit(data)
    chosen, gains = best_gain(queries(data), 1e-9)
    assert found.order_.tolist() == chosen
    np.testing.assert_allclose(found.gains_, gains, atol=1e-12)
    assert BestGain(delta=1e-9, relevance_threshold=2).fit(data).gains_[0] == pytest.approx(
        max(1 / (1 + (X[:4, j] > X[1, j]).sum()) for j in range(3)) / 3, abs=1e-12
    )


def test_constant_features_are_never_chosen():
    data = RankingData(np.array([[1.0, 0.2], [1.0, 0.1], [2.0, 0.3]]), [1, 0, 1], [0, 2, 3])
    assert BestGain(delta=0.1).fit(data).dropped_.tolist() == [0]
    with pytest.raises(DataError, match="All 1 features are constant"):
        BestGain(delta=0.1).fit(data.subset([0]))


def test_shuffled_ties_depend_on_the_query_alone():
    data = random_data(4, decimals=0)
    order = np.random.default_rng(0).permutation(data.n_queries)
    paths = [BestGain(delta=1e-9, shuffle_ties=s).fit(data).gains_ for s in range(4)]
    again = BestGain(delta=1e-9, shuffle_ties=0).fit(data.take_queries(order)).gains_
    assert again.tolist() == paths[0].tolist()
    assert len({tuple(p.tolist()) for p in paths}) > 1


@pytest.mark.parametrize("delta", [0, -0.1, "elbow", None])
def test_delta_must_be_positive(delta):
    with pytest.raises(ParameterError, match="'delta' parameter of BestGain must be a number > 0 or 'auto'"):
        BestGain(delta=delta).fit(random_data(0))


def test_other_parameters():
    with pytest.raises(UnknownNameError, match="Unknown metric 'mapp': did you mean 'map'"):
        BestGain(metric="mapp").fit(random_data(0))
    with pytest.raises(
        ParameterError, match="'shuffle_ties' parameter of BestGain must be a whole number >= 0, True or None"
    ):
        BestGain(shuffle_ties=-1).fit(random_data(0))
