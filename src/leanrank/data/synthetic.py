"""make_ranking: judged data with planted truth, so that what a method should find is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError

ROLES = ("informative", "redundant", "interacting", "query-level", "constant", "noise")

Floats = NDArray[np.float64]

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


def make_ranking(
    n_queries: int = 200,
    docs_per_query: int | tuple[int, int] | ArrayLike | Any = (10, 60),
    *,
    n_informative: int = 10,
    n_redundant: int = 10,
    n_interacting: int = 0,
    n_query_level: int = 0,
    n_constant: int = 0,
    n_noise: int = 10,
    levels: int = 5,
    noise: float = 0.5,
    weakest: float = 0.5,
    copy_noise: float = 0.3,
    interaction: float = 2.0,
    query_shift: float = 1.0,
    shuffle: bool = True,
    random_state: Any = 0,
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
    n_queries : int
        Number of queries, with ids from 1.
    docs_per_query : int, (low, high), sequence of n_queries int, or a distribution
        A fixed number, a range drawn from uniformly (both ends included), the numbers themselves, or anything with
        ``rvs(size=, random_state=)``, such as a frozen scipy distribution (rounded, at least 1).
    n_informative, n_redundant, n_interacting, n_query_level, n_constant, n_noise : int
        Number of features of each role; `n_interacting` is even.
    levels : int
        Number of grades 0..levels-1; most documents are 0, and each grade is rarer than the one below.
    noise : float
        Standard deviation of the scores' noise in an average query, as a multiple of that of their signal.
    weakest, interaction : float
        Weight of the weakest informative feature (the strongest has 1), and of each interacting pair.
    copy_noise : float
        Standard deviation of the noise in noisy copies, in units of the latent value.
    query_shift : float
        Standard deviation of a feature's shift between queries, in units of its spread inside one.
    shuffle : bool
        Whether columns are in random order; otherwise by role, in the order above.
    random_state : int, Generator or None
        Seed. The number of copies, of query-level, constant and noise features does not change the labels.

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
    counts = (n_informative, n_redundant, n_interacting, n_query_level, n_constant, n_noise)
    _check(
        n_queries,
        dict(zip(("n_" + role.replace("-", "_") for role in ROLES), counts, strict=True)),
        levels,
        {"noise": noise, "copy_noise": copy_noise, "interaction": interaction, "query_shift": query_shift},
        weakest,
    )
    seeds = np.random.default_rng(random_state).integers(2**63, size=len(ROLES) + 3)
    of_useful, of_copies, of_pairs, of_queries, of_constants, of_noise, of_sizes, of_labels, of_order = (
        np.random.default_rng(seed) for seed in seeds
    )
    sizes = _sizes(docs_per_query, n_queries, of_sizes)
    n = int(sizes.sum())

    weights = np.linspace(1.0, weakest, n_informative) if n_informative > 1 else np.ones(n_informative)
    z = of_useful.standard_normal((n, n_informative))
    pairs = _two_humps(of_pairs, n, n_interacting)
    agree = np.sign(pairs[:, 0::2]) * np.sign(pairs[:, 1::2])
    signal = z @ weights + interaction * agree.sum(axis=1)
    spread = np.sqrt(weights @ weights + interaction**2 * agree.shape[1]) or 1.0
    share = of_labels.beta(3.0, 6.0, size=n_queries)  # of relevant documents: 1/3 in the mean
    difficulty = of_labels.lognormal(-0.125, 0.5, size=n_queries)  # 1 in the mean
    score = signal + noise * spread * np.repeat(difficulty, sizes) * of_labels.standard_normal(n)
    y = _grades(score, sizes, share, levels, of_labels)

    useful = _observed(z, sizes, query_shift, of_useful)
    sources, monotone = _copies(n_informative, n_redundant)
    blurred = (z[:, sources] + copy_noise * of_copies.standard_normal((n, n_redundant))) / np.hypot(1.0, copy_noise)
    copies = _observed(blurred, sizes, query_shift, of_copies)
    for count, j in enumerate(np.flatnonzero(monotone)):
        copies[:, j] = _MONOTONE[count % len(_MONOTONE)](useful[:, sources[j]])
    noise_columns = of_noise.standard_normal((n, n_noise))
    noise_columns[:, ::2] = _two_humps(of_noise, n, (n_noise + 1) // 2)
    query_level = np.log(share / (1.0 - share))[:, None] + 0.5 * of_queries.standard_normal((n_queries, n_query_level))
    columns = [
        useful,
        copies,
        _observed(pairs, sizes, query_shift, of_pairs),
        np.repeat(query_level, sizes, axis=0),
        np.broadcast_to(of_constants.uniform(0.0, 5.0, size=n_constant).round(2), (n, n_constant)),
        _observed(noise_columns, sizes, query_shift, of_noise),
    ]
    order = of_order.permutation(sum(counts)) if shuffle else np.arange(sum(counts))
    truth = _truth(counts, order, weights, sources, monotone, interaction)
    data = RankingData(
        X=np.concatenate(columns, axis=1)[:, order],
        y=y,
        query_ptr=np.concatenate(([0], np.cumsum(sizes))),
        query_ids=np.arange(1, n_queries + 1),
        feature_names=tuple(entry.name for entry in truth),
    )
    return data, truth


def _check(n_queries: Any, counts: dict[str, Any], levels: Any, reals: dict[str, Any], weakest: Any) -> None:
    refuse = partial(ParameterError.of, "make_ranking")
    least_of = {"n_queries": 1, "levels": 2}
    for name, value in {"n_queries": n_queries, "levels": levels, **counts}.items():
        least = least_of.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
            raise refuse(name, f"a whole number >= {least}", value)
    if sum(counts.values()) == 0:
        raise ParameterError("make_ranking was asked for no features at all: ask for at least one of some role.")
    if counts["n_interacting"] % 2:
        raise refuse("n_interacting", "even, as interacting features come in pairs", counts["n_interacting"])
    if counts["n_redundant"] and not counts["n_informative"]:
        raise refuse("n_redundant", "0 without informative features to copy", counts["n_redundant"])
    for name, value in reals.items():
        if not np.isscalar(value) or not 0 <= value < np.inf:  # type: ignore[operator]
            raise refuse(name, "a number >= 0", value)
    if not np.isscalar(weakest) or not 0 < weakest <= 1:  # type: ignore[operator]
        raise refuse("weakest", "in (0, 1]", weakest)


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


def _truth(
    counts: Sequence[int],
    order: NDArray[np.int64],
    weights: Floats,
    sources: NDArray[np.int64],
    monotone: NDArray[np.bool_],
    interaction: float,
) -> tuple[FeatureTruth, ...]:
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
            truth.append(FeatureTruth(name, role, names[first[role] + (i ^ 1)], weight=float(interaction)))
        else:
            truth.append(FeatureTruth(name, role))
    return tuple(truth)
