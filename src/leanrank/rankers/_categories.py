"""What a ranker remembers of categories: their texts, to read new data by, and their means where it needs some."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leanrank.data.categories import Categories, recoded
from leanrank.data.category_means import CategoryMeans
from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError


class UnknownCategoryWarning(UserWarning):
    """Data have categories that were not there in training: they count as missing."""


@dataclass(frozen=True, eq=False)
class LearnedCategories:
    """The categories of the training data."""

    texts: Categories  # the texts of each category, in the order of their codes in training
    means: CategoryMeans | None = None  # what stands for them; None for a ranker that takes the codes as categories

    def readied(self, data: RankingData, owner: str) -> RankingData:
        """The data as the ranker takes them: codes by the texts of training, and their means where it has them."""
        refuse_other_kinds(data, self.texts, owner)
        if data.categories != self.texts:  # a view is not copied without need
            X, unknown = recoded(data.X, data.feature_names, data.categories, self.texts)
            if unknown:
                warn_unknown(unknown, data.n_rows)
            data = replace(data, X=X, categories=self.texts, missing=data.missing or bool(unknown))
        return data if self.means is None else self.means.numbered(data)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        means = None if self.means is None else {name: v.tolist() for name, v in self.means.means.items()}
        return {"texts": {name: list(texts) for name, texts in self.texts.items()}, "means": means}

    @classmethod
    def from_json(cls, document: Any, names: list[str], *, with_means: bool) -> LearnedCategories:
        """What `to_json` gave; anything else is a DataError."""
        texts = document["texts"]
        if not isinstance(texts, dict) or not texts or set(texts) - set(names):
            raise DataError("the categories are not those of its features.")
        for name, known in texts.items():
            if not isinstance(known, list) or len(set(known)) < len(known) or not all(type(t) is str for t in known):
                raise DataError(f"the texts of the category {name!r} are not different texts.")
        kept = {name: tuple(texts[name]) for name in names if name in texts}
        if not with_means:
            return cls(kept)
        means = {name: np.array(document["means"][name], dtype=np.float64) for name in kept}
        for name, values in means.items():
            if values.shape != (len(kept[name]) + 1,) or not np.isfinite(values).all():
                raise DataError(f"the means of the category {name!r} are not {len(kept[name]) + 1:,} numbers.")
        return cls(kept, CategoryMeans(kept, means))


def refuse_other_kinds(data: RankingData, texts: Categories, owner: str) -> None:
    """Refuse data in which a category is a number, or a number a category, other than in training."""
    for name in data.feature_names:
        if (name in data.categories) != (name in texts):
            then, now = ("a category", "a number") if name in texts else ("a number", "a category")
            raise DataError(
                f"Feature {name!r} is {now} in these data and was {then} when {owner} was trained: read them alike "
                "(categorical=, --categorical)."
            )


def warn_unknown(unknown: dict[str, int], n_rows: int) -> None:
    """Say how many values are categories that training did not have."""
    counts = ", ".join(f"{name!r} in {count:,}" for name, count in unknown.items())
    warnings.warn(
        f"Categories that were not there in training count as missing: {counts} of {n_rows:,} documents.",
        UnknownCategoryWarning,
        stacklevel=4,
    )
