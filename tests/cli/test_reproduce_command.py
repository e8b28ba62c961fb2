"""`leanrank reproduce`: exit codes, JSON and Markdown."""

import json

import pytest

import leanrank.reproduce.papers as papers
from leanrank.cli.app import run
from leanrank.reproduce.outcome import Cell, Claim, Published, Reproduction, Table


@pytest.fixture
def outcome(monkeypatch):
    """Stands in for the hours of work: one cell that must be equal, set by the test."""

    def stand_in(ours):
        p = Published("5", "RankSVM-Primal", "OHSUMED", "MAP", "0.4446", "fraction", None, False, "")
        q = Published("3", "FS-SCPR", "HP2004", "MAP", "0.7216", "fraction", None, False, "")
        cells = [Cell(p, ours, exact=True), Cell(q, None, reason="needs HP2004")]
        found = Reproduction(
            "fs-scpr",
            "A paper",
            "Run so.",
            "Why.",
            "In short.",
            cells,
            [Claim("up", False, "1 < 2")],
            [Table("T", ("a",), (("1",),))],
        )
        monkeypatch.setattr(papers, "run_paper", lambda *args, **kwargs: found)

    return stand_in


def test_prints_every_cell_and_claim(outcome, capsys):
    outcome(0.44461)
    assert run(["reproduce", "fs-scpr"]) == 0
    shown = capsys.readouterr().out
    for expected in ("0.4446", "equal, exact", "needs HP2004", "not computed", "does not hold here", "A paper"):
        assert expected in shown


def test_exits_with_1_if_an_exact_cell_differs(outcome, capsys):
    outcome(0.4449)
    assert run(["reproduce", "fs-scpr"]) == 1
    assert "1 figures that must be equal are not, the first is table 5, OHSUMED, RankSVM-Primal, MAP: 0.4446" in (
        capsys.readouterr().err
    )


def test_json_and_markdown(outcome, tmp_path, capsys):
    outcome(0.44461)
    page = tmp_path / "reproduction.md"
    assert run(["reproduce", "all", "--json", "--markdown", str(page)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 5
    assert found[0]["cells"][0]["status"] == "equal"
    assert page.read_text().count("**A paper** (`fs-scpr`). 0 of 1 findings hold. In short.") == 5
    assert (tmp_path / "reproduction" / "all.md").read_text().count("## A paper") == 5
    assert "[Reproduction](../reproduction.md)" in (tmp_path / "reproduction" / "all.md").read_text()


def test_says_what_data_it_expects(monkeypatch, capsys):
    monkeypatch.delenv("LEANRANK_DATA", raising=False)
    assert run(["reproduce", "gas"]) == 2
    assert "Name the data with --data FOLDER, or set LEANRANK_DATA" in capsys.readouterr().err
