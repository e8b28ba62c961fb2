"""No engine scores categories as leanrank has them: a model with one is refused by its name."""

from __future__ import annotations

import json

import pytest
from tests.data.categorical import with_categories

from leanrank.errors import DataError
from leanrank.exports import engines, export_features
from leanrank.rankers import get
from leanrank.selectors.features_file import ChosenFeatures

NAMES = ("bm25", "brand")


def full_set(engine):
    if engine in ("elasticsearch", "opensearch"):
        return json.dumps({"featureset": {"features": [{"name": n, "template": {"was": n}} for n in NAMES]}})
    if engine == "solr":
        return json.dumps([{"name": n, "class": "c", "params": {}} for n in NAMES])
    return json.dumps(NAMES) if engine == "vespa" else "".join(f"{n}\n" for n in NAMES)


@pytest.mark.parametrize("name", ["lightgbm", "ranksvm"])
@pytest.mark.parametrize("engine", engines())
def test_a_model_with_a_category_is_refused_by_name(engine, name, tmp_path):
    pytest.importorskip("lightgbm")
    (tmp_path / "full").write_text(full_set(engine))
    data = with_categories(20).subset(list(NAMES))
    model = (get(name, n_estimators=5, n_threads=1) if name == "lightgbm" else get(name)).fit(data)
    chosen = ChosenFeatures(NAMES, (1, 2), 2)
    with pytest.raises(DataError, match=f"The model has the category 'brand', and {engine} knows numbers only"):
        export_features(chosen, tmp_path / "full", to=engine, model=model)


def test_the_names_of_features_may_be_exported(tmp_path):
    (tmp_path / "full").write_text(full_set("elasticsearch"))
    exported = export_features(ChosenFeatures(NAMES, (1, 2), 2), tmp_path / "full", to="elasticsearch")
    assert [kept.name for kept in exported.features] == list(NAMES)
