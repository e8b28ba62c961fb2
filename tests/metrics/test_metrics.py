"""Metrics against their definitions in plain Python, and the promises they all keep."""

from __future__ import annotations

import dataclasses
import pickle
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from tests.naive import ranking_metrics as naive

from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.metrics import AP, ERR, MRR, NDCG, KendallTau, MeanNDCG, Precision, Recall, SpearmanRho, metric

TIES = ["expected", "input", "best", "worst"]

# ours without its ties, and the definition for one ranked list of labels
PAIRS = [
    (lambda **s: NDCG(**s), naive.ndcg),
    (lambda **s: NDCG(3, **s), lambda ranked: naive.ndcg(ranked, 3)),
    (lambda **s: NDCG(1, **s), lambda ranked: naive.ndcg(ranked, 1)),
    (lambda **s: NDCG(4, gain="linear", **s), lambda ranked: naive.ndcg(ranked, 4, gain="linear")),
    (lambda **s: NDCG(5, discount="letor", **s), lambda ranked: naive.ndcg(ranked, 5, discount="letor")),
    (lambda **s: MeanNDCG(**s), naive.mean_ndcg),
    (lambda **s: MeanNDCG(discount="letor", **s), lambda ranked: naive.mean_ndcg(ranked, discount="letor")),
    (lambda **s: AP(**s), naive.average_precision),
    (lambda **s: AP(2, **s), lambda ranked: naive.average_precision(ranked, 2)),
    (lambda **s: AP(relevance_threshold=2, **s), lambda ranked: naive.average_precision(ranked, threshold=2)),
    (lambda **s: Precision(1, **s), lambda ranked: naive.precision(ranked, 1)),
    (lambda **s: Precision(4, **s), lambda ranked: naive.precision(ranked, 4)),
    (lambda **s: Recall(3, **s), lambda ranked: naive.recall(ranked, 3)),
    (lambda **s: MRR(**s), naive.reciprocal_rank),
    (lambda **s: MRR(2, **s), lambda ranked: naive.reciprocal_rank(ranked, 2)),
    (lambda **s: ERR(**s), naive.expected_reciprocal_rank),
    (lambda **s: ERR(3, max_label=3, **s), lambda ranked: naive.expected_reciprocal_rank(ranked, 3, 3)),
]
IDS = [ours().name for ours, _ in PAIRS]


@st.composite
def small_queries(draw):
    n = draw(st.integers(1, 6))
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return [*labels, 2], [*map(float, scores), draw(st.sampled_from([-1.0, 1.0]))]  # at least one relevant


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=12)
@given(query=small_queries())
def test_definition_and_mean_over_all_orders_of_ties(ties, query):
    labels, scores = query
    for ours, definition in PAIRS:
        m = ours(ties=ties)
        value = m.per_query(labels, scores, [0, len(labels)])[0]
        assert value == pytest.approx(naive.over_ties(definition, labels, scores, ties), abs=1e-12), m


@pytest.mark.parametrize("ties", ["input", "best", "worst"])
@pytest.mark.parametrize("n", [12, 40, 90, 300])
def test_definition_on_long_lists(ties, n):
    rng = np.random.default_rng(n)
    labels, scores = rng.integers(0, 4, n), rng.integers(0, n // 3, n).astype(float)
    for ours, definition in PAIRS:
        m = ours(ties=ties)
        value = m.per_query(labels, scores, [0, n])[0]
        assert value == pytest.approx(naive.over_ties(definition, labels.tolist(), scores.tolist(), ties), abs=1e-12), m


def test_expected_is_the_mean_of_randomly_broken_ties_on_a_long_list():
    rng = np.random.default_rng(5)
    n, draws = 100, 4000
    labels, scores = rng.choice(5, n, p=[0.7, 0.1, 0.1, 0.05, 0.05]), rng.integers(0, 6, n).astype(float)
    broken = scores[:, None] + rng.uniform(0, 0.5, (n, draws))
    for name in ("ndcg@10", "ndcg", "mean_ndcg", "map", "map@20", "p@10", "recall@30", "mrr", "err@5", "err"):
        sampled = metric(name, ties="input").per_query(labels, broken, [0, n])[0]
        expected = metric(name).per_query(labels, scores, [0, n])[0]
        assert abs(sampled.mean() - expected) < 5 * sampled.std() / np.sqrt(draws) + 1e-12, name
        assert sampled.std() > 0, name


ALL = [
    "ndcg",
    "ndcg@3",
    "mean_ndcg",
    "map",
    "map@4",
    "p@5",
    "recall@5",
    "mrr",
    "err",
    "err@4",
    "kendall",
    "kendall_a",
    "spearman",
]


def _data(seed, n_queries=12, longest=90):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, n_queries)
    query_ptr = np.concatenate(([0], np.cumsum(sizes)))
    n = query_ptr[-1]
    scores = np.column_stack([rng.integers(0, 5, n), rng.normal(size=n), np.ones(n), rng.integers(0, 30, n)])
    return rng.choice(5, n, p=[0.6, 0.2, 0.1, 0.05, 0.05]).astype(float), scores.astype(float), query_ptr


