"""Categories: features whose values are kinds, not amounts; X holds the number of the text, NaN where it is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.errors import DataError, UnknownNameError

#: The texts of every feature that is a category: value i in X stands for the i-th of them.
Categories: TypeAlias = Mapping[str, tuple[str, ...]]

#: The most texts of one feature: beyond it float32 and the boosters cannot tell codes apart.
MOST_LEVELS = 2**24


def checked_categories(categories: Any, X: Any, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The same by the order of the features, or an error that says which feature, row and value are wrong."""
    if not categories:
        return {}
    given = {str(name): tuple(str(text) for text in texts) for name, texts in categories.items()}
    for name, texts in given.items():
        if name not in names:
            raise UnknownNameError.of("feature", name, names)
        if len(set(texts)) < len(texts):
            twice = next(text for text in texts if texts.count(text) > 1)
            raise DataError(f"The category {name!r} has the text {twice!r} twice: every text needs one code.")
        if len(texts) > MOST_LEVELS:
            raise DataError(
                f"The category {name!r} has {len(texts):,} texts: at most {MOST_LEVELS:,} can be told apart."
            )
    if sp.issparse(X):
        raise DataError(
            f"The category {next(iter(given))!r} is in a sparse matrix, whose absent values are 0, the first text: "
            "categories need dense data (sparse=False when reading, or X.toarray())."
        )
    kept = only_named(given, names)
    for name, texts in kept.items():
        _check_codes(X[:, list(names).index(name)], name, len(texts))
    return kept


def only_named(categories: Categories, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Those of these features, in their order."""
    return {name: categories[name] for name in names if name in categories} if categories else {}


def in_order(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts in the order in which they are numbered: whole numbers by value, then all others by their letters.

    >>> in_order({"b", "10", "9", "a"})
    ('9', '10', 'a', 'b')
    """
    return tuple(
        sorted(set(texts), key=lambda text: (not text.isdecimal(), len(text) if text.isdecimal() else 0, text))
    )


def coded(values: Sequence[str | None]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """The codes of texts, NaN where there is none, and the texts that occur.

    >>> coded(["red", None, "blue", "red"])
    (array([ 1., nan,  0.,  1.]), ('blue', 'red'))
    """
    texts = in_order(text for text in values if text is not None)
    return codes_of(values, texts), texts


def codes_of(values: Iterable[str | None], texts: Sequence[str]) -> NDArray[np.float64]:
    """The codes of values among these texts; NaN for those that are none of them."""
    place = {text: float(code) for code, text in enumerate(texts)}
    return np.array([place.get(value, np.nan) if value is not None else np.nan for value in values], dtype=np.float64)


def whole_texts(values: NDArray[Any], name: str) -> list[str | None]:
    """Whole numbers as texts, None where one is missing; LETOR's and CSV's categories may be written as numbers.

    >>> whole_texts(np.array([3.0, np.nan, 12.0]), "brand")
    ['3', None, '12']
    """
    known = ~np.isnan(values)
    wrong = known & ((values != np.floor(values)) | (np.abs(values) > 2**53))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"Feature {name!r} is to be a category, but row {row} has {values[row]:g}: a number that stands for a "
            "category is whole, and not beyond 2^53."
        )
    return [str(int(value)) if there else None for value, there in zip(values.tolist(), known.tolist(), strict=True)]


def united(parts: Sequence[Categories], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The texts of all parts; a feature is a category in all of them or in none."""
    if not any(parts):
        return {}
    together: dict[str, tuple[str, ...]] = {}
    for name in names:
        known = [part[name] for part in parts if name in part]
        if known and len(known) < len(parts):
            raise DataError(f"Feature {name!r} is a category in one part and a number in another: make them the same.")
        if known:
            same = all(texts == known[0] for texts in known)
            together[name] = known[0] if same else in_order(text for texts in known for text in texts)
    return together


def recoded(X: Any, names: Sequence[str], old: Categories, new: Categories) -> tuple[Any, dict[str, int]]:
    """The matrix with codes by other texts, and how many values of each feature are none of these, now missing."""
    changed = [name for name in old if old[name] != new[name]]
    if not changed:
        return X, {}
    out, unknown = np.array(X), dict[str, int]()
    place = {name: j for j, name in enumerate(names)}
    for name in changed:
        j = place[name]
        table = np.append(codes_of(old[name], new[name]), np.nan)
        absent = np.isnan(out[:, j])
        out[:, j] = table[np.where(absent, len(table) - 1, out[:, j]).astype(np.int64)]
        lost = int((np.isnan(out[:, j]) & ~absent).sum())
        if lost:
            unknown[name] = lost
    return out, unknown


def as_categories(data: Any, names: Sequence[str]) -> Any:
    """RankingData with these features as categories, whose values so far are whole numbers; dense where there are any.

    >>> from leanrank import RankingData
    >>> as_categories(RankingData([[7.0], [3.0]], [1, 0], [0, 2]), ["1"]).categories
    {'1': ('3', '7')}
    """
    if not names:
        return data
    X, categories = np.array(data.dense()), dict(data.categories)
    for name in names:
        j = int(data.feature_indices([str(name)])[0])
        X[:, j], categories[str(name)] = coded(whole_texts(X[:, j].astype(np.float64), str(name)))
    return replace(data, X=X, categories=categories)


def as_whole_numbers(data: Any) -> Any:
    """RankingData with the whole numbers that their categories' texts are, for formats that know numbers only."""
    if not data.categories:
        return data
    X = np.array(data.X)
    for j, (name, texts) in zip(data.category_columns, data.categories.items(), strict=True):
        other = next((text for text in texts if not (text.isdecimal() and str(int(text)) == text)), None)
        if other is not None:
            raise DataError(
                f"The category {name!r} has the text {other!r}, and this format knows numbers only: write Parquet or "
                "CSV, or leave it out."
            )
        values = np.append(np.array(texts, dtype=np.float64), np.nan)
        X[:, j] = values[np.where(np.isnan(X[:, j]), len(texts), X[:, j]).astype(np.int64)]
    return replace(data, X=X, categories={})


def marked(data: Any) -> Any:
    """RankingData whose missing categories have a code of their own, one beyond the last: no feature is a category."""
    if not data.categories:
        return data
    X = np.array(data.X)
    for j, texts in zip(data.category_columns, data.categories.values(), strict=True):
        X[np.isnan(X[:, j]), j] = len(texts)
    return replace(data, X=X, categories={})


def category_columns(names: Sequence[str], categories: Categories) -> list[int]:
    """The columns that are categories."""
    return [j for j, name in enumerate(names) if name in categories]


def _check_codes(codes: NDArray[Any], name: str, n_texts: int) -> None:
    known = ~np.isnan(codes)
    wrong = known & ((codes < 0) | (codes >= n_texts) | (codes != np.floor(codes)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"{codes[row]:g} in feature {name!r}, row {row}, is no code of a category: it has {n_texts:,} texts, whose "
            "codes are whole numbers from 0 on."
        )
