"""Joint counts of discretised features, all pairs in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import kernel


@kernel
def class_counts(codes: NDArray[np.int32], classes: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Add to out[code, class]; codes (rows, features) already carry their feature's offset."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            out[codes[i, j], classes[i]] += 1


@kernel
def joint_counts(codes: NDArray[np.int32], out: NDArray[np.int64]) -> None:
    """Add to out[code_i, code_j] for every pair of features i < j (upper triangle of blocks)."""
    n, n_features = codes.shape
    for row in range(n):
        for i in range(n_features):
            a = codes[row, i]
            for j in range(i + 1, n_features):
                out[a, codes[row, j]] += 1


@kernel
def symmetrical_uncertainties(
    joint: NDArray[np.int64], offsets: NDArray[np.int64], marginal: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """SU of every pair of features from their joint counts: 2 (H(X) + H(Y) - H(X, Y)) / (H(X) + H(Y))."""
    n_features = len(offsets) - 1
    entropy = np.zeros(n_features)
    for i in range(n_features):
        for a in range(offsets[i], offsets[i + 1]):
            if 0 < marginal[a] < n:
                entropy[i] -= marginal[a] / n * np.log2(marginal[a] / n)
    out = np.zeros((n_features, n_features))
    for i in range(n_features):
        out[i, i] = 1.0 if entropy[i] > 0.0 else 0.0
        for j in range(i + 1, n_features):
            if entropy[i] == 0.0 or entropy[j] == 0.0:
                continue
            together = 0.0
            for a in range(offsets[i], offsets[i + 1]):
                for b in range(offsets[j], offsets[j + 1]):
                    if joint[a, b] > 0:
                        together -= joint[a, b] / n * np.log2(joint[a, b] / n)
            both = entropy[i] + entropy[j]
            out[i, j] = out[j, i] = 2.0 * (both - together) / both
    return out
