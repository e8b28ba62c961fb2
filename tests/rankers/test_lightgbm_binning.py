"""LightGBM through its Datasets: the models of its own `fit`, and no row held once they are binned."""

import weakref
from threading import Thread

import numpy as np
import pytest
from tests.rankers.conformance import as_sparse, judged, new

from leanrank import as_ranker
from leanrank.data.arrangement import Arrangement
from leanrank.data.folds import Queries
from leanrank.rankers import _lightgbm_binning

lightgbm = pytest.importorskip("lightgbm")

USUAL = {"n_estimators": 12, "min_child_samples": 3, "verbosity": -1, "n_jobs": 1}


def steepest(y, scores):
    """An objective of the user's own: least squares."""
    return scores - y, np.ones_like(y)


def by_hand(estimator, data, valid, **watching):
    held_out = {"eval_set": [(valid.X, valid.y)], "eval_group": [valid.query_sizes]}
    if "eval_X" in lightgbm.LGBMRanker.fit.__code__.co_varnames:
        held_out = {"eval_X": (valid.X,), "eval_y": (valid.y,), "eval_group": [valid.query_sizes]}
    stopping = lightgbm.early_stopping(2, first_metric_only=True, verbose=False)
    return estimator.fit(
        data.X, data.y, group=data.query_sizes, callbacks=[stopping], **held_out, **watching
    ).booster_.model_to_string()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"class_weight": {0: 1.0, 1: 2.0, 2: 5.0}},
        {"objective": "rank_xendcg", "random_state": 3},
        {"objective": steepest},
        {"subsample": 0.5, "subsample_freq": 1, "random_state": 7},
    ],
)
@pytest.mark.parametrize(("metric", "at"), [("ndcg@5", 5), ("map@5", 5)])
def test_the_model_is_that_of_its_own_fit(settings, metric, at):
    data, valid = judged(), judged(1)
    ranker = as_ranker(lightgbm.LGBMRanker(**USUAL, **settings), eval_metric=metric, early_stopping_rounds=2)
    theirs = by_hand(
        lightgbm.LGBMRanker(**USUAL, **settings), data, valid, eval_metric=metric.partition("@")[0], eval_at=[at]
    )
    assert ranker.fit(data, eval_set=valid).model_text_ == theirs


@pytest.mark.parametrize("form", [lambda data: data, as_sparse])
def test_no_row_is_held_while_it_trains(form, monkeypatch):
    whole = Arrangement.of(form(judged())).data
    parts = np.arange(0, whole.n_queries, 2), np.arange(1, whole.n_queries, 2)
    data, valid = (Queries(whole, part, np.array([2, 0])).seen() for part in parts)
    copies = []
    older, train = _lightgbm_binning.older_sparse, lightgbm.train
    alive = []

    def watched(X):
        copies.append(weakref.ref(X))
        return older(X)

    def training(*arguments, **named):
        alive.extend(copy() for copy in copies)
        return train(*arguments, **named)

    monkeypatch.setattr(_lightgbm_binning, "older_sparse", watched)
    monkeypatch.setattr(lightgbm, "train", training)
    ranker = new("lightgbm").fit(data, eval_set=valid)
    assert alive == [None, None]
    plain = [whole.take_queries(part, [2, 0]) for part in parts]
    assert ranker.model_text_ == new("lightgbm").fit(plain[0], eval_set=plain[1]).model_text_


def test_threads_that_wait_for_each_other_train_the_same(monkeypatch):
    monkeypatch.setattr(_lightgbm_binning, "_LITTLE", 0)
    data, alone, together = judged(), new("lightgbm").fit(judged()).model_text_, []
    threads = [Thread(target=lambda: together.append(new("lightgbm").fit(data).model_text_)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 3
