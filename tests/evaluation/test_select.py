"""select: it finds what was planted, claims nothing from noise, repeats itself, and survives being killed."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from leanrank import (
    GAS,
    MRMR,
    NDCG,
    BoosterImportance,
    RankingData,
    RankingRFE,
    RankSVM,
    load_selection,
    make_ranking,
    select,
)
from leanrank.errors import DataError, ParameterError, UnknownNameError
from leanrank.evaluation.choice import Candidate, Rule
from leanrank.evaluation.journal import Journal, read_about
from leanrank.evaluation.portfolio import IMPORTANCE, SIMILARITY
from leanrank.selectors import registry
from leanrank.selectors._base import Selector
from leanrank.selectors.cegb import with_costs
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path

QUICK = {"ranker": "ranksvm", "methods": ["gas", "mrmr"], "cv": 3, "progress": False}


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


def test_few_queries_prove_little_and_it_says_so(chosen):
    assert not chosen.proven
    assert "queries prove only that it loses at most" in chosen.reason
    assert chosen.versus_all["mean"] >= -0.002
    assert chosen.versus_all["low_one_sided"] < -0.002


def test_the_stop_rule_takes_the_smallest_that_passes(planted):
    chosen = select(planted[0], **QUICK, max_loss=0.03)
    assert chosen.proven
    at = {(point.method, point.k): point for point in chosen.curve}
    k = chosen.n_features
    assert at[(chosen.method, k)].difference == chosen.versus_all["mean"]
    assert chosen.versus_all["low_one_sided"] >= -0.03
    smaller = [point for point in chosen.curve if point.k < k]
    assert smaller
    assert all(point.low < -0.03 for point in smaller)


def test_where_nothing_smaller_will_do_all_features_stay():
    data, _ = make_ranking(150, n_informative=5, n_redundant=0, n_noise=0, random_state=0)
    chosen = select(data, **QUICK)
    assert chosen.method == "all features"
    assert chosen.n_features == 5
    assert chosen.versus_all["mean"] == 0
    assert "estimated to lose more than 0.002" in chosen.reason


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
    np.testing.assert_array_equal(chosen.transform(data.X), X)
    np.testing.assert_array_equal(chosen.transform(sp.csr_array(data.X)).toarray(), X)
    frame = chosen.transform(pd.DataFrame(data.X, columns=data.feature_names))
    assert list(frame.columns) == [data.feature_names[j] for j in columns]
    with pytest.raises(DataError, match="selection was made among 15"):
        chosen.transform(data.X[:, :4])


def test_a_fixed_size_takes_the_first_method_that_is_not_shown_to_be_worse(planted):
    data, truth = planted
    selection = select(data, n_features=2, **QUICK)
    assert selection.n_features == 2
    assert len(selection.curve) == 3
    assert selection.method == "gas"  # mrmr cannot be told from it, and comes second
    noise = [entry.name for entry in truth if entry.role == "noise"]
    selection = select(data, n_features=2, **{**QUICK, "methods": [Likes(liked=noise), "gas"]})
    assert selection.method == "gas"  # far better than the first
    assert "does not show to be worse than the best" in selection.reason


class Likes(Selector):
    """Puts the features it likes first."""

    def __init__(self, n_features_to_select=None, *, liked=()):
        self.n_features_to_select = n_features_to_select
        self.liked = liked

    def _fit(self, source):
        return Path.by_score(np.isin(source.feature_names, self.liked).astype(float), reason="liked")


def test_threads_and_repetition_change_nothing(planted, chosen):
    assert without_time(select(planted[0], **QUICK)) == without_time(chosen)
    assert without_time(select(planted[0], **QUICK, n_jobs=2)) == without_time(chosen)


def test_costs_budget_and_rules(planted):
    data, _ = planted
    names = data.feature_names
    free = select(data, n_features=3, **QUICK).features
    costs = dict.fromkeys(names, 1.0) | {free[0]: 50.0}
    cheap = select(data, costs=costs, budget=10, n_features=3, **QUICK)
    assert free[0] not in cheap.features
    assert cheap.cost == 3
    assert cheap.baseline["cost"] == 50 + len(names) - 1
    noise = next(entry.name for entry in planted[1] if entry.role == "noise")
    ruled = select(data, n_features=3, must_keep=[noise], never=[free[0]], **QUICK)
    assert ruled.features[0] == noise
    assert free[0] not in ruled.features
    assert free[0] not in ruled.path


@pytest.fixture(scope="module")
def logs():
    """One strong feature, two weaker ones of one source, and noise."""
    rng = np.random.default_rng(0)
    signal = rng.standard_normal((900, 3))
    grade = signal @ [1.0, 0.8, 0.8] + 0.3 * rng.standard_normal(900)
    X = np.column_stack([signal, rng.standard_normal((900, 3))])
    names = ("strong", "clicks", "dwell", "noise1", "noise2", "noise3")
    return RankingData(X, np.digitize(grade, [0.5, 1.5]), np.arange(0, 901, 15), feature_names=names)


@pytest.mark.parametrize(
    "method", ["mrmr-f", "mrmr", "gas", "bestgain", "blend+mrmr", "importance+mrmr", "rfe", "mrmr>rfe", "msd"]
)
def test_what_is_computed_together_is_bought_together(logs, method):
    settings = {**QUICK, "ranker": RankSVM(C=1.0), "methods": [method], "n_features": 2}
    assert "strong" in select(logs, **settings).features
    costs = {"strong": 4, "noise1": 2, "noise2": 2, "noise3": 2, "log": 2}
    chosen = select(logs, **settings, costs=costs, groups={"log": ["clicks", "dwell"]}, budget=4)
    assert set(chosen.features) == {"clicks", "dwell"}
    assert chosen.cost == 2


class Priced(Likes):
    """Notes the limits that it is given."""

    seen: ClassVar[list[tuple[object, object, Limits]]] = []

    def __init__(self, n_features_to_select=None, *, liked=(), costs=None, groups=None):
        super().__init__(n_features_to_select, liked=liked)
        self.costs = costs
        self.groups = groups

    def _fit(self, source):
        self.seen.append((self.costs, self.groups, self._limits()))
        return super()._fit(source)


class PricedAlone(Likes):
    """Takes costs, but knows no groups."""

    def __init__(self, n_features_to_select=None, *, liked=(), costs=None):
        super().__init__(n_features_to_select, liked=liked)
        self.costs = costs

    def _fit(self, source):
        Priced.seen.append((self.costs, None, self._limits()))
        return super()._fit(source)


def test_methods_see_what_features_and_groups_cost(logs):
    def seen(method, **limits):
        Priced.seen.clear()
        select(logs, **{**QUICK, "methods": [method], "n_features": 2, "ranker": RankSVM(C=1.0)}, **limits)
        assert Priced.seen
        return Priced.seen

    own = dict(zip(logs.feature_names, [3.0, 0.5, 0.5, 1.0, 1.0, 1.0], strict=True))
    log = {"log": ["clicks", "dwell"]}
    whole = Limits.of("select", logs.feature_names, costs=own | {"log": 2.0}, groups=log)
    for _, _, limits in seen(Priced(), costs=own | {"log": 2.0}, groups=log):
        for taken in ([], [1], [0, 2], [3, 4, 5]):
            mask = np.isin(np.arange(6), taken)
            assert limits.marginal(mask).tolist() == whole.marginal(mask).tolist()
            assert limits.total(taken) == whole.total(taken)
    assert all(limits.shared.tolist() == [1.0] for *_, limits in seen(Priced(), groups=log))
    for method in (Priced(), PricedAlone()):
        assert all(limits.own.tolist() == list(own.values()) for *_, limits in seen(method, costs=own))
        assert all(costs is groups is None for costs, groups, _ in seen(method, costs=np.full(6, 2.0)))
        assert all(costs is groups is None for costs, groups, _ in seen(method))
    assert all(costs is None for costs, *_ in seen(PricedAlone(), costs=own | {"log": 2.0}, groups=log))


def test_a_budget_holds_where_every_set_it_buys_loses_too_much(planted):
    data, _ = planted
    poor = select(data, costs=dict.fromkeys(data.feature_names, 1.0), budget=1, max_loss=0.001, **QUICK)
    assert poor.cost <= 1
    assert not poor.proven
    assert "of the surest sets" in poor.reason


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


COPIES = {"ranker": "ranksvm", "cv": 3, "progress": False}


@pytest.fixture(scope="module")
def two_copies():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=480)
    columns = [signal + 0.05 * rng.normal(size=480), signal + 0.05 * rng.normal(size=480), *rng.normal(size=(4, 480))]
    names = ("a", "copy", "n1", "n2", "n3", "n4")
    labels = np.clip(np.round(signal + 0.5), 0, 2)
    return RankingData(np.column_stack(columns), labels, np.arange(0, 481, 12), feature_names=names)


@pytest.mark.parametrize("methods", [["mrmr"], ["gas"], ["bestgain"], ["rfe"], ["mrmr-f"]])
def test_never_is_as_if_the_feature_were_not_there(two_copies, methods):
    found = select(two_copies, methods=methods, n_features=1, never=["a"], **COPIES)
    assert found.features == ("copy",)
    assert found.indices == (1,)
    assert "a" in found.dropped
    assert found.transform(two_copies).feature_names == ("copy",)
    less = select(two_copies.subset(range(1, 6)), methods=methods, n_features=1, **COPIES)
    assert (less.features, less.versus_all, less.nested) == (found.features, found.versus_all, found.nested)


def test_never_with_the_whole_portfolio():
    data, truth = make_ranking(40, n_informative=2, n_redundant=2, n_noise=6, random_state=0)
    banned = [entry.name for entry in truth if entry.role == "informative"]
    found = select(data, n_features=2, never=banned, **COPIES)
    role = {entry.name: entry.role for entry in truth}
    assert {role[name] for name in found.features} == {"redundant"}


def test_what_must_be_kept_makes_its_copies_redundant(two_copies):
    found = select(two_copies, methods=["mrmr"], must_keep=["a"], **COPIES)
    assert found.path[0] == "a"
    own = MRMR(must_keep=["a"], importance=IMPORTANCE, similarity=SIMILARITY).fit(two_copies)
    assert list(found.path) == [two_copies.feature_names[j] for j in own.ranking_]
    assert found.path[1] != "copy"


def test_what_must_be_kept_is_a_size_of_its_own(planted):
    data, _ = planted
    kept = list(data.feature_names[:7])
    found = select(data, methods=["mrmr"], must_keep=kept, max_loss=0.9, ranker="ranksvm", cv=3, progress=False)
    assert sorted(found.features) == sorted(kept)


def test_a_method_that_finds_nothing_is_left_out(planted):
    data, _ = planted
    both = select(data, methods=["consistency", "mrmr"], n_features=4, **COPIES)
    assert both.n_features == 4


@pytest.mark.parametrize("method", ["fs-scpr", "greedy-wrapper", "msd", "fsm-rank", "ngas"])
def test_a_named_selector_gives_its_own_set_of_the_size(planted, method):
    data, _ = planted
    found = select(data, methods=[method], n_features=5, **COPIES)
    assert found.n_features == 5
    if method in ("msd", "ngas", "fs-scpr"):
        own = registry.get(method, n_features_to_select=5).fit(data)
        assert sorted(found.indices) == sorted(own.selected_.tolist())


def test_selectors_keep_their_own_importance_and_similarity(planted):
    data, _ = planted
    own = GAS(c=0.9, importance="ndcg@1", similarity="spearman")
    found = select(data, methods=[own, "gas"], n_features=6, **COPIES)
    assert {point.method for point in found.curve} == {"gas", "gas-2", "all features"}
    alone = select(data, methods=[own], n_features=6, **COPIES)
    assert list(alone.indices) == own.fit(data).ranking_[:6].tolist()


@pytest.mark.parametrize("selector", [RankingRFE(), RankingRFE("ranksvm"), BoosterImportance(), "importance"])
def test_selectors_that_train_rankers_see_scaled_features(selector):
    data, _ = make_ranking(30, n_informative=3, n_redundant=3, n_noise=4, random_state=0)
    other = replace(data, X=data.X * np.array([1e3, 1, 1e-3, 1, 1, 1e2, 1, 1, 1e-2, 1]))
    found = [sorted(select(d, methods=[selector], n_features=3, **COPIES).features) for d in (data, other)]
    assert found[0] == found[1]


def test_sets_of_the_size_asked_for_come_before_smaller_ones():
    rule = Rule(n_features=2, max_loss=0.0, level=0.95, budget=np.inf, priced=False, random_state=0)
    values = np.random.default_rng(0).random((3, 50))
    short = Candidate("short", 1, ((0,),) * 3, 1.0)
    whole = Candidate("whole", 2, ((0, 1),) * 3, 2.0)
    everything = Candidate("all features", 3, ((0, 1, 2),) * 3, 3.0)
    values[0] += 0.5
    for candidates, expected in (([short, whole, everything], 1), ([whole, short, everything], 0)):
        choice = rule.choose(candidates, values, rule.compare(values, values[-1]))
        assert choice.number == expected
    alone = rule.choose([short, everything], values[:2], rule.compare(values[:2], values[1]))
    assert alone.number == 0
    assert "fewer than 2 features" in alone.reason


def test_settings_by_feature_are_cut_in_every_method(planted):
    lightgbm = pytest.importorskip("lightgbm")
    data, _ = planted
    booster = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=2, n_jobs=1, verbose=-1)
    ranker = with_costs(booster, dict.fromkeys(data.feature_names, 0.1), data.feature_names)
    found = select(data, ranker, methods=["mrmr>rfe"], n_features=2, never=["f01"], cv=3, progress=False)
    assert found.n_features == 2


def test_two_folds_are_enough_with_held_out_data(planted):
    data, _ = planted
    train, valid = data.take_queries(range(60)), data.take_queries(range(60, 90))
    found = select(train, "ranksvm", methods=["importance"], n_features=3, cv=2, valid=valid, progress=False)
    assert found.n_features == 3


def test_where_nothing_is_proven_the_smallest_of_the_surest_sets_is_taken():
    rule = Rule(n_features=None, max_loss=0.02, level=0.95, budget=np.inf, priced=False, random_state=0)
    rng = np.random.default_rng(0)
    noise = 0.3 * rng.normal(size=60)
    noise -= noise.mean()
    everything = np.full(60, 0.5)
    values = np.stack([everything + 3 * noise, everything + noise - 0.01, everything + noise, everything])
    candidates = [Candidate("m", k, (tuple(range(k)),) * 3, float(k)) for k in (1, 2, 3, 9)]
    choice = rule.choose(candidates, values, rule.compare(values, everything))
    assert (choice.number, choice.proven) == (1, False)  # 1 is less sure, 3 is no surer than nobody minds
    worse = np.stack([everything - 0.1 + noise, everything])
    choice = rule.choose([candidates[0], candidates[3]], worse, rule.compare(worse, everything))
    assert choice.number == 1
