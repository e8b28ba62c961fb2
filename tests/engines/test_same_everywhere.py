"""One body for all engines: whatever the engine, the block size and the source, the result is the same."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from leanrank import (
    FCBF,
    GAS,
    RCDR,
    EqualFrequencyDiscretizer,
    Importance,
    LocalEngine,
    MDLDiscretizer,
    QueryMinMaxScaler,
    QueryStandardScaler,
    RankingData,
    RReliefF,
    Similarity,
    feature_graph,
    fold,
    make_ranking,
    read_table,
    write_parquet,
)
from leanrank.data.arrow_table import arrow_table, roles_of
from leanrank.data.letor.reader import write_letor
from leanrank.data.letor.scan import scan_letor
from leanrank.data.parquet.scan import scan_parquet
from leanrank.data.side_columns import SideColumns
from leanrank.errors import DataError, MissingValuesError, ParameterError
from leanrank.selectors import registry
from leanrank.stats.anova import AnovaF
from leanrank.stats.constant import Constant
from leanrank.stats.lint import Lint
from leanrank.stats.value_counts import ValueCounts

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Dask and Spark
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*(selected no feature|is not determined|asked for):UserWarning"),
]

ENGINES = ("local-1", "local-2", "dask", "spark")
SOURCES = ("memory", "csr", "parquet", "letor", "letor.gz")
# one name of each class, and the one whose preset folds another statistic
CLASSES = {registry.selector_class(name): name for name in reversed(registry.names())}
FILTERS = [name for cls, name in CLASSES.items() if "engine" in inspect.signature(cls).parameters] + ["mrmr-f"]


def _data() -> RankingData:
    data, _ = make_ranking(
        50, (3, 25), n_informative=4, n_redundant=3, n_query_level=1, n_constant=1, n_noise=2, random_state=3
    )
    X = data.X.astype(np.float32).round(1)  # ties
    X[np.abs(X) < 0.3] = 0.0
    return RankingData(X, data.y, data.query_ptr, np.arange(50) * 3 + 1)


DATA = _data()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    table = arrow_table(DATA, comments=False)
    schema = table.schema.with_metadata(roles_of(DATA, comments=False).to_metadata())
    half = int(DATA.query_ptr[25])
    for name, part in (("a", table.slice(0, half)), ("b", table.slice(half))):  # row groups cut queries anywhere
        pq.write_table(part.cast(schema), folder / f"{name}.parquet", row_group_size=17)
    write_letor(DATA, folder / "c.txt")
    write_letor(DATA, folder / "c.txt.gz")
    return {
        "memory": DATA,
        "csr": RankingData(sp.csr_array(DATA.X), DATA.y, DATA.query_ptr, DATA.query_ids),
        "parquet": scan_parquet(folder),
        "letor": scan_letor(folder / "c.txt"),
        "letor.gz": scan_letor(folder / "c.txt.gz"),
    }


STATISTICS = {
    "map": Importance("map"),
    "ndcg": Importance("ndcg@5", direction="max"),
    "error": Importance("error", average="pairs"),
    "hinge": Importance("hinge", direction="max"),
    "kendall": Similarity(),
    "half": Similarity(ties="half"),
    "tau_ap": Similarity("tau_ap"),
    "spearman": Similarity("spearman"),
    "pearson": Similarity("pearson"),
    "pooled pearson": Similarity("pearson", scope="pooled"),
    "pooled spearman": Similarity("spearman", scope="pooled"),
    "anova": AnovaF(),
    "constant": Constant(),
    "values": ValueCounts(),
    "lint": Lint(DATA.feature_names),
}


def assert_same(found, expected, where=""):
    """Whole numbers and texts equal, other numbers to 1e-10."""
    if is_dataclass(expected):
        assert type(found) is type(expected), where
        for field in fields(expected):
            assert_same(getattr(found, field.name), getattr(expected, field.name), f"{where}.{field.name}")
    elif isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key in expected:
            assert_same(found[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), where
        for i, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert_same(a, b, f"{where}[{i}]")
    elif isinstance(expected, (float, np.floating)) or getattr(expected, "dtype", np.dtype(int)).kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10, err_msg=where)
    else:
        np.testing.assert_array_equal(found, expected, err_msg=where)


@pytest.fixture(scope="module")
def expected():
    return fold(STATISTICS, DATA, LocalEngine(1, block_rows=10**6))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("block_rows", [1, 60, 100_000])
@pytest.mark.parametrize("name", ENGINES)
def test_statistics(name, block_rows, source, sources, expected, make_engine):
    if name in ("dask", "spark") and block_rows == 1:
        pytest.skip("a task per row: the local engine shows it")
    if name == "spark" and block_rows == 100_000 and source != "parquet":
        pytest.skip("one block is one task whatever the source")
    assert_same(fold(STATISTICS, sources[source], make_engine(name, block_rows)), expected)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ENGINES)
def test_feature_graph_to_the_last_bit(name, source, sources, make_engine):
    if name == "spark" and source != "parquet":
        pytest.skip("test_statistics shows it")
    graph, whole = feature_graph(sources[source], engine=make_engine(name, 60)), feature_graph(DATA)
    for attribute in ("importance", "importance_std", "similarity", "constant", "n_queries"):
        np.testing.assert_array_equal(getattr(graph, attribute), getattr(whole, attribute))


WEIGHTED = ("map", "error", "kendall", "tau_ap", "spearman", "pooled pearson", "pooled spearman", "anova")


@pytest.mark.parametrize("source", ["memory", "parquet"])
@pytest.mark.parametrize("name", ENGINES)
def test_weights_travel_with_their_queries(name, source, tmp_path, make_engine):
    weight = np.random.default_rng(0).integers(0, 4, DATA.n_queries) / 2.0
    data = replace(DATA, beside=SideColumns(query_weight=weight))
    statistics = {key: STATISTICS[key] for key in WEIGHTED}
    write_parquet(data, tmp_path / "weighted.parquet")
    given = data if source == "memory" else scan_parquet(tmp_path / "weighted.parquet")
    found = fold(statistics, given, make_engine(name, 60))
    assert_same(found, fold(statistics, data, LocalEngine(1, block_rows=10**6)))
    plain = fold(statistics, DATA)
    assert all(np.abs(_figures(found[key]) - _figures(plain[key])).max() > 1e-6 for key in WEIGHTED)
    for method in (FCBF, RReliefF):  # what weighs nothing is left out where it is read
        one, other = method(engine=make_engine(name, 60)).fit(given), method().fit(data)
        np.testing.assert_allclose(one.scores_, other.scores_, atol=1e-10)


def _figures(result):
    return result if isinstance(result, np.ndarray) else result.mean


def learned(selector):
    steps = [(step["feature"], step["name"], step["score"], step["gain"]) for step in selector.trace_]
    return [selector.order_, selector.scores_, selector.selected_, selector.dropped_, steps]


@pytest.mark.parametrize("method", FILTERS)
@pytest.mark.parametrize("block_rows", [60, 400])
@pytest.mark.parametrize("name", ENGINES)
def test_selections(name, block_rows, method, sources, make_engine):
    if name == "spark" and block_rows == 60:
        block_rows = 200  # every task of Spark costs; this is several blocks too
    found = registry.get(method, engine=make_engine(name, block_rows)).fit(sources["parquet"])
    assert_same(learned(found), learned(registry.get(method).fit(DATA)), method)


@pytest.mark.parametrize("discretizer", [MDLDiscretizer(max_values=12), EqualFrequencyDiscretizer(3, max_values=12)])
@pytest.mark.parametrize("name", ENGINES)
def test_more_values_than_are_told_apart(name, discretizer, sources, make_engine):
    if name == "spark" and isinstance(discretizer, EqualFrequencyDiscretizer):
        pytest.skip("the same folds with other cuts")
    assert max(len(table.values) for table in fold(ValueCounts(), DATA).tables) > 12
    methods = ("symmetrical-uncertainty", "fcbf", "cfs") if name.startswith("local") else ("cfs",)
    for method in methods:
        engine = make_engine(name, 60 if name.startswith("local") else 400)
        found = registry.get(method, discretizer=discretizer, engine=engine).fit(sources["parquet"])
        whole = registry.get(method, discretizer=discretizer).fit(DATA)
        assert_same(learned(found), learned(whole), method)
        assert_same(found.cuts_, whole.cuts_, method)


@pytest.mark.parametrize("kind", ["spearman", "kendall"])
@pytest.mark.parametrize("name", ENGINES)
def test_reduction(name, kind, sources, make_engine):
    block_rows = 60 if name.startswith("local") else 400
    found = RCDR(3, kind=kind, engine=make_engine(name, block_rows)).fit(sources["parquet"])
    whole = RCDR(3, kind=kind).fit(DATA)
    assert_same([found.components_, found.norms_, found.n_orders_], [whole.components_, whole.norms_, whole.n_orders_])


@pytest.mark.parametrize("scaler", [QueryMinMaxScaler(decimals=3), QueryStandardScaler()])
@pytest.mark.parametrize("name", ENGINES)
def test_scaled_on_the_way(name, scaler, sources, make_engine):
    scaled = scaler.fit(sources["parquet"]).transform(sources["parquet"])
    assert_same(
        fold(Similarity("pearson", scope="pooled"), scaled, make_engine(name, 400)),
        fold(Similarity("pearson", scope="pooled"), scaler.transform(DATA)),
    )


@pytest.mark.parametrize("make", [lambda engine: GAS(3, engine=engine), lambda engine: RCDR(3, engine=engine)])
@pytest.mark.parametrize("name", ENGINES)
def test_transformed_on_the_way(name, make, sources, make_engine):
    engine = make_engine(name, 400)
    fitted = make(engine).fit(sources["parquet"])
    whole = make(None).fit(DATA).transform(DATA)
    for source in ("parquet", "letor") if name != "spark" else ("parquet",):
        changed = fitted.transform(sources[source])
        assert changed.feature_names == whole.feature_names
        statistics = [Constant(), Similarity("pearson", scope="pooled")]
        assert_same(fold(statistics, changed, engine), fold(statistics, whole))


@pytest.mark.parametrize("make", [lambda: GAS(3), lambda: RCDR(3), lambda: QueryMinMaxScaler()])
@pytest.mark.parametrize("source", ["parquet", "letor", "letor.gz"])
def test_written_block_by_block(source, make, sources, tmp_path):
    fitted = make().fit(DATA)
    write_parquet(fitted.transform(sources[source]), tmp_path / "changed.parquet")
    found, whole = read_table(tmp_path / "changed.parquet"), fitted.transform(DATA)
    np.testing.assert_allclose(found.X, whole.X, rtol=1e-12)
    assert found.feature_names == whole.feature_names
    assert found.query_ids.tolist() == whole.query_ids.tolist()
    np.testing.assert_array_equal(found.y, whole.y)


def test_other_features_are_refused_before_anything_is_read(sources, tmp_path):
    other = RankingData(DATA.X[:, 1:], DATA.y, DATA.query_ptr)
    write_letor(other, tmp_path / "other.txt")
    with pytest.raises(ParameterError, match="GAS was fitted on other features: 11 then, 10 now"):
        GAS(3).fit(sources["parquet"]).transform(scan_letor(tmp_path / "other.txt"))
    with pytest.raises(DataError, match="X has 10 features, but RCDR is expecting 11"):
        RCDR(3).fit(sources["parquet"]).transform(scan_letor(tmp_path / "other.txt"))


@pytest.mark.parametrize("name", ENGINES)
def test_bad_data_are_refused_alike(name, tmp_path, make_engine):
    X = DATA.X.copy()
    X[DATA.query_ptr[30], 2] = np.nan
    table = arrow_table(RankingData(X, DATA.y, DATA.query_ptr, DATA.query_ids, missing=True), comments=False)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=17)
    source = scan_parquet(tmp_path, label="label", qid="qid", missing=True)
    with pytest.raises(MissingValuesError, match="Similarity cannot take missing values: feature '3' has 1 of"):
        fold(Similarity(), source, make_engine(name, 60))
    source = scan_parquet(tmp_path, label="label", qid="qid")
    with pytest.raises(DataError, match=r"a\.parquet: NaN in feature '3', row \d+"):
        fold(Similarity(), source, make_engine(name, 60))


@pytest.mark.parametrize("name", ENGINES)
def test_a_split_query_is_refused_by_its_id(name, tmp_path, make_engine):
    rows = np.r_[0 : DATA.n_rows, 0:3]  # the first query comes back at the end
    table = arrow_table(DATA, comments=False).take(rows)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=40)
    with pytest.raises(DataError, match=f"query {DATA.query_ids[0]} are not adjacent"):
        fold(Constant(), scan_parquet(tmp_path, label="label", qid="qid"), make_engine(name, 60))


@pytest.mark.parametrize("name", ENGINES)
def test_nothing_to_fold(name, make_engine):
    class Nothing:
        feature_names = ("a",)

        def blocks(self, n_rows=1):
            return iter(())

    with pytest.raises(DataError, match="The source yielded no block"):
        fold(Constant(), Nothing(), make_engine(name, 60))


@pytest.mark.parametrize("name", ENGINES)
def test_a_bar_for_whoever_watches(name, sources, make_engine, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("leanrank.engines.progress.is_watched", lambda: True)
    if name == "spark":
        monkeypatch.setattr("leanrank.engines.spark_engine.is_watched", lambda: True)
    engine = make_engine(name, 60)
    whole = fold(Constant(), DATA)
    for source in ("memory", "parquet"):
        np.testing.assert_array_equal(fold(Constant(), sources[source], engine, progress=True), whole)
        shown = capsys.readouterr().err
        assert ("parts" if source == "parquet" and "local" not in name else "queries") in shown
