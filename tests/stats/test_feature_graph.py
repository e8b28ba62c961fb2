"""FeatureGraph: adding, saving, cutting; hostile files."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from tests.stats.toy import T1, random_data

from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.data.side_columns import SideColumns
from leanrank.engines.local import LocalEngine
from leanrank.errors import DataError, LeanRankError, MissingExtraError, ParameterError, UnknownNameError
from leanrank.metrics.ndcg import NDCG
from leanrank.selectors.gas import GAS
from leanrank.stats.feature_graph import FeatureGraph, feature_graph
from leanrank.stats.importance import Importance
from leanrank.stats.similarity import Similarity

SIMILARITY = [[1, 0.9, 0.2], [0.9, 1, 0.1], [0.2, 0.1, 1]]
HAND = FeatureGraph([0.5, 0.4, 0.3], SIMILARITY, ["bm25", "tf", "age"], constant=[False, False, True])


def assert_same(a: FeatureGraph, b: FeatureGraph) -> None:
    for field in ("importance", "importance_std", "similarity", "constant"):
        np.testing.assert_array_equal(getattr(a, field), getattr(b, field))
    assert (a.feature_names, a.n_queries, a.computed_with) == (b.feature_names, b.n_queries, b.computed_with)


def test_the_toy_graph():
    graph = feature_graph(T1, importance=Importance("map", ties="input"), similarity="strict")
    assert graph.importance.round(6).tolist() == [1, 1, 0.541667, 0.75]
    assert graph.similarity[0].round(6).tolist() == [1, 0.916667, 0.416667, 0]
    assert graph.constant.tolist() == [False, False, False, True]
    assert (graph.n_queries, graph.n_features, graph.feature_names) == (2, 4, ("1", "2", "3", "4"))
    assert graph.computed_with == {
        "importance": {"metric": "map", "direction": "desc", "ties": "input"},
        "similarity": {"kind": "kendall", "ties": "strict", "scope": "query"},
    }
    assert not graph.signed
    assert feature_graph(T1).signed
    assert feature_graph(T1, similarity="spearman").signed
    assert not HAND.signed


def test_repr_names_the_strongest_pairs():
    assert repr(feature_graph(T1)) == (
        "FeatureGraph: 4 features, 2 queries\n"
        "  computed    importance map, similarity kendall (signed)\n"
        "  importance  1 1, 2 1, 4 0.6458, 3 0.5417\n"
        "  similarity  1~2 0.9574, 1~3 -0.1667, 2~3 -0.2611\n"
        "  constant    4"
    )
    assert repr(FeatureGraph([1.0], [[1.0]])) == "FeatureGraph: 1 feature\n  importance  1 1"


every_way = pytest.mark.parametrize(
    ("importance", "similarity"),
    [
        ("map", "kendall"),
        (Importance("ndcg@5", direction="max"), Similarity(ties="signed")),
        (Importance("hinge", average="pairs"), Similarity(ties="tau-b")),
        (NDCG(k=3), "tau_ap"),
        ("error", "spearman"),
        ("map", "pearson"),
    ],
)


@every_way
def test_graphs_of_parts_add_up_to_the_graph_of_all(importance, similarity, tmp_path):
    data = random_data(0, [9, 1, 30, 4, 17, 2], 6)
    whole = feature_graph(data, importance, similarity)
    parts = [feature_graph(data.take_queries(q), importance, similarity) for q in ([4, 1], [0, 5], [2, 3])]
    assert_same(parts[0] + parts[1] + parts[2], whole)
    assert_same(parts[2] + (parts[1] + parts[0]), whole)
    parts[0].save(tmp_path / "part.npz")
    assert_same(parts[1] + FeatureGraph.load(tmp_path / "part.npz") + parts[2], whole)
    assert_same(feature_graph(data, importance, similarity, LocalEngine(2, block_rows=7)), whole)


def with_weights(data: RankingData, weights: list[float]) -> RankingData:
    return replace(data, beside=SideColumns(query_weight=np.array(weights)))


@every_way
def test_a_part_that_weighs_nothing_adds_nothing(importance, similarity, tmp_path):
    data = with_weights(random_data(0, [9, 30, 4, 17, 12], 6), [0.0, 0.3, 0.0, 2.0, 0.0])
    whole = feature_graph(data, importance, similarity)
    parts = [feature_graph(data.take_queries(q), importance, similarity) for q in ([0, 4], [1, 3], [2])]
    nothing = parts[0] + parts[2]
    assert nothing.n_queries == 0
    assert not nothing.constant.any()
    assert not nothing.importance.any()
    assert not nothing.similarity.any()
    assert_same(nothing + parts[1], whole)
    assert_same(parts[0] + parts[1] + parts[2], whole)
    nothing.save(tmp_path / "nothing.npz")
    assert_same(parts[1] + FeatureGraph.load(tmp_path / "nothing.npz"), whole)
    assert_same(feature_graph(data.take_queries([1, 3]), importance, similarity), whole)


def test_parts_that_weigh_nothing_add_nothing_to_pooled_values():
    data, pooled = with_weights(random_data(1, [9, 30, 17], 4), [0.0, 1.5, 0.0]), Similarity("pearson", scope="pooled")
    parts = [feature_graph(data.take_queries([q]), similarity=pooled) for q in range(3)]
    assert_same(parts[0] + parts[2] + parts[1], feature_graph(data, similarity=pooled))
    assert not (parts[0] + parts[2]).similarity.any()
    assert not feature_graph(data.take_queries([0]), similarity=Similarity("spearman", scope="pooled")).similarity.any()


def test_a_part_that_weighs_next_to_nothing_can_be_added():
    data = with_weights(random_data(0, [9, 30, 4, 17], 6), [1e-9, 2e-9, 3.0, 1.0])
    parts = [feature_graph(data.take_queries(q)) for q in ([0], [1], [2, 3])]
    assert_same(parts[0] + parts[1] + parts[2], feature_graph(data))


def test_what_weighs_next_to_nothing_is_refused_however_much_of_it_weighs_nothing_at_all():
    data = with_weights(random_data(0, [9, 30, 4], 6), [1e-9, 0.0, 2e-9])
    with pytest.raises(DataError, match="weigh 3e-09 together, too little for a similarity"):
        feature_graph(data)
    with pytest.raises(DataError, match="weigh 3e-09 together, too little for a similarity"):
        GAS(2).fit(data)


def test_weighted_sums_of_an_older_version_are_said_to_be_old(tmp_path):
    path, data = tmp_path / "graph.npz", with_weights(random_data(0, [9, 30], 3), [1.0, 2.0])
    graph = feature_graph(data)
    graph.save(path)
    damaged(
        path,
        lambda a: a.update({f"sums.similarity.{k}": a[f"sums.similarity.{k}"][:2] for k in ("total", "n_queries")}),
    )
    old = FeatureGraph.load(path)
    assert_same(old, graph)
    for add in (lambda: old + graph, lambda: graph + old):
        with pytest.raises(
            DataError, match=r"was saved by leanrank 0\.3\.1 or older, .*: compute it again, and save that\.$"
        ):
            add()
    with pytest.raises(DataError, match="was put together by hand, cut, or"):
        _ = graph + graph.threshold(0.5)


def test_pooled_pearson_adds_up_and_pooled_spearman_says_why_not():
    data = random_data(1, [9, 30, 17], 4)
    parts = [feature_graph(data.take_queries([q]), similarity=Similarity("pearson", scope="pooled")) for q in range(3)]
    found = (parts[0] + parts[2]) + parts[1]
    np.testing.assert_allclose(found.similarity, np.corrcoef(data.X.T), atol=1e-12)
    ranks = feature_graph(data, similarity=Similarity("spearman", scope="pooled"))
    with pytest.raises(DataError, match=r"has pooled 'spearman'\. Compute the graph of all data together"):
        _ = ranks + ranks


def test_what_cannot_be_added():
    a, b = random_data(2, [9, 5], 3), random_data(3, [9, 5], 3)
    graph = feature_graph(a)
    with pytest.raises(
        DataError, match=r"one with importance map, similarity kendall \(signed\), the other with importance"
    ):
        _ = graph + feature_graph(b, importance="ndcg@5")
    with pytest.raises(DataError, match="different features"):
        _ = graph + feature_graph(b.subset([0, 2]))
    with pytest.raises(DataError, match="no sums to add"):
        _ = HAND + HAND
    with pytest.raises(DataError, match="no sums to add"):
        _ = graph + feature_graph(b).threshold(0.5)
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = graph + 1


def test_threshold_keeps_the_diagonal_and_edges_above():
    cut = HAND.threshold(0.2)
    assert cut.similarity.tolist() == [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]
    assert HAND.similarity[0, 2] == 0.2
    assert cut.constant.tolist() == [False, False, True]


def test_subset_by_name_number_or_mask():
    by_name = HAND.subset(["age", "bm25"])
    assert (by_name.feature_names, by_name.importance.tolist()) == (("age", "bm25"), [0.3, 0.5])
    assert by_name.similarity.tolist() == [[1, 0.2], [0.2, 1]]
    assert_same(HAND.subset([2, 0]), by_name)
    assert HAND.subset([True, False, True]).feature_names == ("bm25", "age")
    with pytest.raises(UnknownNameError, match="Unknown feature 'bm52': did you mean 'bm25'"):
        HAND.subset(["bm52"])


def test_a_graph_is_frozen():
    with pytest.raises(ValueError, match="read-only"):
        HAND.importance[0] = 9.0
    given = np.array([1.0, 2.0])
    graph = FeatureGraph(given, np.eye(2))
    given[0] = 7.0
    assert graph.importance[0] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], np.eye(3)), "similarity of a feature graph has shape"),
        (([1.0, np.nan], np.eye(2)), "importance of a feature graph must be finite"),
        (([1.0, 2.0], [[1.0, 0.2], [0.3, 1.0]]), "must be symmetric"),
        (([1.0, 2.0], np.eye(2), ["a", "a"]), "needs as many different names"),
        (([1.0, 2.0], np.eye(2), ["a"]), "needs as many different names"),
        (([], np.empty((0, 0))), "expected"),
        (([1.0], [[1.0]], ["a"], [1.0, 2.0]), "importance_std of a feature graph has shape"),
    ],
)
def test_nonsense_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        FeatureGraph(*arguments)


def test_only_ranking_data_make_a_graph():
    with pytest.raises(ParameterError, match="'data' parameter of feature_graph must be a RankingData or"):
        feature_graph(np.zeros((3, 2)))


def test_to_networkx():
    graph = HAND.to_networkx(sigma=0.15)
    assert dict(graph.nodes(data="importance")) == {"bm25": 0.5, "tf": 0.4, "age": 0.3}
    assert sorted(graph.edges(data="weight")) == [("bm25", "age", 0.2), ("bm25", "tf", 0.9)]


def test_networkx_is_optional(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    with pytest.raises(MissingExtraError, match="to_networkx needs the package 'networkx': pip install networkx"):
        HAND.to_networkx()


def test_save_and_load(tmp_path):
    path = tmp_path / "graph.npz"
    names = ("bm25", "größe", "a\tb", "日本")
    graph = feature_graph(RankingData(T1.X, T1.y, T1.query_ptr, feature_names=names))
    graph.save(path)
    assert_same(FeatureGraph.load(path), graph)
    HAND.save(str(path))  # replaces it
    assert_same(FeatureGraph.load(str(path)), HAND)
    assert [file.name for file in tmp_path.iterdir()] == ["graph.npz"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "graph.npz"
    HAND.save(path)

    def fails(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fails)
    with pytest.raises(DataError, match=r"graph\.npz: cannot be written \(disk full\)"):
        feature_graph(T1).save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["graph.npz"]
    assert_same(FeatureGraph.load(path), HAND)


def damaged(path, change):
    """Rewrite a saved graph with its arrays changed."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez(path, **arrays)


