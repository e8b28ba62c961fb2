"""A feature graph as one .npz file: plain arrays and a JSON header, never a pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.npz_file import read_npz
from leanrank.data.text_file import fault_in, parse_json
from leanrank.data.whole_file import whole_file
from leanrank.errors import DataError, LeanRankError
from leanrank.stats.constant import ConstantPartial
from leanrank.stats.feature_graph import FeatureGraph, Partials
from leanrank.stats.importance import ImportancePartial
from leanrank.stats.similarity import PooledMoments, QuerySums

_FORMAT = "leanrank feature graph"
_VERSION = 1
_ARRAYS = {"importance": "f", "importance_std": "f", "similarity": "f", "constant": "b"}
_CATEGORIES = {"kinds": "i"}  # of graphs of categories alone; older files have none
#: Kind and shape of the sums: K features, the 2 parts of an exact sum, one or two directions (D).
_SUMS = {
    "importance.total": ("i", "2DK"),
    "importance.squares": ("i", "2DK"),
    "importance.weight": ("i", "K"),
    "similarity.total": ("i", "2KK"),
    "similarity.n_queries": ("i", ""),
    "similarity.n_rows": ("i", ""),
    "similarity.mean": ("f", "K"),
    "similarity.products": ("f", "KK"),
    "similarity.low": ("f", "K"),
    "similarity.high": ("f", "K"),
    "constant.varies": ("b", "K"),
    "constant.n_queries": ("i", ""),
    "constant.n_lists": ("i", ""),
}
#: The same where queries have weights.
_WEIGHTED = {
    "importance.weight": ("i", "2K"),
    "similarity.total": ("i", "3KK"),
    "similarity.n_queries": ("i", "3"),
}
_COMPUTED_WITH = {"importance": {"direction": str}, "similarity": {"ties": (str, None)}}
_OLD = (
    "it was saved by leanrank 0.3.1 or older, and its sums of weighted queries have too few digits: compute it again, "
    "and save that"
)
_SIMILARITY_SUMS = {"QuerySums": QuerySums, "PooledMoments": PooledMoments}


def save_graph(graph: FeatureGraph, path: Path) -> None:
    """Write the graph to `path`, whole or not at all."""
    header: dict[str, Any] = {
        "format": _FORMAT,
        "version": _VERSION,
        "feature_names": list(graph.feature_names),
        "n_queries": graph.n_queries,
        "computed_with": dict(graph.computed_with),
    }
    arrays: dict[str, NDArray[Any]] = {name: getattr(graph, name) for name in _ARRAYS}
    if (graph.kinds >= 0).any():
        arrays["kinds"] = graph.kinds
    sums = graph.partials
    if sums is not None:
        header["similarity_sums"] = type(sums.similarity).__name__
        for part in ("importance", "similarity", "constant"):
            arrays |= {f"sums.{part}.{name}": array for name, array in getattr(sums, part)._asdict().items()}
    arrays["header"] = np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), dtype=np.uint8)
    with whole_file(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def load_graph(path: Path) -> FeatureGraph:
    """Read and check a file; whatever is wrong with it is one kind of error that names the file."""
    if not path.is_file():
        raise DataError(f"There is no file {str(path)!r} to load a feature graph from.")
    try:
        arrays = _read_arrays(path)
        header = parse_json(arrays["header"].tobytes(), "its header")
        if not isinstance(header, dict):
            raise DataError("its header is damaged")
        if header["format"] != _FORMAT or header["version"] != _VERSION:
            raise DataError(f"its header says {header['format']!r}, version {header['version']!r}")
        names = header["feature_names"]
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise DataError("its feature names are not texts")
        if not isinstance(header["n_queries"], int) or not isinstance(header["computed_with"], dict):
            raise DataError("its header is damaged")
        known = _ARRAYS | (_CATEGORIES if "kinds" in arrays else {})
        for name, kind in known.items():
            if arrays[name].dtype.kind != kind:
                raise DataError(f"its array {name!r} has dtype {arrays[name].dtype}")
        graph = FeatureGraph(
            **{name: arrays[name] for name in known},
            feature_names=tuple(names),
            n_queries=header["n_queries"],
            computed_with=header["computed_with"],
        )
        if _is_of_old(arrays):
            return graph.without_sums(_OLD)
        has_sums = "similarity_sums" in header
        return graph.with_partials(_sums(arrays, header, graph.n_features)) if has_sums else graph
    except KeyError as error:
        raise DataError(
            f"{str(path)!r} is not a feature graph: it has no {error}. Compute and save it again."
        ) from error
    except (LeanRankError, ValueError, TypeError, OSError) as error:
        raise DataError(
            f"{str(path)!r} is not a feature graph: {str(error).removesuffix('.')}. Compute and save it again."
        ) from error


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as file:
        return read_npz(file, "it", compressed=False)


def _is_of_old(arrays: dict[str, NDArray[Any]]) -> bool:
    """Whether its sums are those of weighted queries in two parts, as 0.3.1 had them: they cannot be added any more."""
    return arrays.get("sums.similarity.n_queries", np.array(0)).shape == (2,)


def _sums(arrays: dict[str, NDArray[Any]], header: dict[str, Any], n_features: int) -> Partials:
    similarity = _SIMILARITY_SUMS[str(header["similarity_sums"])]
    fault = fault_in(header["computed_with"], _COMPUTED_WITH)
    if fault is not None:
        raise DataError(f"what it was computed with cannot be read: {fault}")
    parts = []
    for part, kind in (("importance", ImportancePartial), ("similarity", similarity), ("constant", ConstantPartial)):
        values = {name: arrays[f"sums.{part}.{name}"] for name in kind._fields}  # type: ignore[attr-defined]
        for name, array in values.items():
            plain = _SUMS[f"{part}.{name}"]
            if not any(_fits(array, *form, n_features) for form in (plain, _WEIGHTED.get(f"{part}.{name}", plain))):
                raise DataError(f"its sums {part}.{name} have dtype {array.dtype} and shape {array.shape}")
        parts.append(kind(**values))
    return Partials(*parts)


def _fits(array: NDArray[Any], kind: str, shape: str, n_features: int) -> bool:
    sizes = {"K": (n_features,), "2": (2,), "3": (3,), "D": (1, 2)}
    fits = array.ndim == len(shape) and all(n in sizes[size] for n, size in zip(array.shape, shape, strict=True))
    return fits and array.dtype.kind == kind and bool(np.isfinite(array).all())
