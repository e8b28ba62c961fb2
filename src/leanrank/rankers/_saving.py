"""Rankers as JSON files (arrays of many numbers in a .npz beside), written beside and renamed; never a pickle."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from leanrank.data.npz_file import read_npz
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError, LeanRankError
from leanrank.rankers._base import Ranker
from leanrank.rankers._categories import LearnedCategories
from leanrank.rankers.registry import ranker_class

FORMAT = "leanrank-ranker"
VERSION = 1
#: Of rankers with categories, which versions before them would take for numbers.
_WITH_CATEGORIES = 2
#: Arrays with more entries than this go to the .npz file.
BIG = 20_000
#: What reading a damaged file may come to.
_DAMAGE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, MemoryError)
_DTYPES = {"f": "<f8", "i": "<i8", "u": "<i8", "b": "|b1"}
_MAX_FEATURES = 10_000_000
_LARGEST_INT = 2**63 - 1


def save_ranker(ranker: Ranker, path: str | os.PathLike[str]) -> None:
    """Write `ranker` to `path`."""
    target = Path(path)
    big: dict[str, Any] = {}
    learned = {name: _encode(name, getattr(ranker, name), big) for name in ranker._learned if hasattr(ranker, name)}
    names = getattr(ranker, "feature_names_in_", None)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION if ranker.categories_ is None else _WITH_CATEGORIES,
        "ranker": ranker._name,
        "params": _plain_params(ranker),
        "n_features_in": ranker.n_features_in_,
        "feature_names_in": None if names is None else list(names),
        "learned": learned,
    }
    if ranker.categories_ is not None:
        document["categories"] = ranker.categories_.to_json()
    if big:
        buffer = BytesIO()
        np.savez_compressed(buffer, **big)
        document["npz_digest"] = _digest(buffer.getvalue())
        write_whole(_npz(target), buffer.getvalue())
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1)
    write_whole(target, text)
    if not big:
        with suppress(FileNotFoundError):
            _npz(target).unlink()


def load_ranker(path: str | os.PathLike[str]) -> Ranker:
    """Read a ranker written by `save`. A damaged or foreign file is refused with a LeanRankError.

    >>> import tempfile, pathlib, leanrank
    >>> ranker = leanrank.RankSVM(C=10.0).fit([[1.0, 0.0], [0.0, 1.0]], [1, 0], qid=[7, 7])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ranker.save(pathlib.Path(folder, "model.json"))
    ...     load_ranker(pathlib.Path(folder, "model.json"))
    RankSVM(C=10.0)
    """
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{source}: not a saved ranker, the file is not text.") from error
    except OSError as error:
        raise DataError(f"{source}: cannot be read ({error.strerror}).") from error
    try:
        return _decode_ranker(json.loads(text, parse_constant=_refuse_constant), source)
    except LeanRankError as error:
        raise DataError(f"{source}: {error}") from error
    except _DAMAGE as e:
        reason = str(e).splitlines()[0][:120] if str(e) else type(e).__name__
        raise DataError(f"{source}: not a saved ranker, or damaged ({reason}). Save it again.") from e


def _decode_ranker(document: Any, source: Path) -> Ranker:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"not a saved ranker: its 'format' is not {FORMAT!r}.")
    if document.get("version") not in (VERSION, _WITH_CATEGORIES):
        known = f"{VERSION} and {_WITH_CATEGORIES}"
        raise DataError(f"version {document.get('version')!r} of the format is not known here, only {known}. "
                        "Update leanrank, or save the ranker again.")  # fmt: skip
    name = document["ranker"]
    if not isinstance(name, str):
        raise DataError("the ranker's name is not text.")
    cls = ranker_class(name)
    ranker = cls._from_saved_params(document["params"])
    n_features = document["n_features_in"]
    if type(n_features) is not int or not 1 <= n_features <= _MAX_FEATURES:
        raise DataError(f"n_features_in must be from 1 to {_MAX_FEATURES:,}. Got {n_features!r}.")
    ranker.n_features_in_ = n_features
    names = document["feature_names_in"]
    if names is not None:
        if not isinstance(names, list) or len(names) != n_features or not all(isinstance(n, str) for n in names):
            raise DataError(f"feature_names_in must be {n_features:,} texts.")
        ranker.feature_names_in_ = np.array(names, dtype=object)
    ranker.categories_ = None
    if document["version"] == _WITH_CATEGORIES:
        with_means = not ranker.takes_categories
        ranker.categories_ = LearnedCategories.from_json(document["categories"], names or [], with_means=with_means)
    arrays = _big_arrays(document, source)
    learned, sizes = document["learned"], {"K": n_features}
    for key in sorted(set(learned) - set(cls._learned)):
        raise DataError(f"{cls.__name__} has no learned attribute {key!r}.")
    for key, shape in cls._learned.items():
        if key in learned:
            setattr(ranker, key, _decode(key, learned[key], shape, sizes, arrays))
        elif key not in cls._optional:
            raise DataError(f"the learned attribute {key!r} is absent.")
    ranker._check_learned()
    return ranker


def _plain_params(ranker: Ranker) -> dict[str, Any]:
    params = ranker._params_to_save()
    for key, value in params.items():
        if isinstance(value, np.generic):
            params[key] = value.item()
        elif isinstance(value, np.ndarray):
            params[key] = value.tolist()
        elif isinstance(value, (np.random.Generator, np.random.RandomState)):
            params[key] = None  # a stream cannot be kept; it plays no part in prediction
        elif not isinstance(value, (str, int, float, bool, type(None), list, tuple, dict)):
            params[key] = str(getattr(value, "name", value))
    return params


def _encode(name: str, value: Any, big: dict[str, Any]) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):  # another library's model: its reader is never shown a damaged one
        return {"text": value, "digest": _digest(value.encode())}
    if not isinstance(value, np.ndarray):
        return value if not isinstance(value, float) else _number(value)
    dtype = _DTYPES[value.dtype.kind]
    if value.size > BIG:
        big[name] = np.ascontiguousarray(value, dtype=dtype)
        return {"npz": True}
    flat = value.ravel().tolist()
    return {"dtype": dtype, "shape": list(value.shape), "values": [_number(v) for v in flat]}


def _number(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as text."""
    return value if not isinstance(value, float) or np.isfinite(value) else str(value)