def with_header(**changes):
    def change(arrays):
        header = json.loads(arrays["header"].tobytes()) | changes
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.pop("similarity"), "it has no .*similarity"),
        (lambda a: a.pop("header"), "it has no .*header"),
        (lambda a: a.update(header=np.frombuffer(b"{", dtype=np.uint8)), "Expecting property name"),
        (lambda a: a.update(importance=np.array(["x"] * 4)), "array 'importance' has dtype"),
        (lambda a: a.update(importance=np.zeros(3)), "shape"),
        (lambda a: a.update({"sums.constant.varies": np.zeros(9, dtype=bool)}), "sums constant.varies have dtype"),
        (lambda a: a.pop("sums.similarity.total"), "it has no .*sums.similarity.total"),
        (with_header(format="something else"), "its header says 'something else'"),
        (with_header(version=99), "version 99"),
        (with_header(feature_names=[1, 2, 3, 4]), "feature names are not texts"),
        (with_header(feature_names="abcd"), "feature names are not texts"),
        (with_header(n_queries="many"), "header is damaged"),
        (with_header(similarity_sums="os.system"), "it has no 'os.system'"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, change, message):
    path = tmp_path / "graph.npz"
    feature_graph(T1).save(path)
    damaged(path, change)
    with pytest.raises(LeanRankError, match=rf"graph\.npz' is not a feature graph: .*{message}"):
        FeatureGraph.load(path)


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was loaded')",))


