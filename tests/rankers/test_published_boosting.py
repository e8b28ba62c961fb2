"""AdaRank and RankBoost on the official folds are near the published rows (docs/published_rankers.md has them all)."""

import pytest
from benchmarks.published_rankers import CONVENTION, PUBLISHED, SETTINGS, TARGET, difference, on_folds

from leanrank import letor_folds


@pytest.mark.data
@pytest.mark.parametrize(
    ("data", "name"), [("ohsumed", "AdaRank-MAP"), ("mq2008", "AdaRank-MAP"), ("mq2008", "RankBoost")]
)
def test_the_mean_of_the_five_measures_is_near_the_published_row(data_dir, data, name):
    ours, _, _ = on_folds(list(letor_folds(data_dir / data)), CONVENTION[data], SETTINGS[name][1])
    assert difference(ours, PUBLISHED[data, name]) <= TARGET
