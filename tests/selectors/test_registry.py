"""Selectors by name."""

from __future__ import annotations

import pytest

import leanrank
from leanrank import MRMR, BestGain, BoosterImportance, FilteredRFE, RelevanceMRMR, Similarity
from leanrank.errors import ParameterError, UnknownNameError
from leanrank.evaluation.select.effort import EVERY
from leanrank.selectors import registry

PRESETS = {
    "best-gain-path": BestGain(delta=1e-6),
    "blend+mrmr": RelevanceMRMR(relevance="blend"),
    "importance": BoosterImportance(),
    "importance+mrmr": RelevanceMRMR(),
    "mrmr-f": MRMR(relevance="f", similarity=Similarity("pearson", scope="pooled"), offset=0.0, collapse=True),
    "mrmr>rfe": FilteredRFE(filter="mrmr"),
    "rfe": FilteredRFE(),
}


def test_every_name_gives_its_class():
    for name in registry.names():
        cls = registry.selector_class(name)
        assert type(registry.get(name)) is cls
        assert getattr(leanrank, cls.__name__) is cls
        if name not in PRESETS:
            assert cls.__name__.lower() == name.replace("-", "")
            assert registry.get(name).get_params() == cls().get_params()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_name_for_parameters(name):
    selector, expected = registry.get(name), PRESETS[name]
    assert type(selector) is type(expected)
    assert selector.get_params() == expected.get_params()
    assert registry.get(name, n_features_to_select=3).n_features_to_select == 3


def test_what_is_asked_for_comes_before_what_the_name_presets():
    assert registry.get("mrmr-f", offset=0.2).offset == 0.2
    assert registry.get("mrmr-f", offset=0.2).similarity == PRESETS["mrmr-f"].similarity


def test_every_name_of_the_portfolio_is_a_selector_that_fits_alone():
    data, _ = leanrank.make_ranking(40, n_informative=2, n_redundant=2, n_noise=4, random_state=0)
    for name in {*EVERY, *PRESETS}:
        selector = registry.get(name, n_features_to_select=3).fit(data.X, data.y, qid=data.qid)
        assert len(selector.selected_) == 3, name
        assert selector.ranking_[selector.selected_].tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", ["fs-scpr", "FS-SCPR", "fsscpr", "fs_scpr"])
def test_hyphens_and_capitals_do_not_matter(name):
    assert registry.get(name, sigma=0.2).sigma == 0.2


def test_unknown_names_and_parameters():
    with pytest.raises(UnknownNameError, match=r"Unknown selector 'ggas': did you mean '(n|x)?gas'"):
        registry.get("ggas")
    with pytest.raises(ParameterError, match="Unknown parameter of GAS 'lambda'"):
        registry.get("gas", **{"lambda": 0.5})
