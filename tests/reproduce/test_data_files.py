"""A reproduction written as files is read back as it was."""

import pytest

from leanrank.errors import DataError
from leanrank.reproduce.data_files import CELLS, read_data, write_data
from leanrank.reproduce.markdown import page, rows_page, section
from leanrank.reproduce.outcome import Cell, Choice, Claim, Reproduction, Table, published


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
            Claim("sideways", False, "4", reading="ties half"),
        ],
        [Table("Own, of us", ("a", "b"), (("1", "2|3"),), shown=True), Table("Hidden", ("c",), (("4",),))],
        [Choice("ties", "strict", "validation MAP, mean", 36)],
    )


def test_read_back(paper, tmp_path):
    assert read_data("fs-scpr", tmp_path) is None
    write_data(paper, tmp_path)
    again = read_data("fs-scpr", tmp_path)
    assert again == paper
    assert section(again) == section(paper)
    write_data(Reproduction.of("fs-scpr", [], [], []), tmp_path)
    names = sorted(path.name for path in (tmp_path / "fs-scpr").iterdir())
    assert names == ["figures.csv", "findings.csv", "readings.csv"]


def test_the_short_page_counts_and_names_the_readings(paper):
    text = page([paper, paper], "reproduction")
    assert "| fs-scpr | 1 | 0 | 0 | 1 | 1 | 0 | 1 |" in text
    assert "| fs-scpr | ties | strict | validation MAP, mean | 36 |" in text
    assert f"**{paper.title}** (`fs-scpr`). 1 of 1 findings hold. {paper.short}" in text
    assert "[Row by row](reproduction/all.md)" in text
    assert "down" not in text  # no row of its own


def test_the_page_of_rows_shows_everything(paper):
    text = rows_page([paper], "reproduction.md")
    assert "[Reproduction](../reproduction.md)" in text
    assert "| ties | strict | validation MAP, mean | 36 |" in text
    assert "| ties half | 0 of 2 | up: does not hold here (3); sideways: does not hold here (4) |" in text
    assert "### Own, of us" in text
    assert "### Hidden" not in text
    assert "[table02.csv](fs-scpr/table02.csv): Hidden" in text
    assert "| text | down | needs HP2004 |  |" in text


def test_figures_that_were_never_published_are_refused(paper, tmp_path):
    write_data(paper, tmp_path)
    file = tmp_path / "fs-scpr" / CELLS
    file.write_text(file.read_text().replace("OHSUMED", "ohsumed"))
    with pytest.raises(DataError, match="is not a published figure of fs-scpr"):
        read_data("fs-scpr", tmp_path)
