"""Slow, obvious twins of greedy selection under costs: the bill of every candidate set again at every step."""

from __future__ import annotations

from dataclasses import dataclass

from tests.naive.bestgain import average_precision, combine


def bill(chosen, own, groups, group_cost):
    """What a set costs: each feature's own cost, and each group that has a member in it, once."""
    return sum(own[j] for j in chosen) + sum(
        cost for members, cost in zip(groups, group_cost, strict=True) if set(members) & set(chosen)
    )


@dataclass
class Rules:
    """What features cost and which may be taken, always from whole sets."""

    own: list
    groups: tuple = ()
    group_cost: tuple = ()
    must_keep: tuple = ()
    never: tuple = ()
    budget: float = float("inf")

    def bill(self, chosen):
        return bill(chosen, self.own, self.groups, self.group_cost)

    def cost(self, new, chosen):
        return self.bill([*chosen, *new]) - self.bill(chosen)

    def fits(self, new, chosen):
        return self.bill([*chosen, *new]) <= self.budget * (1 + 1e-9)

    def left(self, chosen):
        first = [j for j in sorted(self.must_keep) if j not in chosen]
        others = [j for j in range(len(self.own)) if j not in chosen and j not in self.never]
        return first or [j for j in others if self.fits([j], chosen)]

    def worth(self, gain, new, chosen):
        """Larger is better: gain per cost, then gain."""
        cost = self.cost(new, chosen)
        if gain <= 0:
            return round(gain * cost, 9), gain
        return (float("inf") if cost == 0 else round(gain / cost, 9)), gain

    def best(self, gains, chosen):
        """The feature of largest gain per cost among the keys of `gains`."""
        return max(gains, key=lambda j: (*self.worth(gains[j], [j], chosen), -j))


def gas(w, e, c, rules):
    chosen = []
    while left := rules.left(chosen):
        gains = {j: round(w[j] - 2 * c * sum(e[i, j] for i in chosen), 12) for j in left}
        chosen.append(rules.best(gains, chosen))
    return chosen


def ngas(r, s, rules):
    chosen = []
    while left := rules.left(chosen):
        if not chosen:
            chosen.append(rules.best({j: r[j] for j in left}, chosen))
            continue
        f_min = min(left, key=lambda j: (s[chosen[-1], j], j))
        f_max = max((j for j in left if j != f_min), key=lambda j: (s[f_min, j], -j), default=f_min)
        better = rules.worth(r[f_max], [f_max], chosen) > rules.worth(r[f_min], [f_min], chosen)
        chosen.append(f_max if better else f_min)
    return chosen


def xgas(r, s, p, rules):
    chosen = []
    while left := rules.left(chosen):
        if chosen:
            left = sorted(left, key=lambda j: (s[chosen[-1], j], j))[: max(1, int(p * len(left) + 0.5))]
        chosen.append(rules.best({j: r[j] for j in left}, chosen))
    return chosen


def msd(r, s, lam, size, rules):
    chosen = []
    while len(chosen) < size and (left := rules.left(chosen)):
        pairs = [(i, j) for i in left for j in left if i < j and rules.fits([i, j], chosen)]
        if pairs and len(chosen) + 2 <= size:
            value = {p: round((1 - lam) * (r[p[0]] + r[p[1]]) + 2 * lam * (1 - s[p]), 12) for p in pairs}
            i, j = max(pairs, key=lambda p: (*rules.worth(value[p], p, chosen), -p[0], -p[1]))
            chosen += [i, j] if r[i] >= r[j] else [j, i]
        else:
            chosen.append(rules.best({j: r[j] for j in left}, chosen))
    return chosen


def best_gain(queries, delta, rules):
    """queries: (rows of features, labels)."""
    tests = [lambda d, labels=labels: labels[d] >= 1 for _, labels in queries]
    lists = [
        [sorted(range(len(rows)), key=lambda d, j=j, rows=rows: -rows[d][j]) for j in range(len(rules.own))]
        for rows, _ in queries
    ]

    def merged(chosen):
        out = []
        for of_query, relevant in zip(lists, tests, strict=True):
            now = of_query[chosen[0]]
            for j in chosen[1:]:
                now = combine(now, of_query[j], relevant)
            out.append(now)
        return out

    def mean(chosen):
        if not chosen:
            return 0.0
        return sum(average_precision(r, t) for r, t in zip(merged(chosen), tests, strict=True)) / len(queries)

    chosen = []
    while left := rules.left(chosen):
        gains = {j: round(mean([*chosen, j]) - mean(chosen), 12) for j in left}
        if chosen:
            gains = {j: gain for j, gain in gains.items() if gain >= delta or j in rules.must_keep}
        if not gains:
            break
        chosen.append(rules.best(gains, chosen))
    return chosen
