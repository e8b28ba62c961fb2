"""make_ranking: what is planted is there, and nothing else."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.stats

from leanrank.data.ranking_shape import ROLES
from leanrank.data.synthetic import FeatureTruth, make_ranking
from leanrank.errors import ParameterError, UnknownNameError

ALL = {
    "n_informative": 6,
    "n_redundant": 12,
    "n_interacting": 4,
    "n_query_level": 2,
    "n_constant": 2,
    "n_noise": 7,
}


@pytest.fixture(scope="module")
def planted():
    return make_ranking(n_queries=150, docs_per_query=(20, 60), **ALL, random_state=1)


def _column(data, name):
    return data.X[:, data.feature_names.index(name)]


def _centred(data, values):
    """Values less their query's mean."""
    sums = np.add.reduceat(values, data.query_ptr[:-1])
    return values - np.repeat(sums / data.query_sizes, data.query_sizes)


def _with_label(data, values):
    """Correlation with the label inside queries."""
    return np.corrcoef(_centred(data, values), _centred(data, data.y.astype(float)))[0, 1]


def test_the_truth_table_has_a_record_for_each_column(planted):
    data, truth = planted
    assert tuple(entry.name for entry in truth) == data.feature_names
    assert data.feature_names[:2] == ("f01", "f02")
    assert Counter(entry.role for entry in truth) == {role: ALL["n_" + role.replace("-", "_")] for role in ROLES}
    by_name = {entry.name: entry for entry in truth}
    for entry in truth:
        if entry.role == "redundant":
            assert by_name[entry.source].role == "informative"
        elif entry.role == "interacting":
            assert by_name[entry.source].source == entry.name
        else:
            assert entry.source is None
    weights = sorted(entry.weight for entry in truth if entry.role == "informative")
    np.testing.assert_allclose(weights, np.linspace(0.5, 1, 6))
    copies = Counter((entry.source, entry.monotone) for entry in truth if entry.role == "redundant")
    assert len(copies) == 12  # one of each kind for each source


def test_shuffling_moves_columns_and_nothing_else(planted):
    data, truth = planted
    plain, plain_truth = make_ranking(n_queries=150, docs_per_query=(20, 60), **ALL, random_state=1, shuffle=False)
    assert [entry.role for entry in plain_truth] == [r for r in ROLES for _ in range(ALL["n_" + r.replace("-", "_")])]
    assert [entry.role for entry in truth] != [entry.role for entry in plain_truth]
    np.testing.assert_array_equal(np.sort(data.X, axis=1), np.sort(plain.X, axis=1))
    np.testing.assert_array_equal(data.y, plain.y)


def test_the_seed_decides_everything():
    small = {"n_queries": 12, "docs_per_query": (3, 9), "n_interacting": 2, "n_query_level": 1, "n_constant": 1}
    first, truth = make_ranking(**small, random_state=5)
    again, truth_again = make_ranking(**small, random_state=5)
    other, _ = make_ranking(**small, random_state=6)
    assert first.fingerprint() == again.fingerprint()
    assert truth == truth_again
    assert first.fingerprint() != other.fingerprint()
    generator = np.random.default_rng(5)
    assert make_ranking(**small, random_state=generator)[0].fingerprint() == first.fingerprint()
    assert make_ranking(**small, random_state=generator)[0].fingerprint() != first.fingerprint()


def test_useless_features_do_not_change_the_labels():
    one, _ = make_ranking(30, n_redundant=0, n_noise=1)
    two, _ = make_ranking(30, n_redundant=7, n_noise=9, n_constant=3, n_query_level=2)
    np.testing.assert_array_equal(one.y, two.y)
    np.testing.assert_array_equal(one.query_ptr, two.query_ptr)


def test_copies_follow_their_sources(planted):
    data, truth = planted
    for entry in truth:
        if entry.role != "redundant":
            continue
        source, copy = _column(data, entry.source), _column(data, entry.name)
        if entry.monotone:
            order = np.argsort(source)
            assert (np.diff(copy[order]) > 0).all()
        else:
            correlation = np.corrcoef(_centred(data, source), _centred(data, copy))[0, 1]
            assert 0.85 < correlation < 0.98


def test_informative_features_correlate_by_their_weight_and_noise_does_not(planted):
    data, truth = planted
    found = {e.name: _with_label(data, _column(data, e.name)) for e in truth if e.role in ("informative", "noise")}
    weights, useful = zip(*((e.weight, found[e.name]) for e in truth if e.role == "informative"), strict=True)
    useless = [abs(found[e.name]) for e in truth if e.role == "noise"]
    assert min(useful) > 2 * max(useless)
    assert np.corrcoef(weights, useful)[0, 1] > 0.9


def test_interacting_features_are_useless_alone_and_strong_together(planted):
    data, truth = planted
    for entry in truth:
        if entry.role != "interacting":
            continue
        one, other = (_centred(data, _column(data, name)) for name in (entry.name, entry.source))
        assert abs(_with_label(data, one)) < 0.05
        assert _with_label(data, np.sign(one) * np.sign(other)) > 0.3


def test_query_level_and_constant_features(planted):
    data, truth = planted
    for entry in truth:
        column = _column(data, entry.name)
        inside = np.maximum.reduceat(column, data.query_ptr[:-1]) - np.minimum.reduceat(column, data.query_ptr[:-1])
        if entry.role == "query-level":
            assert (inside == 0).all()
            assert np.ptp(column) > 1
            assert np.corrcoef(column, data.y)[0, 1] > 0.1  # what misleads a pooled measure
        elif entry.role == "constant":
            assert np.ptp(column) == 0
        else:
            assert (inside > 0).all()


