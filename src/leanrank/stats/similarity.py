"""Similarity: how alike two features order the documents of a query, as a fold over queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.data.weights import QUERIES, WEIGHTS, row_weights
from leanrank.engines.fold import Arithmetic
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.kernels.concordance import HALF, ORDINAL, STRICT, TAU_B, add_similarity, kendall_sums
from leanrank.kernels.inversions import count_by_merging
from leanrank.kernels.rcdr import centred_ranks
from leanrank.kernels.top_weighted import tau_ap_sums
from leanrank.kernels.weighted_sums import add_weighted
from leanrank.stats.exact_sum import FRACTION_BITS, LOW_BITS, as_float, exact_sum, from_fixed
from leanrank.stats.query_moments import weighted_ranks

_KINDS = ("kendall", "pearson", "spearman", "tau_ap")
_TIES = {"signed": HALF, "strict": STRICT, "half": HALF, "clipped": HALF, "ordinal": ORDINAL, "tau-b": TAU_B}
#: Bytes of values that pooled "spearman" gathers from a source.
MAX_KEPT = 1 << 30
#: Queries whose fixed-point sum cannot overflow 64 bits.
_QUERIES_AT_ONCE = 1 << 16
#: Queries that weigh no more together have exact sums in parts, as floating-point numbers; one of more is refused.
_EXACT_WEIGHT = 2.0**36
#: Binary digits of a weight that sums of `_QUERIES_AT_ONCE` queries are multiplied by without rounding.
_SHORT_BITS = 18
#: Queries that weigh less than this together are refused: too few digits of their sums are left.
#: Those that weigh more are too: whole numbers of 64 bits would overflow.
_LEAST_WEIGHT, _GREATEST_WEIGHT = 2.0**-20, 2.0**46


class QuerySums(NamedTuple):
    """Sum over queries of a similarity; entries below the diagonal may be left 0.

    Where queries have weights, sums have three parts, and `n_queries` is the sum (3,) of the weights of those of at
    least two documents. With signed or clipped ties `total` is then the sum of tau_a, not of (1 + tau_a) / 2: what is 0
    for a constant feature must not be the difference of two roundings.
    """

    total: NDArray[np.int64]  # (parts of an exact sum, K, K)
    n_queries: NDArray[np.int64]


class PooledMoments(NamedTuple):
    """Means and sums of products around them, over all rows; `n_rows` is what they weigh where they have weights."""

    n_rows: NDArray[np.int64]
    mean: NDArray[np.float64]
    products: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class PooledValues(NamedTuple):
    """The values themselves, and what the rows weigh, if they do: ranks over all rows need all rows."""

    values: tuple[NDArray[Any], ...]
    weights: tuple[NDArray[np.float64], ...] = ()


SimilarityPartial: TypeAlias = QuerySums | PooledMoments | PooledValues


@dataclass(frozen=True)
class Similarity:
    r"""How alike two features order documents, over the queries of at least two documents.

    ================  ========  =====================================================================
    kind              range     similarity of features a and b
    ================  ========  =====================================================================
    ``"kendall"``     `ties`    from pairs of documents that both order alike, or one of them the other way
    ``"tau_ap"``      [0, 1]    (1 + tau_ap) / 2, mean of both directions; the top counts more
    ``"spearman"``    [-1, 1]   Pearson correlation of the mid-ranks
    ``"pearson"``     [-1, 1]   Pearson correlation of the values
    ================  ========  =====================================================================

    All are means over queries but "kendall" with signed ties, where the means themselves are divided: with C and D the
    shares of the pairs of documents of a query that both features order alike and oppositely, and U the share
    that a feature does not tie,

    .. math:: s_{ab} = \frac{\sum_q (C_q - D_q)}{\sqrt{\sum_q U_q(a) \, \sum_q U_q(b)}}

    the cosine of two vectors with +1, 0 or -1 for each pair of documents. It is 1 for a feature with itself and with
    any increasing function of it, -1 for a decreasing one and about 0 for unrelated ones, however many values are
    equal, in whichever queries a feature says nothing.

    Parameters
    ----------
    kind : {"kendall", "tau_ap", "spearman", "pearson"}, default="kendall"
    ties : {"signed", "strict", "half", "clipped", "ordinal", "tau-b"}, default="signed"
        For "kendall", how pairs of documents with equal values count:

        - "signed": the cosine above, in [-1, 1]. Positive semidefinite; features constant in every query are 1 with
          each other and 0 with others.
        - "strict": concordant pairs over all pairs, as papers count them, in [0, 1]. A pair tied in either feature is
          not concordant, so features with many equal values are unlike everything, themselves included; positive
          semidefinite.
        - "half": (1 + tau_a) / 2, in [0, 1]; a pair tied in either counts 1/2, a constant feature has 0.5.
        - "clipped": tau_a, 0 where the mean over queries is below, in [0, 1].
        - "ordinal": ties are broken by the order of rows, in [0, 1]; the only mode that depends on that order.
        - "tau-b": (1 + tau_b) / 2, in [0, 1]; 0.5 where a feature is constant in the query.
    scope : {"query", "pooled"}, default="query"
        For "spearman" and "pearson": mean over queries, or one correlation over all rows of all queries.

    Notes
    -----
    Only with signed ties is a feature that is constant in some query wholly like itself. A correlation with a feature
    that is constant (in the query, or overall if pooled) is 0. "tau_ap" breaks ties
    by the order of rows. If no query has two documents, all similarities are 0. Sums over queries are exact
    (see `exact_sum`), and the result is rounded to 12 decimals.

    Cost for K features: "kendall" O(K^2 n^2) single bits a query, 512 at a time, or O(K^2 n log n) where lists are
    very long; "tau_ap" O(K^2 n^2) bits, 64 at a time;
    the correlations O(K^2 n) and a sort. Memory is bounded whatever the length of the lists, except for pooled
    "spearman", which keeps all values (of a source at most 1 GiB); a graph with it cannot be added to another.

    References
    ----------
    M. Kendall: A new measure of rank correlation. Biometrika 1938. E. Yilmaz, J. Aslam, S. Robertson: A new rank
    correlation coefficient for information retrieval. SIGIR 2008.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[0.9, 0.8], [0.5, 0.6], [0.4, 0.2], [0.1, 0.2]], [2, 1, 0, 0], [0, 4])
    >>> {ties: round(float(fold(Similarity(ties=ties), data)[0, 1]), 4) for ties in ("signed", "strict", "half")}
    {'signed': 0.9129, 'strict': 0.8333, 'half': 0.9167}
    """

    kind: str = "kendall"
    ties: str = "signed"
    scope: str = "query"

    @property
    def weights(self) -> tuple[str, ...]:
        """The weights it takes: those of queries in a mean over queries, all where rows are pooled."""
        return (QUERIES,) if self.scope == "query" else tuple(WEIGHTS)

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise UnknownNameError.of("similarity", self.kind, _KINDS)
        if self.ties not in _TIES:
            raise UnknownNameError.of("tie mode of Similarity", self.ties, _TIES)
        if self.scope not in ("query", "pooled"):
            raise ParameterError.of("Similarity", "scope", "'query' or 'pooled'", self.scope)
        if self.scope == "pooled" and self.kind not in ("pearson", "spearman"):
            raise ParameterError.of("Similarity", "scope", f"'query' for {self.kind!r}", self.scope)

    @classmethod
    def named(cls, name: str | Similarity) -> Similarity:
        """By the name of a kind, or of a way with ties, which is Kendall's; similarities pass.

        >>> Similarity.named("strict")
        Similarity(kind='kendall', ties='strict', scope='query')
        """
        if isinstance(name, Similarity):
            return name
        return cls(ties=name) if name in _TIES else cls(name)

    @property
    def of_orders(self) -> bool:
        """Whether it is the same for all features that order every query alike."""
        return self.kind != "pearson" and self.scope == "query"

    @property
    def signed(self) -> bool:
        """Whether it goes from -1, the opposite order, over 0, unrelated, to 1; others go from 0 to 1."""
        return self.kind in ("spearman", "pearson") or (self.kind == "kendall" and self.ties == "signed")

    @property
    def accelerated(self) -> bool:
        """Whether there is a form of it for accelerators: of "kendall" and, by query, "spearman"."""
        return self.scope == "query" and self.kind in ("kendall", "spearman")

    def describe(self) -> dict[str, str]:
        """The parameters as plain text: part of a graph's identity."""
        return {"kind": self.kind, "ties": self.ties if self.kind == "kendall" else "", "scope": self.scope}

    def of(self, block: RankingData) -> SimilarityPartial:
        """Sums over the queries of a block; all values, where ranks are pooled."""
        block.require_complete("Similarity")
        return reduce(self.merge, map(self._of_part, dense_parts(block)))

    def of_on(self, block: RankingData, arithmetic: Arithmetic) -> QuerySums:
        """The same sums by an accelerator's arithmetic."""
        if block.beside.query_weight is not None:
            sums = self.of(block)
            assert isinstance(sums, QuerySums)
            return sums
        if self.kind == "spearman":
            total = arithmetic.spearman_sums(block)
        else:
            total = arithmetic.kendall_sums(block, _TIES[self.ties])
        return QuerySums(total, np.array(int((block.query_sizes >= 2).sum())))

    def merge(self, a: SimilarityPartial, b: SimilarityPartial) -> SimilarityPartial:
        """What two sets of queries give together."""
        if isinstance(a, QuerySums) and isinstance(b, QuerySums):
            return QuerySums(a.total + b.total, a.n_queries + b.n_queries)
        if isinstance(a, PooledValues) and isinstance(b, PooledValues):
            _check_kept(a.values + b.values)
            return PooledValues(a.values + b.values, a.weights + b.weights)
        assert isinstance(a, PooledMoments)
        assert isinstance(b, PooledMoments)
        if not (a.n_rows and b.n_rows):  # what weighs nothing has no least and greatest value either
            return b if b.n_rows else a
        n = a.n_rows + b.n_rows  # Chan, Golub and LeVeque (1979): no cancellation
        apart, share = b.mean - a.mean, b.n_rows / n
        return PooledMoments(
            n,
            a.mean + apart * share,
            a.products + b.products + np.outer(apart, apart) * (float(a.n_rows) * float(b.n_rows) / float(n)),
            np.minimum(a.low, b.low),
            np.maximum(a.high, b.high),
        )

    def finish(self, partial: SimilarityPartial) -> NDArray[np.float64]:
        """The symmetric (K, K) matrix."""
        self.require_weight(partial)
        return self.matrix(partial)

    def require_weight(self, partial: SimilarityPartial) -> None:
        """Refuse queries that weigh so little together that few digits of their sums are left."""
        n = float(_counted(partial.n_queries)) if isinstance(partial, QuerySums) else 0.0
        if 0 < n < _LEAST_WEIGHT:
            raise DataError(
                f"The queries here of two or more documents weigh {n:.3g} together, too little for a similarity: "
                "multiply the weights, so that their mean is 1."
            )

    def matrix(self, partial: SimilarityPartial) -> NDArray[np.float64]:
        """As `finish` gives it, with the digits that there are: those of a part of the queries may be few."""
        if isinstance(partial, PooledValues):
            weight = np.concatenate(partial.weights) if partial.weights else None
            partial = _moments(_ranks(np.concatenate(partial.values), weight), weight)
        if isinstance(partial, PooledMoments):
            spread = np.sqrt(np.diag(partial.products)) * (partial.high > partial.low)
            similarity = _divided(partial.products, np.outer(spread, spread)).clip(-1.0, 1.0)
        else:
            similarity = self._mean(partial).clip(-1.0, 1.0)
        similarity = np.triu(similarity) + np.triu(similarity, k=1).T
        if (
            self.kind == "kendall"
            and self.ties == "signed"
            and isinstance(partial, QuerySums)
            and _counted(partial.n_queries)
        ):
            similarity = _cosines(similarity)
        return similarity.round(12) + 0.0  # no negative zero

    def _mean(self, partial: QuerySums) -> NDArray[np.float64]:
        """Mean over queries, above the diagonal; of signed and clipped ties that of tau_a."""
        total, n = as_float(partial.total), float(_counted(partial.n_queries))
        if not 0 <= n < _GREATEST_WEIGHT:
            raise DataError(f"The queries here weigh {_GREATEST_WEIGHT:.3g} or more together: divide the weights.")
        if self._is_of_tau and not partial.n_queries.ndim:
            total = 2 * total - n
        mean = np.asarray(total / (n or 1.0))
        return np.maximum(mean, 0.0) if self._is_of_tau and self.ties == "clipped" else mean

    @property
    def _is_of_tau(self) -> bool:
        """Whether it is made of tau_a, of which kernels sum (1 + tau_a) / 2."""
        return self.kind == "kendall" and self.ties in ("signed", "clipped")

    def _of_part(self, block: RankingData) -> SimilarityPartial:
        if self.scope == "query":
            return self._of_queries(block)
        weight = row_weights(block)
        if self.kind == "pearson":
            return _moments(block.X, weight)
        return PooledValues((block.X,), () if weight is None else (weight,))

    def _of_queries(self, block: RankingData) -> QuerySums:
        if self.kind in ("pearson", "spearman"):
            return _correlations(block, ranks=self.kind == "spearman")
        if block.beside.query_weight is not None:
            return self._of_weighted(block, block.beside.query_weight)
        parts = np.zeros((2, block.n_features, block.n_features), dtype=np.int64)
        counted = 0
        for first, last in self._ranges(block, 0, block.n_queries):
            total = np.zeros(parts.shape[1:], dtype=np.int64)
            counted += self._add(block, first, last, total)
            parts += from_fixed(total)
        return QuerySums(parts, np.array(counted))

    def _of_weighted(self, block: RankingData, weight: NDArray[np.float64]) -> QuerySums:
        """Each query times its weight; those of one weight together, where nothing is rounded that way."""
        if weight.max() > _EXACT_WEIGHT:
            raise DataError(f"A query weighs {weight.max():.3g}: divide the weights, so that their mean is 1.")
        counted = exact_sum(weight[block.query_sizes >= 2], "the weight of queries", fine=True)
        order = np.argsort(weight, kind="stable")
        if (weight[order] != weight).any():
            block = block.take_queries(order)
        weight = weight[order]
        begins = np.flatnonzero((np.diff(weight, prepend=-1.0) > 0) | ~_is_short(weight))
        parts = np.zeros((3, block.n_features, block.n_features), dtype=np.int64)
        few, heavy, total = np.zeros(parts.shape), 0.0, np.zeros(parts.shape[1:], dtype=np.int64)
        for begin, end in pairwise([*begins.tolist(), block.n_queries]):
            own = float(weight[begin])
            for first, last in self._ranges(block, begin, end):
                if heavy + (last - first) * own > _EXACT_WEIGHT:
                    parts += few.astype(np.int64)
                    few[:], heavy = 0.0, 0.0
                total[:] = 0
                n = self._add(block, first, last, total)
                if self._is_of_tau:
                    total += total - (n << FRACTION_BITS)  # tau_a, above the diagonal and on it
                add_weighted(total, own, few)
                heavy += (last - first) * own
        return QuerySums(parts + few.astype(np.int64), counted)

    def _ranges(self, block: RankingData, first: int, last: int) -> Iterator[tuple[int, int]]:
        longest = _longest_on_bits(block.n_features) if self.kind == "kendall" else None
        return _ranges(block, longest, first, last)

    def _add(self, block: RankingData, first: int, last: int, total: NDArray[np.int64]) -> int:
        """Add the similarities of these queries, in fixed point; returns how many have two documents."""
        ptr, longest = block.query_ptr, _longest_on_bits(block.n_features)
        if self.kind == "tau_ap":
            return tau_ap_sums(block.X, ptr, first, last, total)
        if last - first == 1 and ptr[last] - ptr[first] > longest:
            return _kendall_by_merging(block.X[ptr[first] : ptr[last]], _TIES[self.ties], total)
        return kendall_sums(block.X, ptr, first, last, _TIES[self.ties], total)


