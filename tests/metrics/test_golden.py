"""Every figure the official LETOR evaluation scripts print, per query and on average, to the printed digits."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest

from leanrank.metrics import metric

# golden file, data file, 1-based feature that is the score (None: a file of scores), digits printed
FOUR_DECIMALS = [
    ("mq2008_S1_letor4_25", "mq2008/S1.txt.gz", 25, "letor4"),
    ("mq2008_S3_letor4_rand1", "mq2008/S3.txt.gz", None, "letor4"),
    ("mslr-sample_mslr_130", "mslr-sample/mslr-sample.txt.gz", 130, "mslr"),
    ("mslr-sample_mslr_rand2", "mslr-sample/mslr-sample.txt.gz", None, "mslr"),
]
FIFTEEN_DIGITS = [
    ("ohsumed_S1_letor3_11", "ohsumed/S1.txt.gz", 11),
    ("ohsumed_S2_letor3_rand1", "ohsumed/S2.txt.gz", None),
]


def _judged(data_dir, golden_dir, golden, data, feature):
    """Labels, scores, offsets and ids of the queries, read by a plain pattern: no reader under test is involved."""
    with gzip.open(data_dir / data, "rt") as file:
        lines = file.read().splitlines()
    labels = np.array([float(line.split(None, 1)[0]) for line in lines])
    qid = np.array([int(re.search(r"qid:(\d+)", line)[1]) for line in lines])
    if feature is None:
        scores = np.loadtxt(golden_dir / f"{golden}.scores.txt")
    else:
        value = re.compile(rf"\s{feature}:(\S+)")
        scores = np.array([float(found[1]) if (found := value.search(line)) else 0.0 for line in lines])
    starts = np.flatnonzero(np.diff(qid, prepend=-1))
    return labels, scores, np.append(starts, len(qid)), qid[starts]


def _name(column):
    return {"MAP": "map", "MeanNDCG": "mean_ndcg"}.get(column, column.lower())


@pytest.mark.data
@pytest.mark.parametrize(("golden", "data", "feature", "convention"), FOUR_DECIMALS)
def test_letor4_and_mslr_scripts(data_dir, golden_dir, golden, data, feature, convention):
    labels, scores, query_ptr, ids = _judged(data_dir, golden_dir, golden, data, feature)
    sections = (golden_dir / f"{golden}.tsv").read_text().strip().split("\n\n")
    checked = 0
    for section in sections:
        header, *lines, average = [line.split("\t") for line in section.splitlines()]
        assert average[0] == "Average"
        assert len(lines) == len(ids)
        for c, column in enumerate(header[1:], 1):
            values = metric(_name(column), convention=convention).per_query(labels, scores, query_ptr)
            ours = {str(query): f"{value:.4f}" for query, value in zip(ids, values, strict=True)}
            assert ours == {line[0]: line[c] for line in lines}, column
            assert f"{values.mean():.4f}" == average[c], column
            checked += 1
    assert checked == 22  # P@1..10, MAP, NDCG@1..10, MeanNDCG


@pytest.mark.data
@pytest.mark.parametrize(("golden", "data", "feature"), FIFTEEN_DIGITS)
def test_letor3_script(data_dir, golden_dir, golden, data, feature):
    labels, scores, query_ptr, ids = _judged(data_dir, golden_dir, golden, data, feature)
    ascending = np.argsort(ids)  # the script numbers the queries by ascending id
    printed = {"precision": {}, "MAP": {}, "NDCG": {}}
    for line in (golden_dir / f"{golden}.tsv").read_text().splitlines():
        found = re.match(r"(precision|Map|MAP|NDCG)(?: of query(\d+))?:\s+(.*\S)", line)
        if found:
            which = "MAP" if found[1] == "Map" else found[1]
            printed[which][found[2]] = found[3].split()
    names = {
        "precision": [f"p@{k}" for k in range(1, 17)],
        "MAP": ["map"],
        "NDCG": [f"ndcg@{k}" for k in range(1, 17)],
    }
    for which, columns in names.items():
        assert len(printed[which]) == len(ids) + 1
        metrics = [metric(name, convention="letor3") for name in columns]
        values = np.column_stack([m.per_query(labels, scores, query_ptr) for m in metrics])[ascending]
        theirs = [printed[which][str(i)] for i in range(len(ids))]
        assert [[f"{value:.15g}" for value in row] for row in values] == theirs, which
        averages = [sum(column) / len(ids) for column in values.T.tolist()]  # in the script's order
        assert [f"{average:.15g}" for average in averages] == printed[which][None], which
