"""Every filter of the papers against brute force, hundreds of small data sets each, ties among them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import (
    bestgain,
    feature_worth,
    fsscpr,
    greedy_selection,
    pair_losses,
    rank_correlation,
    ranking_metrics,
    relief,
    set_filters,
)
from tests.reproduce.tied_data import columns, drawn, labels

from leanrank import (
    CFS,
    FCBF,
    FSSCPR,
    GAS,
    INTERACT,
    RCDR,
    BestGain,
    ChiSquared,
    Consistency,
    FeatureGraph,
    InformationGain,
    RankFilter,
    RankingData,
    RankWrapper,
    ReliefF,
    RReliefF,
    Similarity,
)
from leanrank.errors import DataError
from leanrank.reproduce.fs_scpr_readings import READINGS
from leanrank.selectors.pagerank import BiasedPageRank

CASES = 200
STRICT = Similarity("kendall", ties="strict")


def is_greedy(order, w, e, c):
    """Whether every step takes a feature that no other beats by the objective of all that are taken."""
    for step, taken in enumerate(order):
        gains = {j: greedy_selection.gas_objective([*order[:step], j], w, e, c) for j in order[step:]}
        if gains[taken] < max(gains.values()) - 1e-10:
            return False
    return len(set(order)) == len(w)


def ndcg(columns_of_queries, labels):
    """Mean over queries of NDCG@3, mean over the orders of equal values."""
    each = zip(labels, columns_of_queries, strict=True)
    return np.mean([ranking_metrics.over_ties(lambda r: ranking_metrics.ndcg(r, 3), y, x, "expected") for y, x in each])


def minus_loss(loss):
    """Mean over queries of minus the mean loss of their pairs, values brought to [0, 1] in each query."""
    return lambda columns_of_queries, labels: (
        -np.mean(
            [
                np.mean(pair_losses.losses(x, y, loss, scale=True))
                for x, y in zip(columns_of_queries, labels, strict=True)
            ]
        )
    )


WORTH = {
    "map": feature_worth.mean_average_precision,
    "ndcg@3": ndcg,
    "error": feature_worth.pair_error,
    "hinge": minus_loss("hinge"),
    "cross-entropy": minus_loss("cross-entropy"),
}


@pytest.mark.parametrize("kind", WORTH)
def test_gas(kind):
    """Importance and similarity counted by hand, then the whole objective again at every step."""
    for seed in range(CASES):
        data, parts = drawn(seed)
        y = labels(data, parts)
        w = [WORTH[kind](columns(data, parts, j), y) for j in range(4)]
        e = fsscpr.similarity([data.X[part] for part in parts])
        for c in (0.0, 0.1, 0.7):
            fitted = GAS(c=c, importance=kind, similarity=STRICT).fit(data)
            assert fitted.graph_.importance == pytest.approx(w, abs=1e-11), seed
            assert fitted.graph_.similarity == pytest.approx(e, abs=1e-11), seed
            assert is_greedy(fitted.order_.tolist(), w, e, c), (seed, c)


def test_losses_of_data_without_pairs_are_nothing():
    """No query has two grades: no loss can tell features apart, and none is called better."""
    data = RankingData([[1.0, 3.0], [2.0, 1.0], [5.0, 4.0]], [1, 1, 0], [0, 2, 3])
    for loss in ("error", "hinge", "cross-entropy"):
        assert GAS(importance=loss, c=0.0).fit(data).graph_.importance.tolist() == [0.0, 0.0]


def test_best_gain():
    for seed in range(CASES):
        data, parts = drawn(seed)
        queries = [(data.X[part].tolist(), y) for part, y in zip(parts, labels(data, parts), strict=True)]
        for delta in (0.001, 0.05, 0.2):
            expected, gains = bestgain.best_gain(queries, delta)
            fitted = BestGain(delta=delta).fit(data)
            assert fitted.order_.tolist() == expected, (seed, delta)
            assert fitted.gains_ == pytest.approx(gains, abs=1e-11)


def test_relief_family():
    for seed in range(CASES):
        data, _ = drawn(seed, n_values=6, longest=8)
        rows, y, ptr = data.X.tolist(), data.y.astype(int).tolist(), data.query_ptr.tolist()
        k = 1 + seed % 3
        expected = relief.relief_f(rows, y, ptr, k)
        assert ReliefF(n_neighbors=k).fit(data).scores_ == pytest.approx(expected, abs=1e-10), seed
        expected = relief.relief_f(rows, y, ptr, k, factor=relief.level_factor)
        assert RankFilter(n_neighbors=k).fit(data).scores_ == pytest.approx(expected, abs=1e-10), seed
        expected = relief.r_relief_f(rows, y, ptr, k)
        assert RReliefF(n_neighbors=k).fit(data).scores_ == pytest.approx(expected, abs=1e-10), seed


def test_rank_wrapper():
    for seed in range(CASES):
        data, _ = drawn(seed, n_values=6, longest=8)
        scores = np.random.default_rng(seed).integers(0, 5, data.n_rows).astype(float)
        k = 3 + 2 * (seed % 2)
        sums, m = relief.rank_wrapper(data.X.tolist(), scores.tolist(), data.query_ptr.tolist(), k, sigma=20.0)
        found = RankWrapper(n_neighbors=k).fit(data, scores=scores).scores_
        assert found == pytest.approx(np.array(sums) / m, abs=1e-10), seed


def test_information_gain_and_chi_squared():
    for seed in range(CASES):
        data, _ = drawn(seed, n_values=2)
        y = data.y.astype(int).tolist()
        for make, naive in ((InformationGain, feature_worth.information_gain), (ChiSquared, feature_worth.chi_squared)):
            found = make(discretizer="equal_width").fit(data).scores_
            expected = [naive(data.X[:, j].tolist(), y) for j in range(4)]
            assert found == pytest.approx(expected, abs=1e-10), seed


def test_filters_of_classification():
    tested = 0
    for seed in range(CASES):
        data, _ = drawn(seed, n_values=2, n_features=5, longest=8)
        table, y = data.X.astype(int).T.tolist(), data.y.astype(int).tolist()
        same = {"discretizer": "equal_width"}
        assert sorted(INTERACT(**same).fit(data).selected_) == sorted(set_filters.interact(table, y)[0]), seed
        assert sorted(Consistency(**same).fit(data).selected_) == sorted(set_filters.consistency(table, y)), seed
        for make, naive in ((FCBF, set_filters.fcbf), (CFS, set_filters.cfs)):
            expected = naive(table, y)
            if expected:
                tested += 1
                assert make(**same).fit(data).order_.tolist() == expected, (seed, make)
            else:
                with pytest.raises(DataError):
                    make(**same).fit(data)
    assert tested > CASES


def test_fs_scpr():
    """Cases that the paper does not decide (equal eigenvalues, splits or representatives) are passed over."""
    tested = 0
    for seed in range(CASES):
        data, parts = drawn(seed, n_features=6, n_values=5, longest=8)
        similar = fsscpr.similarity([data.X[part] for part in parts])
        w = fsscpr.edges(similar, 0.1)
        p = np.array([feature_worth.pair_error(columns(data, parts, j), labels(data, parts)) for j in range(6)])
        for k in (2, 3, 4):
            Y = fsscpr.rows_of(w, k)
            clusters = None if Y is None else fsscpr.bisecting(Y, k)
            expected = None if clusters is None else fsscpr.representatives(Y, clusters, fsscpr.pagerank(w, p))
            if expected is None:
                continue
            fitted = FSSCPR(k, pagerank=BiasedPageRank(scale="none")).fit_graph(FeatureGraph(p, similar))
            assert sorted(c.tolist() for c in fitted.clusters_) == sorted(sorted(c) for c in clusters), (seed, k)
            assert sorted(fitted.selected_.tolist()) == expected, (seed, k)
            tested += 1
    assert tested > CASES


def test_fs_scpr_in_every_reading():
    """Ties in Kendall's tau, its range and the scale of PageRank, in all eighteen ways in turn."""
    tested = set()
    for seed in range(CASES):
        reading = READINGS[seed % len(READINGS)]
        # Where a tie is no edge, few values would leave features alone.
        data, parts = drawn(seed, n_features=6, n_values=5 if reading.tau == "fraction" else 20, longest=8)
        similar = fsscpr.similarity([data.X[part] for part in parts], reading.ties)
        w = fsscpr.edges(similar if reading.tau == "fraction" else 2 * similar - 1, 0.1)
        p = np.array(
            [feature_worth.mean_average_precision(columns(data, parts, j), labels(data, parts)) for j in range(6)]
        )
        for k in (2, 3):
            Y = fsscpr.rows_of(w, k)
            clusters = None if Y is None else fsscpr.bisecting(Y, k)
            expected = None
            if clusters is not None:
                expected = fsscpr.representatives(Y, clusters, fsscpr.pagerank(w, p), reading.pagerank)
            if expected is not None:
                fitted = reading.selector().set_params(n_features_to_select=k).fit(data)
                assert fitted.graph_.similarity == pytest.approx(similar, abs=1e-11), (seed, reading)
                assert sorted(fitted.selected_.tolist()) == expected, (seed, k, reading)
                tested.add(reading)
    assert tested == set(READINGS)


@pytest.mark.parametrize("kind", ["kendall", "spearman"])
def test_rcdr(kind):
    for seed in range(CASES):
        data, _ = drawn(seed, n_values=8, n_levels=4)
        expected, norms = rank_correlation.rcdr(data.X, data.y, data.query_ptr, 3, kind=kind)
        if len(norms) < 3 or norms.min() < 1e-6:
            continue
        found = RCDR(3, kind=kind, scale=False).fit(data)
        assert found.components_ == pytest.approx(expected, abs=1e-7), seed
        assert found.norms_ == pytest.approx(norms, abs=1e-7), seed
