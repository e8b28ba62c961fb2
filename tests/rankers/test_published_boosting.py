"""AdaRank and RankBoost on the official folds are near the published rows (docs/published_rankers.md has them all)."""

import pytest

from leanrank import letor_folds
from leanrank.evaluation.journal import Journal
from leanrank.evaluation.tasks import Tasks
from leanrank.reproduce.letor_rankers import SETTINGS, TARGET, difference, mean_of, on_folds, published_figures


@pytest.mark.data
@pytest.mark.parametrize(
    ("data", "name"), [("OHSUMED", "AdaRank-MAP"), ("MQ2008", "AdaRank-MAP"), ("MQ2008", "RankBoost")]
)
def test_the_mean_of_the_five_measures_is_near_the_published_row(data_dir, data, name):
    folds = list(letor_folds(data_dir / data.lower()))
    with Tasks(Journal(None, {})) as tasks:
        ours = mean_of(on_folds(tasks, data, name, SETTINGS[name][1], folds))
    assert difference(ours, published_figures(data)[name]) <= TARGET
