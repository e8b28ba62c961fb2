"""Selection: the answers of `select`, with the evidence for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Unpack

from leanrank.data.catalogue import Catalogue
from leanrank.data.columns import as_frame
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import TableNames
from leanrank.data.same_features import check_count, columns_of, refuse_lacking
from leanrank.data.whole_file import write_whole
from leanrank.evaluation.logged_loss import LoggedLoss
from leanrank.evaluation.records import ALL_FEATURES
from leanrank.evaluation.select.again import certified_on_log, first, within_cost, within_loss
from leanrank.evaluation.select.answers import ASKED, RECOMMENDED, Answer, answer_name
from leanrank.evaluation.select.choice import thousandths
from leanrank.evaluation.select.curve_point import CurvePoint, Evidence
from leanrank.evaluation.select.importance_drift import ImportanceDrift
from leanrank.evaluation.select.resolution import Forecast
from leanrank.evaluation.select.selection_views import frame_of, html_of, sentence_of, text_of
from leanrank.evaluation.select.slice_losses import SliceLoss, worst_of
from leanrank.selectors.features_file import replaced, stamped
from leanrank.selectors.features_file import text_of as json_of

__all__ = ["CurvePoint", "Selection"]


@dataclass(frozen=True, eq=False)
class Selection:
    """Three answers to which features to keep, and why they are believed.

    What is said of "the" features (`features`, `method`, `cost`, ...) is said of the answer that was asked for, the
    recommended one by default.

    Attributes
    ----------
    safe : Answer
        Drops only what changes nothing: what is constant, and, of rankers that learn the same without them
        (`Ranker.ignores_copies`), equal columns.
    recommended : Answer
        Of the sets of the path that these queries show, each by itself, to lose no more than they can tell at all
        (never less than `max_loss`), the smallest within one standard error of the best; of the size asked for, if one
        was. Where they show that of none: all features less their copies, with what those lose.
    certified : Answer
        The smallest set of the path that is proven to lose at most `max_loss`; the safe one where none is.
    answer : str
        The one that was asked for.
    asked : Answer or None
        A set of the path that was asked for afterwards: see `at` and `cheaper_than`.
    path : tuple of str
        All features in the order of the method that won the race, learned from all data; what it leaves out follows in
        the order of the columns, and copies come last.
    path_method : str
        That method.
    baseline : dict
        All features that the ranker can use, copies among them: number, cost, metric.
    curve : tuple of CurvePoint
        The path at every size, what the other methods did in the race, and all features at the end. Of all features
        less their copies, where they had to be recommended, nothing is certified.
    pareto : tuple of CurvePoint
        Those that no other beats in metric, number and cost together.
    forecast : Forecast
        What losses so many queries can tell, and how many `max_loss` needs.
    settings : dict
        Metric, ranker, methods, folds, seed, what was asked for, version, fingerprint of the data.
    stands_for : dict
        Copies: the names of the features that a feature stands for. In a fold another of them may have stood for all.
    source : dict
        The command and where the data were, after a run of the command line.
    drift : ImportanceDrift or None
        How the shares of features in the ranker change over time, where folds were cut by time.
    sample : dict
        Where memory did not allow all queries: how many `queries` and `rows` were drawn, of how many (`of_queries`,
        `of_rows`), the `memory` in bytes, and the `sentence` that says so. Empty where all took part.
    catalogue : Catalogue or None
        Names and descriptions of the features, where there are any: see `label`.
    recommended_by_loss : tuple of (float, int)
        From which loss on, if `max_loss` of every metric were that, how many features of the path would be recommended;
        0 stands for the safe answer. Empty where a size was asked for.
    """

    safe: Answer
    recommended: Answer
    certified: Answer
    path: tuple[str, ...]
    path_method: str
    baseline: dict[str, float]
    curve: tuple[CurvePoint, ...]
    pareto: tuple[CurvePoint, ...]
    forecast: Forecast
    feature_names: tuple[str, ...]
    settings: dict[str, Any]
    answer: str = RECOMMENDED
    asked: Answer | None = None
    seconds: float = field(default=0.0, compare=False)
    source: dict[str, Any] = field(default_factory=dict)
    sample: dict[str, Any] = field(default_factory=dict)
    stands_for: dict[str, tuple[str, ...]] = field(default_factory=dict)
    drift: ImportanceDrift | None = None
    catalogue: Catalogue | None = None
    recommended_by_loss: tuple[tuple[float, int], ...] = ()

    @property
    def chosen(self) -> Answer:
        """The answer that was asked for."""
        return self.answers[self.answer]

    @property
    def answers(self) -> dict[str, Answer]:
        """All three by name, and what was asked for afterwards."""
        three = {"safe": self.safe, "recommended": self.recommended, "certified": self.certified}
        return three if self.asked is None else {**three, ASKED: self.asked}

    def with_answer(self, name: str) -> Selection:
        """The same with another of the answers asked for."""
        return replace(self, answer=answer_name(name))

    def at(self, k: int) -> Selection:
        """The first `k` features of the path, without training anything.

        Where the curve has this size, the estimate is that of the curve, whose intervals hold for all of its points at
        once. Where it has not, nothing is known of the size but that it lies between two others, and the answer says
        which (`Answer.is_measured`, `Answer.reason`).

        Examples
        --------
        >>> import leanrank
        >>> data, _ = leanrank.make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=0)
        >>> chosen = leanrank.select(data, "ranksvm", methods=["gas"], progress=False)
        >>> chosen.at(2).features == chosen.path[:2]
        True
        """
        return first(self, k)

    def cheaper_than(self, cost: float) -> Selection:
        """The largest set of the path that was measured and costs no more than this, without training anything.

        Where none of the sizes that were measured is cheap enough, the largest that is. Copies of other features are in
        neither.
        """
        return within_cost(self, cost)

    def within(self, max_loss: float | Sequence[float]) -> Selection:
        """The answers for another `max_loss`, the certified one asked for, without training anything.

        Of several metrics one for all, or one for each.

        The certificate is for a loss that is named whatever the curve looks like, not for the best looking of many.
        """
        return within_loss(self, max_loss)

    def on_log(self, loss: LoggedLoss) -> Selection:
        """The same with what judged queries of a log say of the recommended features, without training anything.

        They are the certified answer where the whole interval of that loss is within `max_loss`. The model that was
        shadowed must have just these features.
        """
        return certified_on_log(self, loss)

    @property
    def features(self) -> tuple[str, ...]:
        return self.chosen.features

    @property
    def indices(self) -> tuple[int, ...]:
        return self.chosen.indices

    @property
    def n_features(self) -> int:
        return self.chosen.k

    @property
    def dropped(self) -> tuple[str, ...]:
        kept = set(self.features)
        return tuple(name for name in self.feature_names if name not in kept)

    def label(self, feature: str) -> str:
        """A feature as it is shown: with its name in the catalogue, where there is one."""
        return feature if self.catalogue is None else self.catalogue.label(feature)

    @property
    def replaced(self) -> dict[str, tuple[str, ...]]:
        """The copies that the features stand for, by feature; those that are kept too are not among them."""
        return replaced(self.features, self.stands_for)

    @property
    def copies(self) -> list[str]:
        """Which of the features stand for others that order every query alike, a sentence each."""
        return [
            f"{self.label(name)} stands for {', '.join(map(self.label, others))}, which "
            f"order{'s' * (len(others) == 1)} every query as it does."
            for name, others in self.replaced.items()
        ]

    @property
    def method(self) -> str:
        """The method whose path the features are; "all features" where nothing but the useless is dropped."""
        return self.chosen.method

    @property
    def measured_k(self) -> int:
        return self.chosen.measured_k

    @property
    def cost(self) -> float:
        return self.chosen.cost

    @property
    def proven(self) -> bool:
        """Whether the loss against all features is proven to be at most `max_loss`."""
        return self.chosen.proven

    @property
    def reason(self) -> str:
        return self.chosen.reason

    @property
    def nested(self) -> dict[str, float]:
        """The honest difference to all features: `Answer.estimate`."""
        return self.chosen.estimate

    @property
    def versus_all(self) -> dict[str, float]:
        """The difference on the queries that chose: `Answer.optimistic`."""
        return self.chosen.optimistic

    @property
    def walked(self) -> tuple[CurvePoint, ...]:
        """The points of the path, the largest first; without all features."""
        walked = (point for point in self.curve if point.on_path and point.method != ALL_FEATURES)
        return tuple(sorted(walked, key=lambda point: -point.k))

    @property
    def point(self) -> CurvePoint | None:
        """The point of the curve that the features are; None where their number was not measured."""
        where = (self.method, self.measured_k)
        return next((point for point in self.curve if point.on_path and (point.method, point.k) == where), None)

    @property
    def max_losses(self) -> dict[str, float]:
        """The loss asked for of each metric, by name; the first is that of the headline."""
        losses: dict[str, float] | None = self.settings.get("max_losses")
        return losses or {self.settings["metric_name"]: self.settings["max_loss"]}

    @property
    def certifies_slices(self) -> bool:
        """Whether a set is certified only where it is in every slice."""
        return bool(self.settings.get("certify_slices"))

    @property
    def slices(self) -> tuple[SliceLoss, ...]:
        """What the features do in each slice of the queries; empty where there are none."""
        return () if self.point is None else self.point.slices

    @property
    def worst_slice(self) -> SliceLoss | None:
        """The slice that loses most, of those that the queries show to lose; None where none does."""
        return worst_of(self.slices)

    @property
    def evidence(self) -> Evidence:
        """Which features and queries the features are about; nothing where that was not measured."""
        known = None if self.point is None else self.point.evidence
        return known or Evidence({"nogueira": None, "low": None, "high": None, "frequency": {}}, (), {})

    @property
    def stability(self) -> dict[str, Any]:
        """How alike the sets of the folds are (Nogueira), and in what share of the folds each feature was kept.

        Where nothing but the useless is dropped, nothing is chosen: every fold keeps every feature.
        """
        known = self.evidence.stability
        return {**known, "frequency": dict.fromkeys(self.features, 1.0)} if self.chosen.is_everything else known

    @property
    def losers(self) -> tuple[dict[str, Any], ...]:
        """The queries hurt most: query, metric with all features, metric now."""
        return self.evidence.losers

    @property
    def per_query(self) -> dict[str, Any]:
        """How many queries are better, worse and the same, and a histogram of the differences of those that changed."""
        return self.evidence.per_query

    @property
    def provable(self) -> dict[str, Any] | None:
        """Where nothing smaller is certified: the `max_loss` (in thousandths) at which something would be.

        With it the largest set of the path, its `n_features` and `method`, and the `mean` difference estimated for it.
        """
        tested = ((point, point.certified_loss) for point in self.walked if point.certified_loss is not None)
        first, least = next(tested, (None, 0.0))
        if not self.certified.is_everything or first is None:
            return None
        loss = thousandths(least)
        return {"max_loss": loss, "n_features": first.k, "method": first.method, "mean": first.difference}

    @property
    def undecided(self) -> bool:
        """Whether nothing smaller is certified although some smaller set may lose no more than `max_loss`."""
        may = any(point.high >= -self.settings["max_loss"] for point in self.walked)
        return self.certified.is_everything and may

    @property
    def priced(self) -> bool:
        """Whether features have prices."""
        return self.settings["costs"] is not None or self.settings["groups"] is not None

    def transform(self, X: Any) -> Any:
        """Keep the selected features of RankingData, an array, a CSR matrix or a frame, in their order of then.

        Features are found by name, and one that `X` has not is refused. An array has no names: it must have as many
        columns as there were features, and a warning says that this is all that could be checked.
        """
        columns = sorted(self.indices)
        names = [self.feature_names[j] for j in columns]
        if isinstance(X, RankingData):
            return X.subset(columns_of(X, names, "the selection", len(self.feature_names)))
        frame = as_frame(X)
        if frame is not None:
            refuse_lacking([str(name) for name in frame.columns], names, "the selection")
            return frame.select(names).to_native()
        check_count(X.shape[1], self.feature_names, "the selection")
        return X[:, columns]

    def sentence(self) -> str:
        """The answer in one sentence, with the estimate that did not choose."""
        return sentence_of(self)

    def report(
        self,
        path: str | os.PathLike[str],
        data: Any = None,
        *,
        y: Any = None,
        label: str | None = None,
        qid: Any = None,
        comments: str | None = None,
        **columns: Unpack[TableNames],
    ) -> None:
        """Write a report of one file: HTML, or Markdown or JSON by the ending of `path`.

        With the data it was made from it also shows what each feature does alone, which ones are alike, how their
        values lie, and what is wrong with the data. `data` and what names its parts are as `select` took them: a
        RankingData, a frame with `label` and `qid` (and other columns that were named), or X with `y` and `qid`.
        """
        # By name: reports stand above this room, and nothing here needs them until somebody asks for one.
        if data is not None:
            door = import_module("leanrank.evaluation.select.judged")
            more = door.named_columns("report", columns)
            data = door.judged(data, y=y, label=label, qid=qid, comments=comments, **more)
        import_module("leanrank.report.writing").write_report(self, path, data)

    def plot_curve(self) -> Any:
        """The metric against the number of features, as an altair chart."""
        return _chart(self, "curve")

    def plot_pareto(self) -> Any:
        """The metric against what the features cost, with the front that nothing beats, as an altair chart."""
        return _chart(self, "pareto")

    def plot_stability(self) -> Any:
        """In what share of the folds features were chosen, as an altair chart."""
        return _chart(self, "stability")

    def to_frame(self, part: str = "curve", library: str | None = None) -> Any:
        """What was measured as a frame; curve and answers have a column `cost` where features have prices.

        Parameters
        ----------
        part : {"curve", "features", "answers"}, default="curve"
            A row for each point of the curve, for each feature of the data, or for each answer.
        library : {"pandas", "polars", "pyarrow"} or None, default=None
            Which frame; None takes pandas where it is installed, polars otherwise, and pyarrow without both.
        """
        return frame_of(self, part, library)

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        return text_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values. `names`, `ids` (1-based), `indices` (0-based) are as `leanrank order` writes them."""
        record = {
            "answer": self.answer,
            "method": self.method,
            "names": list(self.features),
            "ids": [j + 1 for j in self.indices],
            "indices": list(self.indices),
            "n_features_in": len(self.feature_names),
            "sentence": self.sentence(),
            "proven": self.proven,
            "reason": self.reason,
            "cost": self.cost,
            "answers": {name: answer.to_dict() for name, answer in self.answers.items()},
            "forecast": self.forecast.to_dict(),
            "baseline": self.baseline,
            "path": list(self.path),
            "path_method": self.path_method,
            "dropped": list(self.dropped),
            "stands_for": {name: list(others) for name, others in self.stands_for.items()},
            "curve": [point.to_dict() for point in self.curve],
            "pareto": [self.curve.index(point) for point in self.pareto],
            "recommended_by_loss": [list(step) for step in self.recommended_by_loss],
            "feature_names": list(self.feature_names),
            "settings": self.settings,
            **({"source": self.source} if self.source else {}),
            **({"sample": self.sample} if self.sample else {}),
            **({"drift": self.drift.to_dict()} if self.drift is not None else {}),
            **({} if self.catalogue is None else {"catalogue": self.catalogue.to_dict()}),
            "seconds": round(self.seconds, 3),
        }
        return stamped("measured", record)

    def to_json(self) -> str:
        """As JSON text; two runs with one seed differ in `seconds` alone."""
        return json_of(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON, whole or not at all."""
        # the name of a file that is not UTF-8 stands in it as halves of surrogate pairs: escapes mean the same in JSON
        write_whole(path, self.to_json().encode("utf-8", "backslashreplace"))


def _chart(selection: Selection, name: str) -> Any:
    return import_module("leanrank.report.chart_files").chart_of(selection, name)  # by name, as in `report`
