"""Models and rows that engines score: values, zeros, and features without a value."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from leanrank import ListNet, load_ranker, make_ranking, rankers
from leanrank.exports import Target, export_features
from leanrank.selectors.features_file import ChosenFeatures

NAMES = tuple(f"f{j}" for j in range(6))
#: In Vespa features have names such as these.
RANK_FEATURES = ("bm25(title)", "fieldMatch(title).completeness", "attribute(clicks)", "nativeRank", "age", "query(b)")
CHOSEN = ChosenFeatures(NAMES, tuple(range(1, 7)), 6)
CONSTANTS = {
    "f0": {"min_max": {"minimum": -2.5, "maximum": 4.0}},
    "f3": {"standard": {"mean": 0.75, "standard_deviation": 1.5}},
}
OPTIONS = {
    "lightgbm": {"n_estimators": 8, "num_leaves": 8, "min_child_samples": 5, "learning_rate": 0.3, "n_threads": 1},
    "xgboost": {"n_estimators": 8, "max_depth": 3, "learning_rate": 0.3, "n_threads": 1},
    "catboost": {"n_estimators": 8, "depth": 3, "n_threads": 1},
}


@dataclass(frozen=True)
class Case:
    """A trained model, and documents: NaN is a feature whose query did not match."""

    name: str
    ranker: Any
    rows: np.ndarray
    unmatched: str = "zero"
    normalizers: Any = None

    @property
    def linear(self) -> bool:
        return self.name.startswith("linear")

    @cached_property
    def expected(self) -> np.ndarray:
        """What `predict` says of the rows as training would have had them."""
        X = self.rows if self.unmatched == "missing" else np.where(np.isnan(self.rows), np.float32(0), self.rows)
        X = X.astype(np.float64) if self.linear else X
        for name, constants in (self.normalizers or {}).items():
            ((kind, values),) = constants.items()
            a, b = values.values()
            X[:, NAMES.index(name)] = (X[:, NAMES.index(name)] - a) / (b - a if kind == "min_max" else b)
        return self.ranker.predict(X)

    def close(self, scores: np.ndarray) -> None:
        """Equal to single precision: 1e-6 of the score, or of the largest where a score is nearly 0."""
        np.testing.assert_allclose(scores, self.expected, rtol=1e-6, atol=1e-6 * abs(self.expected).max())


def values(seed: int, *, missing: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts, fractions and zeros, many of them equal to thresholds."""
    rng = np.random.default_rng(seed)
    data, _ = make_ranking(30, (8, 12), n_informative=4, n_redundant=1, n_noise=1, random_state=seed)
    X = data.dense().astype(np.float32).copy()
    X[:, 0] = np.round(X[:, 0])
    X[:, 1] = np.float32(0.1) * np.round(3 * X[:, 1])
    X[rng.random(X.shape) < 0.2] = 0.0
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, data.y, data.qid


def trained(n_rows: int = 250) -> list[Case]:
    """Linear, scaled and boosted models."""
    X, y, qid = values(0, missing=False)
    rows = values(1, missing=True)[0][:n_rows]
    linear = ListNet(n_epochs=10).fit(X, y, qid=qid)
    cases = [Case("linear", linear, rows), Case("linear_scaled", linear, rows, normalizers=CONSTANTS)]
    for library, options in OPTIONS.items():
        for unmatched in ("zero", "missing"):
            X, y, qid = values(0, missing=unmatched == "missing")
            ranker = rankers.get(library, **options).fit(X, y, qid=qid)
            cases.append(Case(f"{library}_{unmatched}", ranker, rows, unmatched))
    return cases


def kept(folder: Path) -> list[Case]:
    """The cases of a folder: rows, and what each ranker was saved as."""
    rows = np.genfromtxt(folder / "rows.csv", delimiter=",", skip_header=1, dtype=np.float32)
    cases = []
    for path in sorted(folder.glob("*.ranker.json")):
        name = path.name.removesuffix(".ranker.json")
        scaled = CONSTANTS if name == "linear_scaled" else None
        unmatched = "missing" if name.endswith("missing") else "zero"
        cases.append(Case(name, load_ranker(path), rows, unmatched, scaled))
    return cases


def rows_text(rows: np.ndarray, engine: str = "") -> str:
    lines = [",".join("" if np.isnan(x) else str(x) for x in row) for row in rows]
    return "\n".join([",".join(RANK_FEATURES if engine == "vespa" else NAMES), *lines]) + "\n"


def full_set(engine: str) -> str:
    if engine in ("elasticsearch", "opensearch"):
        return json.dumps({"featureset": {"features": [{"name": name, "template": {}} for name in NAMES]}})
    if engine == "elasticsearch-ml":
        queries = [{"feature_name": name, "query": {"match": {name: "{{keywords}}"}}} for name in NAMES]
        return json.dumps({"learning_to_rank": {"feature_extractors": [{"query_extractor": one} for one in queries]}})
    if engine == "solr":
        kind = {"class": "org.apache.solr.ltr.feature.SolrFeature", "params": {"q": "{!func}x"}}
        return json.dumps([{"store": "shop", "name": name, **kind} for name in NAMES])
    return json.dumps(RANK_FEATURES) if engine == "vespa" else "".join(f"{name}\n" for name in NAMES)


def files(case: Case, engine: str, version: str | None, folder: Path) -> dict[str, str]:
    """What an engine's class reads of an export, by the names of files."""
    (folder / "full").write_text(full_set(engine))
    target = Target(engine, version, case.unmatched)
    given = {"model": case.ranker, "normalizers": case.normalizers, "by_position": engine == "vespa"}
    export = export_features(CHOSEN, folder / "full", to=target, **given)
    if engine == "solr":
        return {"features.json": export.feature_set, "model.json": export.model or ""}
    if engine == "ranklib":
        return {"model": export.model or ""}
    if engine == "elasticsearch-ml":
        return {"model.json": export.model or ""}
    if engine == "vespa":
        if export.model is not None:
            return {"model.json": export.model}
        body = re.search(r"expression \{\n(.*?)\n        \}", export.feature_set, re.DOTALL)
        return {"expression": "" if body is None else body[1]}
    return {"model": json.dumps(json.loads(export.model or "")["model"]["model"])}


def digest(case: Case, engine: str, version: str | None, folder: Path) -> str:
    """What tells one exported model from another."""
    texts = files(case, engine, version, folder)
    return sha256(texts["model.json" if engine == "solr" else "model"].encode()).hexdigest()
