"""make_ranking: judged data with planted truth, so that what a method should find is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.ranking_shape import ROLES, Floats, RankingShape, check_whole
from leanrank.errors import ParameterError

# Strictly increasing functions of a whole column: monotone copies.
_MONOTONE: tuple[Callable[[Floats], Floats], ...] = (
    lambda x: np.sign(x) * np.log1p(np.abs(x)),
    lambda x: 10.0 * x + 3.0,
    lambda x: x**3 + x,
    lambda x: np.sign(x) * np.sqrt(np.abs(x)),
)
# Share of a level's documents that are also one level better.
_NEXT_LEVEL = 0.45


@dataclass(frozen=True)
class FeatureTruth:
    """What a feature of `make_ranking` is.

    Attributes
    ----------
    name : str
    role : str
        "informative", "redundant", "interacting", "query-level", "constant" or "noise".
    source : str or None
        The informative feature a redundant one copies; the partner of an interacting one.
    weight : float
        Its weight in the true score: of the feature, or of the pair. 0 for the others.
    monotone : bool
        Whether a redundant feature is an exact strictly increasing function of its source (rather than a noisy copy).
    """

    name: str
    role: str
    source: str | None = None
    weight: float = 0.0
    monotone: bool = False


class _Streams(NamedTuple):
    """Random numbers for each purpose on its own, so that more of one thing does not change another."""

    useful: np.random.Generator
    copies: np.random.Generator
    pairs: np.random.Generator
    queries: np.random.Generator
    constants: np.random.Generator
    noise: np.random.Generator
    sizes: np.random.Generator
    labels: np.random.Generator
    order: np.random.Generator


def make_ranking(
    n_queries: int = 200,
    docs_per_query: int | tuple[int, int] | ArrayLike | Any = (10, 60),
    *,
    random_state: Any = 0,
    **shape: Any,
) -> tuple[RankingData, tuple[FeatureTruth, ...]]:
    r"""Generate judged ranking data whose useful features are known.

    Every document has a true score, and the documents of a query are graded by it:

    .. math:: s = \sum_j w_j z_j + \gamma \sum_{(a,b)} \mathrm{sgn}(z_a)\,\mathrm{sgn}(z_b) + \sigma_q \varepsilon

    with latent values z of variance near 1, one- or two-humped. What is observed is z in another unit and from another
    origin for each query, so that values are comparable inside a query only. Queries differ in length, in how noisy
    their grades are and in how many documents are relevant.

    A feature has one of these roles.

    informative
        Alone and together useful; weights fall linearly from 1 to `weakest`, so that a copy of a strong one looks
        better than a weak one.
    redundant
        Copies of the informative ones, dealt round: noisy copies and exact strictly increasing functions in turn.
    interacting
        Pairs. Labels depend on whether both are on the same side of their query's middle, and by construction not at
        all on either alone: no single-feature measure can see them.
    query-level
        Constant inside a query, and related to the query's share of relevant documents: a pooled measure thinks
        them useful, no ranking does.
    constant
        One value.
    noise
        Independent of everything; half of them two-humped like the interacting ones, so that the shape tells nothing.

    Parameters
    ----------
    n_queries : int, default=200
        Number of queries, with ids from 1.
    docs_per_query : int, (low, high), sequence of n_queries int, or a distribution, default=(10, 60)
        A fixed number, a range drawn from uniformly (both ends included), the numbers themselves, or anything with
        ``rvs(size=, random_state=)``, such as a frozen scipy distribution (rounded, at least 1).
    random_state : int, Generator or None, default=0
        Seed. The number of copies, of query-level, constant and noise features does not change the labels.
    n_informative, n_redundant, n_interacting, n_query_level, n_constant, n_noise : int, default=10, 10, 0, 0, 0, 10
        Number of features of each role; `n_interacting` is even.
    levels : int, default=5
        Number of grades 0..levels-1; most documents are 0, and each grade is rarer than the one below.
    noise : float, default=0.5
        Standard deviation of the scores' noise in an average query, as a multiple of that of their signal.
    weakest, interaction : float, default=0.5, 2.0
        Weight of the weakest informative feature (the strongest has 1), and of each interacting pair.
    copy_noise : float, default=0.3
        Standard deviation of the noise in noisy copies, in units of the latent value.
    query_shift : float, default=1.0
        Standard deviation of a feature's shift between queries, in units of its spread inside one.
    shuffle : bool, default=True
        Whether columns are in random order; otherwise by role, in the order above.

    Returns
    -------
    data : RankingData
        float64; features named "f01", "f02", ...
    truth : tuple of FeatureTruth
        One record per column, in their order.

    Examples
    --------
    >>> data, truth = make_ranking(n_queries=20, n_informative=2, n_redundant=2, n_noise=1, random_state=0)
    >>> data.n_queries, data.feature_names
    (20, ('f01', 'f02', 'f03', 'f04', 'f05'))
    >>> for entry in truth:
    ...     print(entry.name, entry.role, entry.source)
    f01 redundant f03
    f02 informative None
    f03 informative None
    f04 redundant f02
    f05 noise None
    """
    check_whole("n_queries", n_queries, 1)
    wanted = RankingShape.of(shape)
    seeds = np.random.default_rng(random_state).integers(2**63, size=len(_Streams._fields))
    rng = _Streams(*(np.random.default_rng(seed) for seed in seeds))
    sizes = _sizes(docs_per_query, n_queries, rng.sizes)
    z = rng.useful.standard_normal((int(sizes.sum()), wanted.n_informative))
    pairs = _two_humps(rng.pairs, len(z), wanted.n_interacting)
    share = rng.labels.beta(3.0, 6.0, size=n_queries)  # of relevant documents: 1/3 in the mean
    score = _scores(z, pairs, wanted, sizes, rng.labels)
    n_features = sum(wanted.counts)
    order = rng.order.permutation(n_features) if wanted.shuffle else np.arange(n_features)
    truth = _truth(wanted, order)
    data = RankingData(
        X=np.concatenate(_columns(z, pairs, wanted, sizes, share, rng), axis=1)[:, order],
        y=_grades(score, sizes, share, wanted.levels, rng.labels),
        query_ptr=np.concatenate(([0], np.cumsum(sizes))),
        query_ids=np.arange(1, n_queries + 1),
        feature_names=tuple(entry.name for entry in truth),
    )
    return data, truth


def _scores(
    z: Floats, pairs: Floats, wanted: RankingShape, sizes: NDArray[np.int64], rng: np.random.Generator
) -> Floats:
    """The true scores of all documents, and noise that differs between queries."""
    weights = wanted.weights
    agree = np.sign(pairs[:, 0::2]) * np.sign(pairs[:, 1::2])
    signal = z @ weights + wanted.interaction * agree.sum(axis=1)
    spread = np.sqrt(weights @ weights + wanted.interaction**2 * agree.shape[1]) or 1.0
    difficulty = rng.lognormal(-0.125, 0.5, size=len(sizes))  # 1 in the mean
    return np.asarray(signal + wanted.noise * spread * np.repeat(difficulty, sizes) * rng.standard_normal(len(z)))


def _columns(
    z: Floats, pairs: Floats, wanted: RankingShape, sizes: NDArray[np.int64], share: Floats, rng: _Streams
) -> list[Floats]:
    """What is observed, role by role."""
    n = len(z)
    observed = partial(_observed, sizes=sizes, query_shift=wanted.query_shift)
    useful = observed(z, rng=rng.useful)
    sources, monotone = _copies(wanted.n_informative, wanted.n_redundant)
    blur = wanted.copy_noise * rng.copies.standard_normal((n, wanted.n_redundant))
    copies = observed((z[:, sources] + blur) / np.hypot(1.0, wanted.copy_noise), rng=rng.copies)
    for count, j in enumerate(np.flatnonzero(monotone)):
        copies[:, j] = _MONOTONE[count % len(_MONOTONE)](useful[:, sources[j]])
    noise = rng.noise.standard_normal((n, wanted.n_noise))
    noise[:, ::2] = _two_humps(rng.noise, n, (wanted.n_noise + 1) // 2)
    of_queries = rng.queries.standard_normal((len(sizes), wanted.n_query_level))
    query_level = np.log(share / (1.0 - share))[:, None] + 0.5 * of_queries
    constants = rng.constants.uniform(0.0, 5.0, size=wanted.n_constant).round(2)
    return [
        useful,
        copies,
        observed(pairs, rng=rng.pairs),
        np.repeat(query_level, sizes, axis=0),
        np.broadcast_to(constants, (n, wanted.n_constant)),
        observed(noise, rng=rng.noise),
    ]


def _sizes(docs_per_query: Any, n_queries: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Documents of every query."""
    rule = "a number, (low, high), one number per query, or a distribution with rvs(), all >= 1"
    if hasattr(docs_per_query, "rvs"):
        drawn = np.rint(docs_per_query.rvs(size=n_queries, random_state=rng))
        return np.asarray(np.maximum(drawn, 1), dtype=np.int64)
    given = np.asarray(docs_per_query)
    if given.dtype.kind not in "iu" or given.size == 0 or given.min() < 1:
        raise ParameterError.of("make_ranking", "docs_per_query", rule, docs_per_query)
    if given.ndim == 0:
        return np.full(n_queries, given, dtype=np.int64)
    if isinstance(docs_per_query, tuple) and given.shape == (2,) and given[0] <= given[1]:
        drawn = rng.integers(given[0], given[1], size=n_queries, endpoint=True)
        return np.asarray(drawn, dtype=np.int64)
    if isinstance(docs_per_query, tuple) or given.shape != (n_queries,):
        raise ParameterError.of("make_ranking", "docs_per_query", rule, docs_per_query)
    return np.asarray(given, dtype=np.int64)


