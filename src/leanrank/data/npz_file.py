"""Arrays of an .npz file, whose sizes are checked before anything is unpacked; never a pickle."""

from __future__ import annotations

import io
import math
import tokenize
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from leanrank.data.memory_size import check_expansion
from leanrank.errors import DataError

_DAMAGE = (ValueError, SyntaxError, TypeError, KeyError, OverflowError, RecursionError, EOFError, MemoryError)
_ENCRYPTED = 1


def read_npz(source: BinaryIO, name: str, *, compressed: bool = True) -> dict[str, NDArray[Any]]:
    """All arrays by name; what is no .npz of plain arrays is refused with an error that begins with `name`.

    `compressed` says whether the arrays may be.
    """
    try:
        size = source.seek(0, io.SEEK_END)
        source.seek(0)
        with zipfile.ZipFile(source) as archive:
            entries = archive.infolist()
            if any(entry.flag_bits & _ENCRYPTED for entry in entries):
                raise DataError(f"{name}: it is encrypted, which no file of ours is.")
            if not compressed and any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
                raise DataError(f"{name}: it is compressed, which no file of ours of this kind is.")
            check_expansion(sum(entry.file_size for entry in entries), size, name)
            return {entry.filename.removesuffix(".npy"): _array(archive.read(entry)) for entry in entries}
    except DataError:
        raise
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise DataError(f"{name}: not an .npz file, or damaged ({str(error)[:80]}).") from error
    except (*_DAMAGE, tokenize.TokenError, OSError) as error:
        raise DataError(f"{name}: an array in it is damaged ({str(error)[:80]}).") from error


def _array(content: bytes) -> NDArray[Any]:
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"version {version} of its format is unknown")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran_order, dtype = read_header(stream)
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be loaded")
    if dtype.itemsize == 0 or dtype.subdtype is not None or min(shape, default=0) < 0:
        raise ValueError(f"its type {dtype} or shape {shape} is none of ours")
    values = content[stream.tell() :]
    if math.prod(shape) * dtype.itemsize != len(values):
        raise ValueError(f"{len(values):,} bytes are not {shape} of {dtype}")
    return np.frombuffer(values, dtype).reshape(shape, order="F" if fortran_order else "C").copy()
