"""FeatureGraph: features as nodes weighted by importance, joined by similarity; computed once, used by every method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank._lazy import require
from leanrank._notebook import Table, card
from leanrank.data.catalogue_file import read_catalogue
from leanrank.data.category_means import without_categories
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import is_part, weighing_part
from leanrank.engines.fold import Engine, fold_partials
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.stats.constant import Constant, ConstantPartial
from leanrank.stats.copies import by_kind, equal_keys, kinds_of
from leanrank.stats.importance import Importance, ImportancePartial
from leanrank.stats.similarity import PooledValues, Similarity, SimilarityPartial

if TYPE_CHECKING:
    import altair

#: The similarity that is 1 only between features that order every query alike.
COPIES_SHOW = Similarity("kendall", "signed")


@dataclass(frozen=True, eq=False, repr=False)
class FeatureGraph:
    """Importance of every feature and similarity of every pair of features.

    Parameters
    ----------
    importance : array of shape (K,)
        How well each feature ranks alone, higher is better.
    similarity : array of shape (K, K)
        Symmetric; how alike two features order the documents of a query.
    feature_names : sequence of str, optional
        "1".."K" if not given.
    importance_std : array of shape (K,), optional
        Standard deviation of the importance over queries; zeros if not given.
    constant : array of bool of shape (K,), optional
        Features that are constant inside every query; none if not given.
    n_queries : int
        Queries it was computed from, those that weigh nothing not counted; 0 for a graph put together by hand.
    computed_with : dict
        The parameters of importance and similarity.
    kinds : array of int of shape (K,), optional
        Of each category, whose mean labels the graph was computed from, a number that those have in common which part
        the documents alike; -1 for features that are numbers, as all are if not given.

    Notes
    -----
    Graphs of different queries add up: ``feature_graph(a) + feature_graph(b)`` equals, to the last bit, the
    graph of both data together. For that a graph carries the sums it came from; a graph put together by hand
    or cut by `threshold` has none and cannot be added. Queries that weigh nothing are not in it; a part of data that
    weighs nothing has a graph of zeros, there to be added.

    Examples
    --------
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], [[1, 0.9, 0.2], [0.9, 1, 0.1], [0.2, 0.1, 1]], ["bm25", "tf", "age"])
    >>> graph
    FeatureGraph: 3 features
      importance  bm25 0.5, tf 0.4, age 0.3
      similarity  bm25~tf 0.9, bm25~age 0.2, tf~age 0.1
    >>> graph.threshold(0.15).similarity[1].tolist()
    [0.9, 1.0, 0.0]
    """

    importance: NDArray[np.float64]
    similarity: NDArray[np.float64]
    feature_names: tuple[str, ...] = ()
    importance_std: NDArray[np.float64] = None  # type: ignore[assignment]
    constant: NDArray[np.bool_] = None  # type: ignore[assignment]
    n_queries: int = 0
    computed_with: Mapping[str, Any] = field(default_factory=dict)
    kinds: NDArray[np.int64] = None  # type: ignore[assignment]
    # what `+` adds, or why there is nothing to add; `replace` drops both
    partials: Partials | None = field(init=False, default=None)
    no_sums: str = field(
        init=False,
        default="it was put together by hand, cut, or has pooled 'spearman'. Compute the graph of all data together "
        "instead",
    )

    def __post_init__(self) -> None:
        importance = np.array(self.importance, dtype=np.float64)
        n_features = importance.size
        given = {
            "importance": (importance, (n_features,)),
            "similarity": (np.array(self.similarity, dtype=np.float64), (n_features, n_features)),
            "importance_std": (_or_zeros(self.importance_std, n_features, np.float64), (n_features,)),
            "constant": (_or_zeros(self.constant, n_features, np.bool_), (n_features,)),
            "kinds": (np.array(np.full(n_features, -1) if self.kinds is None else self.kinds, np.int64), (n_features,)),
        }
        for name, (array, shape) in given.items():
            if array.shape != shape or n_features == 0:
                raise DataError(f"The {name} of a feature graph has shape {array.shape}: expected {shape}, K >= 1.")
            if not np.isfinite(array).all():
                raise DataError(f"The {name} of a feature graph must be finite numbers: it has NaN or infinity.")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if not np.array_equal(self.similarity, self.similarity.T):
            raise DataError("The similarity of a feature graph must be symmetric: it differs from its transpose.")
        names = tuple(str(name) for name in self.feature_names) or tuple(str(j + 1) for j in range(n_features))
        if len(names) != n_features or len(set(names)) < n_features:
            raise DataError(f"A feature graph of {n_features} features needs as many different names. Got {names}.")
        object.__setattr__(self, "feature_names", names)
        object.__setattr__(self, "computed_with", dict(self.computed_with))

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def signed(self) -> bool:
        """Whether similarity goes from -1 to 1, see `Similarity.signed`; not in a graph put together by hand."""
        return "similarity" in self.computed_with and _similarity(self.computed_with).signed

    @property
    def shows_copies(self) -> bool:
        """Whether a similarity of 1 says that two features order every query alike: only with signed ties does it.

        Of graphs put together by hand nothing is known.
        """
        return self.signed and _similarity(self.computed_with) == COPIES_SHOW

    def copies(self) -> list[list[int]]:
        """Groups of features that order every query alike, where it `shows_copies`; constant ones are left aside.

        Categories have no order, but some part the documents alike: those are copies, whatever their mean labels.
        Similarities have twelve digits: what differs in less than one of 10^12 pairs of documents is alike.
        """
        if not self.shows_copies:
            return []
        like_itself = np.diag(self.similarity) == 1.0  # nothing is where no query counts
        alike = equal_keys((self.similarity == 1.0).argmax(axis=1).tolist(), like_itself & ~self.constant)
        return by_kind(alike, np.where(self.constant, -1, self.kinds))

    def __add__(self, other: object) -> FeatureGraph:
        """The graph of the queries of both; no query may be in both."""
        if not isinstance(other, FeatureGraph):
            return NotImplemented
        if self.feature_names != other.feature_names:
            raise DataError("The graphs have different features: only graphs of the same features can be added.")
        if self.computed_with != other.computed_with:
            raise DataError(
                f"The graphs were computed differently: one with {_described(self.computed_with)}, the other with "
                f"{_described(other.computed_with)}. Compute both the same way."
            )
        if self.partials is None or other.partials is None:
            without = self if self.partials is None else other
            raise DataError(f"One of the graphs has no sums to add: {without.no_sums}.")
        if self.partials.importance.weight.ndim != other.partials.importance.weight.ndim:
            raise DataError("One of the graphs has weights of queries and the other has not: give them to both.")
        _, kinds = np.unique(np.stack([self.kinds, other.kinds]), axis=1, return_inverse=True)
        if ((self.kinds < 0) != (other.kinds < 0)).any():
            raise DataError("A feature is a category in one of the graphs and a number in the other.")
        merged = self.partials.merge(other.partials)
        return _assemble(merged, self.feature_names, self.computed_with, np.where(self.kinds < 0, -1, kinds.ravel()))

    def with_partials(self, partials: Partials) -> FeatureGraph:
        """The same graph with the sums it came from, so that it can be added."""
        graph = replace(self)
        addable = None if isinstance(partials.similarity, PooledValues) else partials  # values are no sum
        object.__setattr__(graph, "partials", addable)
        return graph

    def with_kinds(self, kinds: NDArray[np.int64]) -> FeatureGraph:
        """The same graph, of the mean labels of these categories."""
        graph = replace(self, kinds=kinds)
        return graph.without_sums(self.no_sums) if self.partials is None else graph.with_partials(self.partials)

    def without_sums(self, why: str) -> FeatureGraph:
        """The same graph, of which `+` says `why` it has no sums to add."""
        graph = replace(self)
        object.__setattr__(graph, "no_sums", why)
        return graph

    def require_weight(self) -> FeatureGraph:
        """Refuse a graph of queries that weigh too little together; one that is there to be added may have them."""
        if self.partials is not None:
            _similarity(self.computed_with).require_weight(self.partials.similarity)
        return self

    def threshold(self, sigma: float) -> FeatureGraph:
        """The graph with only the edges stronger than `sigma`; others become 0, the diagonal stays."""
        keep = (self.similarity > sigma) | np.eye(self.n_features, dtype=bool)
        return replace(self, similarity=np.where(keep, self.similarity, 0.0))

    def subset(self, features: ArrayLike | Sequence[str]) -> FeatureGraph:
        """Keep only `features` (names, 0-based numbers or a mask), in the order given."""
        wanted = np.asarray(features)
        if wanted.dtype.kind in "US":
            column_of = {name: j for j, name in enumerate(self.feature_names)}
            for name in wanted.tolist():
                if name not in column_of:
                    raise UnknownNameError.of("feature", name, column_of)
            wanted = np.array([column_of[name] for name in wanted.tolist()], dtype=np.int64)
        columns = np.arange(self.n_features)[wanted]
        return replace(
            self,
            importance=self.importance[columns],
            importance_std=self.importance_std[columns],
            similarity=self.similarity[np.ix_(columns, columns)],
            constant=self.constant[columns],
            kinds=self.kinds[columns],
            feature_names=tuple(self.feature_names[j] for j in columns),
        )

    def strongest_pairs(self, n: int = 10) -> list[tuple[str, str, float]]:
        """The `n` most similar pairs of features that are not constant, strongest first; ties by position."""
        varying = np.flatnonzero(~self.constant)
        first, second = varying[np.stack(np.triu_indices(len(varying), k=1))]
        strength = self.similarity[first, second]
        order = np.argsort(-strength, kind="stable")[:n]
        names = self.feature_names
        return [(names[first[e]], names[second[e]], float(strength[e])) for e in order]

    def to_networkx(self, sigma: float = 0.0) -> Any:
        """A networkx.Graph: nodes with `importance`, edges stronger than `sigma` with `weight`."""
        networkx = require("networkx", "FeatureGraph.to_networkx")
        graph = networkx.Graph()
        for name, importance in zip(self.feature_names, self.importance.tolist(), strict=True):
            graph.add_node(name, importance=importance)
        first, second = np.nonzero(np.triu(self.similarity > sigma, k=1))
        graph.add_weighted_edges_from(
            (self.feature_names[i], self.feature_names[j], float(self.similarity[i, j]))
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        )
        return graph

    def labelled(self, catalogue: Any) -> FeatureGraph:
        """The same graph with features called as a catalogue does, for charts and tables; see `read_catalogue`."""
        known = read_catalogue(catalogue).of(self.feature_names)
        return replace(self, feature_names=tuple(map(known.label, self.feature_names)))

    def heatmap(self) -> altair.Chart:
        """Similarity as a chart, like features beside each other (hierarchical clustering)."""
        from leanrank.stats.graph_charts import heatmap

        return heatmap(self)

    def plot_heatmap(self) -> altair.Chart:
        """As `heatmap`, under the name that the charts of a selection have."""
        return self.heatmap()

    def draw(self, n_clusters: int | None = None, sigma: float | None = None) -> altair.LayerChart:
        """The graph as a chart: like features near each other, size by importance, colour by cluster."""
        from leanrank.stats.graph_charts import draw

        return draw(self, n_clusters=n_clusters, sigma=sigma)

    def save(self, path: str | Path) -> None:
        """Write to one .npz file (arrays and a JSON header, no pickles); `load` reads it back."""
        from leanrank.stats.graph_file import save_graph

        save_graph(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> FeatureGraph:
        """Read what `save` wrote; refuses anything else."""
        from leanrank.stats.graph_file import load_graph

        return load_graph(Path(path))

    def _repr_html_(self) -> str:
        order = np.argsort(-self.importance, kind="stable").tolist()
        title = f"FeatureGraph: {self.n_features:,} features" + (f", {self.n_queries:,} queries" * bool(self.n_queries))
        facts = {
            "computed": _described(self.computed_with) if self.computed_with else None,
            "constant": ", ".join(self.feature_names[j] for j in np.flatnonzero(self.constant)[:10]),
        }
        nodes = [[self.feature_names[j], float(self.importance[j]), float(self.importance_std[j])] for j in order]
        pairs = [list(pair) for pair in self.strongest_pairs(10)]
        tables = [
            Table(["feature", "importance", "deviation over queries"], nodes),
            Table(["feature", "most alike", "similarity"], pairs),
        ]
        return card(title, facts, tables)

    def __repr__(self) -> str:
        order = np.argsort(-self.importance, kind="stable")[:5]
        top = ", ".join(f"{self.feature_names[j]} {self.importance[j]:.4g}" for j in order)
        pairs = [f"{a}~{b} {strength:.4g}" for a, b, strength in self.strongest_pairs(6)]
        lines = [f"FeatureGraph: {self.n_features:,} feature{'s' * (self.n_features != 1)}"]
        if self.n_queries:
            lines[0] += f", {self.n_queries:,} quer{'ies' if self.n_queries != 1 else 'y'}"
        if self.computed_with:
            lines.append(f"  computed    {_described(self.computed_with)}")
        lines.append(f"  importance  {top}" + (", ..." if self.n_features > 5 else ""))
        if pairs:
            lines.append(f"  similarity  {', '.join(pairs[:5])}" + (", ..." if len(pairs) > 5 else ""))
        lines += [f"  copies      {', '.join(self.feature_names[j] for j in group)}" for group in self.copies()]
        if self.constant.any():
            constant = [self.feature_names[j] for j in np.flatnonzero(self.constant)]
            lines.append(f"  constant    {', '.join(constant[:10])}" + (", ..." if len(constant) > 10 else ""))
        return "\n".join(lines)


@dataclass(frozen=True)
class Partials:
    """The sums a graph came from: what `+` adds."""

    importance: ImportancePartial
    similarity: SimilarityPartial
    constant: ConstantPartial

    def merge(self, other: Partials) -> Partials:
        return Partials(
            Importance().merge(self.importance, other.importance),
            Similarity().merge(self.similarity, other.similarity),
            Constant().merge(self.constant, other.constant),
        )


_JUDGED = "a RankingData or a RankingSource, as read, scan and from_frame make them"


def feature_graph(
    data: RankingSource,
    importance: str | Importance | Any = "map",
    similarity: str | Similarity = "kendall",
    engine: Engine | str | None = None,
    *,
    progress: bool = False,
) -> FeatureGraph:
    """Compute the feature graph in one pass over the queries.

    Parameters
    ----------
    data : RankingData or RankingSource
        Judged documents, in memory or read block by block. The mean label of each category, learned from other
        queries, stands for it (`CategoryMeans`): graphs of parts do not add up to that of the whole then. A part of
        data, as `take_queries` gives it, may weigh nothing, or so little that few digits of its graph are right: what
        it is added to decides.
    importance : str, metric or Importance
        How well a feature ranks alone: a metric's name or object, or "error", "hinge", "cross-entropy".
    similarity : str or Similarity
        "kendall", "spearman", "tau_ap" or "pearson"; "strict" is Kendall's as papers count it, see `Similarity`.
    engine : Engine or str, default=None
        Where to run; threads of this machine if not given. "cuda" takes this machine's GPU; the graph is the same to
        the last bit.
    progress : bool, default=False
        Show a bar while a terminal is watching.

    Examples
    --------
    >>> from leanrank import RankingData, feature_graph
    >>> X = [[0.9, 0.8, 0.1], [0.5, 0.6, 0.9], [0.4, 0.2, 0.5], [0.1, 0.2, 0.3]]
    >>> feature_graph(RankingData(X, [2, 1, 0, 0], [0, 4], feature_names=["bm25", "tf", "age"]))
    FeatureGraph: 3 features, 1 query
      computed    importance map, similarity kendall (signed)
      importance  bm25 1, tf 1, age 0.75
      similarity  bm25~tf 0.9129, bm25~age 0, tf~age -0.1826
    """
    wanted_importance = Importance.named(importance)
    wanted_similarity = Similarity.named(similarity)
    if not isinstance(data, RankingSource):
        raise ParameterError.of("feature_graph", "data", _JUDGED, type(data).__name__)
    part = is_part(data)
    kinds = kinds_of(weighing_part(data))
    data = weighing_part(without_categories(data))
    if isinstance(data, RankingData):
        data.require_complete("Importance")  # all of it: a block would count its own
    parts = fold_partials([wanted_importance, wanted_similarity, Constant()], data, engine, progress=progress)
    computed_with = {"importance": wanted_importance.describe(), "similarity": wanted_similarity.describe()}
    graph = _assemble(Partials(*parts), tuple(data.feature_names), computed_with, kinds)
    return graph if part else graph.require_weight()


def _assemble(
    parts: Partials, names: tuple[str, ...], computed_with: Mapping[str, Any], kinds: NDArray[np.int64]
) -> FeatureGraph:
    scores = Importance(direction=computed_with["importance"]["direction"]).finish(parts.importance)
    graph = FeatureGraph(
        importance=scores.mean,
        similarity=_similarity(computed_with).matrix(parts.similarity),
        feature_names=names,
        importance_std=scores.std,
        constant=Constant().finish(parts.constant),
        n_queries=int(parts.constant.n_queries),
        computed_with=computed_with,
        kinds=kinds,
    )
    return graph.with_partials(parts)


def _similarity(computed_with: Mapping[str, Any]) -> Similarity:
    described = dict(computed_with["similarity"])
    return Similarity(described["kind"], described["ties"] or Similarity.ties, described["scope"])


def _or_zeros(given: Any, n: int, dtype: Any) -> NDArray[Any]:
    return np.zeros(n, dtype=dtype) if given is None else np.array(given, dtype=dtype)


def _described(computed_with: Mapping[str, Any]) -> str:
    if not computed_with:
        return "nothing known"
    try:
        importance, similarity = computed_with["importance"], computed_with["similarity"]
        extra = "" if importance["direction"] == "desc" else f" ({importance['direction']})"
        ties = similarity["ties"] if similarity["kind"] == "kendall" else similarity["scope"]
        return f"importance {importance['metric']}{extra}, similarity {similarity['kind']} ({ties})"
    except (KeyError, TypeError):
        return json.dumps(dict(computed_with), sort_keys=True, default=str)
