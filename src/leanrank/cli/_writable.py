"""Whether a file can be written, asked before the work whose result it gets."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import TemporaryFile

from leanrank.errors import DataError


def require_writable(*paths: Path | None) -> None:
    """Refuse a path that cannot be written: a folder, or a file in a folder that is not there or takes no files."""
    for path in paths:
        if path is None:
            continue
        try:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with TemporaryFile(dir=path.parent):
                pass
        except OSError as error:
            raise DataError(f"{path}: cannot be written ({error.strerror}).") from error
