"""The tables of benchmarks.quality: a lead is named only where its error bears it."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.quality import AGAIN, OURS, RANKERS, compared, right_peers, table

NAMES = ["here", "there"]
PEERS = ("mRMR", "f_classif")


def cells(lead, spread):
    """Five splits in which `select` is ahead of every peer by `lead`, more or less."""
    rng = np.random.default_rng(0)
    level = {OURS: lead, **dict.fromkeys(AGAIN, lead), "all features": 0.01, **dict.fromkeys(PEERS, 0.0)}
    made = {}
    for method, mean in level.items():
        own = {(name, kind): 0.5 + mean + spread * rng.standard_normal(5) for name in NAMES for kind in RANKERS}
        made[method] = {cell: values.tolist() for cell, values in own.items()}
    return made


@pytest.mark.parametrize(
    ("lead", "spread", "word"), [(0.05, 0.001, "ahead of"), (-0.05, 0.001, "behind"), (0.001, 0.05, "level with")]
)
def test_a_lead_is_named_only_where_its_error_bears_it(lead, spread, word):
    lines = table(cells(lead, spread), NAMES, 5)
    assert lines[0] == "## 5 features"
    verdicts = [line for line in lines if line.startswith("`leanrank select")]
    assert len(verdicts) == 2 * (1 + len(AGAIN))  # beside the right peer by hindsight, and on other splits
    assert all(f"is {word} it: " in line for line in verdicts)


def test_two_standard_errors_over_five_splits_are_no_lead():
    """Student's t of four degrees of freedom wants 2.78 of them, and one split bears nothing."""
    gap = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    error = gap.std(ddof=1) / np.sqrt(5)
    for lead, word in ((2.7, "level with"), (2.8, "ahead of"), (-2.7, "level with"), (-2.8, "behind")):
        assert word in compared(OURS, gap + lead * error, np.zeros(5))


def test_every_method_has_a_row_with_the_error_of_its_distance():
    lines = table(cells(0.05, 0.001), NAMES, 8)
    rows = {line.split(" | ")[0][2:]: line for line in lines if line.startswith("| ")}
    assert set(rows) == {"method", OURS, *AGAIN, "all features", *PEERS}
    assert " ± " not in rows[OURS]
    assert all(" ± " in rows[name] for name in PEERS)
    assert any(line.startswith("Not measured") for line in lines)


def test_the_right_peer_on_other_splits_is_not_chosen_by_its_own_figure():
    """A peer that is best by one split alone is the right one by hindsight, and there nobody would have taken it."""
    lucky, steady = [0.9, 0.1, 0.1, 0.1, 0.1], [0.2] * 5
    made = {m: {(n, kind): values for n in NAMES for kind in RANKERS} for m, values in (("a", lucky), ("b", steady))}
    right = right_peers(made, ["a", "b"], NAMES)
    np.testing.assert_allclose(right["by hindsight"], lucky)
    np.testing.assert_allclose(right["on the other splits"], [0.2, 0.1, 0.1, 0.1, 0.1])
