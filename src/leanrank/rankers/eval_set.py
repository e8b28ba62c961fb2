"""The one door of `eval_set`: what rankers and the selectors that train them are given as held-out data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from leanrank.data.door import as_source, in_memory
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.errors import DataError


def eval_source(eval_set: Any, learner: Any, *, regroup: bool = False, missing: bool = False) -> RankingSource:
    """The held-out data, with the features of the training data; a source is not read yet.

    Parameters
    ----------
    eval_set : RankingData, RankingSource or tuple (X, y, qid)
    learner : estimator
        Knows the features of the training data, as `n_features_in_` and, if they had names, `feature_names_in_`.
    regroup : bool, default=False
        Whether to bring the rows of a query together where they are not adjacent, instead of refusing.
    missing : bool, default=False
        Whether NaN stands for a missing value, rather than being refused.

    Examples
    --------
    >>> from leanrank import RankSVM
    >>> ranker = RankSVM().fit([[1.0, 0.0], [0.0, 1.0]], [1, 0], qid=[7, 7])
    >>> eval_source(([[1.0, 2.0], [3.0, 4.0]], [0, 1], [8, 8]), ranker).n_rows
    2
    """
    parts = eval_set if isinstance(eval_set, tuple) else (eval_set, None, None)
    if len(parts) != 3:
        raise DataError(f"eval_set must be a RankingData or a tuple (X, y, qid). Got {len(parts)} parts.")
    X, y, qid = parts
    source = as_source(X, y, qid=qid, regroup=regroup, missing=missing, owner=type(learner).__name__)
    names = tuple(source.feature_names)
    if len(names) != learner.n_features_in_:
        raise DataError(f"eval_set has {len(names)} features, the training data {learner.n_features_in_}.")
    known = tuple(getattr(learner, "feature_names_in_", names))
    if names == known:
        return source
    if has_names(X) or not isinstance(source, RankingData):
        raise DataError("eval_set has other feature names than the training data, or in another order.")
    return replace(source, feature_names=known)  # an array's columns take the names of the training data's


def eval_data(eval_set: Any, learner: Any, *, owner: str, regroup: bool = False, missing: bool = False) -> RankingData:
    """As `eval_source`, read into memory; missing values that may not be are refused in the name of `owner`."""
    data = in_memory(eval_source(eval_set, learner, regroup=regroup, missing=missing))
    return data if missing else data.require_complete(owner)


def has_names(X: Any) -> bool:
    """Whether the columns have names of their own: an array's and a CSR matrix's are only numbered."""
    return not (isinstance(X, (np.ndarray, list, tuple)) or sp.issparse(X))
