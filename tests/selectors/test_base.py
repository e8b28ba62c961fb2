"""What every selector shares: sizes, names, tables in and out, errors, the record."""

from __future__ import annotations

import inspect
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.selectors.metamorphic import Blocks, tie_free
from tests.selectors.random_graph import random_graph

import leanrank
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, MissingValuesError, ParameterError
from leanrank.selectors import GAS, Limits, TopK, registry
from leanrank.selectors._base import Selector
from leanrank.selectors.path import Path
from leanrank.stats.feature_graph import FeatureGraph, feature_graph

DATA = tie_free(1)
NAMES = [f"f{j}" for j in range(9)]
NAMED = RankingData(DATA.X, DATA.y, DATA.query_ptr, DATA.query_ids, NAMES)
# Enough rows for the filters that discretise to find something.
_MORE = tie_free(1, n_queries=40)
MORE = RankingData(_MORE.X, _MORE.y, _MORE.query_ptr, _MORE.query_ids, NAMES)


@pytest.mark.parametrize(
    ("size", "expected"), [(None, 8), (1, 1), (3, 3), (8, 8), (0.5, 5), (0.05, 1), (0.2, 2), (np.int64(4), 4)]
)
def test_sizes(size, expected):
    selector = TopK(size).fit(DATA)
    assert selector.support_.sum() == expected
    assert selector.selected_.tolist() == selector.order_[:expected].tolist()
    assert selector.get_support(indices=True).tolist() == sorted(selector.selected_)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, "The 'n_features_to_select' parameter of TopK must be from 1 to 9, the number of features. Got 0 instead"),
        (10, "from 1 to 9"),
        (-0.5, "a number of features or a share in"),
        (1.5, "a number of features or a share in"),
        (True, "a number of features or a share in"),
        ("all", "a number of features or a share in"),
        (float("nan"), "a number of features or a share in"),
    ],
)
def test_impossible_sizes(size, message):
    with pytest.raises(ParameterError, match=message):
        TopK(size).fit(DATA)
    with pytest.raises(ParameterError, match=message):
        TopK(size).fit_graph(random_graph(0, m=9))


def test_more_features_than_vary_is_said():
    with pytest.warns(UserWarning, match="TopK was asked for 9 features, but only 8 of 9 vary inside some query"):
        selector = TopK(9).fit(DATA)
    assert selector.support_.sum() == 8
    with pytest.raises(ParameterError, match=r"cannot select 9 features: its path has 8 of 9 \(1 dropped as constant"):
        selector.select(9)
    with pytest.raises(ParameterError, match="'k' parameter of TopK must be from 1 to 9"):
        selector.select(10)
    assert selector.select(0.5).tolist() == selector.order_[:5].tolist()


def test_only_constant_features():
    with pytest.raises(DataError, match="All 2 features are constant inside every query"):
        TopK().fit(np.ones((4, 2)), [1, 0, 1, 0], qid=[1, 1, 2, 2])


def test_every_kind_of_table_gives_the_same_selection():
    y, qid = DATA.y, DATA.qid
    expected = GAS(3).fit(DATA)
    frame = pd.DataFrame(DATA.X, columns=NAMES)
    tables = [DATA.X, DATA.X.tolist(), sp.csr_matrix(DATA.X), frame, pl.from_pandas(frame), pa.table(frame)]
    for table in tables:
        selector = GAS(3).fit(table, y, qid=qid)
        assert selector.order_.tolist() == expected.order_.tolist()
        assert selector.n_features_in_ == 9
    assert GAS(3).fit(Blocks(DATA, 20)).order_.tolist() == expected.order_.tolist()
    assert GAS(3).fit_graph(feature_graph(DATA)).order_.tolist() == expected.order_.tolist()


def test_tables_come_out_as_they_went_in():
    kept = GAS(3).fit(DATA).get_support(indices=True)
    selector = GAS(3).fit(DATA.X, DATA.y, qid=DATA.qid)
    assert np.array_equal(selector.transform(DATA.X), DATA.X[:, kept])
    sparse = selector.transform(sp.csr_matrix(DATA.X))
    assert sp.issparse(sparse)
    assert np.array_equal(sparse.toarray(), DATA.X[:, kept])
    frame = pd.DataFrame(DATA.X, columns=NAMES)
    frames = GAS(3).set_output(transform="pandas").fit(frame, DATA.y, qid=DATA.qid)
    pd.testing.assert_frame_equal(frames.transform(frame), frame.iloc[:, kept])
    polars = pl.from_pandas(frame)
    frames = GAS(3).set_output(transform="polars").fit(polars, DATA.y, qid=DATA.qid)
    assert frames.transform(polars).equals(polars[:, kept.tolist()])


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_ranking_data_comes_out_as_ranking_data(output):
    selector = GAS(3).set_output(transform=output).fit(NAMED)
    out = selector.transform(NAMED)
    assert isinstance(out, RankingData)
    assert out.equals(NAMED.subset(selector.get_support()))
    assert out.feature_names == tuple(selector.get_feature_names_out())
    assert selector.fit_transform(NAMED).equals(out)


