"""Scalers that work inside each query: scikit-learn transformers that take qid."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from leanrank.data.columns import id_column
from leanrank.data.door import feature_matrix, is_source, names_in
from leanrank.data.grouping import query_offsets
from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import MappedSource
from leanrank.errors import DataError, is_whole, require
from leanrank.kernels import scaling as kernels
from leanrank.kernels._threads import over_queries


class _ScalesRankingData:
    """`transform` of RankingData. Outside TransformerMixin's family, whose `set_output` would wrap the result."""

    def transform(self, X: Any, *, qid: Any = None) -> Any:
        """Scale every feature inside every query.

        Parameters
        ----------
        X : array, CSR matrix, frame, RankingData or RankingSource
            Documents by features; NaN stands for a missing value and is left alone, as categories are.
        qid : array of shape (n,)
            The query of every row, which need not be adjacent; RankingData brings its own.

        Returns
        -------
        The scaled values in the same order of rows: RankingData if given that, a CSR matrix if given a sparse one,
        otherwise an array, or what `set_output` asks for; of a source, a source that scales blocks as they are read.
        float32 stays float32.
        """
        if is_source(X) and not isinstance(X, RankingData):
            if qid is not None:
                raise DataError(f"{type(X).__name__} carries its own queries: pass it alone, without qid.")
            return MappedSource(X, self.transform, tuple(X.feature_names))
        if not isinstance(X, RankingData):
            return super().transform(X, qid=qid)  # type: ignore[misc]
        if qid is not None:
            raise DataError("RankingData carries its own queries: pass it alone, without qid.")
        check_is_fitted(self)
        feature_matrix(X, names_in(self), owner=type(self).__name__)
        scaled = self._scale(X.X, X.query_ptr, X.feature_names, X.query_ids)  # type: ignore[attr-defined]
        kinds = X.category_columns
        if kinds:
            scaled[:, kinds] = X.X[:, kinds]
        still = bool(kinds) or not getattr(self, "fill_missing", False)
        return replace(X, X=scaled, missing=X.missing and still)

    def fit_transform(self, X: Any, y: Any = None, *, qid: Any = None) -> Any:
        """`fit`, then `transform` of the same table."""
        return self.fit(X, y).transform(X, qid=qid)  # type: ignore[attr-defined]


class _QueryScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What both scalers share: the scikit-learn interface, and finding the queries."""

    # With metadata routing on, qid reaches the scaler without being asked for.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__transform: ClassVar[dict[str, bool]] = {"qid": True}

    def fit(self, X: Any, y: Any = None, *, qid: Any = None) -> Self:
        """Learn the number and names of the features: a query is scaled by its own documents only.

        Parameters
        ----------
        X : array, CSR matrix, frame, RankingData or RankingSource
        y, qid : ignored
        """
        self._check_parameters()
        if is_source(X):
            self.n_features_in_ = len(X.feature_names)
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
        else:
            self._matrix(X)
            validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any, *, qid: Any = None) -> Any:
        check_is_fitted(self)
        matrix = self._matrix(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        if qid is None:
            raise DataError(
                f"{type(self).__name__} needs the query of every row: pass qid, as in transform(X, qid=qid). Inside a "
                "Pipeline, sklearn.set_config(enable_metadata_routing=True) lets it through."
            )
        query_ptr, query_ids, order = query_offsets(id_column(qid), n_rows=matrix.shape[0], regroup=True)
        if order is None:
            return self._scale(matrix, query_ptr, names_in(self), query_ids)
        scaled = self._scale(matrix[order], query_ptr, names_in(self), query_ids)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return scaled[back]

    def _matrix(self, X: Any) -> Any:
        """The values of any table; subclasses may refuse some."""
        return feature_matrix(X, missing=True)[0]

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be."""

    def _scale(self, X: Any, query_ptr: NDArray[np.int64], names: Any, query_ids: Any) -> Any:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


