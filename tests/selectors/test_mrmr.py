"""MRMR against the package mrmr_selection."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import f_classif
from tests.selectors.metamorphic import tie_free

from leanrank.errors import ParameterError
from leanrank.selectors import MRMR
from leanrank.stats.feature_graph import feature_graph
from leanrank.stats.similarity import Similarity


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_mrmr_selection(seed):
    data = tie_free(seed, n_queries=30, n_features=14)
    with warnings.catch_warnings():
        mrmr = pytest.importorskip("mrmr", reason="the package mrmr-selection is not installed")
        frame = pd.DataFrame(data.X, columns=data.feature_names).drop(columns="5")
        theirs = mrmr.mrmr_classif(frame, pd.Series(data.y), K=13, n_jobs=1, show_progress=False)
    ours = MRMR(relevance="f", similarity=Similarity("pearson", scope="pooled"), offset=0.0).fit(data)
    assert [data.feature_names[j] for j in ours.order_] == theirs


def test_relevance_f_is_that_of_scikit_learn():
    data = tie_free(3)
    selector = MRMR(relevance="f").fit(data)
    np.testing.assert_allclose(selector.graph_.importance, f_classif(data.X, data.y)[0], rtol=1e-9)
    assert selector.graph_.computed_with["importance"]["metric"] == "f"
    assert "importance f" in repr(selector.graph_)


def test_likeness_of_opposed_features_is_likeness():
    data = tie_free(2)
    flipped = data.X.copy()
    flipped[:, [1, 6]] *= -1
    settings = {"relevance": "f", "similarity": Similarity("pearson", scope="pooled")}
    a = MRMR(**settings).fit(data)
    b = MRMR(**settings).fit(flipped, data.y, qid=data.qid)
    assert a.order_.tolist() == b.order_.tolist()


def test_f_is_not_read_from_a_graph_of_something_else():
    data = tie_free(3)
    ranked = MRMR(relevance="f").fit(data)
    assert MRMR(relevance="f").fit_graph(ranked.graph_).order_.tolist() == ranked.order_.tolist()
    with pytest.raises(ParameterError, match="relevance' parameter of MRMR must be 'importance' on a graph of map"):
        MRMR(relevance="f").fit_graph(feature_graph(data))
