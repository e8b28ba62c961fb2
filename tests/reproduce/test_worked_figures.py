"""Figures that the papers print and anyone can check by hand."""

from itertools import permutations

import pytest
from tests.naive.ranking_metrics import kendall_tau, spearman_rho

from leanrank import ChiSquared
from leanrank.reproduce.gas import COUNTS, chi_square_data, expected


@pytest.mark.parametrize("bins", ["equal_frequency", "equal_width"])
def test_chi_square_of_the_word_jaguar(bins):
    """The slide prints 12.9 from expectations it rounds; without rounding it is 12.8457."""
    by_hand = sum((COUNTS[cell] - value) ** 2 / value for cell, value in expected().items())
    assert by_hand == pytest.approx(12.8457, abs=5e-5)
    assert ChiSquared(discretizer=bins).fit(chi_square_data()).scores_.tolist() == pytest.approx([by_hand], abs=1e-8)


def test_the_default_cut_sees_nothing_in_five_documents():
    """The minimum description length of a cut that parts five of 10,005 documents does not pay."""
    assert ChiSquared().fit(chi_square_data()).scores_.tolist() == [0.0]


@pytest.mark.parametrize("L", [3, 4, 5, 6])
def test_daniels_inequality_as_it_is_right(L):
    """The RCDR paper prints 3 (L + 2) where 3 L is right: all keep to the one, equal orders break the other."""
    first = list(range(L, 0, -1))
    for order in permutations(first):
        tau, rho = kendall_tau(first, list(order)), spearman_rho(first, list(order))
        assert abs(3 * L * tau - 2 * (L + 1) * rho) <= L - 2 + 1e-9
    assert 3 * (L + 2) - 2 * (L + 1) > L - 2  # tau = rho = 1
