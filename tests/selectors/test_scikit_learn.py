"""The estimator checks of scikit-learn, for every registered selector."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from leanrank.selectors import registry

# The common checks know no qid: for them, rows without one are one query.
# Which exceptions, and why:
EXPECTED_FAILED_CHECKS = {
    "check_dtype_object": "an object that is no number is refused as a DataError (a ValueError) naming the column",
}


def _with_one_query(cls):
    def fit(self, X, y=None, *, qid=None, regroup=False):
        if y is not None and qid is None:
            qid = np.zeros(len(np.asarray(y)), dtype=int)
        return cls.fit(self, X, y, qid=qid, regroup=regroup)

    one_query = type(f"OneQuery{cls.__name__}", (cls,), {"fit": fit, "__module__": __name__})
    globals()[one_query.__name__] = one_query  # where pickle looks for it
    return one_query()


@parametrize_with_checks(
    [_with_one_query(cls) for cls in dict.fromkeys(map(registry.selector_class, registry.names()))],
    expected_failed_checks=lambda _: EXPECTED_FAILED_CHECKS,
)
def test_common_checks(estimator, check):
    with warnings.catch_warnings():
        # Random data in one query have clusters that are not determined; FS-SCPR says so.
        warnings.filterwarnings("ignore", message="The clustering into", category=UserWarning)
        # Random labels are told by no feature; the methods with a stop rule of their own say so, and so does sklearn.
        warnings.filterwarnings("ignore", message=r"\w+ selected no feature|No features were selected")
        # One query cannot be held out; GreedyWrapper says so.
        warnings.filterwarnings("ignore", message=r"\w+: there is one query", category=UserWarning)
        check(estimator)