class QueryMinMaxScaler(_ScalesRankingData, _QueryScaler):
    r"""Bring every feature of every query to [0, 1], as the LETOR files are.

    .. math:: x' = \frac{x - \min_q}{\max_q - \min_q}

    with minimum and maximum over the documents of the query; 0 where they are equal. Nothing is learned but the
    features: a query is scaled by its own documents, in training and in use alike.

    Parameters
    ----------
    decimals : int, optional
        Round to so many decimals. LETOR's files have 6, which matters to methods that cut at values (evaluate them
        on float64: float32 has but 7 digits).
    fill_missing : bool
        Whether missing values become 0, that is the minimum of their query, as in LETOR's "min" files. Otherwise
        they stay NaN. They never count in minimum and maximum.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of str
        Where the input had names.

    Notes
    -----
    Two passes over the data, in threads over queries. Sparse input: absent values count as 0, and the output is as
    sparse; a feature with both absent and negative values in one query would lose its zeros and is refused.

    References
    ----------
    T. Qin, T.-Y. Liu, J. Xu, H. Li, "LETOR: A Benchmark Collection for Research on Learning to Rank for Information
    Retrieval", Information Retrieval 13, 2010.

    Examples
    --------
    >>> X = [[1.0, 5.0], [3.0, 5.0], [2.0, 5.0], [10.0, 0.0], [30.0, 8.0]]
    >>> QueryMinMaxScaler().fit_transform(X, qid=[1, 1, 1, 2, 2])
    array([[0. , 0. ],
           [1. , 0. ],
           [0.5, 0. ],
           [0. , 0. ],
           [1. , 1. ]])
    """

    def __init__(self, *, decimals: int | None = None, fill_missing: bool = False) -> None:
        self.decimals = decimals
        self.fill_missing = fill_missing

    def _check_parameters(self) -> None:
        known = self.decimals is None or (is_whole(self.decimals, 0) and self.decimals <= 15)
        require(self, "decimals", "None or a whole number from 0 to 15", known)

    def _scale(self, X: Any, query_ptr: NDArray[np.int64], names: Any, query_ids: Any) -> Any:
        power = 0.0 if self.decimals is None else 10.0**self.decimals
        if sp.issparse(X):
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            values = np.empty_like(X.data)
            self._scale_stored(X, query_ptr, power, values, names, query_ids)
            scaled: Any = sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
        else:
            values = scaled = np.empty_like(X, order="C")
            over_queries(lambda a, b: kernels.query_minmax(X, query_ptr, a, b, power, scaled), query_ptr)
        if self.fill_missing:
            np.nan_to_num(values, copy=False, nan=0.0)
        return scaled

    @staticmethod
    def _scale_stored(X: Any, query_ptr: Any, power: float, out: NDArray[Any], names: Any, query_ids: Any) -> None:
        def work(first: int, last: int) -> tuple[int, int]:
            refused: tuple[int, int] = kernels.query_minmax_csr(
                X.data, X.indices, X.indptr, X.shape[1], query_ptr, first, last, power, out
            )
            return refused

        for query, feature in over_queries(work, query_ptr):
            if query >= 0:
                raise DataError(
                    f"Feature {names[feature]!r} has a negative value in query {query_ids[query]}, so that its absent "
                    "values would not stay 0: scale a dense matrix instead (X.toarray(), or sparse=False when reading)."
                )


class QueryStandardScaler(_ScalesRankingData, _QueryScaler):
    r"""Bring every feature of every query to mean 0 and standard deviation 1.

    .. math:: x' = \frac{x - \bar x_q}{\sigma_q}

    with mean and population standard deviation over the documents of the query; 0 where all its values are equal.
    Nothing is learned but the features: a query is scaled by its own documents, in training and in use alike.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : int, array of str
        As in `QueryMinMaxScaler`.

    Notes
    -----
    Four passes over the data, in threads over queries. Missing values (NaN) do not count and stay. Sparse input is
    refused: less its mean it would not be sparse.

    Examples
    --------
    >>> X = [[1.0, 5.0], [3.0, 5.0], [10.0, 0.0], [30.0, 8.0]]
    >>> QueryStandardScaler().fit_transform(X, qid=["a", "a", "b", "b"])
    array([[-1.,  0.],
           [ 1.,  0.],
           [-1., -1.],
           [ 1.,  1.]])
    """

    def _matrix(self, X: Any) -> Any:
        self._refuse_sparse(X)
        return super()._matrix(X)

    @staticmethod
    def _refuse_sparse(X: Any) -> None:
        if sp.issparse(X):
            raise DataError(
                "QueryStandardScaler cannot take sparse input: values less their mean are not sparse. Pass a dense "
                "matrix (X.toarray(), or sparse=False when reading), or use QueryMinMaxScaler."
            )

    def _scale(self, X: Any, query_ptr: NDArray[np.int64], names: Any, query_ids: Any) -> Any:
        self._refuse_sparse(X)
        scaled = np.empty_like(X, order="C")
        over_queries(lambda a, b: kernels.query_standardise(X, query_ptr, a, b, scaled), query_ptr)
        return scaled

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
