"""What features cost in an engine: milliseconds by feature, from its responses or a table, as a file of costs.

Elasticsearch's profile: https://www.elastic.co/guide/en/elasticsearch/reference/current/search-profile.html
OpenSearch's: https://docs.opensearch.org/latest/api-reference/search-apis/profile/
Solr's timings: https://solr.apache.org/guide/solr/latest/query-guide/common-query-parameters.html (debug=timing)
Vespa's: https://docs.vespa.ai/en/reference/api/query.html#presentation.timing
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from leanrank.data.compressed import PathLike
from leanrank.data.logs.responses import Response, read_responses
from leanrank.errors import DataError

_RANKER = "RankerQuery"  # the plugins' query, whose children are its features in their order


@dataclass
class Timings:
    """Milliseconds of requests: `by_feature`, those without any feature (`baseline`), and features of one query."""

    by_feature: dict[str, list[float]] = field(default_factory=dict)
    baseline: list[float] = field(default_factory=list)
    shared: dict[str, list[str]] = field(default_factory=dict)

    def add(self, feature: str | None, milliseconds: float) -> None:
        (self.baseline if feature is None else self.by_feature.setdefault(feature, [])).append(milliseconds)


def read_timings(paths: Sequence[PathLike], features: Sequence[str] | None = None) -> Timings:
    """Timings of files.

    A `.csv` has the columns feature and milliseconds, a line a request. All else are responses: with a profile, whose
    `RankerQuery` has the `features` of the set in their order; or of requests for one feature each,
    `{"feature": "bm25", "response": {...}}`, and of requests for none, `{"feature": null, "response": {...}}`.
    """
    timings = Timings()
    for path in map(Path, paths):
        if path.suffix == ".csv":
            for feature, milliseconds in _table(path):
                timings.add(feature, milliseconds)
            continue
        for response in read_responses([path], "feature"):
            nodes = list(_rankers(response.content.get("profile")))
            if nodes:
                _profile(nodes, response.where, features, timings)
            else:
                timings.add(response.key, _whole_request(response))
    if not timings.by_feature:
        raise DataError("There is no timing of a feature.")
    return timings


def costs_text(timings: Timings, window: int | None = None) -> str:
    """A file of costs, as `leanrank select --costs` reads it: the median in milliseconds, and beside it the 99th
    percentile, the number of requests and the `window` of reranked documents.

    Features of one query are a group, whose cost is paid once.
    """
    base = float(np.median(timings.baseline)) if timings.baseline else 0.0
    group_of = {name: group for group, names in timings.shared.items() for name in names}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["feature", "cost", "group", "p99", "requests", "window", "unit"])

    def row(name: str, times: list[float], group: str) -> None:
        net = np.maximum(np.asarray(times) - base, 0.0)
        figures = [f"{float(np.median(net)):.6g}", group, f"{float(np.quantile(net, 0.99)):.6g}", len(times)]
        writer.writerow([name, *figures, "" if window is None else window, "ms"])

    for name, times in timings.by_feature.items():
        if name in group_of:
            writer.writerow([name, "", group_of[name], "", "", "", ""])
        else:
            row(name, times, "")
    for group, names in timings.shared.items():
        row(group, [time for name in names[:1] for time in timings.by_feature[name]], "")
    return text.getvalue()


def _table(path: Path) -> Iterator[tuple[str, float]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if not {"feature", "milliseconds"} <= set(rows.fieldnames or []):
                raise DataError(f"{path}: the columns must be feature and milliseconds.")
            for row in rows:
                yield str(row["feature"]), _time(row["milliseconds"], f"{path}, line {rows.line_num}")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: is not a CSV file ({error}).") from error


def _rankers(content: Any) -> Iterator[dict[str, Any]]:
    """Every node of a profile that is the plugin's query."""
    stack = [content]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if node.get("type") == _RANKER:
                yield node
                continue
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node


def _profile(nodes: list[dict[str, Any]], where: str, features: Sequence[str] | None, timings: Timings) -> None:
    """Sum over shards; features whose sub-queries read alike are one query to the engine."""
    if features is None:
        raise DataError(f"{where}: a profile does not name features; give the feature set it was made with.")
    total = dict.fromkeys(features, 0.0)
    text_of: dict[str, str] = {}
    for node in nodes:
        children = node.get("children") or []
        if not isinstance(children, list) or not all(isinstance(child, dict) for child in children):
            raise DataError(f"{where}: the sub-queries of its RankerQuery are not a list of objects.")
        if len(children) != len(features):
            raise DataError(
                f"{where}: its RankerQuery has {len(children)} sub-queries, the set {len(features)} features."
            )
        for name, child in zip(features, children, strict=True):
            total[name] += _time(child.get("time_in_nanos"), where) / 1e6
            text_of[name] = f"{child.get('type')} {child.get('description')}"
    for name, milliseconds in total.items():
        timings.add(name, milliseconds)
    alike: dict[str, list[str]] = {}
    for name, text in text_of.items():
        alike.setdefault(text, []).append(name)
    for names in alike.values():
        if len(names) > 1:
            timings.shared.setdefault("shared:" + "+".join(names), names)


def _whole_request(response: Response) -> float:
    """Milliseconds of a request for one feature: Solr's query component, Vespa's query time, Elasticsearch's took."""
    content, where = response.content, response.where
    if isinstance(content.get("debug"), dict) and content["debug"].get("timing"):
        return _time(_inside(content["debug"], "timing", "process", "query", "time"), where)
    if isinstance(content.get("timing"), dict):
        return 1000 * _time(content["timing"].get("querytime"), where)
    if "took" in content:
        return _time(content["took"], where)
    raise DataError(
        f"{where}: no timing: expected 'profile' or 'took' (Elasticsearch, OpenSearch), 'debug' with 'timing' (Solr) "
        "or 'timing' (Vespa)."
    )


def _inside(content: Any, *names: str) -> Any:
    """What stands under these names, one inside the other; None where one is absent."""
    for name in names:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _time(given: Any, where: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not value >= 0 or math.isinf(value):
        raise DataError(f"{where}: the time {str(given)[:40]!r} is not a number from 0.")
    return value
