"""Features that matter only together: the Relief family finds them, single-feature importance does not."""

from __future__ import annotations

import pytest
from benchmarks.planted_interactions import ONE_PAIR, SEEDS, TWO_PAIRS, places


@pytest.mark.parametrize("seed", SEEDS)
def test_who_finds_an_interacting_pair(seed):
    found = places(seed, ONE_PAIR)
    for method in ("RankFilter", "RankWrapper"):
        assert found[method]["interacting"] == [1, 2]
    for method in ("TopK", "GAS"):
        assert found[method]["interacting"][1] > found[method]["best noise"] + 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_wrapper_finds_two_pairs(seed):
    found = places(seed, TWO_PAIRS)
    assert found["RankWrapper"]["interacting"] == [1, 2, 3, 4]
    for method in ("TopK", "GAS"):
        assert found[method]["interacting"][-1] > found[method]["best noise"] + 2
