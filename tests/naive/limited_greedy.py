"""Slow, obvious twin of greedy selection under costs: the bill of every candidate set again at every step."""

from __future__ import annotations


def bill(chosen, own, groups, group_cost):
    """What a set costs: each feature's own cost, and each group that has a member in it, once."""
    return sum(own[j] for j in chosen) + sum(
        cost for members, cost in zip(groups, group_cost, strict=True) if set(members) & set(chosen)
    )


def gas(w, e, c, own, groups=(), group_cost=(), *, must_keep=(), never=(), budget=float("inf")):
    """GAS by gain per cost, with everything computed from its definition."""

    def gain(j, chosen):
        return round(w[j] - 2 * c * sum(e[i, j] for i in chosen), 12)

    def cost(j, chosen):
        return bill([*chosen, j], own, groups, group_cost) - bill(chosen, own, groups, group_cost)

    def worth(j, chosen):
        g, k = gain(j, chosen), cost(j, chosen)
        if g <= 0:
            return (round(g * k, 9), g, -j)
        return (float("inf") if k == 0 else round(g / k, 9), g, -j)

    chosen = []
    while True:
        first = [j for j in must_keep if j not in chosen]
        spent = bill(chosen, own, groups, group_cost)
        left = first or [
            j
            for j in range(len(w))
            if j not in chosen and j not in never and spent + cost(j, chosen) <= budget * (1 + 1e-9)
        ]
        if not left:
            return chosen
        chosen.append(max(left, key=lambda j: worth(j, chosen)))
