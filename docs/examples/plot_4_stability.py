"""
Stability: how much of a selection is luck
==========================================

With other queries, would the same features have been chosen? Two ways to see it: the sets of the folds of a
cross-validation, and the frequency over many random halves of the queries.
"""

import altair as alt

import leanrank
from leanrank.evaluation.stability import stability

data, truth = leanrank.make_ranking(120, n_informative=4, n_redundant=4, n_noise=12, noise=1.5, random_state=5)

# %%
# Each method selects six features from ten different halves of the queries. Nogueira's measure of how alike the ten
# sets are is 1 for identical sets and 0 for sets drawn at random.

halves = leanrank.QueryShuffleSplit(10, train_size=0.5, random_state=0)
rows = []
for selector in (leanrank.TopK(6), leanrank.GAS(6), leanrank.MRMR(6), leanrank.RankFilter(6), leanrank.BestGain(6)):
    sets = [selector.fit(data.take_queries(half)).selected_ for half, _ in halves.split_queries(data)]
    found = stability(sets, data.n_features)
    rows.append({"method": type(selector).__name__, "value": found.nogueira, "low": found.low, "high": found.high})
    print(f"{rows[-1]['method']:10} {found.nogueira:.2f} [{found.low:.2f}, {found.high:.2f}]")

base = alt.Chart(alt.Data(values=rows)).encode(alt.Y("method:N", title=None, sort="-x"))
bars = base.mark_bar().encode(alt.X("value:Q", title="stability (Nogueira), 95% interval"))
whiskers = base.mark_rule(color="black", strokeWidth=2).encode(alt.X("low:Q"), alt.X2("high:Q"))
chart = (bars + whiskers).properties(width=480, height=180)

# %%
# Stability selection uses this: it runs a selector on many halves and keeps what is taken most often. Copies share the
# votes; noise gets few.

stable = leanrank.StabilitySelection(leanrank.GAS(6), n_resamples=40, threshold=0.6).fit(data)
role = {entry.name: entry.role for entry in truth}
votes = [
    {"feature": name, "frequency": share, "low": low, "high": high, "role": role[name]}
    for name, share, (low, high) in zip(data.feature_names, stable.frequencies_, stable.intervals_, strict=True)
]
base = alt.Chart(alt.Data(values=votes)).encode(alt.Y("feature:N", title=None, sort="-x"))
bars = base.mark_bar().encode(
    alt.X("frequency:Q", title="share of 40 runs that took the feature"), alt.Color("role:N", title="truth")
)
whiskers = base.mark_rule(color="black").encode(alt.X("low:Q"), alt.X2("high:Q"))
line = alt.Chart(alt.Data(values=[{"at": 0.6}])).mark_rule(strokeDash=[4, 4]).encode(alt.X("at:Q"))
frequencies = (bars + whiskers + line).properties(width=420)
print("kept:", list(stable.get_feature_names_out()))
