"""A made log, two rankers for it, and judges who know its labels."""

from __future__ import annotations

import csv
import io
from functools import cache

import numpy as np

from leanrank import RankSVM, make_ranking


@cache
def made(n_queries=120, seed=0):
    """Data, a ranker of all features and one of some of them."""
    data, _ = make_ranking(n_queries, (6, 25), n_informative=4, n_redundant=3, n_noise=3, random_state=seed)
    return data, RankSVM().fit(data), RankSVM().fit(data.subset(data.feature_names[:5]))


def fill(text, path, data, *, queries=None, change=lambda label: label):
    """Write the file for judges with the labels of `data`, of the first `queries` queries."""
    rows = list(csv.DictReader(io.StringIO(text)))
    number = {str(query): q for q, query in enumerate(data.query_ids.tolist())}
    asked = list(dict.fromkeys(row["qid"] for row in rows))
    for row in rows:
        if queries is None or asked.index(row["qid"]) < queries:
            label = float(data.query(number[row["qid"]]).y[int(row["document"]) - 1])
            row["label"] = change(label)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def dcg(data, scores, k=10):
    """DCG@k of each query, equal scores in the order of the rows."""
    values = []
    for a, b in zip(data.query_ptr, data.query_ptr[1:], strict=False):
        gains = np.exp2(data.y[a:b][np.argsort(-scores[a:b], kind="stable")][:k].astype(float)) - 1
        values.append((gains / np.log2(2 + np.arange(len(gains)))).sum())
    return np.array(values)


def true_loss(data, full, pruned, k=10):
    before = full.predict(data.subset(list(full.feature_names_in_)))
    after = pruned.predict(data.subset(list(pruned.feature_names_in_)))
    return dcg(data, before, k) - dcg(data, after, k)
