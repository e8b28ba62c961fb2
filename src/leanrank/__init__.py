"""leanrank finds the fewest features a ranker needs."""

from leanrank._lazy import lazy
from leanrank.errors import LeanRankError as LeanRankError

__version__ = "0.3.2"

__getattr__, __dir__, _names = lazy(__name__)
__all__ = [*_names, "__version__"]
