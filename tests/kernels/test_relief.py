"""Neighbours by class, dense and sparse, against sorting all candidates."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from leanrank.kernels.relief import differences_dense, differences_sparse, nearest_dense, nearest_sparse


def random_case(seed, n=41, n_features=7, n_classes=3):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, n_features)), 1) * (rng.random((n, n_features)) < 0.6)  # many ties
    classes = rng.integers(0, n_classes, n)
    visit = rng.random(n) < 0.8
    ptr = np.array([0, 1, 12, 25, n])
    return X, classes, visit, ptr, np.column_stack((ptr[:-1], ptr[1:])), n_classes


def sorted_neighbours(X, classes, i, low, high, k, c, euclidean):
    d = ((X - X[i]) ** 2).sum(axis=1) if euclidean else np.abs(X - X[i]).sum(axis=1)
    rows = [z for z in range(low, high) if z != i and classes[z] == c]
    return sorted(rows, key=lambda z: (round(d[z], 9), z))[:k]


@pytest.mark.parametrize("euclidean", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_nearest_and_differences(seed, euclidean):
    X, classes, visit, ptr, reach, n_classes = random_case(seed)
    n, k = len(X), 4
    csr = sp.csr_array(X)
    parts = csr.data, csr.indices.astype(np.int32), csr.indptr.astype(np.int64), X.shape[1]
    results = []
    for sparse in (False, True):
        nearest, found = np.zeros((n, n_classes, k), np.int32), np.zeros((n, n_classes), np.int32)
        where = (classes, visit, ptr, reach, 0, len(ptr) - 1, euclidean, nearest, found)
        nearest_sparse(*parts, *where) if sparse else nearest_dense(X, *where)
        results.append((nearest, found))
        for g, (low, high) in enumerate(reach):
            for i in range(ptr[g], ptr[g + 1]):
                for c in range(n_classes):
                    expected = sorted_neighbours(X, classes, i, low, high, k, c, euclidean) if visit[i] else []
                    assert nearest[i, c, : found[i, c]].tolist() == expected
    nearest, found = results[0]
    weights = np.random.default_rng(seed).standard_normal((2, n, n_classes, k))
    dense, sparse = np.empty((len(ptr) - 1, 2, X.shape[1])), np.empty((len(ptr) - 1, 2, X.shape[1]))
    differences_dense(X, visit, ptr, 0, len(ptr) - 1, nearest, found, weights, dense)
    differences_sparse(*parts, visit, ptr, 0, len(ptr) - 1, nearest, found, weights, sparse)
    expected = np.zeros_like(dense)
    for g in range(len(ptr) - 1):
        for i in range(ptr[g], ptr[g + 1]):
            for c in range(n_classes):
                for r in range(found[i, c] if visit[i] else 0):
                    expected[g] += weights[:, i, c, r, None] * np.abs(X[i] - X[nearest[i, c, r]])
    np.testing.assert_allclose(dense, expected, atol=1e-12)
    np.testing.assert_allclose(sparse, expected, atol=1e-12)