@pytest.mark.parametrize("name", ALL)
def test_order_of_rows_does_not_matter(name):
    labels, scores, query_ptr = _data(1)
    rng = np.random.default_rng(2)
    rows = np.concatenate([a + rng.permutation(b - a) for a, b in pairwise(query_ptr)])
    before = metric(name).per_query(labels, scores, query_ptr)
    after = metric(name).per_query(labels[rows], scores[rows], query_ptr)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_columns_threads_and_width_of_floats_do_not_matter(name):
    labels, scores, query_ptr = _data(3, n_queries=40)
    scores = scores.astype(np.float32)
    together = metric(name).per_query(labels, scores, query_ptr, n_threads=1)
    assert together.shape == (40, 4)
    for c in range(4):
        alone = metric(name).per_query(labels, scores[:, c].astype(np.float64), query_ptr)
        np.testing.assert_array_equal(alone, together[:, c])
    many = np.tile(scores, 8)  # enough work for threads
    threaded = metric(name).per_query(labels, many, query_ptr, n_threads=3)
    np.testing.assert_array_equal(threaded, np.tile(together, 8))


@pytest.mark.parametrize("name", ALL)
def test_order_of_queries_does_not_matter_to_the_last_bit(name):
    labels, scores, query_ptr = _data(4)
    qid = np.repeat(np.arange(12), np.diff(query_ptr))
    rows = np.concatenate([np.flatnonzero(qid == q) for q in np.random.default_rng(0).permutation(12)])
    m = metric(name)
    assert m(labels, scores[:, 0], qid=qid) == m(labels[rows], scores[rows, 0], qid=qid[rows])
    np.testing.assert_array_equal(m(labels, scores, qid=qid), m(labels[rows], scores[rows], qid=qid[rows]))


@pytest.mark.parametrize("name", ["ndcg@5", "map", "p@5", "recall@5", "mrr", "err"])
def test_worst_below_expected_below_best(name):
    labels, scores, query_ptr = _data(6)
    worst, expected, best = (
        metric(name, ties=ties).per_query(labels, scores, query_ptr) for ties in ("worst", "expected", "best")
    )
    counted = ~np.isnan(best)
    assert (worst[counted] <= expected[counted] + 1e-12).all()
    assert (expected[counted] <= best[counted] + 1e-12).all()
    assert (worst[counted] < best[counted] - 1e-3).any()


def test_a_constant_column_scores_the_same_wherever_the_relevant_rows_stand():
    first, last = [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]
    for name in ("ndcg@3", "map", "p@2", "mrr", "err"):
        m = metric(name)
        assert m(first, np.ones(6), qid=[0] * 6) == pytest.approx(m(last, np.ones(6), qid=[0] * 6), abs=1e-15)
        by_row = metric(name, ties="input")
        assert by_row(first, np.ones(6), qid=[0] * 6) > by_row(last, np.ones(6), qid=[0] * 6)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), min_size=2, max_size=40))
@settings(max_examples=40)
def test_correlations_equal_definition_and_scipy(pairs):
    labels, scores = ([float(v) for v in side] for side in zip(*pairs, strict=True))
    ptr = [0, len(labels)]
    tau_a = KendallTau("a").per_query(labels, scores, ptr)[0]
    tau_b, rho = (m.per_query(labels, scores, ptr)[0] for m in (KendallTau(), SpearmanRho()))
    assert tau_a == pytest.approx(naive.kendall_tau(labels, scores, "a"), abs=1e-12)
    assert tau_b == pytest.approx(naive.kendall_tau(labels, scores), abs=1e-12)
    assert rho == pytest.approx(naive.spearman_rho(labels, scores), abs=1e-12)
    if len(set(labels)) > 1 and len(set(scores)) > 1:
        assert tau_b == pytest.approx(kendalltau(labels, scores).statistic, abs=1e-12)
        assert rho == pytest.approx(spearmanr(labels, scores).statistic, abs=1e-12)
    else:
        assert (tau_a, tau_b, rho) == (0, 0, 0)


