"""A Solr of one core with the Learning to Rank module: its configuration, documents and queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

CONFIG = """<?xml version="1.0" encoding="UTF-8"?>
<config>
  <luceneMatchVersion>8.11</luceneMatchVersion>
  <directoryFactory name="DirectoryFactory" class="solr.RAMDirectoryFactory"/>
  <indexConfig><lockType>single</lockType></indexConfig>
  <schemaFactory class="ClassicIndexSchemaFactory"/>
  <updateHandler class="solr.DirectUpdateHandler2"/>
  <query><cache name="QUERY_DOC_FV" class="solr.CaffeineCache" size="4096" initialSize="64" autowarmCount="0"/></query>
  <requestHandler name="/select" class="solr.SearchHandler"/>
  <requestHandler name="/update" class="solr.UpdateRequestHandler"/>
  <queryParser name="ltr" class="org.apache.solr.ltr.search.LTRQParserPlugin"/>
  <transformer name="features" class="org.apache.solr.ltr.response.transform.LTRFeatureLoggerTransformerFactory">
    <str name="fvCacheName">QUERY_DOC_FV</str>
  </transformer>
</config>
"""
SCHEMA = """<?xml version="1.0" encoding="UTF-8"?>
<schema name="shop" version="1.6">
  <fieldType name="string" class="solr.StrField"/>
  <fieldType name="float" class="solr.FloatPointField" docValues="true"/>
  <fieldType name="text" class="solr.TextField">
    <analyzer><tokenizer class="solr.WhitespaceTokenizerFactory"/></analyzer>
  </fieldType>
  <field name="id" type="string" stored="true" indexed="true" required="true"/>
  <field name="title" type="text" stored="true" indexed="true"/>
  <field name="body" type="text" stored="true" indexed="true"/>
  <field name="clicks" type="float" stored="true" indexed="true"/>
  <field name="age" type="float" stored="true" indexed="true"/>
  <field name="margin" type="float" stored="true" indexed="true"/>
  <uniqueKey>id</uniqueKey>
</schema>
"""
WORDS = ("blue", "red", "green", "shoe", "shirt", "hat", "coat", "sock", "belt", "scarf")
TEXTS = tuple(f"{a} {b}" for a in WORDS[:3] for b in WORDS[3:])


def features() -> list[dict[str, Any]]:
    """Two of text, two of fields, one of a field that few documents have."""
    package = "org.apache.solr.ltr.feature"
    text = [
        {
            "name": f"{field}_bm25",
            "class": f"{package}.SolrFeature",
            "params": {"q": f"{{!edismax qf={field}}}${{text}}"},
        }
        for field in ("title", "body")
    ]
    fields = [
        {"name": field, "class": f"{package}.FieldValueFeature", "params": {"field": field}}
        for field in ("clicks", "age", "margin")
    ]
    return [{"store": "shop", **feature} for feature in (*text, *fields)]


def documents(n: int = 60) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    made = []
    for number in range(n):
        document: dict[str, Any] = {"id": f"d{number:03}", "title": " ".join(rng.choice(WORDS, 3))}
        if number % 3:  # some have no body, no margin: these features do not match
            document["body"] = " ".join(rng.choice(WORDS, 12))
        document |= {"clicks": float(rng.integers(0, 30)), "age": round(float(rng.random()) * 100, 2)}
        if number % 4 == 0:
            document["margin"] = round(float(rng.normal()), 3)
        made.append(document)
    return made


def judgements(found: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Grades by query and document: a word in the title, many clicks."""
    grades = {}
    for text in TEXTS:
        words = set(text.split())
        grade = {d["id"]: len(words & set(d["title"].split())) + (d["clicks"] > 20) for d in found}
        grades[text] = {name: int(value) for name, value in grade.items()}
    return grades


def query(text: str, *, model: str | None = None, form: str = "sparse") -> str:
    """All documents; with a model, reranked by it; the features are asked for in either case."""
    vector = f"[features store=shop format={form} efi.text='{text}']"
    parameters = {"q": "*:*", "rows": 100, "wt": "json", "fl": f"id,score,{vector}"}
    if model is not None:
        parameters["rq"] = f"{{!ltr model={model} reRankDocs=100 efi.text='{text}'}}"
        parameters["fl"] = f"id,score,[features format={form}]"
    return urlencode(parameters)


def single_models() -> list[dict[str, Any]]:
    """For each feature a model of it alone, to be timed."""
    kind = {"store": "shop", "class": "org.apache.solr.ltr.model.LinearModel"}
    names = [feature["name"] for feature in features()]
    return [{**kind, "name": n, "features": [{"name": n}], "params": {"weights": {n: 1.0}}} for n in names]


def timed(text: str, feature: str | None) -> str:
    """A query reranked by one feature, or by none, with Solr's timings."""
    parameters = {"q": "*:*", "rows": 1, "wt": "json", "fl": "id", "debug": "timing"}
    if feature is not None:
        parameters["rq"] = f"{{!ltr model={feature} reRankDocs=100 efi.text='{text}'}}"
    return urlencode(parameters)


def prepare(home: Path, features_text: str, queries: list[str], model_text: str | None = None) -> Path:
    conf = home / "shop" / "conf"
    conf.mkdir(parents=True)
    (home / "solr.xml").write_text("<solr></solr>")
    (home / "shop" / "core.properties").write_text("name=shop\n")
    (conf / "solrconfig.xml").write_text(CONFIG)
    (conf / "schema.xml").write_text(SCHEMA)
    (home / "documents.json").write_text(json.dumps(documents()))
    (home / "features.json").write_text(features_text)
    (home / "queries.txt").write_text("\n".join(queries) + "\n")
    if model_text is not None:
        (home / "model.json").write_text(model_text)
    return home
