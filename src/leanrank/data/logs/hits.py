"""Documents and their features in the responses of Elasticsearch, OpenSearch, Solr and Vespa.

Elasticsearch: https://elasticsearch-learning-to-rank.readthedocs.io/en/latest/logging-features.html
OpenSearch: https://docs.opensearch.org/latest/search-plugins/ltr/logging-features/
Solr: https://solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html (feature extraction)
Vespa: https://docs.vespa.ai/en/reference/schemas/schemas.html#match-features
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from leanrank.data.logs.responses import Response
from leanrank.errors import DataError

_LARGEST = sys.float_info.max
_VESPA = ("matchfeatures", "summaryfeatures", "rankfeatures")


@dataclass(frozen=True)
class Hit:
    """A document and the `values` of its features; None is a feature that did not match."""

    document: str
    values: dict[str, float | None]


def read_hits(response: Response, *, id_field: str = "id") -> Iterator[Hit]:
    """The documents of a response, told by its shape; `id_field` is Solr's unique key."""
    content = response.content
    if isinstance(content.get("hits"), dict):
        yield from _elasticsearch(content["hits"].get("hits"), response.where)
    elif isinstance(content.get("response"), dict):
        yield from _solr(content["response"].get("docs"), response.where, id_field)
    elif isinstance(content.get("root"), dict):
        yield from _vespa(content["root"].get("children", []), response.where)
    else:
        raise DataError(
            f"{response.where}: not a response of Elasticsearch or OpenSearch ('hits'), Solr ('response') or Vespa "
            f"('root'); found {', '.join(map(repr, list(content)[:5])) or 'nothing'}."
        )


def _elasticsearch(hits: Any, where: str) -> Iterator[Hit]:
    for hit in _objects(hits, where, "hits"):
        document = str(hit.get("_id"))
        logs = _fields(hit).get("_ltrlog")
        if "_id" not in hit or not isinstance(logs, list) or len(logs) != 1 or not isinstance(logs[0], dict):
            raise DataError(f"{where}: document {document!r} has no one '_ltrlog' in its 'fields'; ask with ltr_log.")
        if len(logs[0]) != 1:
            raise DataError(f"{where}: document {document!r} has {len(logs[0])} logs; ask for one.")
        (entry,) = logs[0].values()
        if isinstance(entry, dict):  # of older versions
            entry = [{"name": name, "value": value} for name, value in entry.items()]
        values: dict[str, float | None] = {}
        for feature in _objects(entry, where, "log of features"):
            name = str(feature.get("name"))
            values[name] = _value(feature.get("value"), name, document, where)
        yield Hit(document, values)


def _solr(documents: Any, where: str, id_field: str) -> Iterator[Hit]:
    for entry in _objects(documents, where, "documents"):
        text = entry.get("[features]")
        if id_field not in entry:
            raise DataError(f"{where}: a document has no {id_field!r}; ask for it in fl, or name Solr's unique key.")
        document = str(entry[id_field])
        if not isinstance(text, str):
            raise DataError(
                f"{where}: document {document!r} has no '[features]'; ask with fl=[features format=sparse]."
            )
        values: dict[str, float | None] = {}
        for pair in filter(None, text.split(",")):
            name, equals, number = pair.rpartition("=")
            if not equals:
                raise DataError(f"{where}: document {document!r}: expected name=value, found {pair!r}.")
            values[name] = _value(_float(number), name, document, where)
        yield Hit(document, values)


def _vespa(children: Any, where: str) -> Iterator[Hit]:
    for hit in _objects(children, where, "children"):
        fields = _fields(hit)
        document = str(fields.get("documentid") or hit.get("id")).rpartition("::")[2]
        features = next((fields[kind] for kind in _VESPA if isinstance(fields.get(kind), dict)), None)
        if features is None:
            raise DataError(
                f"{where}: document {document!r} has no 'matchfeatures'; add match-features to the profile."
            )
        values = {n: _value(v, n, document, where) for n, v in features.items() if not n.startswith("vespa.")}
        yield Hit(document, values)


def _objects(content: Any, where: str, what: str) -> list[dict[str, Any]]:
    if not isinstance(content, list) or not all(isinstance(item, dict) for item in content):
        raise DataError(f"{where}: its {what} are not a list of objects.")
    return content


def _fields(hit: dict[str, Any]) -> dict[str, Any]:
    fields = hit.get("fields")
    return fields if isinstance(fields, dict) else {}


def _float(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _value(value: Any, name: str, document: str, where: str) -> float | None:
    if value is None or value == "NaN":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _LARGEST:
        raise DataError(
            f"{where}: document {document!r}: feature {name!r} is {str(value)[:40]!r}, not a finite number."
        )
    return None if value != value else float(value)
