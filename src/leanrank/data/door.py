"""The estimators' door: whatever a caller holds becomes RankingData (or a matrix), checked once."""

from __future__ import annotations

import warnings
from typing import Any, TypeGuard

import numpy as np
import scipy.sparse as sp

from leanrank.data.categories import Categories
from leanrank.data.columns import as_frame, check_values, feature_columns, id_column, label_column, numeric_matrix
from leanrank.data.grouping import query_offsets
from leanrank.data.ranking_data import Matrix, RankingData, RankingSource, concatenate
from leanrank.errors import DataError, MissingValuesError


def as_ranking_data(
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    regroup: bool = False,
    missing: bool = False,
    owner: str | None = None,
) -> RankingData:
    """Turn what `fit` was given into RankingData.

    Parameters
    ----------
    X : RankingData, array, list of lists, scipy sparse matrix, or any eager frame (pandas, polars, pyarrow)
        A frame's column names become the feature names; RankingData is returned as it is.
    y : array, series or list of length n
        Labels, higher is better.
    qid : array, series or list of length n
        The query of every row: numbers, texts, categories, dates.
    regroup : bool
        Bring the rows of a query together (stable) where they are not adjacent, rather than refuse.
    missing : bool
        Whether NaN and null stand for missing values, rather than being refused.
    owner : str, optional
        The method that cannot take missing values, for the error; without one, the error tells of `missing`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"bm25": [2.5, 0.5, 1.0], "age": [1, 2, 3]})
    >>> data = as_ranking_data(frame, [1, 0, 2], qid=["tea", "tea", "cup"])
    >>> data.feature_names, data.query_ids.tolist(), data.query_sizes.tolist()
    (('bm25', 'age'), ['tea', 'cup'], [2, 1])
    """
    if isinstance(X, RankingData):
        _nothing_beside(X, y, qid)
        return X
    if y is None:
        raise DataError(
            "There are no labels: pass y, one number per row, as in fit(X, y, qid=qid), or RankingData made of a "
            "frame by leanrank.from_frame(frame, label=..., qid=...)."
        )
    if qid is None:
        raise DataError(
            "There is no qid, so which rows belong to one query is unknown: pass one id per row, as in "
            "fit(X, y, qid=qid). Inside a Pipeline or a search, route it: "
            "sklearn.set_config(enable_metadata_routing=True) and set_fit_request(qid=True) on the estimator."
        )
    matrix, names = _matrix(X)
    n = matrix.shape[0]
    labels = _one_dimensional(label_column(y))
    query_ptr, query_ids, order = query_offsets(id_column(qid), n_rows=n, regroup=regroup)
    if order is not None:
        if labels.shape != (n,):
            raise DataError(f"Labels and documents must correspond: y has shape {labels.shape}, X has {n:,} rows.")
        named = names or _counted(matrix.shape[1])
        check_values(matrix, named, missing=missing, owner=owner)  # rows as the caller counts them
        matrix, labels = matrix[order], labels[order]
    assert query_ids is not None
    try:
        return RankingData(matrix, labels, query_ptr, query_ids, names or (), missing=missing)
    except MissingValuesError as error:
        raise MissingValuesError.at(error.where or "X", owner) from None


def as_source(
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    regroup: bool = False,
    missing: bool = False,
    owner: str | None = None,
) -> RankingSource:
    """As `as_ranking_data`, but a RankingSource (a scanned file, say) passes unchanged."""
    if is_source(X):
        _nothing_beside(X, y, qid)
        return X
    return as_ranking_data(X, y, qid=qid, regroup=regroup, missing=missing, owner=owner)


def in_memory(source: RankingSource) -> RankingData:
    """All of a source."""
    return source if isinstance(source, RankingData) else concatenate(list(source.blocks()))


def is_source(X: Any) -> TypeGuard[RankingSource]:
    """Whether X already knows its labels and queries: RankingData or anything else with blocks."""
    return isinstance(X, RankingSource)


def feature_matrix(
    X: Any, feature_names: tuple[str, ...] | None = None, *, missing: bool = False, owner: str = "the model"
) -> tuple[Matrix, tuple[str, ...]]:
    """Features alone, for `predict` and `transform`: the matrix and its feature names.

    Given `feature_names` (those of `fit`), the number of columns must agree, and a frame's column names too.
    `owner` is the estimator's name in messages.

    >>> feature_matrix([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), ('1', '2'))
    """
    names: tuple[str, ...] | None
    if isinstance(X, RankingData):
        matrix, names = X.X, X.feature_names
    else:
        matrix, names = _matrix(X)
        check_values(matrix, names or _counted(matrix.shape[1]), missing=missing, owner=owner)
    if feature_names is None:
        return matrix, names or _counted(matrix.shape[1])
    wanted = tuple(feature_names)
    check_features(names, matrix.shape[1], wanted, owner)
    return matrix, wanted


