"""Judged ranking data: the container, readers and writers, scaling, splits, orders, synthetic data."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "RankingData": "leanrank.data.ranking_data",
        "read": "leanrank.data.reading",
        "scan": "leanrank.data.reading",
        "read_letor": "leanrank.data.letor.reader",
        "scan_letor": "leanrank.data.letor.scan",
        "write_letor": "leanrank.data.letor.writer",
        "RankingSource": "leanrank.data.ranking_data",
        "concatenate": "leanrank.data.ranking_data",
        "from_orders": "leanrank.data.orders",
        "read_sushi": "leanrank.data.orders",
        "make_ranking": "leanrank.data.synthetic",
        "letor_folds": "leanrank.data.folds",
        "from_frame": "leanrank.data.tabular.frames",
        "read_table": "leanrank.data.tables",
        "scan_parquet": "leanrank.data.parquet.scan",
        "write_parquet": "leanrank.data.parquet.writer",
        "as_ranking_data": "leanrank.data.door",
        "as_source": "leanrank.data.door",
        "feature_matrix": "leanrank.data.door",
        "to_frame": "leanrank.data.tabular.frames",
        "QueryMinMaxScaler": "leanrank.data.scaling",
        "QueryStandardScaler": "leanrank.data.scaling",
        "QueryKFold": "leanrank.data.splits",
        "QueryShuffleSplit": "leanrank.data.splits",
        "FeatureTruth": "leanrank.data.synthetic",
        "Fold": "leanrank.data.folds",
        "RankingShape": "leanrank.data.ranking_shape",
    },
)
