"""What a selection is worth: cross-validation with selection inside, tests, stability, the journal, select()."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "Journal": "leanrank.evaluation.journal",
    },
)
