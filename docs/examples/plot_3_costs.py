"""
Costs and the Pareto front
==========================

Features do not cost the same: one is a number in the index, another needs a call to a service. With costs, the question
is not how few features but how cheap a set.
"""

import altair as alt

import leanrank

data, truth = leanrank.make_ranking(150, n_informative=5, n_redundant=10, n_noise=5, random_state=2)

# %%
# Originals are dear here, copies are cheap: a set of cheap copies should be found that is nearly as good.

role = {entry.name: entry.role for entry in truth}
costs = {name: 10.0 if role[name] == "informative" else 1.0 for name in data.feature_names}
selection = leanrank.select(data, "ranksvm", methods=["gas", "mrmr"], costs=costs, max_loss=0.03, progress=False)
print(selection)
print("roles:", [role[name] for name in selection.features])

# %%
# Every set that was measured, by what it costs and what it is worth. The line is the Pareto front: nothing below it is
# worth taking, because something cheaper is as good.

measured = [{"cost": p.cost, "mean": p.mean, "k": p.k, "method": p.method} for p in selection.curve]
front = sorted(({"cost": p.cost, "mean": p.mean} for p in selection.pareto), key=lambda p: (p["cost"], p["mean"]))
x = alt.X("cost:Q", title="cost of the features")
y = alt.Y("mean:Q", title="NDCG@10 on held-out queries", scale=alt.Scale(zero=False))
dots = alt.Chart(alt.Data(values=measured)).mark_circle(size=70).encode(x, y, alt.Color("method:N", title="method"))
line = alt.Chart(alt.Data(values=front)).mark_line(color="black", interpolate="step-after").encode(x, y)
pareto = (line + dots).properties(width=520, height=300)

# %%
# A budget instead of a limit of loss: the best set that costs at most 4.

cheap = leanrank.select(data, "ranksvm", methods=["gas"], costs=costs, budget=4, max_loss=0.03, progress=False)
print(cheap.sentence(), f"for a cost of {cheap.cost:g} of {cheap.baseline['cost']:g}")
