"""Shadow on made logs: the same answer everywhere, exact losses, judgements that come back."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evaluation.shadow.logs import fill, made, true_loss

import leanrank
from leanrank.data.letor.scan import scan_letor
from leanrank.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def shadowed():
    return leanrank.shadow(*made(), k=5)


def same(a, b):
    for name in vars(a):
        if name != "documents":
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    for name in vars(a.documents):
        np.testing.assert_array_equal(getattr(a.documents, name), getattr(b.documents, name), err_msg=name)


@pytest.mark.parametrize("engine", [leanrank.LocalEngine(1, 50), leanrank.LocalEngine(2, 400), "local:2"])
def test_blocks_and_threads_do_not_matter(shadowed, engine):
    same(leanrank.shadow(*made(), k=5, engine=engine).changes, shadowed.changes)


def test_a_file_larger_than_a_block_says_the_same(shadowed, tmp_path):
    data, full, pruned = made()
    leanrank.write_letor(data, tmp_path / "log.txt")
    leanrank.write_parquet(data, tmp_path / "log.parquet")
    engine = leanrank.LocalEngine(1, 100)
    scanned = leanrank.shadow(leanrank.scan_parquet(tmp_path / "log.parquet"), full, pruned, k=5, engine=engine)
    same(scanned.changes, shadowed.changes)
    text = scan_letor(tmp_path / "log.txt", feature_names=data.feature_names)
    moved = leanrank.shadow(text, full, pruned, k=5, engine=engine).changes.moved
    np.testing.assert_array_equal(moved, shadowed.changes.moved)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dask_says_the_same(shadowed, tmp_path):
    distributed = pytest.importorskip("distributed")
    data, full, pruned = made()
    leanrank.write_parquet(data, tmp_path / "log.parquet")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        engine = leanrank.DaskEngine(client, block_rows=200)
        for source in (data, leanrank.scan_parquet(tmp_path / "log.parquet")):
            same(leanrank.shadow(source, full, pruned, k=5, engine=engine).changes, shadowed.changes)


def test_the_order_of_queries_does_not_matter_to_what_is_asked(shadowed):
    data, full, pruned = made()
    turned = data.take_queries(np.random.default_rng(0).permutation(data.n_queries))
    asked, again = shadowed.ask(20), leanrank.shadow(turned, full, pruned, k=5).ask(20)
    assert asked.query_ids.tolist() == again.query_ids.tolist()
    np.testing.assert_allclose(asked.probability, again.probability)


def test_a_ranker_beside_itself_changes_nothing():
    data, full, _ = made()
    same_lists = leanrank.shadow(data, full, full)
    assert (same_lists.n_changed, same_lists.changed_share) == (0, 0.0)
    assert same_lists.summary()["overlap"] == 1.0
    assert len(same_lists.ask(10)) == 0
    assert same_lists.most_changed() == []
    assert same_lists.sentence() == "The pruned ranker leaves the first 10 places of all 120 queries as they are"


def test_judging_all_that_changed_is_the_loss_of_all_queries(tmp_path):
    data, full, pruned = made()
    changed = leanrank.shadow(data, full, pruned)
    judged = leanrank.read_judged(fill(changed.ask().text(), tmp_path / "all.csv", data))
    estimate = changed.loss(judged)
    assert estimate.mean == pytest.approx(true_loss(data, full, pruned).mean())
    assert estimate.low == estimate.high == estimate.mean


def test_no_query_loses_more_than_its_reach():
    data, full, pruned = made()
    changed = leanrank.shadow(data, full, pruned)
    loss = true_loss(data, full, pruned)
    assert (np.abs(loss) <= changed.changes.reach * (2.0 ** data.y.max() - 1) + 1e-9).all()
    assert (loss[~changed.is_changed] == 0).all()


def test_ndcg_lies_between_its_bounds(tmp_path):
    data, full, pruned = made()
    changed = leanrank.shadow(data, full, pruned)
    judged = leanrank.read_judged(fill(changed.ask().text(), tmp_path / "all.csv", data))
    estimate = changed.loss(judged, metric="ndcg")
    metric = leanrank.NDCG(k=10, ties="input", empty="zero")
    before = metric.per_query(data.y, full.predict(data), data.query_ptr)
    after = metric.per_query(data.y, pruned.predict(data.subset(list(pruned.feature_names_in_))), data.query_ptr)
    assert estimate.low < (before - after).mean() < estimate.high
    assert any("ideal" in text for text in estimate.assumptions)


def test_judging_may_stop_early(tmp_path, shadowed):
    data, full, pruned = made()
    asked = shadowed.ask(40)
    judged = leanrank.read_judged(fill(asked.text(), tmp_path / "some.csv", data, queries=25))
    assert judged.n_queries == 25
    np.testing.assert_allclose(judged.probability, asked.probability[:25] * 25 / 40)
    estimate = shadowed.loss(judged)
    assert estimate.low <= true_loss(data, full, pruned, k=5).mean() <= estimate.high
    assert estimate.n_judged == 25


def test_machine_labels_shorten_the_interval(tmp_path, shadowed):
    data = made()[0]
    judged = leanrank.read_judged(fill(shadowed.ask(40).text(), tmp_path / "people.csv", data))
    machine = leanrank.read_judged(
        fill(shadowed.ask().text(), tmp_path / "machine.csv", data, change=lambda label: max(0, label - 1))
    )
    alone, together = shadowed.loss(judged), shadowed.loss(judged, machine=machine)
    assert together.high - together.low < alone.high - alone.low
    assert together.power != 0


def test_slices_are_told_apart(shadowed):
    data, full, pruned = made()
    slices = {query: "even" if query % 2 == 0 else "odd" for query in data.query_ids.tolist()[:-2]}
    rows = leanrank.shadow(data, full, pruned, k=5, slices=slices).by_slice()
    assert {row["slice"] for row in rows} == {"even", "odd", "other"}
    assert sum(row["n_queries"] for row in rows) == data.n_queries
    assert sum(row["n_changed"] for row in rows) == shadowed.n_changed


def test_the_most_changed_are_shown_side_by_side(shadowed):
    first = shadowed.most_changed(1)[0]
    data, full, pruned = made()
    q = data.query_ids.tolist().index(first["query"])
    one = data.query(q)
    scores = full.predict(one), pruned.predict(one.subset(list(pruned.feature_names_in_)))
    for shown, of in zip((first["full"], first["pruned"]), scores, strict=True):
        order = np.argsort(-of, kind="stable")[:5] + 1
        assert all(document in (None, place) for document, place in zip(shown, order.tolist(), strict=True))
    assert first["overlap"] == shadowed.changes.overlap.min().round(6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,document\n1,1\n", "no column 'label'"),
        ("qid,document,label\n1,1,\n", "no document has a label"),
        ("qid,document,label\n1,1,1\n1,2,\n", "1 of the 2 documents of query 1 have a label"),
        ("qid,document,label\n1,1,\n2,1,1\n", "query 1 has no label, but queries after it"),
        ("qid,document,label\n1,1,1\n1,1,2\n", "line 3: this document is there a second time"),
        ("qid,document,label\n1,1,-1\n", "line 2: a label must be a number >= 0"),
        ("qid,document,label\n1,1.5,1\n", "line 2: the document must be a whole number"),
        ("qid,document,probability,label\n1,1,0,1\n", "line 2: the probability must be above 0"),
        ("qid,document,label\n1,1,good\n", "cannot be read as judgements"),
        ("qid,document,label\n", "there are no judgements"),
    ],
)
def test_bad_judgements_are_refused(tmp_path, text, message):
    path = tmp_path / "judged.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        leanrank.read_judged(path)


def test_judgements_of_another_log_are_refused(tmp_path, shadowed):
    path = tmp_path / "judged.csv"
    path.write_text("qid,document,label\nnowhere,1,1\n")
    with pytest.raises(DataError, match="query nowhere is not among the logged queries"):
        shadowed.loss(leanrank.read_judged(path))
    query = shadowed.ask(1).query_ids[0]
    path.write_text(f"qid,document,label\n{query},999,1\n")
    with pytest.raises(DataError, match="moved and has no label"):
        shadowed.loss(leanrank.read_judged(path))


def test_parameters_are_checked(shadowed):
    data, full, pruned = made()
    for options, message in (({"k": 0}, "'k' parameter"), ({"persistence": 1.0}, "'persistence' parameter")):
        with pytest.raises(ParameterError, match=message):
            leanrank.shadow(data, full, pruned, **options)
    with pytest.raises(ParameterError, match="whole number >= 1 or None"):
        shadowed.ask(0)
