"""Drift: what changed between the logs of two dates, in the features and in what the pruned ranker does to lists."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.json_record import JsonRecord
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.engines.fold import fold
from leanrank.errors import DataError, require
from leanrank.evaluation.shadow.changes import ListChanges
from leanrank.evaluation.shadow.feature_values import FeatureValues, ValueCuts, Values
from leanrank.evaluation.shadow.shadow import Shadow
from leanrank.rankers.adapters import as_ranker


@dataclass(frozen=True)
class DriftLimits:
    """From where on a change between two logs is an alarm.

    Parameters
    ----------
    distribution : float, default=0.2
        Population stability index of a feature, beyond what chance gives.
    missing : float, default=0.05
        Change of the share of missing values.
    importance : float, default=0.1
        Change of the correlation of a feature with the scores of the full ranker inside queries.
    changed : float, default=0.1
        Change of the share of queries whose list the pruned ranker changes.
    """

    distribution: float = 0.2
    missing: float = 0.05
    importance: float = 0.1
    changed: float = 0.1

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            require(self, name, "> 0", value > 0)


@dataclass(frozen=True)
class FeatureDrift(JsonRecord):
    """What changed in one feature between two logs.

    Attributes
    ----------
    name : str
    used : bool
        Whether the pruned ranker reads it: others raise no alarm.
    distribution, chance : float
        Population stability index, and what it would be about if nothing had changed.
    distance : float
        The largest difference between the two distribution functions (Kolmogorov and Smirnov's).
    missing, importance : tuple of two floats
        Before and after: the share of missing values, and the correlation with the full ranker's scores inside queries.
    """

    name: str
    used: bool
    distribution: float
    chance: float
    distance: float
    missing: tuple[float, float]
    importance: tuple[float, float]

    def alarms(self, limits: DriftLimits) -> list[str]:
        """What is beyond the limits, in words; nothing for a feature that the pruned ranker does not read."""
        said = []
        if self.used and self.distribution - self.chance > limits.distribution:
            said.append(f"the distribution of {self.name!r} changed by {self.distribution:.3f}")
        for what, (before, after), limit in (
            ("share of missing values", self.missing, limits.missing),
            ("correlation with the full ranker's scores", self.importance, limits.importance),
        ):
            if self.used and abs(after - before) > limit:
                said.append(f"the {what} of {self.name!r} went from {before:.3f} to {after:.3f}")
        return said


@dataclass(frozen=True, repr=False)
class Drift:
    """What changed between the logs of two dates; made by `leanrank.drift`.

    Attributes
    ----------
    features : tuple of FeatureDrift
        The most changed first.
    before, after : Shadow
        What the pruned ranker changes in either log.
    limits : DriftLimits
    """

    features: tuple[FeatureDrift, ...]
    before: Shadow
    after: Shadow
    limits: DriftLimits

    @property
    def alarms(self) -> list[str]:
        """All that is beyond the limits, in words."""
        said = [alarm for feature in self.features for alarm in feature.alarms(self.limits)]
        shares = (self.before.changed_share, self.after.changed_share)
        if abs(shares[1] - shares[0]) > self.limits.changed:
            said.append(f"the share of queries whose list changes went from {shares[0]:.1%} to {shares[1]:.1%}")
        return said

    @property
    def ok(self) -> bool:
        """Whether nothing is beyond the limits."""
        return not self.alarms

    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.ok:
            return "Nothing drifted beyond the limits"
        return f"{len(self.alarms)} alarm{'s' * (len(self.alarms) > 1)}: {'; '.join(self.alarms)}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        return {
            "ok": self.ok,
            "alarms": self.alarms,
            "limits": asdict(self.limits),
            "before": self.before.summary(),
            "after": self.after.summary(),
            "features": [feature.to_dict() for feature in self.features],
        }

    def __repr__(self) -> str:
        return f"Drift: {self.sentence()}"


def drift(
    before: RankingSource,
    after: RankingSource,
    full: Any,
    pruned: Any,
    *,
    k: int = 10,
    limits: DriftLimits | None = None,
    engine: Any = None,
    progress: bool = False,
) -> Drift:
    """What changed between the logs of two dates; no label is looked at.

    Two passes over the older log and one over the newer. The distribution of a feature is counted in ten parts that
    hold about as many values of the older log each, with parts below and above them, and one for missing values.

    Parameters
    ----------
    before, after : RankingData or RankingSource
        Logged queries of two dates, with the same features.
    full, pruned : ranker
        As in `shadow`.
    k : int, default=10
    limits : DriftLimits, default=None
        What is an alarm; the defaults if not given.
    engine, progress
        As in `shadow`.

    See Also
    --------
    shadow : One log.

    Examples
    --------
    >>> import leanrank
    >>> data, _ = leanrank.make_ranking(200, n_informative=3, n_redundant=0, n_noise=3, random_state=0)
    >>> full = leanrank.RankSVM().fit(data)
    >>> monday, tuesday = data.take_queries(range(100)), data.take_queries(range(100, 200))
    >>> leanrank.drift(monday, tuesday, full, full)
    Drift: Nothing drifted beyond the limits
    """
    if set(before.feature_names) != set(after.feature_names):
        odd = sorted(set(before.feature_names) ^ set(after.feature_names))[0]
        raise DataError(f"The two logs have different features: {odd!r} is in one of them only.")
    kinds = [name for log in (before, after) if isinstance(log, RankingData) for name in log.categories]
    if kinds:
        raise DataError(f"drift compares numbers, and {kinds[0]!r} is a category: leave it out (--drop).")
    full, pruned = as_ranker(full), as_ranker(pruned)
    cuts = fold(ValueCuts(), before, engine, progress=progress)
    by_name = dict(zip(before.feature_names, cuts, strict=True))
    sides = []
    for log in (before, after):
        values = FeatureValues(tuple(by_name[name] for name in log.feature_names), full)
        counted, changes = fold([values, ListChanges(full, pruned, k)], log, engine, progress=progress)
        sides.append((dict(zip(log.feature_names, counted, strict=True)), Shadow(changes, k, 0.9)))
    (old, shadow_before), (new, shadow_after) = sides
    used = {str(name) for name in getattr(pruned, "feature_names_in_", before.feature_names)}
    queries = (shadow_before.n_queries, shadow_after.n_queries)
    features = [_compared(name, old[name], new[name], queries, used=name in used) for name in before.feature_names]
    ordered = sorted(features, key=lambda feature: -feature.distribution)
    return Drift(tuple(ordered), shadow_before, shadow_after, limits or DriftLimits())


def _compared(name: str, before: Values, after: Values, queries: tuple[int, int], *, used: bool) -> FeatureDrift:
    a, b = _shares(before.counts), _shares(after.counts)
    known = [values.counts[:-1] / max(1, values.counts[:-1].sum()) for values in (before, after)]
    # documents of one query are alike: chance is reckoned with queries
    occupied = int(((before.counts + after.counts) > 0).sum())
    return FeatureDrift(
        name,
        used,
        round(float(((a - b) * np.log(a / b)).sum()), 6),
        round((occupied - 1) * (1 / queries[0] + 1 / queries[1]), 6),
        round(float(np.abs(np.cumsum(known[0]) - np.cumsum(known[1])).max()), 6),
        (before.missing_share, after.missing_share),
        (before.importance, after.importance),
    )


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shares of the parts, with half a row more in each, so that none is empty."""
    shares: NDArray[np.float64] = (counts + 0.5) / (counts.sum() + 0.5 * len(counts))
    return shares
