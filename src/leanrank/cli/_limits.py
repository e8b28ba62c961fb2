"""Costs and rules for features as the command line gives them: a CSV file, and names with commas between."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from leanrank.errors import DataError, ParameterError


@dataclass(frozen=True)
class LimitOptions:
    """What the features may cost, and which are taken in any case or never; see `option_groups`."""

    budget: Annotated[float | None, typer.Option(help="The most the features may cost together.")] = None
    costs: Annotated[
        Path | None, typer.Option(help="CSV with the columns feature, cost[, group]; a group is paid for once.")
    ] = None
    must_keep: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Features to keep in any case, with commas; may be repeated."),
    ] = None
    never: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Features never to take, with commas; may be repeated.")
    ] = None
    default_cost: Annotated[
        float | None, typer.Option(help="What features cost that have no cost in --costs or in the catalogue.")
    ] = None
    family_limit: Annotated[
        list[str] | None,
        typer.Option(metavar="FAMILY=N", help="At most N features of a family of the catalogue; may be repeated."),
    ] = None
    together: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Families to take together or not at all, with commas; may be repeated."),
    ] = None
    pair: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Features to take together or not at all, with commas; may be repeated."),
    ] = None

    def read(self) -> dict[str, Any]:
        """The limits as parameters of `leanrank.select`; those that were not given are None."""
        prices, groups = (None, None) if self.costs is None else read_costs(self.costs)
        return {
            "budget": self.budget,
            "costs": prices,
            "groups": groups,
            "must_keep": _all_names_in(self.must_keep),
            "never": _all_names_in(self.never),
            "default_cost": self.default_cost,
            "at_most": dict(map(_limit, self.family_limit or ())) or None,
            "together": (*(_all_names_in(self.together) or ()), *map(_pair, self.pair or ())) or None,
        }


def _limit(text: str) -> tuple[str, int]:
    """A family and how many of it: "bm25=3"."""
    family, equals, number = text.rpartition("=")
    if not (equals and family.strip() and number.strip().isdecimal()):
        raise ParameterError(f"--family-limit takes a family and a whole number, as in bm25=3. Got {text!r}.")
    return family.strip(), int(number)


def _pair(text: str) -> tuple[str, ...]:
    names = names_in(text) or ()
    if len(names) < 2:
        raise ParameterError(f"--pair takes two features or more, as in url_length,url_slashes. Got {text!r}.")
    return names


def names_in(text: str | None) -> tuple[str, ...] | None:
    """Names as in a line of a CSV file: one with a comma is quoted.

    >>> names_in('bm25, "tf, title"')
    ('bm25', 'tf, title')
    """
    if text is None:
        return None
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), ()) if name)


def _all_names_in(texts: list[str] | None) -> tuple[str, ...] | None:
    return tuple(name for text in texts for name in names_in(text) or ()) if texts else None


def read_costs(path: Path) -> tuple[dict[str, float], dict[str, list[str]] | None]:
    """Costs and groups from a CSV with the columns feature, cost and, optionally, group.

    A row whose feature is the name of a group gives the cost of the group, which is paid once for all its features. A
    feature has one cost; to be in several groups it takes a row for each, the cost in one of them.
    """
    costs: dict[str, float] = {}
    groups: dict[str, list[str]] = {}
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            columns = rows.fieldnames or []
            if "feature" not in columns or "cost" not in columns:
                listed = ", ".join(map(repr, columns)) or "none"
                raise DataError(f"{path}: the columns must be feature, cost and optionally group. Got {listed}.")
            for row in rows:
                name, text, group = row["feature"], row["cost"], row.get("group")
                where = f"{path}, line {rows.line_num}"
                if text is None or (text.strip() == "" and not group):
                    raise DataError(f"{where}: feature {name!r} has no cost.")
                if (text.strip() and name in costs) or (group and name in groups.get(group, ())):
                    raise DataError(f"{where}: feature {name!r} is listed a second time. Leave out one of the lines.")
                if group:
                    groups.setdefault(group, []).append(name)
                if text.strip():
                    costs[name] = _number(text, where)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: is not a CSV file ({error}).") from error
    return costs, groups or None


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{where}: the cost {text!r} is not a number.") from None


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
