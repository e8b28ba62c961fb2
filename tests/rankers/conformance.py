"""What every ranker must do, written once; `test_conformance.py` runs it for every name of the registry.

A ranker joins by joining the registry. Where the defaults are slow, SETTINGS has quicker ones; where the order of the
queries is part of the method (random numbers are drawn as they come), ORDER_MATTERS says so.
"""

import json

import numpy as np
import scipy.sparse as sp

from leanrank import RankingData
from leanrank.rankers import get

SETTINGS = {
    "catboost": {"n_estimators": 10, "n_threads": 1},
    "lightgbm": {"n_estimators": 10, "n_threads": 1, "min_child_samples": 3},
    "xgboost": {"n_estimators": 10, "n_threads": 1},
}
ORDERS_EQUALS = {"cohen", "cohenorder"}  # its score is a position, and an order of equals is still an order
ORDER_MATTERS = {"catboost": "YetiRank draws random permutations query by query"}


def new(name, **params):
    """An unfitted ranker, with settings quick enough for tests."""
    return get(name, **{**SETTINGS.get(name, {}), **params})


def judged(seed=0, n_queries=16, size=10, n_features=4):
    """Data a ranker can learn: the label grows with features 0 and 1, feature 3 is constant, many values are 0."""
    rng = np.random.default_rng(seed)
    n = n_queries * size
    X = rng.random((n, n_features)).round(3)
    X[X < 0.15] = 0.0
    X[:, 3] = 0.5
    wish = 2 * X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=n)
    y = np.digitize(wish, [1.0, 1.7, 2.3])
    return RankingData(X, y, np.arange(0, n + 1, size), query_ids=np.arange(n_queries) + 100)


def as_sparse(data):
    return RankingData(sp.csr_array(data.X), data.y, data.query_ptr, data.query_ids)


def with_odd_queries(data):
    """Add a query of one document and queries of one label."""
    extra = RankingData(
        np.linspace(0, 1, 6 * data.n_features).reshape(6, -1), [2, 0, 0, 1, 1, 1], [0, 1, 3, 6], [901, 902, 903]
    )
    return data + extra


def kept_rows(ranker, n_rows):
    """Names of fitted attributes that hold the training data, or an array as long."""
    return [
        name
        for name, value in vars(ranker).items()
        if isinstance(value, RankingData) or n_rows in getattr(value, "shape", ())
    ]


def damages(document):
    """Variants of a saved ranker with one thing wrong, each with what is wrong."""

    def edited(**changes):
        return {**document, **changes}

    learned = document["learned"]
    yield "format", edited(format="pickle")
    yield "version", edited(version=99)
    yield "ranker", edited(ranker="no such ranker")
    yield "ranker type", edited(ranker=["ranksvm"])
    yield "parameter", edited(params={**document["params"], "nonsense": 1})
    yield "n_features", edited(n_features_in=document["n_features_in"] + 1)
    yield "negative n_features", edited(n_features_in=-1)
    yield "names", edited(feature_names_in=["a"])
    yield "no learned", edited(learned={})
    yield "learned type", edited(learned=[1, 2])
    yield "extra learned", edited(learned={**learned, "__class__": 1})
    for key, value in learned.items():
        for wrong in ([], {}, {"npz": True}, {"dtype": "O", "shape": [1], "values": [1]}):
            if wrong != value:
                yield f"{key}={wrong}", edited(learned={**learned, key: wrong})
        if isinstance(value, dict) and "values" in value:
            yield f"{key} text", edited(learned={**learned, key: {**value, "values": ["x"] * len(value["values"])}})
            yield f"{key} shape", edited(learned={**learned, key: {**value, "shape": [10**12]}})


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))
