"""Relevant documents that were not retrieved: against trec_eval, and against a list that has them at its end."""

import json

import numpy as np
import pytest

from leanrank.cli.app import run
from leanrank.data import trec
from leanrank.errors import ParameterError
from leanrank.metrics import metric
from leanrank.metrics.evaluation import per_query_of_run

PEERS = {
    "map": "map",
    "map@5": "map_cut_5",
    "ndcg": "ndcg",
    "ndcg@5": "ndcg_cut_5",
    "p@5": "P_5",
    "recall@5": "recall_5",
    "mrr": "recip_rank",
}


def partial_runs(seed, n_queries=20):
    """Runs that miss documents, have unjudged ones and ties; queries only in one of both; no relevant documents."""
    rng = np.random.default_rng(seed)
    run, qrels = {}, {}
    for q in range(n_queries):
        pool = [f"d{i}" for i in range(12)]
        judged = rng.choice(pool, rng.integers(1, 10), replace=False)
        found = rng.choice(pool, rng.integers(1, 10), replace=False)
        if q != 3:
            qrels[str(q)] = {d: int(rng.integers(0, 3) if q != 5 else 0) for d in judged}
        if q != 4:
            run[str(q)] = {d: float(rng.integers(0, 6)) for d in found}
    return run, qrels


@pytest.mark.parametrize("seed", range(4))
def test_every_query_scores_what_trec_eval_says(seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    found, qrels = partial_runs(seed)
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "map_cut.5", "ndcg", "ndcg_cut.5", "P.5", "recall.5", "recip_rank"}
    ).evaluate(found)
    judged = trec.judge(found, qrels, like_trec=True)
    assert set(judged.query_ids) == set(theirs)
    for name, peer in PEERS.items():
        ours = per_query_of_run(
            metric(name, convention="trec"), judged.y, judged.scores, judged.query_ptr, judged.unretrieved
        )
        expected = [theirs[query][peer] for query in judged.query_ids]
        np.testing.assert_allclose(ours, expected, atol=1e-6, err_msg=name)  # trec_eval's NDCG is exact to 1e-7


def test_the_command_counts_absent_queries_on_request(tmp_path, capsys):
    found, qrels = partial_runs(0)
    a, b = tmp_path / "run", tmp_path / "qrels"
    a.write_text("".join(f"{q} Q0 {d} 0 {s} x\n" for q, scores in found.items() for d, s in scores.items()))
    b.write_text("".join(f"{q} 0 {d} {label}\n" for q, labels in qrels.items() for d, label in labels.items()))
    means = []
    for extra in ([], ["--complete"]):
        assert run(["evaluate", "--run", str(a), "--qrels", str(b), "--metric", "map", "--json", *extra]) == 0
        record = json.loads(capsys.readouterr().out)
        means.append((record["n_queries"], record["mean"]["map"]))
    assert record["absent"] == ["4"]
    assert means[0][0] == 18
    assert means[1] == (19, pytest.approx(means[0][1] * 18 / 19))
    assert run(["evaluate", "--run", str(a), "--qrels", str(b), "--metric", "map"]) == 0
    assert "1 judged queries are not in the run and are left out" in capsys.readouterr().out


def test_nothing_unretrieved_changes_nothing_and_expected_ties_work():
    rng = np.random.default_rng(0)
    y, scores, ptr = rng.integers(0, 3, 30).astype(float), rng.integers(0, 4, 30).astype(float), np.array([0, 9, 30])
    for name in ("map", "ndcg@5", "p@3", "recall@4", "mrr", "err"):
        m = metric(name)
        np.testing.assert_allclose(
            per_query_of_run(m, y, scores, ptr, [np.zeros(2), np.zeros(0)]), m.per_query(y, scores, ptr), atol=1e-12
        )
    one = per_query_of_run(metric("ndcg@1"), np.array([1.0, 0.0]), np.zeros(2), np.array([0, 2]), [np.array([2.0])])
    np.testing.assert_allclose(one, [0.5 / 3])  # gain 1 or 0 in first place, 3 was possible


def test_a_correlation_needs_every_document():
    with pytest.raises(ParameterError, match="'spearman' is not defined for a run"):
        per_query_of_run(metric("spearman"), np.ones(2), np.ones(2), np.array([0, 2]), [np.zeros(0)])
