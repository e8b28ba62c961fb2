"""What is wrong with a data set before any method sees it: one fold over the queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank._notebook import Table, card
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import WEIGHTS, without_weightless
from leanrank.engines.fold import fold
from leanrank.kernels.column_hashes import hash_rows
from leanrank.metrics import metric
from leanrank.stats.category_lint import category_findings
from leanrank.stats.copies import ColumnHashes, Groups, bits_of, equal_keys, growing_alike, parting_alike
from leanrank.stats.id_like import Numbering, position_sums, same_as_position
from leanrank.stats.like_findings import Finding, like_findings

#: A feature is suspected of leaking the label when its own NDCG@10 is this near to 1 ...
LEAK_NDCG = 0.98
#: ... and it closes this share of the gap between a random order and the perfect one.
LEAK_GAP = 0.9
#: A feature is mostly missing when more than this share of its values is.
MOSTLY_MISSING = 0.5
#: Every whole number up to this one is a double of its own.
LARGEST_WHOLE = 2.0**53
#: How many queries a finding names at most.
NAMED = 10


@dataclass(frozen=True)
class LintReport:
    """What `lint` found: the size and shape of the data, then the findings."""

    n_rows: int
    n_queries: int
    n_features: int
    labels: dict[str, int]
    documents_per_query: dict[str, float]
    missing_values: int
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is no warning (notes do not count)."""
        return not any(finding.severity == "warning" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as `leanrank lint --json` prints them."""
        return {**asdict(self), "ok": self.ok}

    def _repr_html_(self) -> str:
        facts = {
            "labels": ", ".join(f"{label}: {count:,}" for label, count in self.labels.items()),
            "documents per query": ", ".join(f"{name} {value:g}" for name, value in self.documents_per_query.items()),
            "missing values": f"{self.missing_values:,}" if self.missing_values else None,
        }
        rows = [[like.severity, like.kind, like.message, like.where] for like in like_findings(self.findings)]
        title = f"{self.n_rows:,} documents, {self.n_queries:,} queries, {self.n_features:,} features: "
        title += "no warning" if self.ok else f"{sum(f.severity == 'warning' for f in self.findings)} warnings"
        return card(title, facts, [Table(["", "finding", "what it is", "where"], rows)])


def lint(source: RankingSource, engine: Any = None) -> LintReport:
    """Look for constant, duplicate, missing and leaking features, for ids and positions that are no features, and for
    queries that cannot teach anything.

    Of categories it says how many there are, and whether they are rare, too many, or the names of documents.

    Duplicates are found by 64-bit hashes of the columns, so one pass is enough whatever the size of the data. They are
    what `select` and `leanrank order` take for copies. Those of categories, and of features that are the same for all
    documents of a query, are found in data in memory alone. What weighs nothing is not looked at.

    Examples
    --------
    >>> X = [[1.0, 7.0, 2.0], [0.0, 7.0, 0.0], [2.0, 7.0, 4.0], [3.0, 7.0, 9.0]]
    >>> report = lint(RankingData(X, [0, 1, 1, 0], [0, 2, 4], feature_names=["a", "b", "c"]))
    >>> for finding in report.findings:
    ...     print(finding.kind, finding.features)
    constant ('b',)
    monotone duplicates ('a', 'c')
    leaking ('a', 'c')
    """
    source = without_weightless(source)
    categories = source.categories if isinstance(source, RankingData) else {}
    report: LintReport = fold(Lint(source.feature_names, frozenset(categories)), source, engine=engine)
    if not isinstance(source, RankingData):
        return report
    of_kinds = [Finding(f.kind, f.severity, f.message, (f.feature,)) for f in category_findings(source)]
    level = [name for finding in report.findings if finding.kind == "query-level" for name in finding.features]
    copies = [
        *_copies_among(source, level, growing_alike, "grow together from query to query: keep one"),
        *_copies_among(source, list(categories), parting_alike, "part the documents alike: keep one"),
    ]
    return replace(report, findings=(*of_kinds, *report.findings, *copies))


def _copies_among(
    data: RankingData, names: list[str], alike: Callable[[RankingData, list[int]], Groups], message: str
) -> list[Finding]:
    """Duplicates among features that order nothing: what they are to each other takes documents of all queries."""
    all_names = data.feature_names
    groups = alike(data, data.feature_indices(names).tolist())
    return [Finding("duplicates", "warning", message, tuple(all_names[j] for j in group)) for group in groups]


@dataclass
class _Partial:
    """What a block contributes; everything adds up, but `low` and `high`."""

    n_rows: int
    sizes: list[NDArray[np.int64]]
    labels: Counter[float]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    missing: NDArray[np.int64]
    varies: NDArray[np.int64]
    hashes: NDArray[np.uint64]  # rows: values, order, reversed order
    ndcg: NDArray[np.float64]  # rows: descending, ascending; the last column is a random order
    judged: int  # queries with two label levels: the only ones where NDCG says something
    no_relevant: list[str]
    single: list[str]
    twins: list[str]
    n_twins: int
    numbering: Numbering
    shown: NDArray[np.float64]  # rows: correlations with the place shown, queries counted


class Lint:
    """The statistic behind `lint` (of, merge, finish)."""

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # none of them matters

    def __init__(self, feature_names: tuple[str, ...], categories: frozenset[str] = frozenset()) -> None:
        self.feature_names = feature_names
        self.categories = categories

    def of(self, block: RankingData) -> _Partial:
        X = block.dense()
        hashes, varies = ColumnHashes().of(block)
        starts = block.query_ptr[:-1]
        top, bottom = np.maximum.reduceat(block.y, starts), np.minimum.reduceat(block.y, starts)
        judged = (top > bottom) & (top > 0)
        ids = block.query_ids.astype(str)
        has_twins, n_twins = _equal_documents(block, bits_of(X))
        missing = np.isnan(X)
        levels, counts = np.unique(block.y, return_counts=True)
        return _Partial(
            n_rows=block.n_rows,
            sizes=[block.query_sizes],
            labels=Counter(dict(zip(levels.tolist(), counts.tolist(), strict=True))),
            low=np.where(missing, np.inf, X).min(axis=0),
            high=np.where(missing, -np.inf, X).max(axis=0),
            missing=missing.sum(axis=0),
            varies=varies,
            hashes=hashes,
            ndcg=_single_feature_ndcg(block, X, judged),
            judged=int(judged.sum()),
            no_relevant=ids[top <= 0].tolist(),
            single=ids[block.query_sizes == 1].tolist(),
            twins=ids[has_twins].tolist(),
            n_twins=n_twins,
            numbering=Numbering.of(block, X),
            shown=position_sums(block, X),
        )

    def merge(self, a: _Partial, b: _Partial) -> _Partial:
        merged = {f.name: getattr(a, f.name) + getattr(b, f.name) for f in fields(_Partial)}
        return _Partial(**{**merged, "low": np.minimum(a.low, b.low), "high": np.maximum(a.high, b.high)})

    def finish(self, p: _Partial) -> LintReport:
        sizes = np.concatenate(p.sizes)
        return LintReport(
            n_rows=p.n_rows,
            n_queries=len(sizes),
            n_features=len(self.feature_names),
            labels={f"{label:g}": p.labels[label] for label in sorted(p.labels)},
            documents_per_query={
                "min": int(sizes.min()),
                "median": float(np.median(sizes)),
                "mean": round(float(sizes.mean()), 2),
                "max": int(sizes.max()),
            },
            missing_values=int(p.missing.sum()),
            findings=(*_feature_findings(p, self.feature_names, self.categories), *_query_findings(p)),
        )


def _feature_findings(p: _Partial, names: tuple[str, ...], categories: frozenset[str]) -> list[Finding]:
    findings: list[Finding] = []

    def say(kind: str, text: str, features: Any, severity: str = "warning") -> None:
        findings.append(Finding(kind, severity, text, tuple(names[int(j)] for j in features)))

    kinds = np.array([name in categories for name in names])  # whose codes say nothing by their size
    empty = p.missing == p.n_rows
    constant = (p.low == p.high) & (p.missing == 0) & ~kinds
    query_level = ~constant & ~empty & ~kinds & (p.varies == 0)
    ranks = ~constant & ~empty & ~query_level & ~kinds
    if constant.any():
        values = np.unique(p.low[constant])
        always = (
            f"always {values[0]:g}" if len(values) == 1 else f"always one value, from {values[0]:g} to {values[-1]:g}"
        )
        say("constant", f"{always}: cannot rank anything", np.flatnonzero(constant))
    if query_level.any():
        text = "the same for all documents of a query: cannot rank alone, may help a tree ensemble"
        say("query-level", text, np.flatnonzero(query_level), severity="note")
    values, order, reverse = p.hashes
    duplicates = equal_keys(values.tolist(), ranks)
    for group in duplicates:
        say("duplicates", "equal in every document: keep one", group)
    firsts = ranks.copy()
    for group in duplicates:
        firsts[group[1:]] = False
    for group in equal_keys(order.tolist(), firsts):
        say("monotone duplicates", "order the documents of every query alike: keep one", group)
        firsts[group[1:]] = False
    for group in equal_keys(np.minimum(order, reverse).tolist(), firsts):
        say("reversed", "order every query exactly the other way round: one may do", group, severity="note")
    gaps = np.flatnonzero(p.missing > MOSTLY_MISSING * p.n_rows)
    if gaps.size:
        least, most = (f"{share:.1%}" for share in (p.missing[gaps].min() / p.n_rows, p.missing[gaps].max() / p.n_rows))
        say("mostly missing", f"{least if least == most else f'{least} to {most}'} of the values are missing", gaps)
    rounded = np.flatnonzero(~empty & (np.maximum(np.abs(p.low), np.abs(p.high)) > LARGEST_WHOLE))
    if rounded.size:
        text = "beyond 2^53, where whole numbers are rounded to the nearest double: a hash, a time or an identifier?"
        say("large numbers", text, rounded)
    numbers = np.flatnonzero(~kinds)
    positions, identifiers = (
        np.intersect1d(columns, numbers) for columns in (p.numbering.positions(), p.numbering.identifiers(names))
    )
    if positions.size:
        say("position", "counts the documents of every query: where they stood in a list? Leave it out", positions)
    shown = same_as_position(p.shown)
    if shown.size:
        text = "orders documents as they were shown, or the other way round: clicks follow it, relevance may not"
        say("shown position", f"{text}. Leave it out", shown)
    if identifiers.size:
        say("identifier", "whole numbers that never repeat in a query: the id of a document? Leave it out", identifiers)
    leaks = _leaks(p, ranks)
    if leaks.size:
        best = p.ndcg[:, leaks].max() / p.judged
        say("leaking", f"ranks almost perfectly alone (NDCG@10 up to {best:.4f}): made from the label?", leaks)
    return findings


def _query_findings(p: _Partial) -> list[Finding]:
    findings: list[Finding] = []

    def say(kind: str, queries: list[str], text: str) -> None:
        if queries:
            count = f"{len(queries):,} of {sum(map(len, p.sizes)):,} queries {'has' if len(queries) == 1 else 'have'}"
            findings.append(Finding(kind, "warning", f"{count} {text}", queries=tuple(queries[:NAMED])))

    say("no relevant document", p.no_relevant, "no document with a label above 0: no ranking of them is better")
    say("single document", p.single, "a single document: there is nothing to rank")
    say("duplicate documents", p.twins, f"documents with equal feature values ({p.n_twins:,} surplus documents)")
    return findings


def _single_feature_ndcg(block: RankingData, X: NDArray[Any], judged: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Sums over judged queries of NDCG@10 by each feature, descending and ascending; last column: a random order."""
    scores = np.nan_to_num(np.hstack([X, np.zeros((len(X), 1), X.dtype)]), nan=0.0)
    measure = metric("ndcg@10")
    both = (measure.per_query(block.y, s, block.query_ptr)[judged] for s in (scores, -scores))
    return np.stack([values.sum(axis=0) for values in both])


def _leaks(p: _Partial, ranks: NDArray[np.bool_]) -> NDArray[np.int64]:
    if p.judged == 0:
        return np.empty(0, np.int64)
    ndcg = p.ndcg.max(axis=0) / p.judged
    by_chance = ndcg[-1]
    gap = (ndcg[:-1] - by_chance) / max(1 - by_chance, 1e-12)
    return np.flatnonzero(ranks & (ndcg[:-1] >= LEAK_NDCG) & (gap >= LEAK_GAP))


def _equal_documents(block: RankingData, bits: NDArray[Any]) -> tuple[NDArray[np.bool_], int]:
    """Which queries hold two documents with the same feature values, and how many documents are surplus."""
    hashes = np.empty(block.n_rows, np.uint64)
    hash_rows(bits, hashes)
    query = np.repeat(np.arange(block.n_queries), block.query_sizes)
    order = np.lexsort((hashes, query))
    again = (query[order][1:] == query[order][:-1]) & (hashes[order][1:] == hashes[order][:-1])
    has_twins = np.zeros(block.n_queries, bool)
    has_twins[query[order][1:][again]] = True
    return has_twins, int(again.sum())
