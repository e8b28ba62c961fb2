"""What is exported scores as `predict` does, in the classes that score it in production."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.engines_jvm import java
from tests.engines_jvm.cases import digest, files, keep, kept, rows_text, trained

GOLDEN = Path(__file__).resolve().parent.parent / "exports" / "golden" / "engines"

#: Engines that Maven fetches.
CENTRAL = [("solr", "8.11.4", "solr"), ("vespa", "8.262.17", "vespa"), ("ranklib", "0.2.0", "ranklib")]
#: Elasticsearch's own learning to rank; LEANRANK_ENGINES=all fetches one from before 8.15 too, which wants an input.
OF_ITS_OWN = ("8.19.21", "8.13.4") if os.environ.get("LEANRANK_ENGINES") == "all" else ("8.19.21",)
#: Plugins that are compiled from the sources that these variables point to.
FROM_SOURCES = [
    ("elasticsearch", "8.17.3", "plugins/elasticsearch", "LEANRANK_ELASTICSEARCH_LTR"),
    ("opensearch", "2.19.3", "plugins/opensearch", "LEANRANK_OPENSEARCH_LTR"),
    ("opensearch", "3.7", "plugins/opensearch", "LEANRANK_OPENSEARCH_LTR_37"),
    ("opensearch", "3.8", "plugins/opensearch", "LEANRANK_OPENSEARCH_LTR_38"),
    ("solr", "9.9.0", "plugins/solr9", "LEANRANK_SOLR_LTR"),
]


@pytest.fixture(scope="module")
def cases():
    return trained()


def score(cases, engine, version, class_path, root):
    for case in cases:
        folder = root / case.name
        folder.mkdir(parents=True)
        for name, text in files(case, engine, version, folder).items():
            (folder / name).write_text(text)
        # To a linear model what does not match is 0; in Vespa that is what the rank feature itself says.
        rows = case.rows.copy()
        if engine == "vespa" and case.linear:
            rows[rows != rows] = 0
        (folder / "rows.csv").write_text(rows_text(rows, engine))
    return java.scores(class_path, root)


def able(cases, engine, version):
    """Cases without those that the engine cannot get right, which the export warns of."""
    blind = engine == "ranklib" or (engine, version) in (("solr", "8.11.4"), ("opensearch", "2.19.3"))
    scaled = engine != "ranklib"
    return [c for c in cases if not (blind and c.unmatched == "missing") and (scaled or c.normalizers is None)]


@pytest.mark.parametrize(("engine", "version", "module"), CENTRAL)
def test_engines_of_maven(engine, version, module, cases, tmp_path):
    cases = able(cases, engine, version)
    scored = score(cases, engine, version, java.classes(module, "Score"), tmp_path)
    for case in cases:
        case.close(scored[case.name])


@pytest.mark.parametrize("version", OF_ITS_OWN)
def test_elasticsearch_of_its_own(version, cases, tmp_path):
    trees = [case for case in cases if not case.linear]
    java.classes.cache_clear()
    class_path = java.classes("elasticsearch_ml", "Score", version=version)
    scored = score(trees, "elasticsearch-ml", version, class_path, tmp_path)
    for case in trees:
        case.close(scored[case.name])


@pytest.mark.parametrize(("engine", "version", "module", "variable"), FROM_SOURCES)
def test_plugins_from_their_sources(engine, version, module, variable, cases, tmp_path):
    """With LEANRANK_RECORD the scores are kept for tests without Java."""
    if not os.environ.get(variable):
        pytest.skip(f"{engine} {version}: {variable} does not point to the sources of its plugin")
    sources = Path(os.environ[variable])
    java.classes.cache_clear()
    class_path = java.classes(module, "Score", sources)
    cases = able(cases, engine, version)
    scored = score(cases, engine, version, class_path, tmp_path / "new")
    for case in cases:
        case.close(scored[case.name])
    if os.environ.get("LEANRANK_RECORD"):
        if not GOLDEN.exists():
            keep(trained(60), GOLDEN)
        record(able(kept(GOLDEN), engine, version), engine, version, class_path, tmp_path / "kept")


def record(cases, engine, version, class_path, root):
    scored = score(cases, engine, version, class_path, root)
    target = GOLDEN / f"{engine}-{version}"
    target.mkdir(exist_ok=True)
    for case in cases:
        case.close(scored[case.name])
        (target / f"{case.name}.scores.txt").write_text((root / case.name / "scores.txt").read_text())
    (target / "models.json").write_text(json.dumps({c.name: digest(c, engine, version, root) for c in cases}, indent=1))
