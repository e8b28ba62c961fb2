"""
A notebook from a frame to the engine
=====================================

A pandas frame with the columns that a search log has, LightGBM, and the answer as a notebook shows it: a card, charts,
frames, and the feature set for the search engine.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import lightgbm
import numpy as np
import pandas as pd

import leanrank
from leanrank.exports import export_features
from leanrank.stats.lint import lint

# %%
# 120 queries of 12 documents. Text scores of title and body, freshness, clicks; the id of the document and the place
# where it was shown are columns as well, although they are no features.

rng = np.random.default_rng(0)
n_queries, n_docs = 120, 12
n = n_queries * n_docs
title, body, clicks = rng.gamma(2.0, 4.0, n), rng.gamma(3.0, 3.0, n), rng.beta(1.0, 8.0, n)
worth = 0.1 * title + 0.12 * body + 6 * clicks + rng.normal(0, 0.5, n)
frame = pd.DataFrame(
    {
        "query": np.repeat([f"q{q}" for q in range(n_queries)], n_docs),
        "grade": pd.cut(worth, [-np.inf, 2.0, 3.5, np.inf], labels=False),
        "doc_id": rng.permutation(n) + 10_000,
        "position": np.tile(np.arange(1, n_docs + 1), n_queries),
        "bm25_title": title,
        "bm25_body": body,
        "tfidf_title": 0.7 * title + 1.0,
        "tfidf_body": 0.5 * body + rng.normal(0, 0.3, n),
        "clicks_30d": clicks,
        "age_days": rng.integers(0, 2000, n),
        "url_depth": rng.integers(1, 6, n),
    }
)
data = leanrank.from_frame(frame, label="grade", qid="query")

# %%
# What is in the data, and what should not be.

lint(data)

# %%
# The id and the position go; the rest is what LightGBM may use.

data = data.subset([name for name in data.feature_names if name not in ("doc_id", "position")])
ranker = lightgbm.LGBMRanker(n_estimators=40, num_leaves=7, n_jobs=1, verbose=-1)
selection = leanrank.select(data, ranker, effort="quick", progress=False)
selection.with_answer("recommended")

# %%
# The curve, as a chart of altair.

curve = selection.plot_curve()

# %%
# The same figures as a frame.

selection.to_frame().head(8)

# %%
# Which features are alike.

heatmap = leanrank.feature_graph(data).plot_heatmap()

# %%
# The feature set of OpenSearch, cut down to what is kept.

queries = [{"name": name, "params": ["q"], "template": {"match": {name: "{{q}}"}}} for name in data.feature_names]
with TemporaryDirectory() as folder:
    chosen, full = Path(folder, "features.json"), Path(folder, "full.json")
    selection.save(chosen)
    full.write_text(json.dumps({"featureset": {"name": "all", "features": queries}}))
    print(export_features(chosen, full, to="opensearch").feature_set)
