"""Propensities: how likely each place of a list is looked at, given as a table or estimated from clicks."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.text_file import read_text
from leanrank.data.weights import row_weights
from leanrank.data.whole_file import write_whole
from leanrank.errors import DataError, ParameterError

Values = NDArray[np.float64]

#: Keeps probabilities away from 0 and 1.
_EDGE = 1e-6


@dataclass(frozen=True, eq=False)
class Propensities:
    """The probability that a document is looked at where it was shown, relative to the first place.

    Parameters
    ----------
    values : array of shape (places,)
        Those of places 1, 2, 3, ...: above 0, at most 1.

    Examples
    --------
    >>> Propensities([1.0, 0.5, 0.25]).at(np.array([2, 1, 3]))
    array([0.5 , 1.  , 0.25])
    """

    values: Values

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 1 or not len(values):
            raise DataError(f"Propensities are one number for each place. Got shape {values.shape}.")
        wrong = ~((values > 0) & (values <= 1))
        if wrong.any():
            place = int(np.argmax(wrong)) + 1
            raise DataError(
                f"The propensity of place {place} is {values[place - 1]:g}: it must be above 0 and at most 1."
            )
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def at(self, position: ArrayLike) -> Values:
        """The propensity of each of these places; one further down than the table goes is an error."""
        places = np.asarray(position, dtype=np.int64)
        if places.size and int(places.max()) > len(self.values):
            raise DataError(
                f"A document was shown at place {int(places.max())}, but propensities are known for places 1 to "
                f"{len(self.values)}: give those of all places, or leave such documents out."
            )
        return np.asarray(self.values[places - 1])

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Propensities:
        """Read a CSV with the columns position and propensity, a line for every place from 1 on."""
        rows = list(csv.DictReader(read_text(path).splitlines()))
        try:
            table = {int(row["position"]): float(row["propensity"]) for row in rows}
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{os.fspath(path)}: propensities are a CSV with the columns position and propensity: {error!r}."
            ) from error
        if sorted(table) != list(range(1, len(table) + 1)) or len(table) != len(rows):
            raise DataError(f"{os.fspath(path)}: there must be one line for each place, from 1 on without a gap.")
        return cls(np.array([table[place] for place in sorted(table)]))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write what `read` reads."""
        lines = [f"{place},{value!r}" for place, value in enumerate(self.values.tolist(), start=1)]
        write_whole(path, "\n".join(["position,propensity", *lines]) + "\n")


def estimate_propensities(data: RankingData, *, max_iter: int = 200, tol: float = 1e-5) -> Propensities:
    r"""Estimate from clicks how likely each place is looked at: a position-based model, fitted by EM.

    A document is clicked where it is looked at and relevant, and the two are independent given its features:

    .. math:: P(c = 1 \mid k, x) = \theta_k \, \gamma(x), \qquad \gamma(x) = \frac{1}{1 + e^{-(b + w^\top x)}}

    No experiment is needed: documents with like features are shown at different places. What was looked at and what is
    relevant is not seen; the expectation of both given the clicks and the present model (E) gives the next
    :math:`\theta` as means and the next w by a logistic regression (M).

    Parameters
    ----------
    data : RankingData
        Labels are clicks (above 0), `beside.position` the places; weights are gone by.
    max_iter : int, default=200
        Rounds of EM at most.
    tol : float, default=1e-5
        EM ends when no propensity changes by more.

    Returns
    -------
    Propensities
        Over that of the first place; the model tells them up to a factor only. Places at which nothing was shown are
        refused.

    Notes
    -----
    O(n K^2) a round. Three things bias the estimate: relevance that is far from linear in the features; few different
    queries, whose documents are always shown at the same places; and a feature that the engine orders by, which cannot
    be told from the place itself (`lint` names it: leave it out, where it is not relevant). Give propensities from an
    experiment where you have them.

    References
    ----------
    X. Wang, N. Golbandi, M. Bendersky, D. Metzler, M. Najork. Position bias estimation for unbiased learning to rank
    in personal search. WSDM 2018.

    Examples
    --------
    >>> from leanrank import make_ranking
    >>> from leanrank.data.clicks import simulate_clicks
    >>> judged, _ = make_ranking(1000, 6, n_informative=2, n_redundant=0, n_noise=2, random_state=0)
    >>> true, order = Propensities([1.0, 0.6, 0.4, 0.3]), np.random.default_rng(1).random(judged.n_rows)
    >>> log = simulate_clicks(judged, order, true, n_sessions=5_000, random_state=0)
    >>> bool(np.abs(estimate_propensities(log).values - true.values).max() < 0.06)
    True
    """
    position = data.beside.position
    if position is None:
        raise DataError("Propensities are estimated from where documents were shown: name the column position.")
    if max_iter < 1:
        raise ParameterError.of("estimate_propensities", "max_iter", ">= 1", max_iter)
    place = position - 1
    seen = np.bincount(place)
    if (seen == 0).any():
        empty = int(np.argmax(seen == 0)) + 1
        raise DataError(f"Nothing was shown at place {empty}, but further down: its propensity cannot be told.")
    clicked = data.y > 0
    weights = row_weights(data)
    weight = np.ones(data.n_rows) if weights is None else weights
    total = np.bincount(place, weight)
    if not clicked.any() or clicked.all() or (total == 0).any():
        raise DataError("Propensities need clicks and documents without one, and weights above 0 at every place.")
    features = _Logistic(data)
    theta = np.full(len(seen), 0.5)
    for _ in range(max_iter):
        looked_at, relevance = theta[place], features.probability
        neither = 1.0 - looked_at * relevance
        examined = np.where(clicked, 1.0, looked_at * (1.0 - relevance) / neither)
        relevant = np.where(clicked, 1.0, relevance * (1.0 - looked_at) / neither)
        before, theta = theta, np.clip(np.bincount(place, weight * examined) / total, _EDGE, 1.0 - _EDGE)
        features.step(relevant, weight)
        if np.abs(theta - before).max() < tol:
            break
    return Propensities(np.minimum(theta / theta[0], 1.0))


class _Logistic:
    """A logistic regression on all features that is improved by a Newton step at a time."""

    def __init__(self, data: RankingData) -> None:
        X = np.asarray(data.dense(), dtype=np.float64)
        mean, spread = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
        self._Z = np.ones((data.n_rows, data.n_features + 1))
        self._Z[:, 1:] = np.nan_to_num((X - mean) / np.where(spread > 0, spread, 1.0), nan=0.0)
        self._w = np.zeros(data.n_features + 1)

    @property
    def probability(self) -> Values:
        """Of each row."""
        chance: Any = 1.0 / (1.0 + np.exp(-np.clip(self._Z @ self._w, -30, 30)))
        return np.asarray(np.clip(chance, _EDGE, 1.0 - _EDGE))

    def step(self, target: Values, weight: Values) -> None:
        """One Newton step towards these probabilities."""
        p = self.probability
        slope = self._Z.T @ (weight * (target - p)) - 1e-6 * self._w
        curve = (self._Z * (weight * p * (1.0 - p))[:, None]).T @ self._Z
        curve[np.diag_indices_from(curve)] += 1e-6 * (1.0 + np.trace(curve))
        self._w = self._w + np.linalg.solve(curve, slope)
