"""Nearest neighbours of documents by class, and weighted sums of the differences to them; dense and sparse rows.

Documents come in groups (a query, or a run of rows where neighbours may be anywhere): group g visits the rows
rows_ptr[g]..rows_ptr[g+1] and looks for neighbours among reach[g, 0]..reach[g, 1]. Neighbours are in ascending order
of distance; of equally near ones the lower row comes first. Distances are whole multiples of 2^-36, so that the order
in which differences are added does not decide who is nearer.

Arrays: classes (n,) the class of each document, from 0; visit (n,) whether it looks for neighbours; rows_ptr (groups +
1,) and reach (groups, 2) the groups; nearest (n, classes, k) rows of the neighbours and counts (n, classes) how many
there are, filled by `nearest_*` and read by `differences_*`; weights (S, n, classes, k) and out (groups, S, K) the S
sums asked for at once. `first` and `last` are groups.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Flags, Floats, Ints, ShortInts, fast_kernel, kernel

_UNITS = 2.0**36
# Rows whose distances are computed together: a candidate's values are read once for all of them.
_TILE = 8


@fast_kernel
def _tile_distances(X: Floats, rows: Ints, low: int, high: int, euclidean: bool, out: Floats) -> None:
    """out[t, z - low] = distance of rows[t] and z, low <= z < high."""
    for z in range(low, high):
        there = X[z]
        for t in range(len(rows)):
            here = X[rows[t]]
            total = 0.0
            if euclidean:
                for j in range(X.shape[1]):
                    total += (here[j] - there[j]) ** 2
            else:
                for j in range(X.shape[1]):
                    total += abs(here[j] - there[j])
            out[t, z - low] = total


@kernel
def _select(
    distances: Floats,
    classes: Ints,
    low: int,
    row: int,
    far: Floats,
    limit: Floats,
    nearest: ShortInts,
    counts: ShortInts,
) -> None:
    """The k nearest of each class among low, low + 1, ...; ascending, so that of equals the lower row stays."""
    n_classes, k = nearest.shape
    far[:] = np.inf
    limit[:] = np.inf
    for place in range(len(distances)):
        distance = np.floor(distances[place] * _UNITS + 0.5)
        c = classes[low + place]
        if distance < limit[c] and low + place != row:
            of_class, rows = far[c], nearest[c]
            m = k - 1
            while m > 0 and of_class[m - 1] > distance:
                of_class[m] = of_class[m - 1]
                rows[m] = rows[m - 1]
                m -= 1
            of_class[m] = distance
            rows[m] = low + place
            limit[c] = of_class[k - 1]
    for c in range(n_classes):
        counts[c] = 0
        while counts[c] < k and far[c, counts[c]] < np.inf:
            counts[c] += 1


@kernel
def nearest_dense(
    X: Floats,
    classes: Ints,
    visit: Flags,
    rows_ptr: Ints,
    reach: Ints,
    first: int,
    last: int,
    euclidean: bool,
    nearest: ShortInts,
    counts: ShortInts,
) -> None:
    """Fill nearest[row, class, :counts[row, class]] for the visited rows of groups first..last-1."""
    n_classes, k = nearest.shape[1], nearest.shape[2]
    far, limit = np.empty((n_classes, k)), np.empty(n_classes)
    rows = np.empty(_TILE, dtype=np.int64)
    for g in range(first, last):
        low, high = reach[g, 0], reach[g, 1]
        distances = np.empty((_TILE, high - low))
        i = rows_ptr[g]
        while i < rows_ptr[g + 1]:
            filled = 0
            while filled < _TILE and i < rows_ptr[g + 1]:
                if visit[i]:
                    rows[filled] = i
                    filled += 1
                i += 1
            _tile_distances(X, rows[:filled], low, high, euclidean, distances)
            for t in range(filled):
                _select(distances[t], classes, low, rows[t], far, limit, nearest[rows[t]], counts[rows[t]])


@kernel
def nearest_sparse(
    values: Floats,
    columns: ShortInts,
    indptr: Ints,
    n_features: int,
    classes: Ints,
    visit: Flags,
    rows_ptr: Ints,
    reach: Ints,
    first: int,
    last: int,
    euclidean: bool,
    nearest: ShortInts,
    counts: ShortInts,
) -> None:
    """As `nearest_dense` for CSR rows: a distance costs the stored values of the candidate only."""
    n_classes, k = nearest.shape[1], nearest.shape[2]
    far, limit = np.empty((n_classes, k)), np.empty(n_classes)
    x = np.zeros(n_features)
    for g in range(first, last):
        low, high = reach[g, 0], reach[g, 1]
        distances = np.empty(high - low)
        for row in range(rows_ptr[g], rows_ptr[g + 1]):
            if not visit[row]:
                continue
            own = 0.0
            for p in range(indptr[row], indptr[row + 1]):
                x[columns[p]] = values[p]
                own += values[p] ** 2 if euclidean else abs(values[p])
            for z in range(low, high):
                total = own
                for p in range(indptr[z], indptr[z + 1]):
                    here = x[columns[p]]
                    if euclidean:
                        total += (here - values[p]) ** 2 - here**2
                    else:
                        total += abs(here - values[p]) - abs(here)
                distances[z - low] = total
            _select(distances, classes, low, row, far, limit, nearest[row], counts[row])
            for p in range(indptr[row], indptr[row + 1]):
                x[columns[p]] = 0.0


@kernel
def differences_dense(
    X: Floats,
    visit: Flags,
    rows_ptr: Ints,
    first: int,
    last: int,
    nearest: ShortInts,
    counts: ShortInts,
    weights: Floats,
    out: Floats,
) -> None:
    """out[g, s, j] = sum over visited rows x of group g and neighbours z of weights[s, x, class, r] |x_j - z_j|."""
    for g in range(first, last):
        out[g] = 0.0
        for row in range(rows_ptr[g], rows_ptr[g + 1]):
            if not visit[row]:
                continue
            for c in range(nearest.shape[1]):
                for r in range(counts[row, c]):
                    z = nearest[row, c, r]
                    for s in range(weights.shape[0]):
                        weight = weights[s, row, c, r]
                        for j in range(X.shape[1]):
                            out[g, s, j] += weight * abs(X[row, j] - X[z, j])


@kernel
def differences_sparse(
    values: Floats,
    columns: ShortInts,
    indptr: Ints,
    n_features: int,
    visit: Flags,
    rows_ptr: Ints,
    first: int,
    last: int,
    nearest: ShortInts,
    counts: ShortInts,
    weights: Floats,
    out: Floats,
) -> None:
    """As `differences_dense` for CSR rows."""
    x = np.zeros(n_features)
    for g in range(first, last):
        out[g] = 0.0
        for row in range(rows_ptr[g], rows_ptr[g + 1]):
            if not visit[row]:
                continue
            for p in range(indptr[row], indptr[row + 1]):
                x[columns[p]] = values[p]
            for c in range(nearest.shape[1]):
                for r in range(counts[row, c]):
                    z = nearest[row, c, r]
                    for s in range(weights.shape[0]):
                        weight = weights[s, row, c, r]
                        for p in range(indptr[row], indptr[row + 1]):
                            out[g, s, columns[p]] += weight * abs(values[p])
                        for p in range(indptr[z], indptr[z + 1]):
                            here = x[columns[p]]
                            out[g, s, columns[p]] += weight * (abs(here - values[p]) - abs(here))
            for p in range(indptr[row], indptr[row + 1]):
                x[columns[p]] = 0.0
