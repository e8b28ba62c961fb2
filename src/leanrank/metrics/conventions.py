"""What each tool means by a metric's name: gain, discount, ties, empty queries, short lists, relevance.

One table a metric. `docs/metrics.md` says in words what is here, and which test checks it against the tool itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from leanrank.errors import ParameterError, UnknownNameError

GAINS = ("exp2", "linear")
DISCOUNTS = ("log2", "letor")
TIES = ("expected", "input", "best", "worst")
EMPTY = ("skip", "zero", "one")
SHORT = ("pad", "zero", "shrink")
DIVISORS = ("relevant", "attainable")

Setting = str | float
Table = Mapping[str, Mapping[str, Setting]]

_STANDARD: Mapping[str, Setting] = {"ties": "expected", "empty": "skip"}
_SCRIPT: Mapping[str, Setting] = {"ties": "input", "empty": "zero"}  # LETOR's perl scripts, trec_eval
_BOOSTER: Mapping[str, Setting] = {"ties": "input", "empty": "one"}  # LightGBM, XGBoost
_CATBOOST: Mapping[str, Setting] = {"ties": "worst", "empty": "zero"}

_PERL_NDCG = {**_SCRIPT, "gain": "exp2", "discount": "letor", "short": "zero"}

NDCG_CONVENTIONS: Table = {
    "standard": {**_STANDARD, "gain": "exp2", "discount": "log2", "short": "pad"},
    "letor3": _PERL_NDCG,
    "letor4": _PERL_NDCG,
    "mslr": _PERL_NDCG,
    "trec": {**_SCRIPT, "gain": "linear", "discount": "log2", "short": "pad"},
    "lightgbm": {**_BOOSTER, "gain": "exp2", "discount": "log2", "short": "pad"},
    "xgboost": {**_BOOSTER, "gain": "exp2", "discount": "log2", "short": "pad"},
    "catboost": {"ties": "worst", "empty": "one", "gain": "linear", "discount": "log2", "short": "pad"},
    "sklearn": {"ties": "expected", "empty": "zero", "gain": "linear", "discount": "log2", "short": "pad"},
}

MEAN_NDCG_CONVENTIONS: Table = {
    name: {key: value for key, value in NDCG_CONVENTIONS[name].items() if key != "short"}
    for name in ("standard", "letor4", "mslr")
}

AP_CONVENTIONS: Table = {
    "standard": {**_STANDARD, "relevance_threshold": 1.0, "divisor": "relevant"},
    "letor3": {**_SCRIPT, "relevance_threshold": 1.0, "divisor": "relevant"},
    "letor4": {**_SCRIPT, "relevance_threshold": 1.0, "divisor": "relevant"},
    "mslr": {**_SCRIPT, "relevance_threshold": 2.0, "divisor": "relevant"},
    "trec": {**_SCRIPT, "relevance_threshold": 1.0, "divisor": "relevant"},
    "lightgbm": {**_BOOSTER, "relevance_threshold": 1.0, "divisor": "attainable"},
    "xgboost": {**_BOOSTER, "relevance_threshold": 1.0, "divisor": "attainable"},
    "catboost": {**_CATBOOST, "relevance_threshold": 1.0, "divisor": "attainable"},
}

PRECISION_CONVENTIONS: Table = {
    "standard": {**_STANDARD, "relevance_threshold": 1.0, "short": "pad"},
    "letor3": {**_SCRIPT, "relevance_threshold": 1.0, "short": "zero"},
    "letor4": {**_SCRIPT, "relevance_threshold": 1.0, "short": "pad"},
    "mslr": {**_SCRIPT, "relevance_threshold": 2.0, "short": "pad"},
    "trec": {**_SCRIPT, "relevance_threshold": 1.0, "short": "pad"},
    "xgboost": {**_SCRIPT, "relevance_threshold": 1.0, "short": "shrink"},
    "catboost": {**_CATBOOST, "relevance_threshold": 1.0, "short": "shrink"},
}

RECALL_CONVENTIONS: Table = {
    "standard": {**_STANDARD, "relevance_threshold": 1.0},
    "trec": {**_SCRIPT, "relevance_threshold": 1.0},
    "catboost": {"ties": "worst", "empty": "one", "relevance_threshold": 1.0},
}

MRR_CONVENTIONS: Table = {
    "standard": {**_STANDARD, "relevance_threshold": 1.0},
    "trec": {**_SCRIPT, "relevance_threshold": 1.0},
    "catboost": {**_CATBOOST, "relevance_threshold": 1.0},
}

ERR_CONVENTIONS: Table = {"standard": {**_STANDARD, "gain": "exp2"}, "catboost": {**_CATBOOST, "gain": "probability"}}

CONVENTIONS = tuple(NDCG_CONVENTIONS)

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "ties": TIES,
    "empty": EMPTY,
    "short": SHORT,
    "gain": GAINS,
    "discount": DISCOUNTS,
    "divisor": DIVISORS,
}


def settle(metric: object, table: Table, choices: Mapping[str, tuple[str, ...]] | None = None) -> None:
    """Fill the fields of a (frozen) metric that are None from its convention, and check the others."""
    owner = type(metric).__name__
    convention = getattr(metric, "convention")  # noqa: B009 - the base class has no such field
    if convention not in table:
        if convention in CONVENTIONS:
            known = ", ".join(repr(name) for name in table)
            raise ParameterError.of(
                owner, "convention", f"one of {known} ({convention!r} defines no {owner})", convention
            )
        raise UnknownNameError.of("convention", convention, table)
    for name, usual in table[convention].items():
        given = getattr(metric, name)
        if given is None:
            object.__setattr__(metric, name, usual)
            continue
        allowed = (choices or {}).get(name) or _CHOICES.get(name)
        if allowed is not None and given not in allowed:
            raise ParameterError.of(owner, name, "one of " + ", ".join(repr(a) for a in allowed), given)