def _decode(key: str, value: Any, shape: Any, sizes: dict[str, int], arrays: dict[str, Any]) -> Any:
    if shape is str:
        if not isinstance(value["text"], str) or value["digest"] != _digest(value["text"].encode()):
            raise DataError(f"{key!r} is damaged: its digest does not agree.")
        return value["text"]
    if isinstance(shape, type):
        if type(value) is not shape:
            raise DataError(f"{key!r} must be {shape.__name__}. Got {type(value).__name__}.")
        return value
    if shape == ():
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise DataError(f"{key!r} must be a number.")
        if isinstance(value, int) and abs(value) > _LARGEST_INT:
            raise DataError(f"{key!r} has {len(str(abs(value))):,} digits, more than a number of 64 bits.")
        return float(value) if isinstance(value, str) else value
    if value.get("npz") is True:
        array = arrays[key]
    else:
        if value["dtype"] not in _DTYPES.values():
            raise DataError(f"{key!r} has the unknown dtype {value['dtype']!r}.")
        array = np.array([float(v) if isinstance(v, str) else v for v in value["values"]], dtype=value["dtype"])
        array = array.reshape([int(d) for d in value["shape"]])
    if array.ndim != len(shape) or any(
        size != (want if isinstance(want, int) else sizes.setdefault(want, size))
        for size, want in zip(array.shape, shape, strict=True)
    ):
        expected = ", ".join(str(sizes.get(want, want)) for want in shape)
        raise DataError(f"{key!r} has shape {array.shape}, expected ({expected}).")
    return array


def _big_arrays(document: dict[str, Any], source: Path) -> dict[str, Any]:
    if "npz_digest" not in document:
        return {}
    path = _npz(source)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"its arrays in {path} cannot be read ({error.strerror}).") from error
    if _digest(content) != document["npz_digest"]:
        raise DataError(f"{path} does not belong to this file, or is damaged.")
    try:
        arrays = read_npz(BytesIO(content), str(path))
    except DataError as error:
        raise DataError(f"not a saved ranker, or damaged: {error}") from error
    return {key: array.astype(_DTYPES[array.dtype.kind]) for key, array in arrays.items()}


def _refuse_constant(text: str) -> Any:
    raise DataError(f"{text} is not JSON.")


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _npz(path: Path) -> Path:
    return path.with_name(path.name + ".npz")
