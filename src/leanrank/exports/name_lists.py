"""Text files with a feature a line: names, or numbers and names."""

from __future__ import annotations

from leanrank.errors import DataError


def parse_names(text: str, source: str, *, first: int) -> tuple[tuple[str, ...], list[list[str]]]:
    """Names, and the further fields of their lines.

    Lines are ``name``, or ``number<TAB>name<TAB>...`` with numbers that count from `first` without a gap; empty lines
    and lines that begin with # do not count.

    >>> parse_names("0\\tbm25 title\\tq\\n1\\tclicks\\tint\\n", "map.txt", first=0)
    (('bm25 title', 'clicks'), [['q'], ['int']])
    """
    lines = [line.rstrip("\r") for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if not lines:
        raise DataError(f"{source}: the file has no features; expected one a line.")
    if "\t" not in lines[0]:
        return tuple(line.strip() for line in lines), [[] for _ in lines]
    names, rest = [], []
    for place, line in enumerate(lines):
        number, *fields = line.split("\t")
        if not fields or number.strip() != str(place + first):
            raise DataError(
                f"{source}: expected feature {place + first} as number, tab, name; found {line[:60]!r}. Numbers count "
                f"from {first} without a gap."
            )
        names.append(fields[0].strip())
        rest.append(fields[1:])
    return tuple(names), rest
