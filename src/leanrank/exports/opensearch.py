"""OpenSearch's Learning to Rank plugin, whose formats are those of Elasticsearch's.

Feature sets: https://docs.opensearch.org/latest/search-plugins/ltr/working-with-features/
Models: https://docs.opensearch.org/latest/search-plugins/ltr/training-models/
"""

from __future__ import annotations

from leanrank.exports.elasticsearch import MODEL_SUFFIX, feature_set, model, parse

__all__ = ["MODEL_SUFFIX", "feature_set", "model", "parse"]
