"""The tables of docs/weights.md: what each method says that it does with weights."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "weights.md"


def said(first):
    """Name -> (with weights of queries, with weights of documents), of the table whose first column is called so."""
    answers = {}
    rows = PAGE.read_text(encoding="utf-8").split(f"| {first} |")[1].split("\n\n")[0].splitlines()
    for row in rows[2:]:
        names, queries, documents = (cell.strip() for cell in row.strip("|").split("|"))
        for name in re.findall("`([^`]+)`", names):
            assert name not in answers, f"{name} is there twice"
            answers[name] = (queries, documents)
    return answers
