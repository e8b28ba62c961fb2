"""The unit of the prices in a file of costs, where it says one."""

from __future__ import annotations

import csv
from pathlib import Path

from leanrank.errors import DataError


def cost_unit(path: Path | None) -> dict[str, str]:
    """What the column `unit` of a file of costs says of all of them, for the `source` of a selection.

    A file without that column says nothing; `leanrank costs` writes "ms" there.
    """
    if path is None:
        return {}
    with open(path, encoding="utf-8-sig", newline="") as file:
        units = {(row.get("unit") or "").strip() for row in csv.DictReader(file)} - {""}
    if len(units) > 1:
        listed = ", ".join(sorted(units))
        raise DataError(f"{path}: costs must be in one unit to be added up. Got {listed}.")
    return {"cost_unit": units.pop()} if units else {}
