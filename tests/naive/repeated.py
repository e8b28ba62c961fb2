"""Weights that are whole numbers, said at length: every query or document stands there as often as it weighs."""

import numpy as np

from leanrank import RankingData


def repeated_queries(data):
    """Each query as often as its weight says, under names of their own."""
    numbers = np.repeat(np.arange(data.n_queries), data.beside.query_weight.astype(int))
    whole = RankingData(data.X, data.y, data.query_ptr, feature_names=data.feature_names).take_queries(numbers)
    return RankingData(whole.X, whole.y, whole.query_ptr, np.arange(len(numbers)), data.feature_names)


def repeated_documents(data):
    """Each document as often as its weight says; no query may lose all of its documents."""
    times = data.beside.weight.astype(int)
    rows = np.repeat(np.arange(data.n_rows), times)
    sizes = np.add.reduceat(times, data.query_ptr[:-1])
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    return RankingData(data.X[rows], data.y[rows], ptr, data.query_ids, data.feature_names)
