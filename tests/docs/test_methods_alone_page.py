"""What docs/methods_alone.md shows of a method that fails somewhere stands on the method's own page."""

import re

import pytest
from benchmarks.methods_alone import DOCS, EVERYTHING, LEFT_OUT, RANDOM, REDUNDANCY, SIZES, alone

from leanrank.selectors import registry

#: How a data set of the table is called in a sentence.
CALLED = {"made many weak": "many weak features", "made text-like": "text-like data"}
RANDOM_AHEAD, PLAIN_AHEAD = "behind random features", "behind the plain ranking on the mean"


def rows():
    """By method: the data sets where it is below random features, and its lead over the plain ranking."""
    lines = [line for line in (DOCS / "methods_alone.md").read_text().splitlines() if line.startswith("|")]
    cut = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    beside = 2 + len(SIZES)  # columns that are no data sets
    names, body = cut[0][1:-beside], cut[2:]
    return {
        row[0].strip("`"): (
            [name for name, cell in zip(names, row[1:-beside], strict=True) if "**" in cell],
            float(row[-1].split()[0]),
        )
        for row in body
    }


def test_every_method_of_the_registry_is_there_or_left_out_by_name():
    assert set(rows()) == {EVERYTHING, RANDOM, *registry.names()} - set(LEFT_OUT)


@pytest.mark.parametrize("method", [name for name in rows() if name not in (EVERYTHING, RANDOM)])
def test_the_page_of_a_method_says_where_it_fails_and_nothing_else(method):
    below, lead = rows()[method]
    page = re.sub(r"\s+", " ", registry.selector_class(method).__doc__)
    said = next((s for s in page.split(". ") if "docs/methods_alone.md" in s), "")
    assert {name for name in alone()[1] if CALLED.get(name, name) in said} == set(below)
    assert (RANDOM_AHEAD in said) == bool(below)
    assert PLAIN_AHEAD in said if method in REDUNDANCY and lead < 0 else PLAIN_AHEAD not in said or lead < 0
