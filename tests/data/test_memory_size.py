"""Sizes of memory as users write them."""

from __future__ import annotations

import pytest

from leanrank.data import memory_size
from leanrank.data.memory_size import bytes_of, default_limit, shown
from leanrank.errors import ParameterError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2GB", 2 * 10**9),
        ("500MB", 5 * 10**8),
        ("1.5 gb", 1_500_000_000),
        ("1GiB", 2**30),
        ("3k", 3_000),
        (" 12 B ", 12),
        ("7", 7),
        (123, 123),
    ],
)
def test_sizes(written, expected):
    assert bytes_of(written, owner="select") == expected


@pytest.mark.parametrize("wrong", ["", "GB", "-2GB", "2XB", "2iB", "nan", "0", "0.1", 0, -5, True, 2.5, None, b"2GB"])
def test_what_is_no_size_is_refused_by_name(wrong):
    with pytest.raises(
        ParameterError, match=r"The 'memory' parameter of select must be a size such as '2GB'"
    ) as refused:
        bytes_of(wrong, owner="select")
    assert (refused.value.owner, refused.value.parameter) == ("select", "memory")


def test_shown_sizes_are_read_back():
    for size in (12, 1_000, 1_540_000, 2 * 10**9, 3 * 10**12):
        assert bytes_of(shown(size).replace("bytes", ""), owner="select") == size


def test_the_default_is_half_of_what_is_free_and_stays_the_same_when_a_little_is_taken(monkeypatch):
    for free in (17 * 10**9, 24 * 10**9):
        monkeypatch.setattr(memory_size, "free_memory", lambda free=free: free)
        assert default_limit() <= free // 2 < 2 * default_limit()
    assert default_limit() == 2**33
