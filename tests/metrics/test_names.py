"""Metric names, as the command line takes them."""

from __future__ import annotations

import pytest

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.metrics import AP, ERR, MRR, NDCG, KendallTau, MeanNDCG, Precision, Recall, SpearmanRho, metric

NAMES = {
    "ndcg@10": NDCG(10),
    "ndcg": NDCG(),
    "mean_ndcg": MeanNDCG(),
    "map": AP(),
    "map@5": AP(5),
    "p@5": Precision(5),
    "recall@10": Recall(10),
    "mrr": MRR(),
    "mrr@10": MRR(10),
    "err@10": ERR(10),
    "kendall": KendallTau(),
    "kendall_a": KendallTau("a"),
    "spearman": SpearmanRho(),
}


@pytest.mark.parametrize("name", NAMES)
def test_name_and_back(name):
    assert metric(name) == NAMES[name]
    assert metric(name).name == name
    assert metric(f" {name.upper()} ") == NAMES[name]


@pytest.mark.parametrize(
    ("alias", "name"), [("ap", "map"), ("precision@3", "p@3"), ("r@3", "recall@3"), ("rr", "mrr"), ("tau", "kendall")]
)
def test_aliases(alias, name):
    assert metric(alias) == metric(name)


def test_settings_and_metric_objects_pass_through():
    assert metric("ndcg@10", convention="letor3", ties="best") == NDCG(10, convention="letor3", ties="best")
    m = AP()
    assert metric(m) is m
    with pytest.raises(ParameterError, match="map is a metric already: build it with ties"):
        metric(m, ties="best")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("ncdg@10", UnknownNameError, "Unknown metric 'ncdg': did you mean 'ndcg'"),
        ("ndcg10", UnknownNameError, "did you mean 'ndcg'"),
        ("", UnknownNameError, "Unknown metric ''"),
        ("@10", UnknownNameError, "Unknown metric '@10'"),
        ("auc", UnknownNameError, "Known: .*ndcg"),
        ("p", ParameterError, r"metric 'p' needs a cutoff: 'p@10'"),
        ("kendall@5", ParameterError, "has no cutoff: write 'kendall'"),
        ("ndcg@0", ParameterError, "cutoff of 'ndcg@0' must be a whole number >= 1"),
        ("ndcg@-3", ParameterError, "cutoff of 'ndcg@-3'"),
        ("ndcg@ten", ParameterError, "cutoff of 'ndcg@ten'"),
        ("ndcg@", ParameterError, "cutoff of 'ndcg@'"),
        (10, ParameterError, "'name' parameter of metric"),
    ],
)
def test_names_that_are_none(name, error, message):
    with pytest.raises(error, match=message):
        metric(name)


def test_what_has_one_convention_takes_it_and_no_other():
    assert metric("kendall", convention="standard") == metric("kendall")
    assert metric("spearman", convention="standard") == metric("spearman")
    with pytest.raises(ParameterError, match="'spearman' has one convention, 'standard'"):
        metric("spearman", convention="letor3")
