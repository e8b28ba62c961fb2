"""
Reduce instead of select
========================

Sometimes all features may be computed, but only a few numbers stored or shown. RCDR combines the features into a few
that keep the order of the labels; each component says what it is made of.
"""

import altair as alt

import leanrank

data, truth = leanrank.make_ranking(200, n_informative=6, n_redundant=6, n_noise=6, noise=1.0, random_state=4)
train, test = next(iter(leanrank.QueryKFold(4, shuffle=True, random_state=0).split_queries(data)))
train, test = data.take_queries(train), data.take_queries(test)

rcdr = leanrank.RCDR(4).fit(train)
components = rcdr.chart(top=6)

# %%
# The first component points where the labels do: ranking by it alone needs no training at all.

print([f"{norm:.3f}" for norm in rcdr.norms_])
for row in rcdr.top_attributes(3):
    print(row["component"], ", ".join(f"{name} {weight:+.2f}" for name, weight in row["attributes"]))

# %%
# So many numbers for each document, and how well a ranker does with them: combined features against selected ones.

rows = []
gas = leanrank.GAS().fit(train)
combined = leanrank.RCDR(8).fit(train)
for k in (1, 2, 3, 4, 6, 8):
    chosen = list(gas.select(k))
    ranker = leanrank.RankSVM().fit(train.subset(chosen))
    rows.append({"k": k, "how": "selected (GAS)", "ndcg": ranker.score(test.subset(chosen), metric="ndcg@10")})
    first, first_of_test = (combined.transform(part).subset(list(range(k))) for part in (train, test))
    ranker = leanrank.RankSVM().fit(first)
    rows.append({"k": k, "how": "combined (RCDR)", "ndcg": ranker.score(first_of_test, metric="ndcg@10")})
comparison = (
    alt.Chart(alt.Data(values=rows))
    .mark_line(point=True)
    .encode(
        alt.X("k:Q", title="numbers for each document"),
        alt.Y("ndcg:Q", title="NDCG@10 of test queries", scale=alt.Scale(zero=False)),
        alt.Color("how:N", title=None),
    )
    .properties(width=480, height=280)
)
