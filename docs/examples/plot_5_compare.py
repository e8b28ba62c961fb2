"""
Compare selectors
=================

Which method is best on *your* data? `compare` cross-validates every method at every size, with the selection inside
each fold, and tests the differences.
"""

import altair as alt

import leanrank
from leanrank.evaluation.compare.request import CompareSettings
from leanrank.evaluation.compare.run import compare

data, truth = leanrank.make_ranking(150, n_informative=6, n_redundant=12, n_noise=6, random_state=0)
methods = ["top-k", "gas", "mrmr", "hcas", "fs-scpr"]
settings = CompareSettings(n_splits=3)
found = compare(data, methods=methods, rankers=["ranksvm"], k=[2, 4, 6, 8], metrics=["ndcg@10"], settings=settings)

# %%
# The curves, and all features as the dashed line. Importance alone (top-k) takes copies of what it has; methods that
# pay for similarity get further with the same number of features.

rows = [{"method": row.method, "k": row.k, "ndcg": row.scores["ndcg@10"]} for row in found.means() if row.k is not None]
reference = [{"ndcg": row.scores["ndcg@10"]} for row in found.means() if row.k is None]
lines = (
    alt.Chart(alt.Data(values=rows))
    .mark_line(point=True)
    .encode(
        alt.X("k:Q", title="number of features"),
        alt.Y("ndcg:Q", title="NDCG@10, three folds", scale=alt.Scale(zero=False)),
        alt.Color("method:N", title="method"),
    )
)
level = alt.Chart(alt.Data(values=reference)).mark_rule(strokeDash=[4, 4]).encode(alt.Y("ndcg:Q"))
curves = (lines + level).properties(width=480, height=280)

# %%
# Which differences to all features are more than chance? Paired tests over queries, corrected for being several.

for row in found.tests("ndcg@10"):
    interval = f"[{row.bootstrap.low:+.3f}, {row.bootstrap.high:+.3f}]"
    print(f"{row.method:8} k={row.k}  {row.t.difference:+.3f} {interval}  p={row.t_holm:.3f} (Holm)")

# %%
# A case where the comparison of curves is not enough: two features that matter only together. Whatever looks at one
# feature at a time cannot see them; RankFilter compares near documents, and can.

data, truth = leanrank.make_ranking(
    120, n_informative=3, n_redundant=3, n_interacting=2, n_noise=12, interaction=3.0, random_state=0
)
pair = {entry.name for entry in truth if entry.role == "interacting"}
for selector in (leanrank.TopK(), leanrank.GAS(), leanrank.MRMR(), leanrank.RankFilter()):
    path = [data.feature_names[j] for j in selector.fit(data).order_]
    places = sorted(path.index(name) + 1 for name in pair)
    print(f"{type(selector).__name__:10} has the pair at places {places[0]} and {places[1]} of {data.n_features}")
