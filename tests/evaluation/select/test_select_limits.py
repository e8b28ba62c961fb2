"""select within limits: costs, budgets, features that must or must not be there, and selectors that are named."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from leanrank import (
    GAS,
    MRMR,
    BoosterImportance,
    RankingData,
    RankingRFE,
    RankSVM,
    make_ranking,
    select,
)
from leanrank.selectors import registry
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.hybrids import IMPORTANCE, SIMILARITY
from leanrank.selectors.limits import Limits, cegb_params
from leanrank.selectors.path import Path

QUICK = {"ranker": "ranksvm", "methods": ["gas", "mrmr"], "cv": 3, "max_loss": 0.03, "progress": False}
COPIES = {"ranker": "ranksvm", "cv": 3, "progress": False}


@pytest.fixture(scope="module")
def planted():
    return make_ranking(120, n_informative=3, n_redundant=6, n_noise=6, random_state=1)


@pytest.fixture(scope="module")
def logs():
    """One strong feature, two weaker ones of one source, and noise."""
    rng = np.random.default_rng(0)
    signal = rng.standard_normal((900, 3))
    grade = signal @ [1.0, 0.8, 0.8] + 0.3 * rng.standard_normal(900)
    X = np.column_stack([signal, rng.standard_normal((900, 3))])
    names = ("strong", "clicks", "dwell", "noise1", "noise2", "noise3")
    return RankingData(X, np.digitize(grade, [0.5, 1.5]), np.arange(0, 901, 15), feature_names=names)


class Likes(Selector):
    """Puts the features it likes first."""

    def __init__(self, n_features_to_select=None, *, liked=()):
        self.n_features_to_select = n_features_to_select
        self.liked = liked

    def _fit(self, source):
        return Path.by_score(np.isin(source.feature_names, self.liked).astype(float), reason="liked")


class Priced(Likes):
    """Notes the limits that it is given."""

    seen: ClassVar[list[tuple[Limits | None, ColumnLimits]]] = []

    def __init__(self, n_features_to_select=None, *, liked=(), limits=None):
        super().__init__(n_features_to_select, liked=liked)
        self.limits = limits

    def _fit(self, source):
        self.seen.append((self.limits, self._limits()))
        return super()._fit(source)


@pytest.fixture(scope="module")
def two_copies():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=480)
    columns = [signal + 0.05 * rng.normal(size=480), signal + 0.05 * rng.normal(size=480), *rng.normal(size=(4, 480))]
    names = ("a", "copy", "n1", "n2", "n3", "n4")
    labels = np.clip(np.round(signal + 0.5), 0, 2)
    return RankingData(np.column_stack(columns), labels, np.arange(0, 481, 12), feature_names=names)


def test_costs_budget_and_rules(planted):
    data, _ = planted
    names = data.feature_names
    free = select(data, n_features=3, **QUICK).features
    costs = dict.fromkeys(names, 1.0) | {free[0]: 50.0}
    cheap = select(data, costs=costs, budget=10, n_features=3, **QUICK, collapse=False)  # a copy would stand for it
    assert free[0] not in cheap.features
    assert cheap.cost == 3
    copies = sum(map(len, cheap.stands_for.values()))
    assert cheap.baseline["cost"] == 50 + len(names) - 1 - copies
    noise = next(entry.name for entry in planted[1] if entry.role == "noise")
    ruled = select(data, n_features=3, must_keep=[noise], never=[free[0]], **QUICK)
    assert ruled.features[0] == noise
    assert free[0] not in ruled.features
    assert free[0] not in ruled.path


@pytest.mark.parametrize(
    "method",
    [
        "mrmr-f",
        "mrmr",
        "gas",
        "best-gain-path",
        "blend+mrmr",
        "importance+mrmr",
        "rfe",
        "mrmr>rfe",
        "msd",
    ],
)
def test_what_is_computed_together_is_bought_together(logs, method):
    settings = {**QUICK, "ranker": RankSVM(C=1.0), "methods": [method], "n_features": 2}
    assert "strong" in select(logs, **settings).features
    costs = {"strong": 4, "noise1": 2, "noise2": 2, "noise3": 2, "log": 2}
    chosen = select(logs, **settings, costs=costs, groups={"log": ["clicks", "dwell"]}, budget=4)
    assert set(chosen.features) == {"clicks", "dwell"}
    assert chosen.cost == 2


def test_methods_see_what_features_and_groups_cost(logs):
    def seen(method, **limits):
        Priced.seen.clear()
        select(logs, **{**QUICK, "methods": [method], "n_features": 2, "ranker": RankSVM(C=1.0)}, **limits)
        assert Priced.seen
        return Priced.seen

    own = dict(zip(logs.feature_names, [3.0, 0.5, 0.5, 1.0, 1.0, 1.0], strict=True))
    log = {"log": ["clicks", "dwell"]}
    whole = Limits(costs=own | {"log": 2.0}, groups=log).bound("select", logs.feature_names)
    for _, limits in seen(Priced(), costs=own | {"log": 2.0}, groups=log):
        for taken in ([], [1], [0, 2], [3, 4, 5]):
            mask = np.isin(np.arange(6), taken)
            assert limits.marginal(mask).tolist() == whole.marginal(mask).tolist()
            assert limits.total(taken) == whole.total(taken)
    assert all(limits.shared.tolist() == [1.0] for _, limits in seen(Priced(), groups=log))
    assert all(limits.own.tolist() == list(own.values()) for _, limits in seen(Priced(), costs=own))
    assert all(given is None for given, _ in seen(Priced(), costs=np.full(6, 2.0)))
    assert all(given is None for given, _ in seen(Priced()))
    mine = Limits(must_keep=["noise1"])
    assert all(given == mine for given, _ in seen(Priced(limits=mine)))


def test_a_budget_holds_where_every_set_it_buys_loses_too_much(planted):
    data, _ = planted
    costs = dict.fromkeys(data.feature_names, 1.0)
    poor = select(data, costs=costs, budget=1, **{**QUICK, "max_loss": 0.001})
    assert poor.cost <= 1
    assert not poor.proven
    assert "the largest measured set that the budget allows; 120 queries prove only" in poor.reason
    assert poor.certified.cost <= 1
    assert poor.nested["mean"] < -0.05  # that of the set, not of features that nobody can pay
    assert poor.safe.risk == "More than the budget allows."


@pytest.mark.parametrize("methods", [["mrmr"], ["gas"], ["best-gain-path"], ["rfe"], ["mrmr-f"]])
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
    own = MRMR(limits=Limits(must_keep=["a"]), importance=IMPORTANCE, similarity=SIMILARITY).fit(two_copies)
    assert list(found.path) == [two_copies.feature_names[j] for j in own.order_]
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
    assert list(alone.indices) == own.fit(data).order_[:6].tolist()


@pytest.mark.parametrize("selector", [RankingRFE(), RankingRFE("ranksvm"), BoosterImportance(), "importance"])
def test_selectors_that_train_rankers_see_scaled_features(selector):
    # enough queries: folds are dealt by content, which another scale changes
    data, _ = make_ranking(60, n_informative=3, n_redundant=0, n_noise=7, random_state=0)
    other = replace(data, X=data.X * np.array([1e3, 1, 1e-3, 1, 1, 1e2, 1, 1, 1e-2, 1]))
    found = [sorted(select(d, methods=[selector], n_features=3, **COPIES).features) for d in (data, other)]
    assert found[0] == found[1]


def test_settings_by_feature_are_cut_in_every_method(planted):
    lightgbm = pytest.importorskip("lightgbm")
    data, _ = planted
    penalties = cegb_params(dict.fromkeys(data.feature_names, 0.1), data.feature_names)
    ranker = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=2, n_jobs=1, verbose=-1, **penalties)
    found = select(data, ranker, methods=["mrmr>rfe"], n_features=2, never=["f01"], cv=3, progress=False)
    assert found.n_features == 2


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
