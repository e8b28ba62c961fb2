"""What is exported scores as `predict` does, in the classes that score it in production."""

from __future__ import annotations

import os

import pytest
from tests.engines_jvm import java
from tests.engines_jvm.cases import files, rows_text, trained

#: Engines that Maven fetches.
CENTRAL = [("solr", "8.11.4", "solr"), ("vespa", "8.262.17", "vespa"), ("ranklib", "0.2.0", "ranklib")]
#: Elasticsearch's own learning to rank; LEANRANK_ENGINES=all fetches one from before 8.15 too, which wants an input.
OF_ITS_OWN = ("8.19.21", "8.13.4") if os.environ.get("LEANRANK_ENGINES") == "all" else ("8.19.21",)


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
    blind = engine == "ranklib" or (engine, version) == ("solr", "8.11.4")
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
