"""`-` as an input of any command: standard input, kept in a file for as long as the command runs."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from leanrank.errors import ParameterError

#: Parameters that name a file to read, whichever command has them.
READ = frozenset(
    (
        "a", "b", "before", "catalogue", "costs", "data", "features", "featureset",
        "file", "finished", "full", "graph", "judged", "judgements", "labels", "logged",
        "logs", "model", "normalizers", "pruned", "qrels", "ranker_file", "results", "run",
        "scores", "shadow", "show", "slices", "test", "timings", "valid",
    )
)  # fmt: skip
#: Parameters of that name that are none: what `predict --qrels` names is written, `shadow --show` is a number.
NOT_READ = frozenset({("predict", "qrels"), ("shadow", "show")})
#: What errors and warnings call it.
CALLED = "standard input"

_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
_KINDS = {b"PAR1": ".parquet", b"PK\x03\x04": ".npz", b"SQLite format 3": ".db"}

#: The files that stand for it now.
_kept: set[str] = set()


@contextmanager
def kept_for(command: str, values: dict[str, Any]) -> Iterator[None]:
    """Put a file with what comes in at the place of `-` among the values of a command's inputs; there can be one."""
    places = [(name, place) for name in values if is_input(command, name) for place in _places(values[name])]
    if not places:
        yield
        return
    if len(places) > 1:
        raise ParameterError("'-' is standard input, which can be read once: name files for the other inputs.")
    [(name, place)] = places
    with tempfile.TemporaryDirectory(prefix="leanrank-") as folder:
        path = _stored(Path(folder))
        if place is None:
            values[name] = type(values[name])(path)
        else:
            values[name] = [type(value)(path) if i == place else value for i, value in enumerate(values[name])]
        _kept.add(str(path))
        try:
            yield
        finally:
            _kept.discard(str(path))


def is_input(command: str, parameter: str) -> bool:
    """Whether a parameter of a command names a file, or several, to read."""
    return parameter in READ and (command, parameter) not in NOT_READ


def typed(path: Path) -> str:
    """A path as it was typed."""
    return "-" if str(path) in _kept else str(path)


def as_called(text: str) -> str:
    """A sentence that names standard input by that name, not by its file."""
    for path in _kept:
        text = text.replace(path, CALLED)
    return text


def _places(value: Any) -> list[int | None]:
    """Where a value is `-`: None where it is that alone."""
    if isinstance(value, list | tuple):
        return [i for i, one in enumerate(value) if str(one) == "-"]
    return [None] if value is not None and str(value) == "-" else []


def _stored(folder: Path) -> Path:
    """Standard input as a file whose name says what it is."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or sys.stdin.isatty():
        raise ParameterError("'-' is standard input, and nothing is piped into it: name a file, or use a pipe.")
    plain = folder / "stdin"
    with plain.open("wb") as file:
        shutil.copyfileobj(stream, file)
    with plain.open("rb") as file:
        first = file.read(1 << 16)
    codec = next((ending for magic, ending in _MAGIC.items() if first.startswith(magic)), "")
    if codec:
        first = _inside(plain)
    return plain.rename(folder / f"stdin{ending_of(first)}{codec}")


def _inside(path: Path) -> bytes:
    from leanrank.data.compressed import open_bytes

    head = bytearray(1 << 16)
    with open_bytes(path, bounded=False) as stream:
        count = stream.readinto(memoryview(head))
    return bytes(head[:count])


def ending_of(first: bytes) -> str:
    """The ending of a file that begins so; none where nothing is known of it.

    >>> ending_of(b"2 qid:1 1:0.5"), ending_of(b"label,qid,bm25"), ending_of(b"[1]"), ending_of(b"1 Q0 d7 1")
    ('.txt', '.csv', '.json', '')
    """
    from leanrank.data.formats import is_letor

    for magic, ending in _KINDS.items():
        if first.startswith(magic):
            return ending
    text = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith((b"{", b"[")):
        return ".json"
    if is_letor(first):
        return ".txt"
    lines = io.BytesIO(text)
    header = next((line for line in lines if not line.startswith(b"#")), b"")
    return ".tsv" if b"\t" in header else ".csv" if b"," in header else ""
