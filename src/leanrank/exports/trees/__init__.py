"""Boosted trees in one form, whatever library grew them, and the form that most engines read."""
