"""What can be asked of the readers of LETOR files, checked once for all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from leanrank.data.compressed import PathLike
from leanrank.data.letor.rows import Format, Sparse
from leanrank.errors import DataError, ParameterError

#: The largest feature id that is believed without `n_features`: every feature gets a name.
MAX_FEATURES = 1_000_000

Null: TypeAlias = "Literal['nan', 'error'] | float"
Query: TypeAlias = "PathLike | Sequence[PathLike] | Sequence[int] | NDArray[Any] | None"
Width: TypeAlias = "Literal['float32', 'float64']"
Sizes: TypeAlias = "Sequence[PathLike] | NDArray[np.int64] | None"


class LetorOptions(TypedDict, total=False):
    """How values are read, as in `read_letor`."""

    n_features: int | None
    feature_names: Sequence[str] | None
    sparse: Sparse
    dtype: Width
    null: Null


def as_paths(path: PathLike | Iterable[PathLike]) -> list[PathLike]:
    """One path or several as a list of at least one."""
    if isinstance(path, (str, os.PathLike)):
        return [path]
    paths = list(path)
    if not paths:
        raise DataError("There is no file to read: the list of paths is empty.")
    for one in paths:
        if not isinstance(one, (str, os.PathLike)):
            raise ParameterError.of("read_letor", "path", "a path or a list of paths", one)
    return paths


def sizes_of(query: Query, sources: Sequence[Any]) -> Sizes:
    """The `query` parameter as one file per source, or as group sizes."""
    if query is None:
        return None
    if isinstance(query, (str, os.PathLike)):
        query = [query]
    given = list(query)
    if given and all(isinstance(one, (str, os.PathLike)) for one in given):
        if len(given) != len(sources):
            raise ParameterError(f"The 'query' parameter names {len(given)} files for {len(sources)} LETOR files.")
        return given
    sizes = np.asarray(given)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or not sizes.size or (sizes <= 0).any():
        raise ParameterError.of("read_letor", "query", "a path, or the positive number of rows of each query", query)
    return sizes.astype(np.int64)


def checked(
    owner: str,
    n_features: Any = None,
    feature_names: Sequence[str] | None = None,
    sparse: Any = "auto",
    dtype: Any = "float32",
    null: Any = "nan",
) -> Format:
    """Refuse what cannot be, and return how a file is read."""
    if n_features is not None and (isinstance(n_features, bool) or not 1 <= n_features < 2**31):
        raise ParameterError.of(owner, "n_features", "a whole number from 1 to 2,147,483,647", n_features)
    if feature_names is not None and (len(feature_names) == 0 or n_features not in (None, len(feature_names))):
        given = f"{len(feature_names)} names" + (f" for n_features={n_features}" if n_features else "")
        raise ParameterError.of(owner, "feature_names", "one name per feature", given)
    if not isinstance(sparse, bool) and sparse != "auto":
        raise ParameterError.of(owner, "sparse", "True, False or 'auto'", sparse)
    width = getattr(dtype, "__name__", str(dtype))
    if width not in ("float32", "float64"):
        raise ParameterError.of(owner, "dtype", "'float32' or 'float64'", dtype)
    number = isinstance(null, (int, float, np.number)) and not isinstance(null, bool) and np.isfinite(null)
    if not number and null not in ("nan", "error"):
        raise ParameterError.of(owner, "null", "'nan', 'error' or a finite number", null)
    value = float(null) if number else {"nan": np.nan, "error": None}[null]
    if value is not None and abs(value) > float(np.finfo(width).max):
        raise ParameterError.of(owner, "null", f"a number that fits in {width}", null)
    names = None if feature_names is None else tuple(str(name) for name in feature_names)
    known = n_features if names is None else len(names)
    return Format(width, value, MAX_FEATURES if known is None else int(known), known, names, sparse)
