"""BestGain on lists of documents, as its description reads; any two lists, not only of the same documents."""

from __future__ import annotations


def next_segment(ranked, seen, relevant):
    """The shortest prefix of the list without `seen` that ends in a relevant document, or None."""
    segment = []
    for document in ranked:
        if document in seen:
            continue
        segment.append(document)
        if relevant(document):
            return segment
    return None


def combine(best, other, relevant):
    seen, out = set(), []
    while True:
        a, b = next_segment(best, seen, relevant), next_segment(other, seen, relevant)
        if a is None and b is None:
            break
        segment = a if b is None or (a is not None and len(a) <= len(b)) else b
        out += segment
        seen |= set(segment)
    out += [d for d in best if d not in seen]
    seen |= set(out)
    return out + [d for d in other if d not in seen]


def combine_counting_picked(best, other, relevant):
    """Distances are raw positions behind the last one taken from each list."""
    seen, out, at = set(), [], [0, 0]
    lists = (best, other)
    while True:
        reach = []
        for which in (0, 1):
            hits = (i for i in range(at[which], len(lists[which])) if lists[which][i] not in seen)
            reach.append(next((i for i in hits if relevant(lists[which][i])), None))
        if reach == [None, None]:
            break
        which = 0 if reach[1] is None or (reach[0] is not None and reach[0] - at[0] <= reach[1] - at[1]) else 1
        segment = [d for d in lists[which][at[which] : reach[which] + 1] if d not in seen]
        at[which] = reach[which] + 1
        out += segment
        seen |= set(segment)
    out += [d for d in best if d not in seen]
    seen |= set(out)
    return out + [d for d in other if d not in seen]


def average_precision(ranked, relevant):
    hits, total = 0, 0.0
    for place, document in enumerate(ranked, start=1):
        if relevant(document):
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0


def best_gain(queries, delta, max_features=None, merge=combine):
    """queries: (rows of features, labels). The features chosen and the largest gain of every round."""
    n_features = len(queries[0][0][0])
    tests = [lambda d, labels=labels: labels[d] >= 1 for _, labels in queries]
    lists = [
        [sorted(range(len(rows)), key=lambda d, j=j, rows=rows: -rows[d][j]) for j in range(n_features)]
        for rows, _ in queries
    ]

    def mean(ranked):
        return sum(average_precision(r, t) for r, t in zip(ranked, tests, strict=True)) / len(queries)

    alone = [mean([of_query[j] for of_query in lists]) for j in range(n_features)]
    chosen = [max(range(n_features), key=lambda j: (round(alone[j], 12), -j))]
    best = [of_query[chosen[0]] for of_query in lists]
    gains = [alone[chosen[0]]]
    while len(chosen) < min(max_features or n_features, n_features):
        before = mean(best)
        merged = {
            j: [merge(b, of_query[j], t) for b, of_query, t in zip(best, lists, tests, strict=True)]
            for j in range(n_features)
            if j not in chosen
        }
        gain = {j: mean(ranked) - before for j, ranked in merged.items()}
        k = max(gain, key=lambda j: (round(gain[j], 12), -j))
        gains.append(gain[k])
        if gain[k] < delta:
            break
        chosen.append(k)
        best = merged[k]
    return chosen, gains