def test_fit_transform_takes_qid():
    expected = GAS(3).fit(DATA.X, DATA.y, qid=DATA.qid).transform(DATA.X)
    assert np.array_equal(GAS(3).fit_transform(DATA.X, DATA.y, qid=DATA.qid), expected)


def test_rows_of_a_query_apart_are_refused_or_regrouped():
    order = np.argsort(np.arange(DATA.n_rows) % 2, kind="stable")
    X, y, qid = DATA.X[order], DATA.y[order], DATA.qid[order]
    with pytest.raises(DataError, match="quer"):
        GAS(3).fit(X, y, qid=qid)
    assert GAS(3).fit(X, y, qid=qid, regroup=True).order_.tolist() == GAS(3).fit(DATA).order_.tolist()


def test_names():
    assert GAS(2).fit(NAMED).get_feature_names_out().tolist() == [NAMES[j] for j in GAS(2).fit(DATA).get_support(True)]
    plain = GAS(2).fit(DATA.X, DATA.y, qid=DATA.qid)
    assert not hasattr(plain, "feature_names_in_")
    assert all(name.startswith("x") for name in plain.get_feature_names_out())
    assert {record["name"] for record in plain.trace_} <= {str(j + 1) for j in range(9)}


def test_other_data_than_in_fit_are_refused():
    selector = GAS(2).fit(NAMED)
    with pytest.raises(ParameterError, match=r"fitted on other features: 9 then, 8 now, of which .* is not one"):
        selector.transform(NAMED.subset(range(8)))
    with pytest.raises(ParameterError, match="9 now, in another order"):
        selector.transform(NAMED.subset(range(8, -1, -1)))
    with pytest.raises(ValueError, match="8 features, but GAS is expecting 9"):
        GAS(2).fit(DATA.X, DATA.y, qid=DATA.qid).transform(DATA.X[:, :8])


def test_refitting_forgets_names():
    selector = GAS(2).fit(NAMED).fit(DATA.X, DATA.y, qid=DATA.qid)
    assert not hasattr(selector, "feature_names_in_")


def test_missing_values_are_refused():
    X = DATA.X.copy()
    X[3, 2] = np.nan
    data = RankingData(X, DATA.y, DATA.query_ptr, missing=True)
    with pytest.raises(MissingValuesError, match="GAS cannot take missing values: feature '3'"):
        GAS().fit(data)
    hint = r"NaN in feature '3', row 3 \(query .*\): GAS cannot take missing values\. Fill or drop them first\.$"
    with pytest.raises(MissingValuesError, match=hint) as error:
        GAS().fit(X, DATA.y, qid=DATA.qid)
    assert error.value.owner == "GAS"


def test_what_is_forgotten_is_named():
    with pytest.raises(DataError, match="no qid"):
        GAS().fit(DATA.X, DATA.y)
    with pytest.raises(DataError, match="no labels"):
        GAS().fit(DATA.X, qid=DATA.qid)
    with pytest.raises(DataError, match="carries its own labels"):
        GAS().fit(DATA, DATA.y)
    with pytest.raises(NotFittedError):
        GAS().select(2)
    with pytest.raises(NotFittedError):
        GAS().transform(DATA)
    with pytest.raises(NotFittedError):
        GAS().to_dict()


def test_fit_leaves_parameters_alone():
    for name in registry.names():
        selector = registry.get(name)
        before = clone(selector).get_params()
        selector.fit(MORE)
        assert selector.get_params() == before, name


def test_the_trace_follows_the_path():
    for name in registry.names():
        selector = registry.get(name).fit(MORE)
        assert [record["feature"] for record in selector.trace_] == selector.order_.tolist(), name
        for record in selector.trace_:
            assert set(record) == {"feature", "name", "score", "gain", "reason"}
            assert record["name"] == NAMES[record["feature"]]
            assert record["reason"]


def test_the_record_is_json():
    for name in registry.names():
        selector = registry.get(name, n_features_to_select=3).fit(MORE)
        record = json.loads(json.dumps(selector.to_dict(), allow_nan=False))
        assert record["method"] == type(selector).__name__
        assert record["version"] == leanrank.__version__
        assert record["indices"] == selector.selected_.tolist()
        assert record["ids"] == [j + 1 for j in record["indices"]]
        assert record["names"] == [NAMES[j] for j in record["indices"]]
        assert record["dropped"] == ["f4"]
        assert record["n_features_in"] == 9
        assert record["parameters"]["n_features_to_select"] == 3
        size = len(selector.selected_)  # 3, or fewer where a method's own set is smaller
        assert 1 <= size <= 3
        assert len(record["trace"]) >= size
        assert len(record["scores"]) == size


