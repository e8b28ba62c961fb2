"""RCDR: worked examples, its naive twin, what the paper promises, the paper's experiments."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.naive.rank_correlation import rcdr as naive
from tests.selectors.metamorphic import Blocks

from leanrank import RCDR, LocalEngine, RankingData, from_orders, read_sushi
from leanrank.errors import DataError, ParameterError

ITEMS = np.array([[3.0, 0.0, 1.0], [2.0, 2.0, 0.0], [1.0, 3.0, 2.0], [0.0, 1.0, 3.0]])
EXAMPLE = from_orders(ITEMS, [[0, 1, 2, 3], [1, 0, 3], [2, 1, 3]])
KINDS = [("kendall", "tau-b"), ("kendall", "tau-a"), ("spearman", "tau-b")]


def graded(seed, n_queries=12, n_features=5):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 15, n_queries)
    X = rng.standard_normal((sizes.sum(), n_features))
    X[:, 0] = np.round(X[:, 0])
    y = np.digitize(X @ np.linspace(1, -0.5, n_features) + rng.standard_normal(len(X)), [-0.5, 0.5, 1.5])
    return RankingData(X, y, np.concatenate(([0], np.cumsum(sizes))))


def test_kendall_example():
    rcdr = RCDR(kind="kendall", ties="tau-a", scale=False).fit(EXAMPLE)
    assert (rcdr.components_[0] * 0.929622 * 3).round(4).tolist() == [1.6667, 1.0, -2.0]
    assert rcdr.components_[0].round(6).tolist() == [0.597614, 0.358569, -0.717137]
    assert rcdr.norms_[0].round(6) == 0.929622
    assert rcdr.norms_[2].round(4) == 0.3849
    # After the first projection objects 1 and 2 tie exactly on attribute 0 (both 6/7), so that the second component
    # depends on the rule for ties: with tau-a it is proportional to (-5/6, -2/3, 0) less its part along the first.
    R, w = np.array([-5 / 6, -2 / 3, 0.0]), rcdr.components_[0]
    rest = R - w * (w @ R)
    np.testing.assert_allclose(rcdr.components_[1], rest / np.linalg.norm(rest), atol=1e-12)
    assert rcdr.norms_[1] == pytest.approx(np.linalg.norm(R) / 3, abs=1e-12)


def test_spearman_example():
    rcdr = RCDR(kind="spearman", scale=False).fit(EXAMPLE)
    assert (rcdr.components_[0] * rcdr.norms_[0] * 3).round(6).tolist() == [2.0, 1.1, -2.3]
    assert rcdr.components_[:2].round(6).tolist() == [[0.617213, 0.339467, -0.709795], [-0.393199, -0.64832, -0.651978]]
    assert rcdr.norms_.round(6).tolist() == [1.080123, 0.377124, 0.635085]


def test_two_dimensions_leave_one_component():
    data = from_orders([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [1.0, 3.0]], [[2, 0, 1], [3, 2, 1]])
    rcdr = RCDR(kind="kendall", ties="tau-a", scale=False).fit(data)
    assert rcdr.n_components_ == 1
    assert rcdr.components_.round(6).tolist() == [[0.894427, 0.447214]]
    assert rcdr.norms_[0] == pytest.approx(np.hypot(4, 2) / 6, abs=1e-12)
    full = RCDR(kind="kendall", ties="tau-a", scale=False, complete=True).fit(data)
    np.testing.assert_allclose(full.components_ @ full.components_.T, np.eye(2), atol=1e-12)
    assert full.norms_[1] == 0.0


@pytest.mark.parametrize(("kind", "ties"), KINDS)
@pytest.mark.parametrize("weight", ["orders", "pairs"])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_naive_twin(seed, kind, ties, weight):
    data = graded(seed)
    found = RCDR(3, kind=kind, ties=ties, weight=weight, scale=False).fit(data)
    components, norms = naive(
        data.X, data.y, data.query_ptr, 3, kind=kind, tau_b=ties == "tau-b", by_pairs=weight == "pairs"
    )
    np.testing.assert_allclose(found.components_, components, atol=1e-9)
    np.testing.assert_allclose(found.norms_, norms, atol=1e-9)
    scaled = RCDR(3, kind=kind, ties=ties, weight=weight).fit(data)
    components, _ = naive(
        data.X / data.X.std(axis=0),
        data.y,
        data.query_ptr,
        3,
        kind=kind,
        tau_b=ties == "tau-b",
        by_pairs=weight == "pairs",
    )
    np.testing.assert_allclose(scaled.components_, components, atol=1e-9)


@pytest.mark.parametrize(("kind", "ties"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_orthonormal_and_maximal(seed, kind, ties):
    data = graded(seed, n_features=8)
    rcdr = RCDR(kind=kind, ties=ties).fit(data)
    W = rcdr.components_
    np.testing.assert_allclose(W @ W.T, np.eye(len(W)), atol=1e-10)
    rng = np.random.default_rng(seed)
    for level in range(len(W)):
        basis = W[:level]
        X = data.X / rcdr.scale_
        X = X - X @ basis.T @ basis
        # R of this level, from the first vector of the projected data
        R = _correlations(X, data, kind, ties, np.ptp(data.X / rcdr.scale_, axis=0))
        others = rng.standard_normal((200, 8))
        others -= others @ basis.T @ basis
        others /= np.linalg.norm(others, axis=1, keepdims=True)
        assert (others @ R).max() <= W[level] @ R + 1e-9


def _correlations(X, data, kind, ties, width):
    from tests.naive.rank_correlation import kendall, spearman

    R = np.zeros(X.shape[1])
    for a, b in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True):
        y = data.y[a:b]
        if len(set(y.tolist())) < 2:
            continue
        for k in range(X.shape[1]):
            tolerance = 1e-10 * width[k]
            if kind == "kendall":
                R[k] += kendall(X[a:b, k], y, tau_b=ties == "tau-b", tolerance=tolerance)[0]
            else:
                R[k] += spearman(X[a:b, k], y, tolerance=tolerance)
    return R


@pytest.mark.parametrize(("kind", "ties"), KINDS)
def test_invariances(kind, ties):
    data = graded(7)

    def fitted(X, y=data.y):
        return RCDR(kind=kind, ties=ties).fit(RankingData(X, y, data.query_ptr))

    first = fitted(data.X).components_[0]
    increasing = np.column_stack((np.exp(data.X[:, 0]), data.X[:, 1] ** 3, 5 * data.X[:, 2] - 7, *data.X[:, 3:].T))
    np.testing.assert_allclose(fitted(increasing).components_[0], first, atol=1e-12)
    np.testing.assert_allclose(fitted(data.X, -data.y).components_[0], -first, atol=1e-12)
    order = np.random.default_rng(0).permutation(data.n_queries)
    for other in (Blocks(data, 9), data.take_queries(order)):
        found = RCDR(kind=kind, ties=ties).fit(other)
        np.testing.assert_allclose(found.components_, fitted(data.X).components_, atol=1e-9)
    for engine in (LocalEngine(n_threads=1, block_rows=7), LocalEngine(n_threads=2, block_rows=40)):
        found = RCDR(kind=kind, ties=ties, engine=engine).fit(data)
        np.testing.assert_allclose(found.components_, fitted(data.X).components_, atol=1e-9)
    sparse = RCDR(kind=kind, ties=ties).fit(RankingData(sp.csr_array(data.X), data.y, data.query_ptr))
    np.testing.assert_allclose(sparse.components_, fitted(data.X).components_, atol=1e-9)


def test_pairs_make_kendall_and_spearman_one():
    rng = np.random.default_rng(0)
    data = from_orders(rng.standard_normal((20, 4)), [rng.choice(20, 2, replace=False) for _ in range(40)])
    kendall, spearman = (RCDR(kind=kind).fit(data) for kind in ("kendall", "spearman"))
    np.testing.assert_allclose(kendall.components_, spearman.components_, atol=1e-12)


def test_constants_weigh_nothing_and_copies_weigh_the_same():
    rng = np.random.default_rng(1)
    items = rng.standard_normal((30, 5))
    items[:, 2] = 4.0
    items[:, 4] = items[:, 1]
    data = from_orders(items, [rng.choice(30, 6, replace=False) for _ in range(25)])
    rcdr = RCDR(kind="kendall").fit(data)
    assert (rcdr.components_[:, 2] == 0.0).all()
    np.testing.assert_allclose(rcdr.components_[:, 1], rcdr.components_[:, 4], atol=1e-12)


def test_short_orders_are_not_counted():
    data = from_orders(ITEMS, [[0, 1, 2, 3], [2], [1, 0, 3], [2, 1, 3]])
    rcdr = RCDR(scale=False).fit(data)
    assert rcdr.n_orders_ == 3
    np.testing.assert_allclose(rcdr.components_, RCDR(scale=False).fit(EXAMPLE).components_, atol=1e-12)


def test_nothing_to_find():
    balanced = from_orders([[0.0], [1.0]], [[0, 1], [1, 0]])
    with pytest.warns(UserWarning, match="RCDR found no component"):
        rcdr = RCDR().fit(balanced)
    assert rcdr.components_.shape == (0, 1)
    with pytest.raises(DataError, match="no component"):
        rcdr.chart()
    with pytest.raises(ParameterError, match="'n_components' parameter of RCDR must be from 1 to 3"):
        RCDR(4).fit(EXAMPLE)
    with pytest.raises(ParameterError, match="'kind' parameter of RCDR must be one of 'spearman', 'kendall'"):
        RCDR(kind="pearson").fit(EXAMPLE)


def test_transform():
    rcdr = RCDR(2).fit(EXAMPLE)
    expected = EXAMPLE.X / rcdr.scale_ @ rcdr.components_.T
    reduced = rcdr.transform(EXAMPLE)
    assert isinstance(reduced, RankingData)
    assert reduced.feature_names == ("rcdr0", "rcdr1")
    np.testing.assert_allclose(reduced.X, expected, atol=1e-12)
    by_array = RCDR(2).fit(EXAMPLE.X, EXAMPLE.y, qid=EXAMPLE.qid)
    np.testing.assert_allclose(by_array.transform(EXAMPLE.X), expected, atol=1e-12)
    np.testing.assert_allclose(by_array.transform(sp.csr_array(EXAMPLE.X)), expected, atol=1e-12)
    import pandas as pd

    frame = pd.DataFrame(EXAMPLE.X, columns=["a", "b", "c"])
    framed = RCDR(2).set_output(transform="pandas").fit(frame, EXAMPLE.y, qid=EXAMPLE.qid)
    assert list(framed.transform(frame).columns) == ["rcdr0", "rcdr1"]


def test_chart_names_the_top_attributes():
    rcdr = RCDR(2, kind="kendall").fit(EXAMPLE)
    spec = rcdr.chart(top=2).to_dict()
    named = [(row["attribute"], row["weight"]) for row in spec["data"]["values"][:2]]
    assert named == [(name, round(weight, 6)) for name, weight in rcdr.top_attributes(2)[0]["attributes"]]
    assert len(spec["data"]["values"]) == 4


@pytest.mark.parametrize(("kind", "low", "high"), [("kendall", 0.66, 0.73), ("spearman", 0.79, 0.88)])
def test_artificial_experiment(kind, low, high):
    """Section 4.1: 1,000 objects, attribute 5 = attribute 4, 300 orders of 5; norms not divided by K."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        items = rng.standard_normal((1000, 5))
        items[:, 4] = items[:, 3]
        score = items @ [1.0, 1.0, 0.5, 0.0, 0.0]
        drawn = [rng.choice(1000, 5, replace=False) for _ in range(300)]
        rcdr = RCDR(kind=kind).fit(from_orders(items, [o[np.argsort(-score[o])] for o in drawn]))
        assert np.abs(rcdr.components_[0] - [0.68, 0.66, 0.31, 0.0, 0.0]).max() < 0.1
        assert low < rcdr.norms_[0] < high
        assert rcdr.norms_[1] < 0.07


