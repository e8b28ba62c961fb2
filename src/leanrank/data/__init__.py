"""Judged ranking data: the container, readers and writers, scaling, splits, orders, synthetic data."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "RankingData": "leanrank.data.ranking_data",
        "read_letor": "leanrank.data.letor",
        "scan_letor": "leanrank.data.letor_scan",
        "write_letor": "leanrank.data.letor_writer",
        "RankingSource": "leanrank.data.ranking_data",
        "concatenate": "leanrank.data.ranking_data",
        "from_orders": "leanrank.data.orders",
        "read_sushi": "leanrank.data.orders",
        "make_ranking": "leanrank.data.synthetic",
        "letor_folds": "leanrank.data.folds",
        "from_frame": "leanrank.data.frames",
        "read_table": "leanrank.data.tables",
        "scan_parquet": "leanrank.data.parquet",
        "write_parquet": "leanrank.data.parquet_writing",
        "as_ranking_data": "leanrank.data.door",
        "as_source": "leanrank.data.door",
        "feature_matrix": "leanrank.data.door",
        "to_frame": "leanrank.data.frames",
        "QueryMinMaxScaler": "leanrank.data.scaling",
        "QueryStandardScaler": "leanrank.data.scaling",
        "QueryKFold": "leanrank.data.splits",
        "QueryShuffleSplit": "leanrank.data.splits",
        "FeatureTruth": "leanrank.data.synthetic",
        "Fold": "leanrank.data.folds",
    },
)