def check_features(names: tuple[str, ...] | None, n_columns: int, wanted: tuple[str, ...], owner: str) -> None:
    """Refuse columns that are not those of `fit`, `wanted`: by their names, or by their number where they have none."""
    if n_columns != len(wanted) and (names is None or set(names) == set(_counted(len(names)))):
        raise DataError(f"X has {n_columns} features, but {owner} is expecting {len(wanted)} features as input.")
    if names is not None and names != wanted:
        if wanted != _counted(len(wanted)) or len(names) != len(wanted):
            raise DataError(_mismatch(names, wanted))
        warnings.warn(f"X has feature names, but {owner} was fitted without feature names.", UserWarning, stacklevel=4)


def unjudged(X: Any, categories: Categories, owner: str) -> RankingData:
    """The documents of a frame as one query without labels; its columns in `categories` are read as texts.

    >>> import pyarrow as pa
    >>> data = unjudged(pa.table({"bm25": [1.5, 2.0], "brand": ["b", "a"]}), {"brand": ("a", "b", "c")}, "RankSVM")
    >>> data.X.tolist(), data.categories
    ([[1.5, 1.0], [2.0, 0.0]], {'brand': ('a', 'b')})
    """
    frame = as_frame(X)
    if frame is None:
        raise DataError(
            f"{owner} was trained with the category {next(iter(categories))!r}: pass RankingData, or a frame with its "
            "texts, as an array has only numbers."
        )
    names = tuple(frame.columns)
    matrix, texts = feature_columns(frame, names, [name for name in names if name in categories])
    labels, one_query = np.zeros(len(matrix), dtype=np.float32), np.array([0, len(matrix)])
    return RankingData(_not_empty(matrix), labels, one_query, feature_names=names, missing=True, categories=texts)


def _nothing_beside(X: Any, y: Any, qid: Any) -> None:
    extra = " and ".join(name for name, value in (("y", y), ("qid", qid)) if value is not None)
    if extra:
        raise DataError(f"{type(X).__name__} carries its own labels and queries: pass it alone, without {extra}.")


def _matrix(X: Any) -> tuple[Any, tuple[str, ...] | None]:
    """A dense float or CSR matrix, and the feature names where X has names."""
    if sp.issparse(X):
        if X.dtype.kind not in "biuf":
            raise DataError(f"X must hold real numbers. Got a sparse matrix of dtype {X.dtype}.")
        matrix = sp.csr_array(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
        return _not_empty(matrix), None
    frame = as_frame(X)
    if frame is not None:
        if not frame.columns:
            raise DataError("There are no features: the frame has no columns.")
        return _not_empty(numeric_matrix(frame, frame.columns)), tuple(frame.columns)
    return _not_empty(_dense(X)), None


def _dense(X: Any) -> Any:
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise DataError("X is ragged: every row needs the same number of features.") from error
    if array.ndim != 2:
        raise DataError(
            f"X must have two dimensions (documents, features). Got shape {array.shape}. Reshape your data with "
            "X.reshape(-1, 1) if it is a single feature, X.reshape(1, -1) if it is a single document."
        )
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: X must hold real numbers.")
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "biufO":
        raise DataError(f"X must hold numbers. Got an array of dtype {array.dtype}.")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        for j in range(array.shape[1]):
            for value in array[:, j].tolist():
                try:
                    float(value)
                except (TypeError, ValueError):
                    raise DataError(
                        f"Column {j} of X is not numeric: it holds {value!r}; each argument must be a string or a "
                        "real number that float() takes."
                    ) from error
        raise DataError(f"X must hold numbers: {error}") from error


def _not_empty(matrix: Any) -> Any:
    n, n_features = matrix.shape
    if n == 0:
        raise DataError(f"There are no documents: X has 0 sample(s) (shape={matrix.shape}).")
    if n_features == 0:
        raise DataError(f"There are no features: 0 feature(s) (shape=({n}, 0)) while a minimum of 1 is required.")
    return matrix


def _one_dimensional(labels: Any) -> Any:
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: y.ravel() is used.",
            DataConversionWarning,
            stacklevel=3,
        )
        return labels.ravel()
    return labels


def names_in(estimator: Any) -> tuple[str, ...]:
    """Names of the features that an estimator was fitted on; those of a bare array are its column numbers, from 1."""
    names = getattr(estimator, "feature_names_in_", None)
    return _counted(estimator.n_features_in_) if names is None else tuple(str(name) for name in names)


def _counted(n_features: int) -> tuple[str, ...]:
    return tuple(str(j + 1) for j in range(n_features))


def _mismatch(names: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    """Scikit-learn's sentences on feature names, which its users know."""
    message = "The feature names should match those that were passed during fit.\n"
    unseen, absent = sorted(set(names) - set(wanted)), sorted(set(wanted) - set(names))
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    if absent:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(absent)
    if not unseen and not absent:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _listed(names: list[str]) -> str:
    return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")
