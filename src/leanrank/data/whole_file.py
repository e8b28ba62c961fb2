"""Files that appear whole or not at all: written beside the target, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from leanrank.errors import DataError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary file for writing that takes the place of `path` only when the block ends without an error.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "out.txt")
    ...     with whole_file(target) as file:
    ...         _ = file.write(b"done")
    ...         before = target.exists()
    ...     before, target.read_bytes()
    (False, b'done')
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise DataError(f"{target}: cannot be written ({error.strerror}).") from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except OSError as error:
        if error.filename is not None and error.filename != name:
            raise  # some other file's trouble
        raise DataError(f"{target}: cannot be written ({error.strerror}).") from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write `content` (text as UTF-8) to `path`, whole or not at all."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
