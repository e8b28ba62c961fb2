"""FSMRank beside its published rows, with the lambdas that validation MAP chose (docs/published_fsmrank.md)."""

from __future__ import annotations

import numpy as np
import pytest

from leanrank import FSMRank, letor_folds, metric
from leanrank.selectors.fsmrank import Fitting

pytestmark = pytest.mark.data

# FS-SCPR, tables 9 and 10; numbers of features: MOFSRank.
PUBLISHED = {
    "ohsumed": ([0.5394, 0.5013, 0.4824, 0.4613, 0.4498], 18.0, "letor3"),
    "mq2008": ([0.3686, 0.4399, 0.4791, 0.2327, 0.4771], 13.2, "letor4"),
}


@pytest.mark.parametrize(
    ("name", "unimportance", "lambdas", "as_many"),
    [
        ("ohsumed", "complement", [(0.1, 1e-4), (0.1, 0.01), (0.1, 1e-4), (0.01, 1e-3), (0.01, 1e-5)], False),
        ("ohsumed", "stretched", [(1e-4, 1e-3), (1e-5, 0.01), (1e-3, 1e-3), (1e-3, 1e-3), (1e-4, 1e-3)], True),
        ("mq2008", "complement", [(1e-4, 0.1), (1e-4, 0.01), (1e-5, 0.01), (0.1, 0.01), (1, 1)], False),
        ("mq2008", "stretched", [(0.01, 0.01), (1e-3, 0.01), (1e-3, 0.01), (0.01, 0.01), (0.1, 1e-3)], True),
    ],
)
def test_the_row_is_within_012(data_dir, name, unimportance, lambdas, as_many):
    published, n_features, convention = PUBLISHED[name]
    measures = [metric(m, convention=convention) for m in ("ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "map")]
    rows, sizes = [], []
    for fold, (lambda1, lambda2) in zip(letor_folds(data_dir / name), lambdas, strict=True):
        prices = {"lambda1": lambda1, "lambda2": lambda2, "unimportance": unimportance}
        fitted = FSMRank(**prices, similarity="strict", fitting=Fitting(tol=1e-5)).fit(fold.train)
        scores = fitted.predict(fold.test)
        rows.append([m(fold.test.y, scores, qid=fold.test.qid) for m in measures])
        sizes.append(fitted.support_.sum())
    np.testing.assert_allclose(np.mean(rows, axis=0), published, atol=0.012)
    if as_many:
        assert np.mean(sizes) == pytest.approx(n_features, rel=1 / 3)
    else:
        assert 1 < np.mean(sizes) < n_features
