"""Shapes of JSON: what fits, and what is said of what does not."""

from __future__ import annotations

import pytest

from leanrank.data.text_file import fault_in, parse_json
from leanrank.errors import DataError

POINT = {"k": int, "mean": (float, None), "folds": [float], "note?": str, "pair?": [str, int], "free?": {str: bool}}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"k": 1, "mean": 0.5, "folds": [1, 2.0]}, None),
        ({"k": 1, "mean": None, "folds": [], "note": "x", "pair": ["a", 1], "free": {"a": True}}, None),
        ({"k": True, "mean": 0.5, "folds": []}, "k is True, expected a whole number"),
        ({"k": 1.0, "mean": 0.5, "folds": []}, "k is 1.0, expected a whole number"),
        ({"k": 1, "mean": "x", "folds": []}, "mean is 'x', expected a finite number or null"),
        ({"k": 1, "mean": float("nan"), "folds": []}, "mean is nan, expected a finite number or null"),
        ({"k": 1, "mean": 10**400, "folds": []}, "mean is 1000"),
        ({"k": 1, "mean": 0.5}, "'folds' is absent"),
        ({"k": 1, "mean": 0.5, "folds": [0, False]}, "folds[1] is False, expected a finite number"),
        ({"k": 1, "mean": 0.5, "folds": {}}, "folds is {}, expected a list"),
        ({"k": 1, "mean": 0.5, "folds": [], "note": 3}, "note is 3, expected a text"),
        ({"k": 1, "mean": 0.5, "folds": [], "pair": ["a"]}, "pair is ['a'], expected a list of 2"),
        ({"k": 1, "mean": 0.5, "folds": [], "pair": [1, "a"]}, "pair[0] is 1, expected a text"),
        ({"k": 1, "mean": 0.5, "folds": [], "free": {"a": 1}}, "free.a is 1, expected true or false"),
        ([], "it is [], expected an object"),
    ],
)
def test_the_first_fault(value, fault):
    told = fault_in(value, POINT)
    assert told == fault if fault is None else told.startswith(fault)


def test_an_object_without_entries():
    assert fault_in({}, {str: ()}) is None
    assert fault_in({"a": None}, {str: ()}) is not None


@pytest.mark.parametrize(
    "text", ["NaN", '{"a": [Infinity]}', "[" * 100_000, '{"a":' * 200 + "1" + "}" * 200, "{", b"\xff"]
)
def test_no_json_of_ours(text):
    with pytest.raises(DataError, match=r"^a\.json: (not JSON|its JSON is nested)"):
        parse_json(text, "a.json")
