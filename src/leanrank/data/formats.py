"""The one table of formats: which ending of a file's name says which format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

from leanrank.errors import DataError

FileFormat: TypeAlias = Literal["letor", "csv", "parquet", "trec"]

#: Endings by format, for reading and writing alike; in small or capital letters.
ENDINGS: dict[str, FileFormat] = {
    ".txt": "letor",
    ".letor": "letor",
    ".svm": "letor",
    ".libsvm": "letor",
    ".dat": "letor",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".qrels": "trec",
}
#: What stands between the cells of a CSV.
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
#: Endings of compressed files, after that of the format, and pyarrow's names of the codecs.
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def without_compression(path: str | os.PathLike[str]) -> Path:
    """`path` without the ending of a compression.

    >>> without_compression("S1.txt.gz").name
    'S1.txt'
    """
    given = Path(path)
    return given.with_suffix("") if codec_of(given) is not None else given


def codec_of(path: str | os.PathLike[str]) -> str | None:
    """The compression that the name says, as pyarrow calls it."""
    return COMPRESSIONS.get(Path(path).suffix.lower())


def ending(path: str | os.PathLike[str]) -> str:
    """The ending that says the format, in small letters, without that of a compression.

    >>> ending("judged.CSV.gz")
    '.csv'
    """
    return without_compression(path).suffix.lower()


def format_of_name(path: str | os.PathLike[str]) -> FileFormat | None:
    """The format that the name says, None where it says none; Parquet has its compression inside.

    >>> format_of_name("judged.tsv.gz"), format_of_name("rank.train"), format_of_name("judged.parquet.gz")
    ('csv', None, None)
    """
    kind = ENDINGS.get(ending(path))
    return None if kind == "parquet" and codec_of(path) is not None else kind


def endings(*formats: FileFormat) -> str:
    """The known endings in words, of these formats or of all.

    >>> endings("parquet")
    '.parquet, .pq'
    """
    return ", ".join(one for one, kind in ENDINGS.items() if not formats or kind in formats)


def format_of_content(path: str | os.PathLike[str]) -> FileFormat | None:
    """The format that the first bytes of a file say: Parquet, or LETOR text; None where it is neither.

    A pipe cannot be looked into without losing what was read: it is taken for LETOR text.
    """
    from leanrank.data.compressed import open_bytes

    if not os.path.isfile(path):
        return "letor"
    with open_bytes(path) as stream:
        head = bytearray(1 << 16)
        count = stream.readinto(memoryview(head))
    first = bytes(head[:count])
    if first.startswith(b"PAR1"):
        return "parquet"
    return "letor" if is_letor(first) else None


def is_letor(first: bytes) -> bool:
    """Whether text that begins so is LETOR's: its first line that is no comment is a document, or there is none."""
    lines = (line.split(b"#", 1)[0].split() for line in first.removeprefix(b"\xef\xbb\xbf").splitlines())
    words = next((line for line in lines if line), [])
    return not words or _is_document(words)


def format_of(path: str | os.PathLike[str]) -> FileFormat:
    """The format of data to be read: by its name, else by its first bytes; a folder holds Parquet files.

    A name that says nothing and bytes that are neither Parquet nor LETOR text are an error with the endings known.
    """
    if not os.path.exists(path):
        raise DataError(f"There is no file {os.fspath(path)}.")
    if os.path.isdir(path):
        return "parquet"
    kind = format_of_name(path) or format_of_content(path)
    if kind == "trec":
        raise DataError(f"{os.fspath(path)}: TREC judgements have no features, so there is nothing to read from them.")
    if kind is None:
        known = endings("letor", "csv", "parquet")
        raise DataError(
            f"{os.fspath(path)}: neither its name nor its first line says what it is. Known endings are {known}, "
            f"compressed ones with {', '.join(COMPRESSIONS)} after that."
        )
    return kind


def _is_document(words: list[bytes]) -> bool:
    """Whether the words of a line are a label, a query id or none, and features with their values."""
    try:
        float(words[0])
    except ValueError:
        return False
    return len(words) == 1 or b":" in words[1]