@pytest.mark.data
def test_sushi(data_dir):
    """The paper's five largest weights of the first vector, in its order and with its signs."""
    data = read_sushi(data_dir / "sushi")
    first = RCDR(1, kind="kendall").fit(data).components_[0]
    published = {13: 0.5951, 15: 0.4278, 1: 0.4237, 14: 0.2822, 12: -0.2317}
    assert np.argsort(-np.abs(first))[:5].tolist() == list(published)
    for attribute, value in published.items():
        assert abs(first[attribute] - value) < 0.04
        assert np.sign(first[attribute]) == np.sign(value)
    assert first[list(published)].round(3).tolist() == [0.622, 0.421, 0.401, 0.314, -0.250]
    plain = RCDR(1, kind="kendall", ties="tau-a").fit(data).components_[0]
    assert plain[list(published)].round(3).tolist() == [0.695, 0.460, 0.250, 0.351, -0.279]


class OneQueryRCDR(RCDR):
    """For the common checks, which know no qid: rows without one are one query."""

    def fit(self, X, y=None, *, qid=None, regroup=False):
        if y is not None and qid is None:
            qid = np.zeros(len(np.asarray(y)), dtype=int)
        return super().fit(X, y, qid=qid, regroup=regroup)


@parametrize_with_checks(
    [OneQueryRCDR()],
    expected_failed_checks=lambda _: {
        "check_dtype_object": "an object that is no number is refused as a DataError naming the column",
    },
)
@pytest.mark.filterwarnings("ignore:RCDR found no component")
def test_common_checks(estimator, check):
    check(estimator)
