"""Which values of their parameters methods are tuned over, on validation queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from leanrank.rankers import registry
from leanrank.rankers._base import Ranker

Grid = Mapping[str, Sequence[Any]]

#: By class name. A method that is not here has nothing to tune but its size.
SELECTOR_GRIDS: Mapping[str, Grid] = {
    "BestGain": {"delta": (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)},
    "FSMRank": {"lambda1": (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0), "lambda2": (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)},
    "GAS": {"c": (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)},
    "MMR": {"lam": (0.1, 0.3, 0.5, 0.7, 0.9)},
    "MPT": {"b": (0.1, 0.5, 1.0, 2.0, 5.0)},
    "MSD": {"lam": (0.1, 0.3, 0.5, 0.7, 0.9)},
    "XGAS": {"p": (0.05, 0.1, 0.2)},
}

#: By registry name. Values of "C" are one candidate: these rankers choose among them themselves, along a path.
RANKER_GRIDS: Mapping[str, Grid] = {
    "kernelranksvm": {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)},
    "listnet": {"learning_rate": (1e-4, 1e-3, 1e-2)},
    "ranknet": {"learning_rate": (0.01, 0.1, 1.0)},
    "ranksvm": {"C": ((1e-2, 1e-1, 1.0, 1e1, 1e2),)},
    "svmmap": {"C": ((1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4),)},
}


def points(grid: Grid | None) -> list[dict[str, Any]]:
    """All combinations of a grid's values, the last name varying fastest; one empty combination for no grid.

    >>> points({"c": [0.1, 0.5], "importance": ["map"]})
    [{'c': 0.1, 'importance': 'map'}, {'c': 0.5, 'importance': 'map'}]
    """
    names = list(grid or {})
    return [dict(zip(names, values, strict=True)) for values in product(*((grid or {})[name] for name in names))]


def rankers_of(name: str, validation: Any, given: Mapping[str, Any] | None = None) -> list[Ranker]:
    """The rankers of this name over its grid; those that tune themselves do so by the metric `validation`.

    What is `given` of their parameters is not tuned.
    """
    chosen = dict(given or {})
    cls = registry.ranker_class(name)
    settings: dict[str, Any] = {}
    known = cls._get_param_names()
    own = "estimator" not in known  # boosters watch held-out data by a metric of their own
    if own and "eval_metric" in known:
        settings["eval_metric"] = validation
    grid = {key: values for key, values in RANKER_GRIDS.get(cls._name, {}).items() if key not in chosen}
    return [registry.get(name, **{**settings, **point, **chosen}) for point in points(grid)]
