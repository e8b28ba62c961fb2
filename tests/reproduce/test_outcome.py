"""Cells, claims and their Markdown: what counts as equal, close, different and missing."""

import pytest

from leanrank.reproduce.markdown import cell_row, rows_page, section
from leanrank.reproduce.outcome import Cell, Claim, Published, Reproduction, Table, published


def cell(text, ours, unit="fraction", exact=False, reason=""):
    return Cell(Published("5", "GAS", "OHSUMED", "MAP", text, unit, None, False, ""), ours, exact, reason)


@pytest.mark.parametrize(
    ("text", "ours", "unit", "status"),
    [
        ("0.4446", 0.44463, "fraction", "equal"),
        ("0.4446", 0.44466, "fraction", "close"),
        ("0.4446", 0.4596, "fraction", "close"),
        ("0.4446", 0.4597, "fraction", "differs"),
        ("44.00", 44.004, "percent", "equal"),
        ("44.00", 45.5, "percent", "close"),
        ("44.00", 45.6, "percent", "differs"),
        ("4.2", 4.2, "count", "equal"),
        ("35", 35.0, "count", "equal"),
        ("35", 35.01, "count", "equal"),  # as printed
        ("4.2", 4.4, "count", "differs"),
        ("0.5", None, "fraction", "missing"),
    ],
)
def test_status(text, ours, unit, status):
    assert cell(text, ours, unit).status == status


@pytest.mark.parametrize(
    ("text", "ours", "unit", "shown"),
    [
        ("2", 3.2, "count", ("3.2", "+1.2")),
        ("45", 45.0, "count", ("45", "+0")),
        ("38.82", 38.8199, "percent", ("38.82", "+0.00")),
        ("0.4446", 0.4436, "fraction", ("0.4436", "-0.0010")),
    ],
)
def test_figures_are_shown_as_printed(text, ours, unit, shown):
    assert cell_row(cell(text, ours, unit))[5:7] == shown


def test_only_exact_cells_fail():
    assert cell("0.4446", 0.4447, exact=True).failed
    assert not cell("0.4446", 0.4447).failed
    assert not cell("0.4446", 0.44461, exact=True).failed
    assert not cell("0.4446", None, exact=True).failed  # nothing to compare with


@pytest.fixture
def found():
    cells = [
        cell("0.5", 0.5, exact=True),
        cell("0.500", 0.51, reason="a | b"),
        cell("0.5", None, reason="needs TD2003"),
        cell("0.6", None, reason="needs TD2003"),
    ]
    claims = [Claim("up", True, "1 | 2"), Claim("down", False, "2"), Claim("sideways", None, "3")]
    return Reproduction(
        "gas",
        "Title",
        "What was run.",
        "Why.",
        "In short.",
        cells,
        claims,
        [Table("Own", ("a",), (("1",),), shown=True)],
    )


def test_summary_counts(found):
    assert found.summary == (
        "2 of 4 published figures compared: 1 equal in all printed digits (all 1 marked exact among them), 1 within "
        "0.015, 0 not; 2 not computed here. 1 of 2 stated findings hold here."
    )
    assert found.failed == []


def test_markdown_has_everything_and_tables_are_whole(found):
    text = section(found)
    for expected in ("holds |", "does not hold here", "not tested", "### Own", "Why."):
        assert expected in text
    assert "1 \\| 2" in text
    assert "| Table 5 | OHSUMED: GAS | equal, close; needs TD2003 | 1 equal, 1 close |" in text
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        widths = {line.replace("\\|", "").count("|") for line in lines}
        assert len(widths) <= 1
    assert rows_page([found, found], "page.md").count("## Title") == 2


def test_published_tables_are_complete():
    counts = {p: len(published(p)) for p in ("fs-scpr", "bestgain", "gas", "rankrelief", "rcdr")}
    assert counts == {"fs-scpr": 328, "bestgain": 183, "gas": 16, "rankrelief": 12, "rcdr": 88}
    assert all(p.text or p.doubtful for p in published("fs-scpr"))


def test_published_improvements_recompute():
    """The columns 'Imp.' of Tables 3 to 6 follow from the figures beside them."""
    for table in ("3", "4", "5", "6"):
        rows = [p for p in published("fs-scpr") if p.table == table]
        value = {(p.method, p.metric): p.value for p in rows}
        for p in rows:
            if p.unit == "percent":
                ours = 100 * (value["FS-SCPR", p.metric] / value["RankSVM-Primal", p.metric] - 1)
                assert round(ours, 2) == pytest.approx(p.value, abs=1e-9)
