"""
Select, and read the curve
==========================

The main job: which features does a ranker need, and how sure is that? Six features of these data are useful, twelve are
copies of them, twelve are noise.
"""

import leanrank

data, truth = leanrank.make_ranking(150, n_informative=6, n_redundant=12, n_noise=12, random_state=1)
print(data)

# %%
# `select` orders the features by several methods, lets them race on queries that they were not made from, and measures
# the path of the winner. The answer is one sentence: how many features are kept, and what that does to the metric on
# queries that did not choose, with its interval.

selection = leanrank.select(data, "ranksvm", progress=False)
print(selection)

# %%
# The curve is the evidence: a point is the mean over held-out queries. Where the line is flat, the features after that
# point buy nothing.

curve = selection.plot_curve()

# %%
# Was it right? Here the truth is known: every feature kept should come from another source.

source = {entry.name: entry.source or entry.name for entry in truth if entry.role in ("informative", "redundant")}
print([f"{name} (of {source[name]})" if name in source else f"{name} (useless)" for name in selection.features])

# %%
# `selection.save("features.json")` keeps the answer for the command line, `selection.report("report.html", data)`
# writes all of this, and more, into one page.
