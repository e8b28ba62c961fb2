"""A reproduction written as files is read back as it was."""

import pytest

from leanrank.errors import DataError
from leanrank.reproduce.data_files import CELLS, read_data, write_data
from leanrank.reproduce.markdown import page, section
from leanrank.reproduce.outcome import Cell, Claim, Reproduction, Table, published


@pytest.fixture
def paper():
    first, second = [p for p in published("fs-scpr") if p.table == "5"][:2]
    return Reproduction.of(
        "fs-scpr",
        [Cell(first, 0.5459, exact=True), Cell(second, None, reason="needs X, Y")],
        [
            Claim("up", True, '1, "2"', where="Table 5"),
            Claim("down", None, "needs HP2004"),
            Claim("up", False, "3", reading="ties half"),
        ],
        [Table("Own, of us", ("a", "b"), (("1", "2|3"),), shown=True), Table("Hidden", ("c",), (("4",),))],
        quick=False,
    )


def test_read_back(paper, tmp_path):
    assert read_data("fs-scpr", tmp_path) is None
    write_data(paper, tmp_path)
    again = read_data("fs-scpr", tmp_path)
    assert again == Reproduction(**{**vars(paper), "cells": list(paper.cells), "claims": list(paper.claims)})
    assert section(again, "reproduction") == section(paper, "reproduction")
    write_data(Reproduction.of("fs-scpr", [], [], [], quick=False), tmp_path)
    assert sorted(path.name for path in (tmp_path / "fs-scpr").iterdir()) == ["figures.csv", "findings.csv"]


def test_the_page_counts_shows_and_links(paper):
    text = page([paper], "reproduction")
    assert "| fs-scpr | 1 | 0 | 0 | 1 | 1 | 0 | 1 |" in text
    assert "| ties half | 0 of 1 | up: does not hold here (3) |" in text
    assert "### Own, of us" in text
    assert "### Hidden" not in text
    assert "[table02.csv](reproduction/fs-scpr/table02.csv): Hidden" in text
    assert "| text | down | needs HP2004 |  |" in text


def test_figures_that_were_never_published_are_refused(paper, tmp_path):
    write_data(paper, tmp_path)
    file = tmp_path / "fs-scpr" / CELLS
    file.write_text(file.read_text().replace("OHSUMED", "ohsumed"))
    with pytest.raises(DataError, match="is not a published figure of fs-scpr"):
        read_data("fs-scpr", tmp_path)
