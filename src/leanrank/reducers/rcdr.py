"""RCDR: the directions along which documents are ordered most as the labels order them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from leanrank._declared import declared
from leanrank.data.door import as_source, feature_matrix, is_source, names_in
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.sources import MappedSource
from leanrank.engines.fold import fold
from leanrank.errors import DataError, ParameterError, is_whole, require, require_one_of
from leanrank.stats.rank_correlation import ColumnSpread, RankCorrelation, Spread

if TYPE_CHECKING:
    import altair

# A direction shorter than this, relative to the correlations it comes from, is rounding error.
_VANISHED = 1e-12

Matrix = NDArray[np.float64]


def _without(basis: Matrix, vector: Matrix) -> Matrix:
    """`vector` less its part along the rows of `basis`; done twice for accuracy."""
    for _ in range(2):
        vector = vector - basis.T @ (basis @ vector)
    return vector


@dataclass(frozen=True, eq=False)
class Projected:
    """A block's documents on the components: all of a reducer that reading a source elsewhere needs."""

    weights: Matrix
    feature_names: tuple[str, ...]
    names: tuple[str, ...]

    def __call__(self, block: RankingData) -> RankingData:
        X = feature_matrix(block, self.feature_names, owner="RCDR")[0]
        values = np.asarray(X @ self.weights.T, dtype=np.float64)
        ids, beside = block.query_ids, block.beside
        return RankingData(values, block.y, block.query_ptr, ids, self.names, block.comments, beside=beside)


class _TransformsRankingData:
    """`transform` for RankingData. Outside TransformerMixin's family, whose `set_output` would wrap the result."""

    def transform(self, X: Any) -> Any:
        """Project documents on the components.

        Parameters
        ----------
        X : array, CSR matrix, frame, RankingData or RankingSource
            With the features seen in `fit`.

        Returns
        -------
        array of shape (n, n_components_); for RankingData, RankingData with the components as features; for a source,
        a source that projects blocks as they are read: fold it, or write it with `write_parquet`.
        """
        if not is_source(X):
            return super().transform(X)  # type: ignore[misc]
        check_is_fitted(self)
        names = tuple(self.get_feature_names_out())  # type: ignore[attr-defined]
        if not names:
            raise DataError("RCDR found no component, so there is nothing to transform to.")
        known = names_in(self)
        if len(X.feature_names) != len(known):
            raise DataError(
                f"X has {len(X.feature_names)} features, but RCDR is expecting {len(known)} features as input."
            )
        projected = Projected(self.components_ / self.scale_, known, names)  # type: ignore[attr-defined]
        return projected(X) if isinstance(X, RankingData) else MappedSource(X, projected, names)

    def fit_transform(self, X: Any, y: Any = None, *, qid: Any = None, regroup: bool = False) -> Any:
        """`fit`, then `transform` of the same documents."""
        return self.fit(X, y, qid=qid, regroup=regroup).transform(X)  # type: ignore[attr-defined]


