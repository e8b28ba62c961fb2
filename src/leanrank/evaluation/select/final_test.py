"""What a selection is worth on data that took no part in it."""

from __future__ import annotations

from typing import Any

from leanrank.data.folds import Fold
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.evaluation.select.choice import mean
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.stop_rule import differences
from leanrank.evaluation.training import prepared, train
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker


def final_test(
    selection: Selection, ranker: Ranker, metric: Metric, learn: RankingData, valid: RankingData, test: RankingData
) -> dict[str, Any]:
    """Train on all features and on the selected ones, compare on `test`: the two means and their difference."""
    fold = Fold("test", *(prepared(part, ranker) for part in (learn, valid, test)))
    values = []
    for features in (range(fold.n_features), sorted(selection.indices)):
        trained = train(ranker, fold, list(features))
        values += trained.per_query(trained.fold.test, metric)
    before, after = values
    weight = query_weights(test, "select")
    return {
        "all_features": mean(before, weight),
        "selected": mean(after, weight),
        "difference": differences(after[None], before, weight=weight, group=test.beside.query_group)[0].to_dict(),
    }
