"""leanrank finds the fewest features a ranker needs."""

from leanrank._lazy import lazy
from leanrank.errors import LeanRankError as LeanRankError

__version__ = "0.1.0"

__getattr__, __dir__, _names = lazy(
    __name__,
    {
        "RankSVM": "leanrank.rankers.ranksvm",
        "RankingData": "leanrank.data.ranking_data",
        "load_ranker": "leanrank.rankers._saving",
        "from_orders": "leanrank.data.orders",
        "read_sushi": "leanrank.data.orders",
        "make_ranking": "leanrank.data.synthetic",
        "letor_folds": "leanrank.data.splits",
        "QueryMinMaxScaler": "leanrank.data.scaling",
        "QueryStandardScaler": "leanrank.data.scaling",
        "QueryKFold": "leanrank.data.splits",
        "QueryShuffleSplit": "leanrank.data.splits",
    },
)
__all__ = [*_names, "LeanRankError", "__version__"]
