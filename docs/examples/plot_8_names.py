"""
Features with names, families and prices
========================================

A search team knows its features by name, what family each is of, and what it costs. With a catalogue, the answer says
so too, and keeps to what the team can run: at most so many of a family, and what is computed together comes together.
"""

import leanrank

data, truth = leanrank.make_ranking(150, n_informative=4, n_redundant=8, n_noise=4, random_state=5)
print(data)

# %%
# A catalogue is a table with a row for each feature: a file (CSV, TSV, JSON), a frame, or a dict as here. Features that
# are copies of one another are one family in these data: a team would call them "BM25 of four fields".

fields = ("title", "body", "anchors", "URL")
useful = [entry for entry in truth if entry.role in ("informative", "redundant")]
signals = sorted({entry.source or entry.name for entry in useful})
rows = {entry.name: {"name": f"noise {entry.name}", "family": "other", "cost": 1} for entry in truth}
for number, signal in enumerate(signals, start=1):
    members = [entry for entry in useful if (entry.source or entry.name) == signal]
    for place, entry in enumerate(members):
        cost = 3 if entry.role == "informative" else 1
        rows[entry.name] = {
            "name": f"signal {number} of {fields[place % 4]}",
            "family": f"signal {number}",
            "cost": cost,
        }
catalogue = leanrank.read_catalogue(rows)
print(catalogue.label(data.feature_names[0]), catalogue.families()["signal 1"])

# %%
# At most two of each signal. Costs are the catalogue's, so the answer is the cheapest set, not the smallest.

limits = {family: 2 for family in catalogue.families() if family != "other"}
selection = leanrank.select(
    data, "ranksvm", methods=["gas", "mrmr"], catalogue=catalogue, at_most=limits, max_loss=0.04, progress=False
)
print(selection)

# %%
# How many of each family there are in the answer:

kept = [catalogue[name].family for name in selection.features]
print({family: kept.count(family) for family in sorted(set(kept))})

# %%
# The features with their names, as a frame.

selection.to_frame("features").query("kept")[["name", "label", "family", "position", "frequency"]]

# %%
# Two features that one call computes are asked for together: in the answer are both or none.

pair = tuple(catalogue.families()["signal 1"][:2])
both = leanrank.select(
    data, "ranksvm", methods=["gas"], catalogue=catalogue, together=[pair], n_features=5, progress=False
)
print(pair, [name in both.features for name in pair])
