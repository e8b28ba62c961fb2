"""Pairs of documents formed one by one: the obvious twin of kernels that never form them."""

from itertools import pairwise

import numpy as np


def pairs(y, query_ptr):
    """(i, j) with y_i > y_j in one query: query by query, i ascending, j ascending."""
    found = []
    for a, b in pairwise(query_ptr):
        found += [(i, j) for i in range(a, b) for j in range(a, b) if y[i] > y[j]]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def squared_hinge(s, y, query_ptr):
    """Value, slope and Hessian (n, n) of the sum over pairs of max(0, 1 - (s_i - s_j))^2."""
    value, slope, hessian = 0.0, np.zeros(len(s)), np.zeros((len(s), len(s)))
    for i, j in pairs(y, query_ptr):
        short = 1.0 - (s[i] - s[j])
        if short > 0:
            value += short**2
            slope[i] -= 2 * short
            slope[j] += 2 * short
            hessian[i, i] += 2
            hessian[j, j] += 2
            hessian[i, j] -= 2
            hessian[j, i] -= 2
    return value, slope, hessian


def active_weights(s, level, weight, query_ptr):
    """What the partners of each document weigh, in active pairs in which it is the worse and the better one."""
    worse, better = np.zeros(len(s)), np.zeros(len(s))
    for a, b in pairwise(query_ptr):
        for i in range(a, b):
            for j in range(a, b):
                if level[i] > level[j] and s[j] + 1.0 > s[i]:
                    better[i] += weight[j]
                    worse[j] += weight[i]
    return worse, better
