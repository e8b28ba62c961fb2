"""The split of a cluster in two that leaves the least inertia: every split of few points, climbing from many starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

# Up to so many points all splits into two are tried: 4,095 of them.
EXACT = 13
# Up to so many the climb begins at every pair of points: 2,080 starts.
CLIMBED = 64


def halves(
    points: NDArray[np.float64], weight: NDArray[np.float64], n_init: int, random_state: int | None
) -> NDArray[np.bool_]:
    """Which of the distinct `points` make up the second half; only for more than 64 do restarts and the seed count."""
    if len(points) <= EXACT:
        return best_split(points, weight)
    if len(points) <= CLIMBED:
        return climbed_split(points, weight)
    restarted = KMeans(2, n_init=n_init, random_state=random_state).fit(points, sample_weight=weight)
    return np.asarray(restarted.labels_ == 1)


def best_split(points: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points make up the second half, of all splits into two the one of least inertia; the first stays."""
    n = len(points)
    second = (np.arange(1, 2 ** (n - 1))[:, None] >> np.arange(n)[::-1]) & 1 == 1
    heavy = weight[:, None] * points
    sums, weights = second @ heavy, second @ weight
    # Inertia is the sum of squares less |sum|^2 / weight of either half.
    told = (sums**2).sum(axis=1) / weights + ((heavy.sum(axis=0) - sums) ** 2).sum(axis=1) / (weight.sum() - weights)
    return np.asarray(second[int(np.argmax(np.round(told, 12)))])


def climbed_split(points: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The same by climbing: the best of all splits at which moving no single point to the other half helps.

    It begins at every pair of points with the others beside the nearer of the two, and at every point alone, and moves
    the point that helps most (Hartigan's exchange; moving all points to the nearer centre at once, as Lloyd does, stops
    far earlier among rows of eigenvectors, which are nearly at right angles). Nothing is drawn at random.
    """
    total = weight.sum()
    heavy = weight[:, None] * (points - np.average(points, axis=0, weights=weight))
    gram = heavy @ heavy.T
    second, settled, heights = _starts(points), [], []
    while len(second):
        # About their mean both halves have one sum s but for the sign: least inertia is most |s|^2 / (w (total - w)).
        reach, w = second @ gram, second @ weight
        square = (reach * second).sum(axis=1)
        height = square / (w * (total - w))
        into = 1 - 2 * second  # a point outside would come in, one inside go out
        room = (w[:, None] + into * weight) * (total - w[:, None] - into * weight)
        moved = square[:, None] + 2 * into * reach + np.diag(gram)
        higher = np.divide(moved, room, out=np.full_like(room, -np.inf), where=room > 0)  # 0: a half would be empty
        step = higher.argmax(axis=1)
        rises = higher[np.arange(len(second)), step] > height + 1e-12
        settled.append(second[~rises])
        heights.append(height[~rises])
        second, step = second[rises], step[rises]
        second[np.arange(len(second)), step] = 1 - second[np.arange(len(second)), step]
        second = _distinct(second)
    found, at = np.concatenate(settled), np.round(np.concatenate(heights), 12)
    best = found[at == at.max()]
    return np.asarray(_distinct(best)[0] == 1)


def _starts(points: NDArray[np.float64]) -> NDArray[np.float64]:
    distance = ((points[:, None] - points) ** 2).sum(axis=2)  # exactly 0 to itself, so that no half is empty
    one, other = np.triu_indices(len(points), 1)
    return _distinct(np.concatenate((distance[other] < distance[one], np.eye(len(points)) == 1)).astype(np.float64))


def _distinct(second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each split once, in an order of their own; the half without the first point is the second."""
    second = np.abs(second - second[:, :1])
    _, first = np.unique(np.packbits(second == 1, axis=1), axis=0, return_index=True)
    return np.asarray(second[first])