class _Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    def transform(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._project(X)

    def _project(self, X: Any) -> Matrix:
        if hasattr(self, "feature_names_in_"):
            validate_data(self, X, reset=False, skip_check_array=True)
            X = feature_matrix(X, names_in(self), owner=type(self).__name__)[0]
        else:
            X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        return np.asarray(X @ (self.components_ / self.scale_).T, dtype=np.float64)


@declared
class RCDR(_TransformsRankingData, _Projection):
    r"""Rank correlation dimension reduction: a supervised counterpart of PCA for orders and graded labels.

    The first component points along the rank correlations of the attributes with the labels, summed over queries,

    .. math:: R_k = \sum_q \mathrm{corr}(x_{qk}, y_q), \qquad w^{(1)} = R / \|R\|

    which maximises :math:`w'R` over unit vectors. Each next one is found the same way after the documents have been
    freed of their part along those before, and is orthogonal to them. Higher values of a component are better.

    Parameters
    ----------
    n_components : int or None
        How many at most; None for as many as there are features.
    kind : {"spearman", "kendall"}
        The correlation. For orders of two they are the same.
    ties : {"tau-b", "tau-a"}
        Kendall only: divide by sqrt(untied pairs x all pairs), or by all pairs. Attributes with many ties (0 or 1)
        count more with tau-b. Pairs with equal labels are never counted.
    scale : bool
        Divide every feature by its standard deviation over all rows. The first component of scaled features is the
        same either way; the later ones are not.
    weight : {"orders", "pairs"}
        Queries count alike, or by their pairs of different labels.
    complete : bool
        Where no direction is left that the labels say anything about, fill up to `n_components` with an orthonormal
        basis of the rest rather than stop.
    engine : optional
        Where the sums are computed: one fold for the scale and one for each component.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features_in_)
        Orthonormal rows. They apply to features divided by `scale_`.
    norms_ : array of shape (n_components_,)
        Length of the mean correlation vector at each step, 0 for components of `complete`. It need not decrease.
    n_components_ : int
    n_orders_ : int
        Queries with at least one pair of different labels, of which the sums are made.
    scale_ : array of shape (n_features_in_,)

    Notes
    -----
    Cost O(n K log n) for each component, plus O(n K) for each projection. Attributes nearer than 1e-10 of their range
    are tied, because projection leaves rounding errors where ties were. An attribute that is constant in every query
    has weight 0 in all components. Centring would change nothing: only the order inside a query matters.

    From the second component on the rule for ties matters where orders are short, as projection makes new ties and
    breaks old ones. The paper's inequality between tau and rho of orders of length L (Daniels) has 3 (L + 2) where
    3 L is right: ``|3 L tau - 2 (L + 1) rho| <= L - 2``.

    References
    ----------
    T. Kamishima, S. Akaho. Dimension reduction for supervised ordering. ICDM 2006.

    Examples
    --------
    >>> from leanrank import RCDR, from_orders
    >>> items = [[3.0, 0.0, 1.0], [2.0, 2.0, 0.0], [1.0, 3.0, 2.0], [0.0, 1.0, 3.0]]
    >>> data = from_orders(items, [[0, 1, 2, 3], [1, 0, 3], [2, 1, 3]], feature_names=["a", "b", "c"])
    >>> rcdr = RCDR(2, kind="kendall", scale=False).fit(data)
    >>> rcdr.components_.round(3).tolist(), rcdr.norms_.round(3).tolist()
    ([[0.598, 0.359, -0.717], [-0.567, -0.443, -0.694]], [0.93, 0.392])
    >>> rcdr.top_attributes(2)[0]
    {'component': 'rcdr0', 'norm': 0.92..., 'attributes': [('c', -0.717...), ('a', 0.597...)]}
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}

    n_components: int | None = field(default=None, kw_only=False)
    kind: str = "spearman"
    ties: str = "tau-b"
    scale: bool = True
    weight: str = "orders"
    complete: bool = False
    engine: Any = None

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, regroup: bool = False) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array, CSR matrix, frame, RankingData or RankingSource
            Documents by features. RankingData and sources carry labels and queries themselves.
        y : array of shape (n,)
            Labels, higher is better. An order of L objects is a query with labels L-1..0; see `from_orders`.
        qid : array of shape (n,)
            The query of each row.
        regroup : bool
            Whether to bring the rows of a query together where they are not adjacent, instead of refusing.
        """
        self._check_parameters()
        if y is None and not is_source(X):
            raise DataError("RCDR requires y to be passed, but the target y is None: call fit(X, y, qid=qid).")
        source = as_source(X, y, qid=qid, regroup=regroup, owner=type(self).__name__)
        if isinstance(source, RankingData) and source.categories:
            raise DataError(
                f"RCDR makes sums of features, and the category {next(iter(source.categories))!r} is no number: leave "
                "it out (--drop)."
            )
        if X is source:
            self.n_features_in_ = len(source.feature_names)
            self.feature_names_in_ = np.array(source.feature_names, dtype=object)
        else:
            validate_data(self, X, skip_check_array=True)
        wanted = self.n_features_in_ if self.n_components is None else int(self.n_components)
        if wanted > self.n_features_in_:
            rule = f"from 1 to {self.n_features_in_}, the number of features"
            raise ParameterError.of("RCDR", "n_components", rule, self.n_components)
        spread: Spread = fold(ColumnSpread(), source, self.engine)
        self.scale_ = spread.std if self.scale else np.ones(self.n_features_in_)
        self._find(source, wanted, (spread.high - spread.low) / self.scale_)
        return self

    def _find(self, source: RankingSource, wanted: int, width: Matrix) -> None:
        basis = np.empty((0, self.n_features_in_))
        norms: list[float] = []
        by_pairs = self.weight == "pairs"
        while len(basis) < wanted:
            statistic = RankCorrelation(self.kind, self.ties == "tau-b", by_pairs, self.scale_, width, basis)
            R, self.n_orders_, n_pairs = fold(statistic, source, self.engine)
            direction = _without(basis, R)
            length, before = float(np.linalg.norm(direction)), float(np.linalg.norm(R))
            if length <= _VANISHED * max(1.0, before):
                break
            basis = np.vstack((basis, _without(basis, direction / length)))
            basis[-1] /= np.linalg.norm(basis[-1])
            norms.append(float(before / (n_pairs if by_pairs else self.n_orders_)))
        if not norms:
            warnings.warn(
                "RCDR found no component: no feature is correlated with the labels inside the queries.",
                UserWarning,
                stacklevel=3,
            )
        if self.complete:
            for axis in np.eye(self.n_features_in_):
                rest = _without(basis, axis)
                if len(basis) < wanted and np.linalg.norm(rest) > 1e-6:
                    rest = _without(basis, rest / np.linalg.norm(rest))
                    basis = np.vstack((basis, rest / np.linalg.norm(rest)))
                    norms.append(0.0)
        self.components_ = basis
        self.norms_ = np.array(norms)
        self.n_components_ = len(basis)
        self._n_features_out = len(basis)

    def _check_parameters(self) -> None:
        some = self.n_components is None or is_whole(self.n_components, 1)
        require(self, "n_components", "a whole number >= 1 or None", some)
        require_one_of(self, kind=("spearman", "kendall"), ties=("tau-b", "tau-a"), weight=("orders", "pairs"))

    def top_attributes(self, top: int = 5) -> list[dict[str, Any]]:
        """What each component is made of: its `top` features by absolute weight, with their weights."""
        check_is_fitted(self)
        names = names_in(self)
        return [
            {
                "component": f"rcdr{i}",
                "norm": float(self.norms_[i]),
                "attributes": [
                    (names[j], float(row[j])) for j in np.argsort(-np.abs(row).round(12), kind="stable")[:top]
                ],
            }
            for i, row in enumerate(self.components_)
        ]

    def chart(self, top: int = 5, n_components: int = 3) -> altair.Chart:
        """The weights of the `top` features of the first components, as bars that point to the better side."""
        from leanrank.reducers.component_chart import component_chart

        return component_chart(self.top_attributes(top)[:n_components])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