def _grades(
    score: Floats, sizes: NDArray[np.int64], share: Floats, levels: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Cut every query's documents by score: `share` of them get 1 or more, and of those fewer and fewer each level."""
    query = np.repeat(np.arange(len(sizes)), sizes)
    best_first = np.lexsort((-score, query))
    place = np.empty(len(score), dtype=np.int64)
    place[best_first] = np.arange(len(score)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wanted = (share * sizes)[:, None] * _NEXT_LEVEL ** np.arange(levels - 1)
    at_least = np.floor(wanted + rng.uniform(size=(len(sizes), 1)))  # one draw per query: never more of a higher level
    at_least[:, 0] = np.maximum(at_least[:, 0], 1)
    at_least = np.minimum(at_least, np.maximum(sizes - 1, 1)[:, None])
    return np.asarray(np.sum(place[:, None] < at_least[query], axis=1), dtype=np.float32)


def _two_humps(rng: np.random.Generator, n: int, n_columns: int) -> Floats:
    return rng.choice((-1.0, 1.0), size=(n, n_columns)) + 0.3 * rng.standard_normal((n, n_columns))


def _observed(latent: Floats, sizes: NDArray[np.int64], query_shift: float, rng: np.random.Generator) -> Floats:
    """What is seen of latent values: from another origin and in another unit for each query."""
    shape = (len(sizes), latent.shape[1])
    origin = np.repeat(query_shift * rng.standard_normal(shape), sizes, axis=0)
    unit = np.repeat(rng.lognormal(0.0, 0.3, size=shape), sizes, axis=0)
    return np.asarray(origin + unit * latent)


def _copies(n_informative: int, n_redundant: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Which informative feature each copy copies, and whether exactly; both kinds for each source, in turn."""
    number = np.arange(n_redundant)
    turn = number // max(1, n_informative)
    return number % max(1, n_informative), (number + turn) % 2 == 1


def _truth(wanted: RankingShape, order: NDArray[np.int64]) -> tuple[FeatureTruth, ...]:
    counts, weights = wanted.counts, wanted.weights
    sources, monotone = _copies(wanted.n_informative, wanted.n_redundant)
    n_features = len(order)
    width = max(2, len(str(n_features)))
    names = np.empty(n_features, dtype=object)  # by number before shuffling
    names[order] = [f"f{j + 1:0{width}d}" for j in range(n_features)]
    first = dict(zip(ROLES, np.concatenate(([0], np.cumsum(counts))).tolist(), strict=False))
    role_of = np.repeat(np.array(ROLES, dtype=object), counts)
    truth = []
    for feature, name in zip(order.tolist(), names[order].tolist(), strict=True):
        role = role_of[feature]
        i = feature - first[role]
        if role == "informative":
            truth.append(FeatureTruth(name, role, weight=float(weights[i])))
        elif role == "redundant":
            truth.append(FeatureTruth(name, role, names[sources[i]], monotone=bool(monotone[i])))
        elif role == "interacting":
            truth.append(FeatureTruth(name, role, names[first[role] + (i ^ 1)], weight=float(wanted.interaction)))
        else:
            truth.append(FeatureTruth(name, role))
    return tuple(truth)
