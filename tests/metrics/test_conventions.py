"""Each convention against the tool it is named after, on the same labels and scores: ties, empty and short queries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score

from leanrank.metrics import AP, ERR, MRR, NDCG, Precision, Recall

CUTOFFS = [1, 3, 5, 10, 30]


def _queries():
    """Labels and scores of queries with many ties, without relevant documents, with equal labels, short and long."""
    rng = np.random.default_rng(20240607)
    special = [
        ([0, 0, 0], [3, 2, 1]),
        ([0], [1]),
        ([2], [1]),
        ([1, 1, 1, 1], [1, 1, 2, 2]),
        ([0, 3, 0, 1], [1, 1, 1, 1]),
        ([4, 0], [0, 0]),
    ]
    for n in (2, 3, 5, 8, 9, 13, 20, 31, 64, 90, 150):
        special.append((rng.choice(5, n, p=[0.5, 0.2, 0.15, 0.1, 0.05]), rng.integers(0, max(2, n // 3), n) / 4))
        special.append((rng.integers(0, 3, n), rng.permutation(n) / 8 - 3))
    return [(np.asarray(labels, dtype=float), np.asarray(scores, dtype=float)) for labels, scores in special]


QUERIES = _queries()
LABELS, SCORES = (np.concatenate(parts) for parts in zip(*QUERIES, strict=True))
SIZES = np.array([len(labels) for labels, _ in QUERIES])
QUERY_PTR = np.concatenate(([0], np.cumsum(SIZES)))


def _each(of_query):
    """Ask the library for one query at a time."""
    return np.array([of_query(labels, scores) for labels, scores in QUERIES])


def _lightgbm(name, k, labels, scores, sizes):
    import lightgbm

    quiet = {"verbose": -1, "feature_pre_filter": False, "num_threads": 1}
    data = lightgbm.Dataset(np.zeros((len(labels), 1)), labels, group=sizes, init_score=scores, params=quiet)
    booster = lightgbm.Booster({"objective": "lambdarank", "metric": name, "eval_at": [k], **quiet}, data)
    return booster.eval_train()[0][2]  # nothing is trained: the scores are init_score


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize(("name", "ours"), [("ndcg", NDCG), ("map", AP)])
def test_lightgbm(name, ours, k):
    values = ours(k, convention="lightgbm").per_query(LABELS, SCORES, QUERY_PTR)
    theirs = _each(lambda labels, scores: _lightgbm(name, k, labels, scores, [len(labels)]))
    np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-12)
    assert values.mean() == pytest.approx(_lightgbm(name, k, LABELS, SCORES, SIZES), abs=1e-12)


def _xgboost(name, k, labels, scores, sizes):
    import xgboost

    data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels, base_margin=scores, nthread=1)
    data.set_group(sizes)
    booster = xgboost.train({"objective": "rank:pairwise", "eval_metric": f"{name}@{k}", "nthread": 1}, data, 0)
    return float(booster.eval(data).rpartition(":")[2])  # no round is trained: the scores are base_margin


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize(("name", "ours"), [("ndcg", NDCG), ("map", AP), ("pre", Precision)])
def test_xgboost(name, ours, k):
    binary = np.minimum(LABELS, LABELS if name == "ndcg" else 1)  # its map and pre take binary labels only
    values = ours(k, convention="xgboost").per_query(binary, SCORES, QUERY_PTR)
    theirs = _each(
        lambda labels, scores: _xgboost(
            name, k, labels if name == "ndcg" else np.minimum(labels, 1), scores, [len(labels)]
        )
    )
    np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-12)
    assert values.mean() == pytest.approx(_xgboost(name, k, binary, SCORES, SIZES), abs=1e-12)


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("NDCG", NDCG),
        ("NDCG:type=Exp", lambda k, convention: NDCG(k, convention=convention, gain="exp2")),
        ("MAP", AP),
        ("PrecisionAt", Precision),
        ("RecallAt", Recall),
        ("MRR", MRR),
        ("ERR", ERR),
    ],
)
def test_catboost(name, ours, k):
    utils = pytest.importorskip("catboost.utils")
    scale = 4.0 if name == "ERR" else 1.0  # its ERR takes probabilities for labels
    description = f"{name}{';' if ':' in name else ':'}top={k}"
    values = ours(k, convention="catboost").per_query(LABELS / scale, SCORES, QUERY_PTR)
    theirs = _each(
        lambda labels, scores: utils.eval_metric(
            labels / scale, scores, description, group_id=np.zeros(len(labels), dtype=int), thread_count=1
        )[0]
    )
    np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-12)
    group_id = np.repeat(np.arange(len(SIZES)), SIZES)
    together = utils.eval_metric(LABELS / scale, SCORES, description, group_id=group_id)[0]
    assert values.mean() == pytest.approx(together, abs=1e-12)


@pytest.mark.parametrize("k", [*CUTOFFS, None])
def test_sklearn_ndcg_with_ties(k):
    values = NDCG(k, convention="sklearn").per_query(LABELS, SCORES, QUERY_PTR)
    theirs = _each(lambda labels, scores: ndcg_score([labels], [scores], k=k) if len(labels) > 1 else np.nan)
    several = SIZES > 1  # sklearn refuses a single document
    np.testing.assert_allclose(values[several], theirs[several], rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [*CUTOFFS, None])
def test_standard_ndcg_is_sklearns_on_exponential_gains(k):
    values = NDCG(k).per_query(LABELS, SCORES, QUERY_PTR)
    several = (SIZES > 1) & np.array([labels.any() for labels, _ in QUERIES])
    theirs = _each(lambda labels, scores: ndcg_score([2**labels - 1], [scores], k=k) if len(labels) > 1 else np.nan)
    np.testing.assert_allclose(values[several], theirs[several], rtol=0, atol=1e-12)
    assert np.isnan(values[[not labels.any() for labels, _ in QUERIES]]).all()


def test_ap_is_sklearns_without_ties():
    checked = 0
    for labels, scores in QUERIES:
        if len(set(scores)) == len(scores) and labels.any():
            theirs = average_precision_score(labels >= 1, scores)
            assert AP().per_query(labels, scores, [0, len(labels)])[0] == pytest.approx(theirs, abs=1e-12)
            checked += 1
    assert checked >= 11


TREC = {
    "map": AP(convention="trec"),
    "map_cut_5": AP(5, convention="trec"),
    "ndcg": NDCG(convention="trec"),
    "ndcg_cut_10": NDCG(10, convention="trec"),
    "P_5": Precision(5, convention="trec"),
    "P_30": Precision(30, convention="trec"),
    "recall_10": Recall(10, convention="trec"),
    "recip_rank": MRR(convention="trec"),
}


@pytest.mark.parametrize("tied", [False, True])
def test_trec_eval(tied):
    """trec_eval breaks ties by descending document id: give the rows in that order and ties="input" is its rule."""
    import pytrec_eval

    rng = np.random.default_rng(3)
    scores = SCORES if tied else rng.permutation(len(SCORES)).astype(float)
    qrels, run = {}, {}
    for q, (start, end) in enumerate(pairwise(QUERY_PTR)):
        ids = [f"d{999 - i}" for i in range(end - start)]
        qrels[f"q{q}"] = dict(zip(ids, LABELS[start:end].astype(int).tolist(), strict=True))
        run[f"q{q}"] = dict(zip(ids, scores[start:end].tolist(), strict=True))
    measures = {"map", "map_cut", "ndcg", "ndcg_cut", "P", "recall", "recip_rank"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    for name, ours in TREC.items():
        values = ours.per_query(LABELS, scores, QUERY_PTR)
        expected = [theirs[f"q{q}"][name] for q in range(len(SIZES))]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12, err_msg=name)
