"""The protocol of all statistics of this room; it lives with `fold`, which is all that uses it."""

from leanrank.engines.fold import Statistic as Statistic
