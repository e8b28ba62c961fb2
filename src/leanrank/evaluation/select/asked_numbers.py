"""Numbers, metrics and folds as `select` takes them: checked one by one."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from sys import float_info
from typing import Any

import numpy as np

from leanrank.errors import ParameterError, is_whole
from leanrank.evaluation.fold_roles import windows_of
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric as parse_metric


def whole_number(name: str, value: Any, rule: str, low: int, high: float = np.inf) -> int:
    """The parameter as an int of [low, high]; True and False are no numbers."""
    if is_whole(value, low) and int(value) <= high:
        return int(value)
    raise ParameterError.of("select", name, rule, value)


def real_number(name: str, value: Any, rule: str, low: float, high: float = float_info.max) -> float:
    """The parameter as a finite number of [low, high], an int where it is one."""
    if not isinstance(value, bool) and isinstance(value, Real) and low <= float(value) <= high:
        return int(value) if isinstance(value, Integral) else float(value)
    raise ParameterError.of("select", name, rule, value)


def folds_asked(cv: Any, lowest: int) -> int | str:
    """The number of folds, or "time" with its number of windows."""
    if windows_of(cv) is not None:
        return str(cv)
    return whole_number("cv", cv, f"a number of folds >= {lowest}{', or time' * isinstance(cv, str)}", lowest)


def metrics_of(metric: Any, metrics: Any) -> tuple[Metric, ...]:
    """The metrics asked for, the first of which methods are chosen by; names that two of them share are refused."""
    if metrics is None:
        return (metric_of(metric),)
    wanted = [metrics] if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable) else list(metrics)
    several = tuple(metric_of(one) for one in wanted)
    if not several or len({one.name for one in several}) < len(several):
        raise ParameterError.of("select", "metrics", "one or more metrics of different names", wanted)
    return several


def max_losses_of(max_loss: Any, n_metrics: int, default: float) -> tuple[float, ...]:
    """The loss allowed of each metric: one for all, or one for each."""
    if max_loss is None:
        return (default,) * n_metrics
    rule = ">= 0 and finite"
    if isinstance(max_loss, list | tuple | np.ndarray):
        if len(max_loss) != n_metrics:
            rule = f"one number, or one for each of the {n_metrics} metrics"
            raise ParameterError.of("select", "max_loss", rule, list(max_loss))
        return tuple(float(real_number("max_loss", one, rule, 0)) for one in max_loss)
    return (float(real_number("max_loss", max_loss, rule, 0)),) * n_metrics


def metric_of(metric: Any) -> Metric:
    """The metric asked for, by name or as an object."""
    if not isinstance(metric, str | Metric):
        raise ParameterError.of("select", "metric", "a name such as 'ndcg@10' or a metric", metric)
    return parse_metric(metric)
