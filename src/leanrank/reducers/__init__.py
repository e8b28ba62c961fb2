"""Dimension reducers: few linear combinations of features that order documents as the labels do."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(__name__)
