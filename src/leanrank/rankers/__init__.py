"""Learners of a ranking: the papers' own, and adapters for the boosters people deploy."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "AdaRank": "leanrank.rankers.adarank",
        "CohenOrder": "leanrank.rankers.cohen_order",
        "CommitteePerceptron": "leanrank.rankers.committee_perceptron",
        "ExpectedRankRegression": "leanrank.rankers.expected_rank_regression",
        "ListNet": "leanrank.rankers.listnet",
        "OrderSVM": "leanrank.rankers.order_svm",
        "RankBoost": "leanrank.rankers.rankboost",
        "RankNet": "leanrank.rankers.ranknet",
        "KernelRankSVM": "leanrank.rankers.kernel_ranksvm",
        "LinearRanker": "leanrank.rankers._base",
        "Ranker": "leanrank.rankers._base",
        "SVMMAP": "leanrank.rankers.svmmap",
        "get": "leanrank.rankers.registry",
        "PairwiseSquaredHinge": "leanrank.rankers.pairwise_hinge",
        "RankSVM": "leanrank.rankers.ranksvm",
        "as_ranker": "leanrank.rankers.adapters",
        "load_ranker": "leanrank.rankers._saving",
        "names": "leanrank.rankers.registry",
    },
)
