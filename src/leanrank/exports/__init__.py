"""Exports: pruned feature sets and models in the formats of search engines and boosting libraries."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "Export": "leanrank.exports.export",
        "export_features": "leanrank.exports.export",
        "Target": "leanrank.exports.target",
        "engines": "leanrank.exports.export",
    },
)
