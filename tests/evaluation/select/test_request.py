"""The request of select: frozen, checked, and as plain values in the journal."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from leanrank import RankSVM, make_ranking, metric
from leanrank.errors import ParameterError, UnknownNameError
from leanrank.evaluation.select.effort import EFFORTS, effort_of
from leanrank.evaluation.select.portfolio import portfolio
from leanrank.evaluation.select.request import Request
from leanrank.selectors.limits import Limits


@pytest.fixture(scope="module")
def request_of_two():
    data = make_ranking(12, 8, n_informative=2, n_redundant=0, n_noise=2, random_state=0)[0]
    return Request(
        data=data,
        valid=None,
        ranker=RankSVM(),
        metrics=(metric("ndcg@5"),),
        methods=["gas"],
        portfolio=portfolio(["gas"]),
        effort=EFFORTS["normal"],
        n_features=np.int64(2),
        max_losses=(0.01,),
        level=0.95,
        answer="recommended",
        limits=Limits(costs=[1, 2, 3, 4], must_keep=["f02"], budget=7),
        cv=3,
        random_state=5,
    ).checked()


def test_settings_are_plain_and_tell_requests_apart(request_of_two):
    settings = request_of_two.settings
    assert json.loads(json.dumps(settings, allow_nan=False)) == settings
    assert settings["n_features"] == 2
    assert settings["costs"] == {"f01": 1.0, "f02": 2.0, "f03": 3.0, "f04": 4.0}
    assert settings["must_keep"] == ["f02"]
    other = replace(request_of_two, random_state=6)
    assert other.settings != settings
    with pytest.raises(FrozenInstanceError, match="cannot assign"):
        request_of_two.cv = 4


def test_fits_do_not_depend_on_the_loss_that_is_allowed(request_of_two):
    other = replace(request_of_two, max_losses=(0.5,), level=0.9)
    assert other.settings != request_of_two.settings
    assert other.about() == request_of_two.about()


def test_the_rule_is_the_request(request_of_two):
    rule = request_of_two.rule
    assert (rule.n_features, rule.max_loss, rule.level, rule.budget, rule.priced) == (2, 0.01, 0.95, 7.0, True)
    assert not replace(request_of_two, limits=Limits()).rule.priced


def test_what_cannot_be_is_refused(request_of_two):
    for change, sentence in (
        ({"n_features": 5}, "'n_features' parameter of select must be from 1 to 4"),
        ({"limits": Limits(budget=0.5), "n_features": None}, "'budget' parameter of select must be >= 1"),
        ({"cv": 13}, "'cv' parameter of select must be at most the number of queries, 12"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            replace(request_of_two, **change).checked()


@pytest.mark.parametrize("effort", EFFORTS.values(), ids=EFFORTS)
def test_sizes_of_curves(effort):
    for least, n_features in ((1, 136), (1, 2000), (7, 12), (3, 3), (1, 2)):
        sizes = effort.sizes(least, n_features)
        assert sizes == sorted(set(sizes))
        assert sizes[0] >= least
        assert sizes[-1] <= max(least, round(0.6 * n_features))
        assert len(sizes) <= effort.n_sizes
    assert effort.sizes(1, 1) == [1]


def test_only_the_thorough_repeat_themselves():
    assert [EFFORTS["thorough"].n_repeats(n) for n in (10, 100, 200, 400, 5000)] == [6, 4, 2, 1, 1]
    assert [EFFORTS[name].n_repeats(10) for name in ("quick", "normal")] == [1, 1]


def test_an_effort_that_is_not_known():
    with pytest.raises(UnknownNameError, match="did you mean 'thorough'"):
        effort_of("thorogh")
