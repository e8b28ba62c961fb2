"""What a selection is worth on data that took no part in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.evaluation.held_out import filled, scaled
from leanrank.evaluation.select.selection import Selection
from leanrank.evaluation.select.stop_rule import differences
from leanrank.metrics._base import Metric
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import Adapter


def final_test(
    selection: Selection, ranker: Ranker, metric: Metric, train: RankingData, valid: RankingData, test: RankingData
) -> dict[str, Any]:
    """Train on all features and on the selected ones, compare on `test`: the two means and their difference."""
    if not ranker.takes_missing:
        train, valid, test = filled(train), filled(valid), filled(test)
    if not isinstance(ranker, Adapter):
        train, valid, test = scaled(train), scaled(valid), scaled(test)
    values = []
    for columns in (np.arange(train.n_features), np.sort(np.array(selection.indices, dtype=np.int64))):
        fitted = ranker.for_columns(columns.tolist(), train.n_features)
        fitted.fit(train.subset(columns), eval_set=valid.subset(columns))
        part = test.subset(columns)
        values.append(metric.per_query(part.y, fitted.predict(part), part.query_ptr))
    before, after = values
    return {
        "all_features": round(float(np.nanmean(before)), 9),
        "selected": round(float(np.nanmean(after)), 9),
        "difference": differences(after[None], before)[0].to_dict(),
    }
