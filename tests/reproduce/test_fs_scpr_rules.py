"""The rules that choose a reading of FS-SCPR: what they allow, what decides, and what the page shows of them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from leanrank.reproduce.fs_scpr import READING
from leanrank.reproduce.fs_scpr_readings import READINGS, RULES, SCALES, Reading, Tried
from leanrank.selectors.pagerank import BiasedPageRank

PAGE = Path(__file__).parents[2] / "docs" / "reproduction" / "fs-scpr"


def grid(validation, test=0.5):
    """One fold, in which k = 2 is the better of two by the validation queries."""
    tried = {
        reading: Tried(np.array([1, 2]), np.array([0.1, validation(reading)]), np.full((2, 5), test))
        for reading in READINGS
    }
    return {reading: [of] for reading, of in tried.items()}


@pytest.mark.parametrize(("rule", "scale"), [*zip(RULES, ("cluster_minmax", "max", "none"), strict=True)])
def test_a_rule_takes_the_best_on_validation_queries_of_what_it_allows(rule, scale):
    def validation(reading):
        best = {"none": 0.2, "cluster_minmax": 0.3, "max": 0.4}[reading.pagerank]
        return best + 0.01 * (reading.ties == "half") + 0.5 * (reading.tau == "tau")  # the text rules the last out

    assert rule.choose({"OHSUMED": grid(validation)}) == Reading("half", "fraction", scale)


@pytest.mark.parametrize("rule", RULES)
def test_test_queries_take_no_part(rule):
    def validation(reading):
        return 0.2 + 0.01 * READINGS.index(reading)

    low, high = (rule.choose({"MQ2008": grid(validation, test)}) for test in (0.1, 0.9))
    assert low == high


def test_the_rule_of_the_row_has_the_scale_that_development_data_made_the_default():
    assert RULES[0].scales == (BiasedPageRank().scale,)
    assert set(RULES[1].scales) == set(SCALES)


def test_the_page_names_the_reading_of_the_reduced_run_and_what_every_rule_takes():
    by_rule, all_of_them = (
        list(csv.DictReader((PAGE / f"table0{i}.csv").read_text().splitlines()[1:]))  # the first line is the title
        for i in (1, 2)
    )
    assert [row["rule"].removesuffix(" (the row)") for row in by_rule] == [rule.text for rule in RULES]
    assert by_rule[0]["reading"] == str(READING)
    assert len(all_of_them) == 2 * len(READINGS)
    [marked] = [row for row in all_of_them if row["reading"].endswith(" (the row)")]
    assert (marked["reading"], marked["k"]) == (f"{READING} (the row)", "k of each fold")
    for row in by_rule:
        same = [r for r in all_of_them if r["reading"].startswith(row["reading"]) and r["k"] == "k of each fold"]
        assert [r["findings"] for r in same] == [row["findings"]]
