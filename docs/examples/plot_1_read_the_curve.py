"""
Select, and read the curve
==========================

The main job: which features does a ranker need, and how sure is that? Six features of these data are useful, twelve are
copies of them, twelve are noise.
"""

import altair as alt

import leanrank

data, truth = leanrank.make_ranking(150, n_informative=6, n_redundant=12, n_noise=12, random_state=1)
print(data)

# %%
# `select` orders the features by several methods and measures every order on queries that it was not made from. The
# answer is one sentence: how many features are kept, what that does to the metric, and the interval that holds for
# everything that was tried.

selection = leanrank.select(data, "ranksvm", methods=["gas", "mrmr", "top-k"], max_loss=0.02, progress=False)
print(selection)

# %%
# The curve is the evidence. Each line is a method; a point is the mean over held-out queries. Where a line is flat, the
# features after that point buy nothing. The band belongs to the method that was chosen, the dot is the answer.

points = [vars(point) | {"per_fold": None} for point in selection.curve]
lines = (
    alt.Chart(alt.Data(values=points))
    .mark_line(point=True)
    .encode(
        alt.X("k:Q", title="number of features"),
        alt.Y("mean:Q", title="NDCG@10 on held-out queries", scale=alt.Scale(zero=False)),
        alt.Color("method:N", title="method"),
    )
)
everything = selection.baseline["mean"]
chosen = [point for point in points if point["method"] == selection.method]
low_high = [{"k": p["k"], "low": everything + p["low"], "high": everything + p["high"]} for p in chosen]
band = (
    alt.Chart(alt.Data(values=low_high)).mark_area(opacity=0.2).encode(alt.X("k:Q"), alt.Y("low:Q"), alt.Y2("high:Q"))
)
level = alt.Chart(alt.Data(values=[{"all": everything}])).mark_rule(strokeDash=[4, 4]).encode(alt.Y("all:Q"))
answer = [point for point in chosen if point["k"] == selection.n_features]
dot = (
    alt.Chart(alt.Data(values=answer))
    .mark_point(size=150, filled=True, color="black")
    .encode(alt.X("k:Q"), alt.Y("mean:Q"))
)
curve = (band + lines + level + dot).properties(width=520, height=300)

# %%
# Was it right? Here the truth is known: every feature kept should come from another source.

source = {entry.name: entry.source or entry.name for entry in truth if entry.role in ("informative", "redundant")}
print([f"{name} (of {source[name]})" if name in source else f"{name} (useless)" for name in selection.features])

# %%
# `selection.save("features.json")` keeps the answer for the command line, `selection.report("report.html", data)`
# writes all of this, and more, into one page.
