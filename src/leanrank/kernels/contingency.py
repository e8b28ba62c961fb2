"""Joint counts of discretised features, all pairs in one pass.

Arrays: codes and others (n, K) the bin of every value, counted through all features; offsets (K + 1,) the first bin of
each feature; classes (n,) the class of each document; times (n,) how often it counts, in whole units; marginal (bins,)
and joint (bins, bins) counts; entropy (K,).
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Floats, Ints, ShortInts, kernel


@kernel
def class_counts(codes: ShortInts, classes: Ints, times: Ints, out: Ints) -> None:
    """Add to out[code, class]; codes (rows, features) already carry their feature's offset."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            out[codes[i, j], classes[i]] += times[i]


@kernel
def joint_counts(codes: ShortInts, times: Ints, out: Ints) -> None:
    """Add to out[code_i, code_j] for every pair of features i < j (upper triangle of blocks)."""
    n, n_features = codes.shape
    for row in range(n):
        for i in range(n_features):
            a = codes[row, i]
            for j in range(i + 1, n_features):
                out[a, codes[row, j]] += times[row]


@kernel
def cross_counts(codes: ShortInts, others: ShortInts, times: Ints, out: Ints) -> None:
    """Add to out[code_i, other_j] for every feature i of `codes` and every feature j of `others`."""
    for row in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            a = codes[row, i]
            for j in range(others.shape[1]):
                out[a, others[row, j]] += times[row]


@kernel
def entropies(marginal: Ints, offsets: Ints, n: int) -> Floats:
    """Entropy in bits of every feature from the counts of its bins."""
    out = np.zeros(len(offsets) - 1)
    for i in range(len(out)):
        for a in range(offsets[i], offsets[i + 1]):
            if 0 < marginal[a] < n:
                out[i] -= marginal[a] / n * np.log2(marginal[a] / n)
    return out


@kernel
def _pair(joint: Ints, rows: tuple[int, int], cols: tuple[int, int], both: float, n: int) -> float:
    """SU of two features with these bins of the joint counts, given the sum of their entropies."""
    together = 0.0
    for a in range(rows[0], rows[1]):
        for b in range(cols[0], cols[1]):
            if joint[a, b] > 0:
                together -= joint[a, b] / n * np.log2(joint[a, b] / n)
    return 2.0 * (both - together) / both


@kernel
def symmetrical_uncertainties(joint: Ints, offsets: Ints, entropy: Floats, n: int) -> Floats:
    """SU of every pair of features from their joint counts: 2 (H(X) + H(Y) - H(X, Y)) / (H(X) + H(Y))."""
    n_features = len(offsets) - 1
    out = np.zeros((n_features, n_features))
    for i in range(n_features):
        out[i, i] = 1.0 if entropy[i] > 0.0 else 0.0
        for j in range(i + 1, n_features):
            if entropy[i] > 0.0 and entropy[j] > 0.0:
                rows, cols = (offsets[i], offsets[i + 1]), (offsets[j], offsets[j + 1])
                out[i, j] = out[j, i] = _pair(joint, rows, cols, entropy[i] + entropy[j], n)
    return out


@kernel
def cross_uncertainties(
    joint: Ints, offsets: Ints, entropy: Floats, other_offsets: Ints, other_entropy: Floats, n: int
) -> Floats:
    """SU of every feature of the rows of `joint` with every feature of its columns."""
    out = np.zeros((len(entropy), len(other_entropy)))
    for i in range(len(entropy)):
        for j in range(len(other_entropy)):
            if entropy[i] > 0.0 and other_entropy[j] > 0.0:
                rows, cols = (offsets[i], offsets[i + 1]), (other_offsets[j], other_offsets[j + 1])
                out[i, j] = _pair(joint, rows, cols, entropy[i] + other_entropy[j], n)
    return out
