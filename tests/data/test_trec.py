"""TREC runs and qrels: reading, judging, writing, and what is refused."""

import gzip

import numpy as np
import pytest

from leanrank import RankingData
from leanrank.data import trec
from leanrank.errors import DataError


def test_a_run_is_judged(tmp_path):
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.gz"
    run.write_text("7 Q0 d1 1 3.5 tag\n7 Q0 d2 2 3.25 tag\n\n8\tQ0\td1\t1\t1e-3\ttag\n5 Q0 d1 1 1 tag\n")
    qrels.write_bytes(gzip.compress(b"7 0 d2 2\n7 0 d9 1\n8 0 d1 -1\n9 0 d1 1\n"))
    judged = trec.judge(trec.read_run(run), trec.read_qrels(qrels))
    assert judged.query_ids.tolist() == ["7", "8"]
    assert judged.query_ptr.tolist() == [0, 2, 3]
    assert judged.y.tolist() == [0.0, 2.0, 0.0]  # a negative label counts as 0
    assert judged.scores.tolist() == [3.5, 3.25, 1e-3]
    assert [labels.tolist() for labels in judged.unretrieved] == [[1.0], []]
    assert judged.absent == ["9"]


def test_ties_of_trec_eval_are_descending_names_after_rounding():
    run = {"1": {"a": 1.0, "c": 1.0 + 1e-12, "b": 2.0}}
    judged = trec.judge(run, {"1": {"a": 1.0, "b": 2.0, "c": 3.0}}, like_trec=True)
    assert judged.y.tolist() == [3.0, 2.0, 1.0]
    assert judged.scores.tolist() == [1.0, 2.0, 1.0]


def test_what_is_written_comes_back(tmp_path):
    data = RankingData(
        np.zeros((4, 1)), [2, 0, 1, 0.5], [0, 2, 4], ["q 1", "q2"], comments=["docid = A x = 1", "B", "C", "C"]
    )
    data = RankingData(data.X, data.y, data.query_ptr, ["q1", "q2"], comments=data.comments)
    scores = np.array([0.1 + 0.2, 0.7, -1e-17, 5e-324])
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text(trec.run_text(data, scores))
    qrels.write_text(trec.qrels_text(data))
    assert run.read_text().splitlines()[0] == "q1 Q0 B 1 0.7 leanrank"
    assert trec.read_run(run) == {"q1": {"B": 0.7, "A": 0.1 + 0.2}, "q2": {"q2-2": 5e-324, "C": -1e-17}}
    assert trec.read_qrels(qrels) == {"q1": {"A": 2.0, "B": 0.0}, "q2": {"C": 1.0, "q2-2": 0.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty; a run has lines of six fields"),
        (b"1 Q0 d 1 0.5\n", r"line 1: a run has lines of six fields.*Found '1 Q0 d 1 0.5'"),
        (b"1 Q0 d 1 high t\n", "line 1: the score 'high' is not a finite number"),
        (b"1 Q0 d 1 nan t\n", "line 1: the score 'nan' is not a finite number"),
        (b"1 Q0 d 1 2 t\n1 Q0 d 2 1 t\n", "line 2: document 'd' is there twice for query 1"),
        (b"\xff\xfe\n", "not text in UTF-8"),
    ],
)
def test_bad_runs_are_refused(tmp_path, text, message):
    path = tmp_path / "run"
    path.write_bytes(text)
    with pytest.raises(DataError, match=message):
        trec.read_run(path)


def test_bad_qrels_and_strangers_are_refused(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("1 0 d\n")
    with pytest.raises(DataError, match="line 1: qrels have lines of four fields"):
        trec.read_qrels(path)
    with pytest.raises(DataError, match="There is no file"):
        trec.read_qrels(tmp_path / "none")
    with pytest.raises(DataError, match=r"share no query: the run has 1 \(1\), the qrels 4 \(5, 6, 7, \.\.\.\)"):
        trec.judge({"1": {"d": 1.0}}, {q: {"d": 1.0} for q in "5678"})