@pytest.mark.parametrize("n", [70, 700])
def test_correlations_of_long_tie_free_lists(n):
    rng = np.random.default_rng(n)
    a, b = rng.permutation(n), rng.normal(size=n)
    assert KendallTau()(a, b, qid=np.zeros(n)) == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)
    assert KendallTau("a")(a, b, qid=np.zeros(n)) == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)
    assert SpearmanRho()(a, b, qid=np.zeros(n)) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_daniels_bound_is_attained_and_kept_over_all_permutations(n):
    orders = np.array(list(permutations(range(n))), dtype=float).T
    tau, rho = (m.per_query(range(n), orders, [0, n])[0] for m in (KendallTau("a"), SpearmanRho()))
    bound = 3 * n / (n - 2) * tau - 2 * (n + 1) / (n - 2) * rho
    assert (bound.min(), bound.max()) == (pytest.approx(-1, abs=1e-12), pytest.approx(1, abs=1e-12))


def test_worked_examples():
    labels, scores, one = [1, 2, 0, 0, 1], [5, 4, 3, 2, 1], [0] * 5
    letor = [NDCG(k, convention="letor3")(labels, scores, qid=one) for k in (1, 2, 3, 5, 10)]
    assert [round(v, 6) for v in letor] == [0.333333, 1.0, 0.863757, 0.956757, 0.0]
    standard = [NDCG(k)(labels, scores, qid=one) for k in (2, 3, 5, 10)]
    assert [round(v, 6) for v in standard] == [0.796708, 0.700276, 0.793923, 0.793923]
    assert round(AP()([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1], qid=[0] * 6), 6) == 0.722222
    assert SpearmanRho()([4, 3, 2, 1], [3, 4, 1, 2], qid=[0] * 4) == pytest.approx(0.6)
    assert KendallTau("a")([4, 3, 2, 1], [3, 4, 1, 2], qid=[0] * 4) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["ndcg@2", "mean_ndcg", "map", "p@2", "recall@2", "mrr", "err"])
def test_empty_queries(name):
    labels, scores, ptr = [0, 0, 1, 1], [2.0, 1.0, 2.0, 1.0], [0, 2, 4]
    full = metric(name).per_query([1, 1], [2.0, 1.0], [0, 2])[0]
    for empty, value in (("skip", np.nan), ("zero", 0.0), ("one", 1.0)):
        m = metric(name, empty=empty)
        np.testing.assert_array_equal(m.per_query(labels, scores, ptr), [value, full])
        expected = full if empty == "skip" else (value + full) / 2
        assert m(labels, scores, qid=[0, 0, 1, 1]) == expected
    assert np.isnan(metric(name)([0, 0], [2.0, 1.0], qid=[7, 7]))


def test_short_lists():
    labels, scores, ptr = [1, 1], [2.0, 1.0], [0, 2]
    values = {short: Precision(4, short=short).per_query(labels, scores, ptr)[0] for short in ("pad", "zero", "shrink")}
    assert values == {"pad": 0.5, "zero": 0.0, "shrink": 1.0}
    assert [NDCG(4, short=short).per_query(labels, scores, ptr)[0] for short in ("pad", "zero")] == [1.0, 0.0]
    assert NDCG(2, short="zero").per_query(labels, scores, ptr)[0] == 1.0


def test_single_document():
    for labels, value in (([2], 1.0), ([0], np.nan)):
        for name in ("ndcg", "map", "mrr", "p@1", "recall@1"):
            np.testing.assert_array_equal(metric(name).per_query(labels, [3.0], [0, 1]), [value])
    for name in ("kendall", "kendall_a", "spearman"):
        assert np.isnan(metric(name).per_query([1], [3.0], [0, 1])[0])
        assert metric(name)([1, 1, 2], [3.0, 1.0, 2.0], qid=["a", "b", "b"]) == pytest.approx(1.0)


def test_infinite_scores_rank_and_read_only_arrays_are_taken():
    labels, scores = np.array([0.0, 1.0, 2.0]), np.array([-np.inf, 0.0, np.inf])
    labels.flags.writeable = scores.flags.writeable = False
    for name in ALL:
        m = metric(name)
        assert m.per_query(labels, scores, [0, 3])[0] == m.per_query([0, 1, 2], [1.0, 2.0, 3.0], [0, 3])[0], name


def test_qid_of_any_dtype_and_rows_that_are_not_adjacent():
    labels, scores = [1, 0, 0, 1], [1.0, 2.0, 3.0, 4.0]
    for qid in ([1, 1, 2, 2], ["x", "x", "y", "y"], np.array([0.5, 0.5, 1.5, 1.5])):
        assert MRR()(labels, scores, qid=qid) == 0.75
    with pytest.raises(DataError, match="rows of query a are not adjacent"):
        MRR()(labels, scores, qid=["a", "b", "a", "b"])
    assert MRR()(labels, scores, qid=["a", "b", "a", "b"], regroup=True) == MRR()(
        [1, 0, 0, 1], [1.0, 3.0, 2.0, 4.0], qid=["a", "a", "b", "b"]
    )