def test_parameters_that_are_objects_are_recorded_by_what_they_are():
    record = GAS(2, similarity=leanrank.Similarity("kendall", ties="half")).fit(DATA).to_dict()
    assert record["parameters"]["similarity"] == {
        "type": "Similarity",
        "kind": "kendall",
        "ties": "half",
        "scope": "query",
    }


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("gas", {"c": -1}, "The 'c' parameter of GAS must be >= 0. Got -1 instead"),
        ("gas", {"c": float("nan")}, "must be >= 0. Got nan"),
        ("gas", {"min_weight": "low"}, "'min_weight' parameter of GAS must be a number or None. Got 'low'"),
        ("xgas", {"p": 0}, "The 'p' parameter of XGAS must be > 0 and <= 1. Got 0"),
        ("xgas", {"p": 1.2}, "> 0 and <= 1"),
        ("hcas", {"linkage": "ward"}, "must be one of 'ward.D', 'ward.D2'.*Got 'ward'"),
        ("mmr", {"lam": 2}, "The 'lam' parameter of MMR must be from 0 to 1"),
        ("mmr", {"aggregate": "min"}, "one of 'max', 'mean'"),
        ("msd", {"lam": -0.1}, "The 'lam' parameter of MSD"),
        ("mpt", {"b": -1}, "The 'b' parameter of MPT must be >= 0"),
        ("mrmr", {"form": "sum"}, "one of 'quotient', 'difference'"),
        ("mrmr", {"relevance": "mi"}, "one of 'importance', 'f'"),
    ],
)
def test_impossible_parameters_are_refused_before_the_work(name, parameters, message):
    with pytest.raises(ParameterError, match=message):
        registry.get(name, **parameters).fit(DATA)
    with pytest.raises(ParameterError, match=message):
        registry.get(name, **parameters).fit_graph(random_graph(0))


def test_a_graph_put_together_by_hand():
    graph = FeatureGraph([0.5, 0.4], [[1, 0.9], [0.9, 1]], ["bm25", "tf"])
    selector = GAS(1).fit_graph(graph)
    assert selector.graph_ is graph
    assert selector.get_feature_names_out().tolist() == ["bm25"]
    assert selector.transform(pd.DataFrame({"bm25": [1.0], "tf": [2.0]})).tolist() == [[1.0]]


def test_a_selector_of_ones_own():
    class Widest(Selector):
        def __init__(self, n_features_to_select=None):
            self.n_features_to_select = n_features_to_select

        def _fit(self, source):
            ranges = [np.ptp(block.X, axis=0) for block in source.blocks()]
            return Path.by_score(np.max(ranges, axis=0), reason="range")

    selector = Widest(2).fit(DATA)
    assert selector.selected_.tolist() == np.argsort(-np.ptp(DATA.X, axis=0))[:2].tolist()
    assert selector.transform(DATA).n_features == 2
    assert selector.trace_[0]["reason"].startswith("range ")


def test_a_selector_must_say_how():
    class Nothing(Selector):
        n_features_to_select = None

    with pytest.raises(NotImplementedError, match="Nothing must define _fit"):
        Nothing().fit(DATA)


def test_ranking_is_the_rank_of_each_feature():
    graph = FeatureGraph([0.2, 0.9, 0.5, 0.7, 0.1], np.eye(5), constant=[False, False, True, False, False])
    whole = TopK().fit_graph(graph)
    assert whole.order_.tolist() == [1, 3, 0, 4]
    assert whole.ranking_.tolist() == [3, 1, 5, 2, 4]  # the constant feature comes behind the last
    some = GAS(c=0, min_weight=0.5).fit_graph(graph)
    assert some.order_.tolist() == [1, 3]
    assert some.ranking_.tolist() == [3, 1, 3, 2, 3]  # those not reached and those dropped are equal
    assert TopK(limits=Limits(budget=0)).fit_graph(graph).ranking_.tolist() == [1] * 5


def test_parameters_are_declared_once_and_documented_everywhere():
    for name in registry.names():
        cls = registry.selector_class(name)
        text = inspect.getdoc(cls)
        assert text.count("Parameters\n----------\n") == text.count("Attributes\n----------\n") == 1, name
        for parameter, signature in inspect.signature(cls).parameters.items():
            entry = next(line for line in text.splitlines() if re.match(rf"(\w+, )*{parameter}(, \w+)* : ", line))
            assert repr(signature.default) in entry.split("default=")[1], (name, parameter)
        assert "order_ : " in text
        assert "ranking_ : " in text
        assert ("cost_ : " in text) == ("limits" in inspect.signature(cls).parameters), name
    assert "The lowered weight" in GAS.__doc__  # its own words come before those of the base
    assert GAS.__doc__.count("scores_ : ") == 1
