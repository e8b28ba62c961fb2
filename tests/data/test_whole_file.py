"""Files appear whole or not at all."""

from __future__ import annotations

import pytest

from leanrank.data.whole_file import whole_file, write_whole
from leanrank.errors import DataError


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    target = tmp_path / "features.json"
    write_whole(target, "old")
    with pytest.raises(RuntimeError, match="halfway"), whole_file(target) as file:
        file.write(b"new")
        raise RuntimeError("halfway")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_text_is_utf8_and_bytes_are_bytes(tmp_path):
    write_whole(tmp_path / "a", "né")
    write_whole(tmp_path / "b", b"\xff")
    assert (tmp_path / "a").read_bytes() == b"n\xc3\xa9"
    assert (tmp_path / "b").read_bytes() == b"\xff"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(DataError, match=r"cannot be written \(No such file or directory\)"):
        write_whole(tmp_path / "none" / "x.json", "x")


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    with pytest.raises(DataError, match=r"x\.json: cannot be written \(No space left"), whole_file(tmp_path / "x.json"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []
