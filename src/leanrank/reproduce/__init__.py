"""The papers' experiments, run again: one file a paper, and the figures they published as small tables of facts."""
