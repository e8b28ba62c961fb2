"""What a pruned ranker would change on logged queries, and what that costs, judged where it can matter."""
