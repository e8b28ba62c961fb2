"""Finding the data."""

import pytest

from leanrank.errors import DataError
from leanrank.reproduce.datasets import DataFolder


def test_the_folder_is_named_or_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("LEANRANK_DATA", raising=False)
    with pytest.raises(DataError, match="--data FOLDER, or set LEANRANK_DATA: a folder with one folder for each"):
        DataFolder.of(None)
    monkeypatch.setenv("LEANRANK_DATA", str(tmp_path))
    assert DataFolder.of(None).root == tmp_path
    with pytest.raises(DataError, match="There is no folder"):
        DataFolder.of(tmp_path / "none")


def test_names_however_they_are_capitalised(tmp_path):
    (tmp_path / "OHSUMED").mkdir()
    found = DataFolder.of(tmp_path)
    assert found.folder("ohsumed") == tmp_path / "OHSUMED"
    assert found.folder("mq2008") is None
    assert found.folds("mq2008") is None
    with pytest.raises(DataError, match="neither"):
        found.folds("ohsumed")
