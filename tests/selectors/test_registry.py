"""Selectors by name."""

from __future__ import annotations

import pytest

import leanrank
from leanrank.errors import ParameterError, UnknownNameError
from leanrank.selectors import registry


def test_every_name_gives_its_class():
    for name in registry.names():
        cls = registry.selector_class(name)
        assert type(registry.get(name)) is cls
        assert getattr(leanrank, cls.__name__) is cls
        assert cls.__name__.lower() == name.replace("-", "")


@pytest.mark.parametrize("name", ["fs-scpr", "FS-SCPR", "fsscpr", "fs_scpr"])
def test_hyphens_and_capitals_do_not_matter(name):
    assert registry.get(name, sigma=0.2).sigma == 0.2


def test_unknown_names_and_parameters():
    with pytest.raises(UnknownNameError, match=r"Unknown selector 'ggas': did you mean '(n|x)?gas'"):
        registry.get("ggas")
    with pytest.raises(ParameterError, match="Unknown parameter of GAS 'lambda'"):
        registry.get("gas", **{"lambda": 0.5})