def test_values_are_comparable_inside_a_query_only(planted):
    data, truth = planted
    for entry in truth:
        if entry.role == "informative":
            column = _column(data, entry.name)
            assert np.corrcoef(column, data.y)[0, 1] < 0.85 * _with_label(data, column)


def test_grades_are_skewed_and_every_query_can_be_ranked(planted):
    data, _ = planted
    counts = np.bincount(data.y.astype(int), minlength=5)
    assert len(counts) == 5
    assert (np.diff(counts) < 0).all()
    assert counts[0] > data.n_rows / 2
    for i in range(data.n_queries):
        y = data.query(i).y
        assert y.min() == 0 < y.max()
    shares = np.add.reduceat(data.y > 0, data.query_ptr[:-1]) / data.query_sizes
    assert np.ptp(shares) > 0.3


def test_two_levels_and_no_signal_at_all():
    data, truth = make_ranking(40, n_informative=0, n_redundant=0, n_noise=3, levels=2, noise=1.0)
    assert set(data.y) == {0, 1}
    assert [entry.role for entry in truth] == ["noise"] * 3
    place = np.arange(data.n_rows) - np.repeat(data.query_ptr[:-1], data.query_sizes)
    assert abs(_with_label(data, place.astype(float))) < 0.1  # not the order of the rows either


def test_documents_per_query():
    assert set(make_ranking(9, 7)[0].query_sizes) == {7}
    drawn = make_ranking(300, (2, 5))[0].query_sizes
    assert (drawn.min(), drawn.max()) == (2, 5)
    assert make_ranking(3, [4, 1, 9])[0].query_sizes.tolist() == [4, 1, 9]
    skewed = make_ranking(200, scipy.stats.lognorm(1.0, scale=20))[0].query_sizes
    assert skewed.min() >= 1
    assert skewed.max() > 3 * np.median(skewed)
    assert make_ranking(5, 1)[0].y.min() >= 1  # a single document is the best there is


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_queries": 0}, "'n_queries' parameter of make_ranking must be a whole number >= 1. Got 0"),
        ({"levels": 1}, "'levels' parameter .* must be a whole number >= 2"),
        ({"n_noise": -1}, "'n_noise' parameter .* must be a whole number >= 0"),
        ({"n_query_level": 1.5}, "'n_query_level' parameter .* must be a whole number"),
        ({"n_interacting": 3}, "'n_interacting' parameter .* must be even"),
        ({"n_informative": 0}, "'n_redundant' parameter .* must be 0 without informative features"),
        ({"n_informative": 0, "n_redundant": 0, "n_noise": 0}, "no features at all"),
        ({"noise": -0.1}, "'noise' parameter .* must be a number >= 0"),
        ({"query_shift": np.nan}, "'query_shift' parameter .* must be a number >= 0"),
        ({"weakest": 0}, r"'weakest' parameter .* must be in \(0, 1\]"),
        ({"docs_per_query": 0}, "'docs_per_query' parameter"),
        ({"docs_per_query": (5, 3)}, "'docs_per_query' parameter"),
        ({"docs_per_query": [5, 3]}, "'docs_per_query' parameter"),
        ({"docs_per_query": 2.5}, "'docs_per_query' parameter"),
    ],
)
def test_parameters_that_cannot_be(change, message):
    with pytest.raises(ParameterError, match=message):
        make_ranking(**{"n_queries": 5, **change})


def _average_precision(data):
    """Mean over queries of the average precision of each feature alone (no ties here)."""
    total = np.zeros(data.n_features)
    for i in range(data.n_queries):
        query = data.query(i)
        relevant = (query.y >= 1)[np.argsort(-query.X, axis=0)]
        precision = np.cumsum(relevant, axis=0) / np.arange(1, query.n_rows + 1)[:, None]
        total += (precision * relevant).sum(axis=0) / relevant.sum(axis=0)
    return total / data.n_queries


def _concordance(data):
    total = np.zeros((data.n_features, data.n_features))
    for i in range(data.n_queries):
        X = data.query(i).X
        a, b = np.triu_indices(len(X), 1)
        signs = np.sign(X[a] - X[b])
        total += (1 + signs.T @ signs / len(a)) / 2
    return total / data.n_queries


@pytest.mark.parametrize("seed", [0, 1])
def test_a_redundancy_aware_greedy_finds_the_sources_and_the_best_single_features_do_not(seed):
    data, truth = make_ranking(n_informative=10, n_redundant=20, n_noise=20, random_state=seed)
    importance, similarity = _average_precision(data), _concordance(data)
    noise = [j for j, entry in enumerate(truth) if entry.role == "noise"]
    useful = [j for j, entry in enumerate(truth) if entry.role == "informative"]
    assert importance[useful].min() > importance[noise].max() + 0.01

    def sources(features):
        return len({truth[j].source or truth[j].name for j in features} - {truth[j].name for j in noise})

    weight, chosen = importance.copy(), []
    for _ in range(10):
        best = int(np.argmax(weight))
        chosen.append(best)
        weight -= 2 * 0.2 * similarity[best]
        weight[chosen] = -np.inf
    assert sources(chosen) >= 9
    assert sources(np.argsort(-importance)[:10]) <= 6


def test_the_record_is_frozen():
    entry = FeatureTruth("f01", "noise")
    with pytest.raises(AttributeError, match="cannot assign"):
        entry.role = "informative"


def test_a_wrong_keyword_gets_the_nearest_right_one():
    with pytest.raises(UnknownNameError, match="make_ranking 'n_informativ': did you mean 'n_informative'"):
        make_ranking(5, n_informativ=3)
