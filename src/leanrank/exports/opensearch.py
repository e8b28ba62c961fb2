"""OpenSearch's Learning to Rank plugin, whose formats are those of Elasticsearch's.

Feature sets: https://docs.opensearch.org/latest/search-plugins/ltr/working-with-features/
Models: https://docs.opensearch.org/latest/search-plugins/ltr/training-models/
"""

from __future__ import annotations

from functools import partial

from leanrank.exports import elasticsearch
from leanrank.exports.elasticsearch import MODEL_SUFFIX, feature_set, parse

TITLE = "OpenSearch"
model = partial(elasticsearch.model, title=TITLE)

__all__ = ["MODEL_SUFFIX", "TITLE", "feature_set", "model", "parse"]
