"""StabilitySelection: whole queries, frequencies and their intervals, reproducible draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.selectors.metamorphic import tie_free

from leanrank.data.synthetic import make_ranking
from leanrank.errors import ParameterError
from leanrank.selectors import GAS, RankingBoruta, RankingRFE, StabilitySelection, TopK
from leanrank.selectors._base import Selector
from leanrank.selectors.path import Path
from leanrank.selectors.stability_selection import wilson

DATA = tie_free(2, n_queries=21)


class Seen(Selector):
    """Takes the first feature; remembers the queries of each run."""

    runs = []  # noqa: RUF012

    def __init__(self, n_features_to_select=1):
        self.n_features_to_select = n_features_to_select

    def _fit(self, source):
        self.runs.append((source.query_ids.tolist(), source.query_sizes.tolist()))
        return Path.by_score(-np.arange(len(source.feature_names), dtype=float), reason="first")


def test_runs_see_a_share_of_whole_queries_without_repetition():
    Seen.runs.clear()
    StabilitySelection(Seen(), n_resamples=30, share=1 / 3).fit(DATA)
    sizes = dict(zip(DATA.query_ids.tolist(), DATA.query_sizes.tolist(), strict=True))
    assert len(Seen.runs) == 30
    for ids, n in Seen.runs:
        assert len(ids) == len(set(ids)) == 7
        assert n == [sizes[i] for i in ids]
    assert len({tuple(sorted(ids)) for ids, _ in Seen.runs}) > 25
    assert {i for ids, _ in Seen.runs for i in ids} == set(sizes)


def test_frequencies_are_the_shares_of_runs():
    found = StabilitySelection(TopK(3), n_resamples=40, share=0.3).fit(DATA)
    assert found.frequencies_.sum() == pytest.approx(3)
    np.testing.assert_allclose(found.scores_[found.order_], found.frequencies_[found.order_])
    assert (np.diff(found.frequencies_[found.order_]) <= 0).all()
    assert found.selected_.tolist() == [j for j in found.order_ if found.frequencies_[j] >= 0.6]
    assert found.select(5).tolist() == found.order_[:5].tolist()
    assert ((found.intervals_[:, 0] <= found.frequencies_) & (found.frequencies_ <= found.intervals_[:, 1])).all()
    assert StabilitySelection(TopK(3), 2, n_resamples=40, share=0.3).fit(DATA).selected_.tolist() == (
        found.order_[:2].tolist()
    )


def test_intervals_are_wilsons():
    ours = wilson(np.arange(51), 50, 0.9)
    for k in range(51):
        theirs = binomtest(k, 50).proportion_ci(0.9, method="wilson")
        np.testing.assert_allclose(ours[k], [theirs.low, theirs.high], atol=1e-12)


def test_near_copies_share_their_frequency():
    data, truth = make_ranking(60, n_informative=2, n_redundant=2, n_noise=4, random_state=3)
    found = StabilitySelection(GAS(2, c=1.0), n_resamples=40, share=0.4).fit(data)
    family = [t.name if t.role == "informative" else t.source for t in truth]
    by_family = {}
    for name, frequency in zip(family, found.frequencies_, strict=True):
        by_family[name] = by_family.get(name, 0.0) + frequency
    noise = by_family.pop(None, 0.0)
    assert min(by_family.values()) > noise


def test_draws_depend_on_the_seed_alone():
    make = {"n_resamples": 15, "share": 0.3}
    a = StabilitySelection(TopK(3), random_state=0, **make).fit(DATA)
    assert (
        a.frequencies_.tolist() == StabilitySelection(TopK(3), random_state=0, **make).fit(DATA).frequencies_.tolist()
    )
    others = [StabilitySelection(TopK(3), random_state=seed, **make).fit(DATA).frequencies_ for seed in range(1, 5)]
    assert any(not np.array_equal(a.frequencies_, other) for other in others)


@pytest.mark.parametrize("inner", [RankingRFE(n_features_to_select=3), RankingBoruta(n_rounds=10)])
def test_any_selector_will_do(inner):
    found = StabilitySelection(inner, n_resamples=4).fit(DATA)
    assert len(found.order_) == 8
    assert found.frequencies_.max() > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"selector": "gas"}, "The 'selector' parameter of StabilitySelection must be a selector or None"),
        ({"n_resamples": 0}, "a whole number >= 1"),
        ({"share": 1}, r"in \(0, 1\)"),
        ({"threshold": 0}, "> 0 and <= 1"),
        ({"confidence": 1.0}, r"in \(0, 1\)"),
        ({"random_state": -1}, "a whole number >= 0"),
        ({"selector": GAS(), "n_resamples": 2}, "every run of GAS.* selected every feature"),
    ],
)
def test_impossible_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        StabilitySelection(**parameters).fit(DATA.subset([0, 1, 2, 3]))