def _counted(n_queries: NDArray[np.int64]) -> Any:
    """How many queries there are, or what they weigh."""
    return as_float(n_queries) if n_queries.ndim else n_queries


def _is_short(weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether sums of `_QUERIES_AT_ONCE` queries times this weight are exact, for few digits in the right places."""
    digits, exponent = np.frexp(weight)
    within = (exponent >= _SHORT_BITS - LOW_BITS) & (weight <= _EXACT_WEIGHT / _QUERIES_AT_ONCE)
    return np.asarray((np.ldexp(digits, _SHORT_BITS) % 1 == 0) & within)


def _longest_on_bits(n_features: int) -> float:
    """Documents of a query up to which counting bits is faster than merge sort (measured)."""
    return 1000 * n_features / (1 + n_features / 64)


def _ranges(
    block: RankingData, longest: float | None, first: int = 0, last: int | None = None
) -> Iterator[tuple[int, int]]:
    """Ranges of queries for one call of a kernel: few enough not to overflow, very long ones alone."""
    end = block.n_queries if last is None else last
    for q, n in enumerate(block.query_sizes[first:end].tolist(), start=first):
        if longest is not None and n > longest:
            if first < q:
                yield first, q
            yield q, q + 1
            first = q + 1
        elif q + 1 - first == _QUERIES_AT_ONCE:
            yield first, q + 1
            first = q + 1
    if first < end:
        yield first, end


def _kendall_by_merging(X: NDArray[Any], mode: int, total: NDArray[np.int64]) -> int:
    n, K = X.shape
    counts, tied = np.zeros((K, K), dtype=np.int64), np.zeros(K, dtype=np.int64)
    count_by_merging(X, mode in (HALF, TAU_B), mode == ORDINAL, counts, tied)
    add_similarity(counts, tied, n * (n - 1) // 2, mode, total)
    return 1


def _check_kept(values: tuple[NDArray[Any], ...]) -> None:
    """Refuse to gather more of a source than memory is meant to hold; pieces of one matrix take none of their own."""
    owners = {id(part if part.base is None else part.base) for part in values}
    if len(owners) > 1 and sum(part.nbytes for part in values) > MAX_KEPT:
        raise DataError(
            "Pooled 'spearman' keeps all values, because a rank among all rows needs all rows, and there are more than "
            f"{MAX_KEPT >> 20:,} MiB of them. Use scope='query' or kind='pearson', fold a part of the queries, or read "
            "the data into memory first."
        )


def _correlations(block: RankingData, *, ranks: bool) -> QuerySums:
    """Pearson correlations of the values or of the mid-ranks, query by query."""
    K, weight = block.n_features, block.beside.query_weight
    fine = weight is not None
    parts, counted = np.zeros((2 + fine, K, K), dtype=np.int64), 0
    for q, n in enumerate(block.query_sizes):
        if n < 2:
            continue
        counted += 1
        if ranks:
            centred = np.empty((n, K))
            centred_ranks(block.X, block.query_ptr, q, q + 1, centred)
        else:
            values = block.X[block.query_ptr[q] : block.query_ptr[q + 1]].astype(np.float64)
            varies = values.max(axis=0) > values.min(axis=0)
            centred = (values - values.mean(axis=0)) * varies
            centred /= np.maximum(np.abs(centred).max(axis=0), np.finfo(np.float64).tiny)
        products = centred.T @ centred
        norm = np.sqrt(np.diag(products))
        correlations = _divided(products, np.outer(norm, norm)).clip(-1.0, 1.0)
        if weight is not None:
            correlations *= weight[q]
        parts += exact_sum(correlations[None], "a correlation", fine=fine)
    if weight is not None:
        return QuerySums(parts, exact_sum(weight[block.query_sizes >= 2], "the weight of queries", fine=True))
    return QuerySums(parts, np.array(counted))


def _moments(X: NDArray[Any], weight: NDArray[np.float64] | None) -> PooledMoments:
    values = X.astype(np.float64)
    least, most = values.min(axis=0), values.max(axis=0)
    if weight is None:
        n, mean = np.array(len(values)), values.mean(axis=0)
        values -= mean
    else:
        n, rows = np.array(float(weight.sum())), weight[:, None]
        mean = (values * rows).sum(axis=0) / (float(n) or 1.0)
        values = (values - mean) * np.sqrt(rows)
    return PooledMoments(n, mean, values.T @ values, least, most)


def _ranks(X: NDArray[Any], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if weight is not None:
        return weighted_ranks(X, weight)
    ranks = np.empty(X.shape)
    centred_ranks(X, np.array([0, len(X)]), 0, 1, ranks)
    return ranks


def _cosines(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products of vectors over their lengths; vectors of length 0 are alike."""
    squares = np.diag(products)
    cosines = _divided(products, np.sqrt(np.outer(squares, squares))).clip(-1.0, 1.0)
    empty = squares == 0.0
    cosines[np.ix_(empty, empty)] = 1.0
    return cosines


def _divided(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a / b, 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
