"""
The feature graph
=================

How good is each feature alone, and which features say the same? The graph is computed once; afterwards every method
that lives on it costs next to nothing.
"""

import leanrank

data, truth = leanrank.make_ranking(200, n_informative=4, n_redundant=8, n_noise=4, random_state=3)
graph = leanrank.feature_graph(data, importance="ndcg@10", similarity="kendall")
print(graph)

# %%
# Similarity says how alike two features order the documents of a query: 1 is a copy or any increasing function of it,
# 0 is unrelated, -1 the opposite order, however many values are equal. The heatmap is ordered by cluster, so families
# of copies are squares on the diagonal.

heatmap = graph.heatmap()

# %%
# The same as a drawing: size is importance, lines join features that are alike, colour is the cluster.

drawing = graph.draw()

# %%
# What a method does with it. The four best features by importance alone are copies of one another; GAS pays for
# similarity, and gets one of each family.

family = {entry.name: entry.source or entry.name for entry in truth}
for selector in (leanrank.TopK(4), leanrank.GAS(4, c=0.5), leanrank.MMR(4), leanrank.FSSCPR(4)):
    names = selector.fit_graph(graph).get_feature_names_out()
    print(f"{type(selector).__name__:7}", *(f"{name} (family {family[name]})" for name in names))
