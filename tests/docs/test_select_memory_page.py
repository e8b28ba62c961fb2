"""The benchmark of select on files larger than memory, with few rows: within its memory, it writes its part."""

from __future__ import annotations

from benchmarks import select_memory
from benchmarks.scaling_page import PAGE


def test_the_benchmark_writes_its_part_of_the_page(tmp_path, capsys):
    page = tmp_path / "scaling.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ["--rows", "20000", "--memory", "20MB", "--methods", "mrmr", "-k", "3", "--page", str(page)]
    assert select_memory.main(arguments) == 0
    text = page.read_text(encoding="utf-8")
    part = text.partition("<!-- select: begin -->")[2].partition("<!-- select: end -->")[0]
    assert "on a Parquet folder of 20,000 rows x 136" in part
    assert "of 160 |" in part
    assert "--rows 20000 --memory 20MB" in part
    assert part.strip() == capsys.readouterr().out.strip()
    assert (
        text.partition("<!-- costs: begin -->")[2]
        == PAGE.read_text(encoding="utf-8").partition("<!-- costs: begin -->")[2]
    )
