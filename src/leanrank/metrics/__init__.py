"""Measures of a ranking, each with its convention as part of its identity."""