def test_a_pickle_is_never_loaded(tmp_path):
    path = tmp_path / "graph.npz"
    feature_graph(T1).save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["importance"] = np.array([Bomb()], dtype=object)
    np.savez(path, **arrays)  # numpy pickles the object
    with pytest.raises(LeanRankError, match="Object arrays cannot be loaded"):
        FeatureGraph.load(path)
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(LeanRankError, match=r"not an \.npz file"):
        FeatureGraph.load(path)


def test_files_that_are_no_graph(tmp_path):
    path = tmp_path / "graph.npz"
    with pytest.raises(LeanRankError, match="There is no file"):
        FeatureGraph.load(path)
    feature_graph(T1).save(path)
    whole = path.read_bytes()
    for content in (b"", b"PK\x03\x04", whole[: len(whole) // 2], whole[:-10]):
        path.write_bytes(content)
        with pytest.raises(LeanRankError, match=r"graph\.npz' is not a feature graph"):
            FeatureGraph.load(path)
    np.savez_compressed(path, header=np.zeros(10**6, dtype=np.uint8))
    with pytest.raises(LeanRankError, match="it is compressed"):
        FeatureGraph.load(path)


def test_an_array_that_promises_more_than_it_has(tmp_path):
    path = tmp_path / "graph.npz"
    feature_graph(T1).save(path)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries["importance.npy"] = header.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(LeanRankError, match="is not a feature graph"):
        FeatureGraph.load(path)


@pytest.mark.data
def test_ohsumed_by_parts_equals_ohsumed_whole(data_dir):
    """Constant features are those its README lists, and the best single feature is known."""
    from leanrank.data.letor.reader import read_letor

    parts = [read_letor(data_dir / "ohsumed" / f"S{i}.txt.gz") for i in (1, 2, 3)]
    whole = feature_graph(concatenate(parts))
    assert_same(feature_graph(parts[2]) + feature_graph(parts[0]) + feature_graph(parts[1]), whole)
    assert whole.n_queries == 63
    assert (np.flatnonzero(whole.constant) + 1).tolist() == [5, 6, 7, 20, 21, 22, 35, 36, 37]
    assert int(np.argmax(whole.importance)) + 1 == 8  # BestGain's feature in fold 1


def test_constant_features_are_in_no_pair():
    """They are all alike, and crowd out what is worth seeing."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.zeros((40, 3)), rng.random((40, 2)), np.ones(40)])
    graph = feature_graph(RankingData(X, rng.integers(0, 3, 40), np.arange(0, 41, 8)))
    assert [pair[:2] for pair in graph.strongest_pairs()] == [("4", "5")]
    assert feature_graph(RankingData(X[:, :3], np.arange(40) % 3, [0, 40])).strongest_pairs() == []
