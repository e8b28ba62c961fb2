"""The selectors people use today, each as a function (training data, k) -> column numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leanrank import RankingData

Peer = Callable[[RankingData, int], NDArray[np.int64]]

#: The booster of the comparison; rounds are fixed where a selector sees training data alone.
LIGHTGBM = {
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_child_samples": 20,
    "n_estimators": 200,
    "verbose": -1,
    "random_state": 0,
    "deterministic": True,
    "force_row_wise": True,
    "n_jobs": 1,
}
#: Rows a quadratic peer is given (whole queries drawn at random): it would take hours on all of them.
MULTISURF_ROWS = 2_000
#: CatBoost's algorithms, and how they run where there are many data sets and splits.
CATBOOST = ("PredictionValuesChange", "LossFunctionChange", "ShapValues")
FEW_STEPS = {"steps": 3, "shap_calc_type": "Approximate", "train_final_model": False}


def _top(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[:k]


def _lightgbm(data: RankingData):
    import lightgbm

    return lightgbm.LGBMRanker(**LIGHTGBM).fit(data.X, data.y.astype(int), group=data.query_sizes)


def lightgbm_gain(data: RankingData, k: int) -> NDArray[np.int64]:
    return _top(_lightgbm(data).booster_.feature_importance("gain"), k)


def lightgbm_shap(data: RankingData, k: int) -> NDArray[np.int64]:
    shap = _lightgbm(data).booster_.predict(data.X, pred_contrib=True)[:, :-1]
    return _top(np.abs(shap).mean(axis=0), k)


def lightgbm_rfe(data: RankingData, k: int) -> NDArray[np.int64]:
    """Drop the tenth of the features with the least gain, train again, until k are left."""
    kept = np.arange(data.n_features)
    while len(kept) > k:
        gain = _lightgbm(data.subset(kept)).booster_.feature_importance("gain")
        drop = min(max(1, len(kept) // 10), len(kept) - k)
        kept = np.sort(kept[np.argsort(-gain, kind="stable")[: len(kept) - drop]])
    return kept


def catboost(algorithm: str, trees: int | None = None, **options: object) -> Peer:
    """CatBoost's `select_features` with a held-out fifth of the queries; what is not given is its own default."""

    def choose(data: RankingData, k: int) -> NDArray[np.int64]:
        import catboost

        held_out = np.arange(data.n_queries) % 5 == 4
        train, valid = (data.take_queries(part) for part in (~held_out, held_out))
        pools = [
            catboost.Pool(d.X, d.y, group_id=np.repeat(np.arange(d.n_queries), d.query_sizes)) for d in (train, valid)
        ]
        model = catboost.CatBoostRanker(
            loss_function="YetiRank", iterations=trees, random_seed=0, thread_count=1, allow_writing_files=False
        )
        chosen = model.select_features(
            pools[0],
            eval_set=pools[1],
            features_for_select=list(range(data.n_features)),
            num_features_to_select=k,
            algorithm=algorithm,
            logging_level="Silent",
            **options,
        )
        return np.array(sorted(chosen["selected_features"]))

    return choose


def mrmr(data: RankingData, k: int) -> NDArray[np.int64]:
    import pandas as pd
    from mrmr import mrmr_classif

    varies = np.flatnonzero(np.ptp(data.X, axis=0) > 0)  # the package divides by the deviation
    frame = pd.DataFrame(data.X[:, varies].astype(float), columns=[str(j) for j in varies])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = mrmr_classif(X=frame, y=pd.Series(data.y), K=k, show_progress=False, n_jobs=1)
    return np.array([int(name) for name in chosen])


def f_classif(data: RankingData, k: int) -> NDArray[np.int64]:
    from sklearn.feature_selection import f_classif as anova

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _top(anova(data.X, data.y)[0], k)


def mutual_information(data: RankingData, k: int) -> NDArray[np.int64]:
    from sklearn.feature_selection import mutual_info_classif

    return _top(mutual_info_classif(data.X, data.y.astype(int), random_state=0), k)


def multisurf(data: RankingData, k: int) -> NDArray[np.int64]:
    from skrebate import MultiSURF

    order = np.random.default_rng(0).permutation(data.n_queries)
    fits = np.cumsum(data.query_sizes[order]) <= MULTISURF_ROWS
    part = data.take_queries(np.sort(order[fits]))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        fitted = MultiSURF(n_jobs=1).fit(part.X.astype(float), part.y.astype(int))
    return _top(fitted.feature_importances_, k)


def single_feature_map(data: RankingData, k: int) -> NDArray[np.int64]:
    from leanrank import metric

    per_query = metric("map").per_query(data.y, data.X, data.query_ptr)
    return _top(np.nanmean(per_query, axis=0), k)


PEERS: dict[str, Peer] = {
    **{f"CatBoost {name}": catboost(f"RecursiveBy{name}", 150, **FEW_STEPS) for name in CATBOOST},
    "LightGBM gain": lightgbm_gain,
    "LightGBM SHAP": lightgbm_shap,
    "LightGBM gain RFE": lightgbm_rfe,
    "mRMR": mrmr,
    "f_classif": f_classif,
    "mutual information": mutual_information,
    "MultiSURF": multisurf,
    "single-feature MAP": single_feature_map,
}
