"""Responses written by hand as the engines' documentation shows them: three documents, two features."""

from __future__ import annotations

from typing import Any


def elasticsearch(values: dict[str, dict[str, float | None]]) -> dict[str, Any]:
    """`_ltrlog` of the plugins of Elasticsearch and OpenSearch; a feature that did not match has no value."""
    hits = []
    for document, features in values.items():
        log = [{"name": n, **({} if v is None else {"value": v})} for n, v in features.items()]
        hits.append({"_index": "shop", "_id": document, "_score": 1.0, "fields": {"_ltrlog": [{"log_entry1": log}]}})
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": len(hits), "relation": "eq"}, "hits": hits}}


def solr(values: dict[str, dict[str, float | None]]) -> dict[str, Any]:
    """`[features format=sparse]` of Solr."""
    docs = [
        {"id": d, "score": 1.0, "[features]": ",".join(f"{n}={v}" for n, v in fs.items() if v is not None)}
        for d, fs in values.items()
    ]
    return {"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": len(docs), "start": 0, "docs": docs}}


def vespa(values: dict[str, dict[str, float | None]]) -> dict[str, Any]:
    """`match-features` of Vespa."""
    children = [
        {
            "id": f"id:shop:product::{document}",
            "relevance": 0.5,
            "source": "shop",
            "fields": {"sddocname": "product", "matchfeatures": dict(features)},
        }
        for document, features in values.items()
    ]
    return {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 3}, "children": children}}
