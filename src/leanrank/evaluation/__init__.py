"""What a selection is worth: cross-validation with selection inside, tests, stability, the journal, select()."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "Asked": "leanrank.evaluation.shadow.asked",
        "Comparison": "leanrank.evaluation.compare.comparison",
        "CrossValidation": "leanrank.evaluation.records",
        "Drift": "leanrank.evaluation.shadow.drift",
        "FeatureDrift": "leanrank.evaluation.shadow.drift",
        "FinishedTask": "leanrank.evaluation.finished_task",
        "FoldRecord": "leanrank.evaluation.records",
        "ImportanceDrift": "leanrank.evaluation.select.importance_drift",
        "Journal": "leanrank.evaluation.journal",
        "Judged": "leanrank.evaluation.shadow.judging",
        "LoggedLoss": "leanrank.evaluation.logged_loss",
        "LossEstimate": "leanrank.evaluation.shadow.estimate",
        "MetricLoss": "leanrank.evaluation.select.curve_point",
        "SliceLoss": "leanrank.evaluation.select.slice_losses",
        "Stability": "leanrank.evaluation.stability",
        "competition_ranks": "leanrank.evaluation.unified_ranking",
        "holm": "leanrank.evaluation.significance",
        "paired_bootstrap": "leanrank.evaluation.significance",
        "paired_t_test": "leanrank.evaluation.significance",
    },
)
