"""select: it finds what was planted, claims nothing from noise, repeats itself, and survives being killed."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest

from leanrank import (
    NDCG,
    RankingData,
    RankSVM,
    load_selection,
    make_ranking,
    select,
)
from leanrank.errors import DataError, LeanRankError, ParameterError, UnknownNameError
from leanrank.evaluation.journal import Journal, read_about
from leanrank.evaluation.select.effort import EFFORTS

QUICK = {"ranker": "ranksvm", "methods": ["gas", "mrmr"], "cv": 3, "max_loss": 0.03, "progress": False}


@pytest.fixture(scope="module")
def planted():
    return make_ranking(120, n_informative=3, n_redundant=6, n_noise=6, random_state=1)


@pytest.fixture(scope="module")
def chosen(planted):
    return select(planted[0], **QUICK)


def without_time(selection):
    return {name: value for name, value in json.loads(selection.to_json()).items() if name != "seconds"}


def test_it_finds_one_feature_of_every_planted_family(planted, chosen):
    family = {entry.name: entry.source or entry.name for entry in planted[1] if entry.role != "noise"}
    assert {family.get(name) for name in chosen.features} >= set(family.values())
    assert chosen.n_features < 9
    assert len({family[name] for name in chosen.features if name in family}) == 3


@pytest.mark.parametrize(
    "metric", ["ndcg@5", NDCG(k=5, convention="letor3")], ids=["expected ties", "ties as in the file"]
)
def test_the_order_of_queries_changes_nothing(metric):
    data, _ = make_ranking(40, n_informative=3, n_redundant=3, n_noise=4, random_state=3)
    rng = np.random.default_rng(0)
    expected = without_time(select(data, metric=metric, **QUICK))
    for part in (data.take_queries(rng.permutation(40)), data.take_queries(rng.permutation(40))):
        found = without_time(select(part, metric=metric, **QUICK))
        assert found["settings"].pop("fingerprint") == part.fingerprint()
        assert found == {**expected, "settings": found["settings"]}


def test_the_evidence_is_complete(planted, chosen):
    data, _ = planted
    assert set(chosen.features) | set(chosen.dropped) == set(data.feature_names)
    assert chosen.path[: chosen.n_features] == chosen.features
    assert chosen.versus_all["low"] <= chosen.versus_all["mean"] <= chosen.versus_all["high"]
    assert {point.method for point in chosen.curve} == {"gas", "mrmr", "all features"}
    assert all(point in chosen.curve for point in chosen.pareto)
    means = [point.mean for point in chosen.pareto]
    assert means == sorted(means)  # a larger set on the front is a better one
    assert set(chosen.stability["frequency"]) >= set(chosen.features[:1])
    assert all(loser["selected"] < loser["all_features"] for loser in chosen.losers)
    assert chosen.settings["fingerprint"] == data.fingerprint()
    text = repr(chosen)
    assert chosen.sentence() in text
    assert chosen.reason in text


def test_the_certified_set_is_the_smallest_that_passes(chosen):
    certified = chosen.with_answer("certified")
    assert certified.proven
    assert certified.provable is None
    at = {(point.method, point.k): point for point in chosen.curve}
    k = certified.n_features
    assert at[(certified.method, k)].difference == certified.versus_all["mean"]
    assert at[(certified.method, k)].certified_loss == certified.chosen.certified_loss <= 0.03
    smaller = [point for point in chosen.walked if point.k < k]
    assert smaller
    assert all(point.certified_loss > 0.03 for point in smaller)


def test_what_is_certified_does_not_depend_on_the_answer_asked_for(planted, chosen):
    for name in ("safe", "certified"):
        asked = select(planted[0], **QUICK, answer=name)
        assert asked.features == getattr(chosen, name).features
        assert asked.answers == chosen.answers
    with pytest.raises(UnknownNameError, match="did you mean 'certified'"):
        select(planted[0], **QUICK, answer="certifed")


def test_answers_are_nested_along_the_path(chosen):
    assert chosen.recommended.k <= chosen.certified.k <= chosen.safe.k
    assert set(chosen.recommended.features) <= set(chosen.certified.features) <= set(chosen.safe.features)
    losses = [point.certified_loss for point in chosen.walked]
    assert losses == sorted(losses)
    assert [point.k for point in chosen.walked] == sorted((point.k for point in chosen.walked), reverse=True)


def test_with_much_effort_the_number_of_features_is_exact():
    data, _ = make_ranking(80, n_informative=17, n_redundant=0, n_noise=13, random_state=0)
    sizes = set()
    for max_loss in (0.05, 0.06, 0.07):
        settings = {**QUICK, "methods": ["mrmr"], "max_loss": max_loss, "answer": "certified"}
        chosen = select(data, **settings, effort="thorough")
        at = {point.k for point in chosen.curve}
        assert chosen.proven
        assert chosen.n_features - 1 in at  # it was tried, and is not proven
        sizes.add(chosen.n_features)
    assert sizes - set(EFFORTS["normal"].sizes(1, 30))


def test_few_queries_prove_little_so_all_features_stay(tmp_path):
    # without copies, whose last digits another NumPy computes otherwise
    data, _ = make_ranking(120, n_informative=3, n_redundant=0, n_noise=6, random_state=1)
    path = tmp_path / "run.db"
    kept = select(data, **{**QUICK, "max_loss": None}, answer="certified", journal=path, collapse=False)
    assert kept.method == "all features"
    assert sorted(kept.features) == sorted(data.feature_names)
    assert kept.features == kept.path
    assert kept.dropped == ()
    assert not kept.proven  # nothing was dropped, so nothing is worth a proof
    assert kept.versus_all["mean"] == 0
    assert "120 queries prove of no smaller set that it loses at most 0.002" in kept.reason
    assert kept.sentence() == "Keep all 9 features: no smaller set is proven to lose at most 0.002 of NDCG@10"
    assert kept.forecast.queries_needed > 120
    assert "120 judged queries" in kept.forecast.sentence()
    assert max(point.difference for point in kept.curve if point.k < 9) > 0  # though one looks better
    assert without_time(load_selection(_saved(kept, tmp_path))) == without_time(kept)
    # what could be proven is what a larger loss gives, from the same journal and without any training
    fits = _fits(path)
    asked = {**QUICK, "answer": "certified", "journal": path, "collapse": False}
    fewer = select(data, **{**asked, "max_loss": kept.provable["max_loss"]})
    assert _fits(path) == fits
    assert fewer.proven
    assert fewer.method == kept.provable["method"]
    assert kept.features[: fewer.n_features] == fewer.features
    less = select(data, **{**asked, "max_loss": kept.provable["max_loss"] - 0.001})
    assert less.n_features > fewer.n_features


def test_the_loss_that_could_be_proven_is_proven():
    promised = 0
    for seed in range(4):
        data, _ = make_ranking(60, (5, 10), n_informative=20, n_noise=25, random_state=seed)
        settings = {**QUICK, "ranker": RankSVM(C=1.0), "methods": ["mrmr-f", "gas"]}
        kept = select(data, **{**settings, "max_loss": 0}, answer="certified")
        if kept.provable is not None:
            promised += 1
            fewer = select(data, **{**settings, "max_loss": kept.provable["max_loss"]}, answer="certified")
            assert fewer.proven
            assert fewer.n_features <= kept.provable["n_features"]
    assert promised


def test_few_judged_queries_prove_nothing_but_are_no_obstacle():
    data, _ = make_ranking(9, n_informative=3, n_redundant=0, n_noise=3, random_state=0)
    kept = select(data, **{**QUICK, "max_loss": 0.5})
    assert sorted(kept.features) == sorted(data.feature_names)
    assert kept.provable is None
    assert "9 queries are too few" in kept.reason
    assert kept.sentence().startswith("Keep all 6 features")
    assert select(data, **QUICK, n_features=2).n_features == 2


@pytest.mark.filterwarnings("ignore:FCBF selected no feature")
def test_a_method_that_finds_nothing_in_other_folds_stays_as_measured():
    answered = 0
    for seed in (0, 5, 8):
        data, _ = make_ranking(60, (6, 12), n_informative=3, n_redundant=4, n_noise=5, random_state=seed)
        answered += select(data, **{**QUICK, "methods": ["fcbf", "gas"]}).n_features > 0
    assert answered == 3


def test_what_does_nothing_is_dropped_and_costs_nothing():
    data, _ = make_ranking(40, n_informative=13, n_redundant=0, n_noise=0, n_constant=7, random_state=0)
    for method in ("mrmr", "gas", "importance"):  # of some the path ends where nothing is left to gain
        chosen = select(data, **{**QUICK, "methods": [method], "max_loss": 0.002})
        assert chosen.n_features <= 13
        assert len(chosen.dropped) >= 7
        assert chosen.baseline["n_features"] == 13  # what is constant in every query is not measured at all


def _fits(path):
    with Journal(path, read_about(path)) as journal:
        return sum(task["task"] == "fit" for task, _, _ in journal)


def _saved(selection, folder):
    selection.save(folder / "features.json")
    return folder / "features.json"


def test_saving_and_loading(tmp_path, chosen):
    path = tmp_path / "features.json"
    chosen.save(path)
    assert without_time(load_selection(path)) == without_time(chosen)
    path.write_text('{"format": "other"}')
    with pytest.raises(DataError, match="not a selection"):
        load_selection(path)
    with pytest.raises(DataError, match="cannot be read"):
        load_selection(tmp_path / "none.json")


def test_transform_of_every_kind_of_table(planted, chosen):
    import pandas as pd
    import scipy.sparse as sp

    data, _ = planted
    columns = sorted(chosen.indices)
    X = data.X[:, columns]
    np.testing.assert_array_equal(chosen.transform(data).X, X)
    with pytest.warns(UserWarning, match="only their count could be checked"):
        np.testing.assert_array_equal(chosen.transform(data.X), X)
    with pytest.warns(UserWarning, match="only their count could be checked"):
        np.testing.assert_array_equal(chosen.transform(sp.csr_array(data.X)).toarray(), X)
    frame = chosen.transform(pd.DataFrame(data.X, columns=data.feature_names))
    assert list(frame.columns) == [data.feature_names[j] for j in columns]
    with pytest.raises(DataError, match="selection was made among 15"):
        chosen.transform(data.X[:, :4])
    first = data.feature_names[columns[0]]
    renamed = pd.DataFrame(data.X, columns=[name + "s" * (name == first) for name in data.feature_names])
    with pytest.raises(LeanRankError, match=f"no feature '{first}'.*nearest that they have is '{first}s'"):
        chosen.transform(renamed)
    with pytest.raises(LeanRankError, match=f"no feature '{first}'"):
        chosen.transform(data.subset([name for name in data.feature_names if name != first]))


def test_missing_values_are_missing_in_a_sparse_matrix_too(planted):
    import scipy.sparse as sp

    data, _ = planted
    X = np.where(np.median(data.X, axis=0) < data.X, data.X, 0.0)
    X[[3, 17], [0, 4]] = np.nan
    dense, sparse = (RankingData(form, data.y, data.query_ptr, missing=True) for form in (X, sp.csr_array(X)))
    assert select(sparse, **QUICK).features == select(dense, **QUICK).features


def test_threads_and_repetition_change_nothing(planted, chosen):
    assert without_time(select(planted[0], **QUICK)) == without_time(chosen)
    assert without_time(select(planted[0], **QUICK, n_jobs=2)) == without_time(chosen)


@pytest.mark.parametrize("seed", range(5))
def test_no_leak_labels_permuted_within_queries_promise_nothing(seed):
    data, _ = make_ranking(60, n_informative=3, n_redundant=3, n_noise=6, random_state=seed)
    rng = np.random.default_rng(seed)
    y = data.y.copy()
    for a, b in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True):
        y[a:b] = rng.permutation(y[a:b])
    # at 95% one seed in ten would cry wolf by chance alone; a leak would show at any level
    settings = {**QUICK, "methods": ["gas", "mrmr", "importance"], "level": 0.995}
    selection = select(replace(data, y=y), **settings)
    assert selection.versus_all["low"] <= 0 <= selection.versus_all["high"]
    assert selection.nested["low"] <= 0 <= selection.nested["high"]
    by_chance = _random_ndcg(replace(data, y=y))
    assert abs(selection.baseline["mean"] + selection.nested["mean"] - by_chance) < 0.06


def _random_ndcg(data: RankingData) -> float:
    from leanrank import NDCG

    return float(np.nanmean(NDCG(k=10).per_query(data.y, np.zeros(data.n_rows), data.query_ptr)))


def test_a_journal_is_reused_and_knows_its_run(tmp_path, planted, chosen):
    path = tmp_path / "run.db"
    first = select(planted[0], **QUICK, journal=path)
    assert without_time(first) == without_time(chosen)
    with Journal(path, read_about(path)) as journal:
        n_tasks = len(journal)
    again = select(planted[0], **QUICK, journal=path)
    assert without_time(again) == without_time(chosen)
    with Journal(path, read_about(path)) as journal:
        assert len(journal) == n_tasks
    with pytest.raises(DataError, match="journal of another run: its random_state is 0, here it is 1"):
        select(planted[0], **QUICK, journal=path, random_state=1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_any_moment_loses_nothing(tmp_path):
    data, _ = make_ranking(30, (8, 12), n_informative=2, n_redundant=2, n_noise=3, random_state=3)
    settings = {**QUICK, "methods": ["gas", "mrmr", "importance"]}
    start = time.perf_counter()
    whole = without_time(select(data, **settings, journal=tmp_path / "whole.db"))
    duration = time.perf_counter() - start
    with Journal(tmp_path / "whole.db", read_about(tmp_path / "whole.db")) as journal:
        all_tasks = {json.dumps(task, sort_keys=True) for task, _, _ in journal}
    rng = np.random.default_rng(0)
    interrupted = 0
    for trial in range(20):
        path = tmp_path / f"{trial}.db"
        child = os.fork()
        if child == 0:
            select(data, **settings, journal=path)
            os._exit(0)
        time.sleep(float(rng.uniform(0, duration)))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        kept = {}
        if _begun(path):
            with Journal(path, read_about(path)) as journal:
                kept = {json.dumps(task, sort_keys=True): seconds for task, _, seconds in journal}
        interrupted += os.WIFSIGNALED(status) and 0 < len(kept) < len(all_tasks)
        assert without_time(select(data, **settings, journal=path)) == whole
        with Journal(path, read_about(path)) as journal:
            after = {json.dumps(task, sort_keys=True): seconds for task, _, seconds in journal}
        assert set(after) == all_tasks
        assert all(after[task] == seconds for task, seconds in kept.items())  # kept, not computed again
    assert interrupted >= 5


def _begun(path) -> bool:
    try:
        read_about(path)
    except DataError:
        return False
    return True


@pytest.mark.parametrize("ranker", ["ranksvm", "lightgbm"])
def test_missing_values_are_no_obstacle(planted, ranker):
    data, truth = planted
    X = data.X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[data.query_ptr[3] : data.query_ptr[4], 0] = np.nan
    holed = replace(data, X=X, missing=True)
    selection = select(holed, **{**QUICK, "ranker": ranker, "methods": ["gas"]}, n_features=3, n_jobs=2)
    role = {entry.name: entry.role for entry in truth}
    assert all(role[name] != "noise" for name in selection.features)


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"n_features": 0}, ParameterError, "'n_features' parameter of select must be from 1 to 15"),
        ({"n_features": 99}, ParameterError, "'n_features' parameter of select"),
        ({"max_loss": -1}, ParameterError, "'max_loss' parameter of select must be >= 0"),
        ({"cv": 2}, ParameterError, "'cv' parameter of select must be a number of folds >= 3"),
        ({"cv": 999}, ParameterError, "at most the number of queries, 120"),
        ({"methods": ["gaz"]}, UnknownNameError, "Unknown selector 'gaz': did you mean 'gas'"),
        ({"methods": []}, ParameterError, "at least one method"),
        ({"ranker": "ranksvn"}, UnknownNameError, "did you mean 'ranksvm'"),
        ({"must_keep": ["nothing"]}, UnknownNameError, "nothing"),
        ({"metric": "ncdg@10"}, UnknownNameError, "did you mean"),
    ],
)
def test_what_cannot_be_is_refused_at_the_door(planted, change, error, sentence):
    with pytest.raises(error, match=sentence):
        select(planted[0], **{**QUICK, **change})


def test_two_folds_are_enough_with_held_out_data(planted):
    data, _ = planted
    train, valid = data.take_queries(range(60)), data.take_queries(range(60, 90))
    found = select(train, "ranksvm", methods=["importance"], n_features=3, cv=2, valid=valid, progress=False)
    assert found.n_features == 3
