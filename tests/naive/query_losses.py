"""RankNet's and ListNet's losses of one query as their definitions read, and descent by finite differences."""

from math import exp, log

import numpy as np


def ranknet(s, y, half_ties=False):
    """Mean over pairs of the cross entropy of 1 / (1 + exp(-(s_i - s_j))) with the target 1, or 1/2 for a tie."""
    losses = []
    for i in range(len(s)):
        for j in range(len(s)):
            o = s[i] - s[j]
            if y[i] > y[j]:
                losses.append(log(1 + exp(-o)))
            elif half_ties and i < j and y[i] == y[j]:
                losses.append(-0.5 * o + log(1 + exp(o)))
    return float(np.mean(losses)) if losses else 0.0


def softmax(v):
    e = [exp(value) for value in v]
    return np.array(e) / sum(e)


def listnet(s, p):
    return float(-np.sum(p * np.log(softmax(s))))


def finite_differences(function, at, step=1e-6):
    slope = np.empty(len(at))
    for i in range(len(at)):
        up, down = at.copy(), at.copy()
        up[i] += step
        down[i] -= step
        slope[i] = (function(up) - function(down)) / (2 * step)
    return slope


def hidden_scores(X, V, bias, u):
    return np.array([sum(u[h] * np.tanh(V[h] @ x + bias[h]) for h in range(len(u))) for x in X])
