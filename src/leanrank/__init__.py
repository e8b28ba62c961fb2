"""leanrank finds the fewest features a ranker needs."""

from leanrank._lazy import lazy
from leanrank.errors import LeanRankError as LeanRankError

__version__ = "0.1.0"

__getattr__, __dir__, _names = lazy(
    __name__,
    {
        "AP": "leanrank.metrics.average_precision",
        "ERR": "leanrank.metrics.reciprocal_rank",
        "KendallTau": "leanrank.metrics.correlation",
        "MRR": "leanrank.metrics.reciprocal_rank",
        "MeanNDCG": "leanrank.metrics.ndcg",
        "NDCG": "leanrank.metrics.ndcg",
        "Precision": "leanrank.metrics.precision_recall",
        "Recall": "leanrank.metrics.precision_recall",
        "SpearmanRho": "leanrank.metrics.correlation",
        "evaluate": "leanrank.metrics.evaluation",
        "metric": "leanrank.metrics.names",
        "KernelRankSVM": "leanrank.rankers.kernel_ranksvm",
        "RankSVM": "leanrank.rankers.ranksvm",
        "SVMMAP": "leanrank.rankers.svmmap",
        "RankingData": "leanrank.data.ranking_data",
        "as_ranker": "leanrank.rankers.adapters",
        "load_ranker": "leanrank.rankers._saving",
        "from_orders": "leanrank.data.orders",
        "read_sushi": "leanrank.data.orders",
        "make_ranking": "leanrank.data.synthetic",
        "letor_folds": "leanrank.data.folds",
        "from_frame": "leanrank.data.frames",
        "read_table": "leanrank.data.tables",
        "scan_parquet": "leanrank.data.parquet",
        "write_parquet": "leanrank.data.parquet_writing",
        "QueryMinMaxScaler": "leanrank.data.scaling",
        "QueryStandardScaler": "leanrank.data.scaling",
        "QueryKFold": "leanrank.data.splits",
        "FSSCPR": "leanrank.selectors.fsscpr",
        "GAS": "leanrank.selectors.gas",
        "HCAS": "leanrank.selectors.hcas",
        "MMR": "leanrank.selectors.mmr",
        "MPT": "leanrank.selectors.mpt",
        "MRMR": "leanrank.selectors.mrmr",
        "MSD": "leanrank.selectors.msd",
        "NGAS": "leanrank.selectors.ngas",
        "TopK": "leanrank.selectors.topk",
        "XGAS": "leanrank.selectors.xgas",
        "QueryShuffleSplit": "leanrank.data.splits",
        "FeatureGraph": "leanrank.stats.feature_graph",
        "Importance": "leanrank.stats.importance",
        "LocalEngine": "leanrank.engines.local",
        "Similarity": "leanrank.stats.similarity",
        "feature_graph": "leanrank.stats.feature_graph",
        "fold": "leanrank.engines.fold",
    },
)
__all__ = [*_names, "LeanRankError", "__version__"]