def test_identity_is_the_convention():
    assert NDCG(10) == metric("ndcg@10") == NDCG(10, convention="standard", ties="expected")
    assert hash(NDCG(10)) == hash(metric("ndcg@10"))
    assert NDCG(10) != NDCG(10, ties="input")
    assert NDCG(10) != NDCG(5)
    assert NDCG(10, convention="letor3") == NDCG(
        10, gain="exp2", discount="letor", ties="input", empty="zero", short="zero"
    )
    for m in (
        NDCG(3, convention="trec"),
        AP(convention="mslr"),
        Precision(5),
        Recall(5),
        MRR(),
        ERR(4),
        KendallTau("a"),
    ):
        assert eval(repr(m)) == m
        assert pickle.loads(pickle.dumps(m)) == m
    assert dataclasses.replace(NDCG(10, convention="letor4"), ties="best").discount == "letor"
    with pytest.raises(dataclasses.FrozenInstanceError, match="k"):
        NDCG(10).k = 3
    for word in ("k=7", "gain=", "discount=", "ties=", "empty=", "short="):
        assert word in repr(NDCG(7))
    assert "relevance_threshold=2.0" in repr(AP(convention="mslr"))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: NDCG(0), r"'k' parameter of NDCG must be a whole number >= 1 or None. Got 0"),
        (lambda: NDCG(True), r"'k' parameter of NDCG"),
        (lambda: Precision(None), r"'k' parameter of Precision must be a whole number >= 1. Got None"),
        (
            lambda: NDCG(5, ties="random"),
            r"'ties' parameter of NDCG must be one of 'expected', 'input', 'best', 'worst'",
        ),
        (lambda: NDCG(5, empty="nan"), r"'empty' parameter"),
        (lambda: NDCG(5, short="shrink"), r"'short' parameter of NDCG must be one of 'pad', 'zero'"),
        (lambda: NDCG(5, gain="exp"), r"'gain' parameter"),
        (lambda: ERR(gain="linear"), r"'gain' parameter of ERR must be one of 'exp2', 'probability'"),
        (lambda: ERR(max_label=0), r"'max_label' parameter of ERR"),
        (
            lambda: AP(relevance_threshold=float("nan")),
            r"'relevance_threshold' parameter of AP must be a finite number",
        ),
        (
            lambda: AP(convention="sklearn"),
            r"'convention' parameter of AP must be one of .* \('sklearn' defines no AP\)",
        ),
        (lambda: KendallTau("c"), r"'variant' parameter of KendallTau"),
    ],
)
def test_parameters_that_cannot_be(build, message):
    with pytest.raises(ParameterError, match=message):
        build()


def test_unknown_convention_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Unknown convention 'lightgmb': did you mean 'lightgbm'"):
        NDCG(10, convention="lightgmb")


@pytest.mark.parametrize(
    ("m", "labels", "scores", "ptr", "message"),
    [
        (NDCG(), [1, -1], [1.0, 2.0], [0, 2], r"NDCG takes labels from 0 to 1000: the label of row 1 is -1"),
        (NDCG(), [1, 2000], [1.0, 2.0], [0, 2], r"label of row 1 is 2000.*gain='linear'"),
        (NDCG(gain="linear"), [-2, 0], [1.0, 2.0], [0, 2], r"label of row 0 is -2"),
        (ERR(), [1, 5], [1.0, 2.0], [0, 2], r"ERR takes labels from 0 to 4: the label of row 1 is 5. Set max_label"),
        (ERR(gain="probability"), [1, 2], [1.0, 2.0], [0, 2], r"from 0 to 1"),
        (AP(), [1, np.nan], [1.0, 2.0], [0, 2], r"label of row 1 is nan"),
        (AP(), ["a", "b"], [1.0, 2.0], [0, 2], r"Labels must be numbers"),
        (AP(), [1, 0], ["a", "b"], [0, 2], r"Scores must be numbers"),
        (AP(), [1, 0], [1.0, np.nan], [0, 2], r"score of row 1 is NaN"),
        (AP(), [1, 0], [[1.0, 1.0], [1.0, np.nan]], [0, 2], r"score of row 1, column 1 is NaN"),
        (AP(), [1, 0], [1.0], [0, 2], r"y has shape \(2,\), scores \(1,\)"),
        (AP(), [1, 0], [1.0, 2.0], [0, 1], r"Query offsets must ascend from 0 to the number of rows, 2"),
        (AP(), [1, 0], [1.0, 2.0], [0, 0, 2], r"without empty queries"),
    ],
)
def test_arrays_that_cannot_be(m, labels, scores, ptr, message):
    with pytest.raises(DataError, match=message):
        m.per_query(labels, scores, ptr)
