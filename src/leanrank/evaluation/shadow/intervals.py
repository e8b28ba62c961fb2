"""The mean loss over all logged queries, estimated from a few that were drawn with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from leanrank.evaluation.shadow.largest import Largest

Floats = NDArray[np.float64]

#: Queries of a kind that was not drawn are allowed a part of what they can lose: 2 / (2 + n) where n queries were seen
#: to lose or gain, and at least this.
PART = 1 / 6
#: The kurtosis of a sample falls short of that of losses with heavy tails: it is counted so many times.
HEAVIER = 2.0
#: The variance of a systematic sample is known but approximately: every interval is so much longer.
MARGIN = 1.03
_NEARLY_CERTAIN = 1 - 1e-9


@dataclass(frozen=True)
class Interval:
    """A mean and how sure it is."""

    mean: float
    low: float
    high: float
    power: float = 0.0  # the weight that machine-made labels were given, 0 without any
    # whether so few queries lost or gained much that an end rests on the largest loss that labels allow
    bounded: bool = False


@dataclass(frozen=True)
class Machine:
    """Losses by machine-made labels: those of the judged queries, and the sum over all queries."""

    losses: Floats
    total: float


def interval(
    losses: Floats,
    probability: Floats,
    n_queries: int,
    *,
    largest: Largest | None = None,
    level: float = 0.95,
    machine: Machine | None = None,
) -> Interval:
    """The mean of a loss over `n_queries`, of which those that were not drawn from lose nothing.

    The estimate is the Horvitz-Thompson one, which is unbiased, of the judged losses :math:`d_i`; with losses by a
    machine :math:`f_i`, that of :math:`d_i - \\lambda f_i`, plus :math:`\\lambda` times the mean that the machine
    finds on all queries (prediction-powered inference):

    .. math:: \\hat\\theta = \\frac1N \\Big(\\lambda \\sum_{i \\le N} f_i
              + \\sum_{i \\in s} \\frac{d_i - \\lambda f_i}{\\pi_i}\\Big)

    :math:`\\lambda` is the one with the smallest estimated variance, so that a machine that knows nothing adds nothing;
    what the fit takes is paid for, by a degree of freedom and by the leverage of each query (as in the jackknife). The
    variance is Hajek's for a sample of fixed size, with
    :math:`z_i = (d_i - \\lambda f_i) / \\pi_i` and the mean :math:`A` of :math:`z` weighted by :math:`1 - \\pi_i`:

    .. math:: v = \\frac{m}{m - 1} \\sum_{i \\in s} (1 - \\pi_i) (z_i - A)^2

    It is an approximation, for which every interval is 3% longer. Its quantiles :math:`t` are Student's, with at most
    m - 1 degrees of freedom. Where few are judged out of many, a large loss that is drawn moves the estimate and widens
    the interval, which makes up for those that are not drawn; where a good part of all is judged that fails, and the
    estimate divided by its error has a variance of :math:`1 + \\sum_s \\pi_i e_i^4 / (\\sum_s e_i^2)^2`
    instead of 1, with :math:`e_i^2 = (1 - \\pi_i)(z_i - A)^2` (by the delta method). The degrees of freedom are
    :math:`2 (\\sum_s e_i^2)^2 / \\sum_s \\min(2 \\pi_i, 1)\\, e_i^4` therefore, where the 2 in the sum makes up for a
    sample's kurtosis, which falls short of that of losses with heavy tails.

    On the side where more queries lose (or gain) the interval is longer, by Hall's expansion for a skewed mean,

    .. math:: t + \\frac{2 t^2 + 1}{6} g + \\frac{5 t (4 t^2 - 1)}{72} g^2,\\quad
              g = \\frac{|n_+ - n_-|}{n_+ + n_-} \\frac{\\sum_s |e_i|^3}{(\\sum_s e_i^2)^{3/2}}

    where :math:`n_+` queries lose and :math:`n_-` gain: the skewness is that of losses whose size has nothing to do
    with their sign, since the third moment of a few dozen losses is mostly chance. For the same reason the other side
    is never shorter.

    A sample that holds none of a few large losses says nothing of them, and its spread is small. Where a share f of all
    is judged, k queries of a kind are missed with probability :math:`(1 - f)^k`, which is :math:`\\alpha / 2`, that of
    one end, for :math:`k = \\ln(\\alpha / 2) / \\ln(1 - f)`. If each of them loses the cut c of `largest` times its
    probability f, and some what is beyond the cut, they lose in all

    .. math:: B = c f\\, \\frac{\\ln(\\alpha / 2)}{\\ln(1 - f)} + \\mathrm{beyond},\\quad
              f = \\frac{m}{\\sum_s 1 / \\pi_i}

    Where nothing was seen to lose or gain, this is how far both ends have to be from 0. The more was seen, the less
    can what was not seen differ from it: no end is nearer to the estimate than

    .. math:: \\frac{B}{N} \\max\\Big(\\frac16, \\frac{2}{2 + n}\\Big)
              \\min\\Big(1,\\ \\max(0, \\pm b) + \\sqrt{f + 1/n}\\Big),\\quad
              b = \\frac{n_+ - n_-}{n},\\ n = n_+ + n_-

    upwards with :math:`+b` and downwards with :math:`-b`: losses and gains that nobody saw make up for each other as
    far as those that were seen do, up to chance, which is 1/n in the balance of the sample, and f in that of the few
    there are. With losses by a machine the sixth is smaller as the standard error is.

    Parameters
    ----------
    losses, probability : arrays of shape (n,)
        What each judged query loses, and the probability with which it was drawn.
    n_queries : int
    largest : Largest, default=None
        What a query can lose or gain at most; without it nothing is allowed for what was not seen.
    level : float, default=0.95
    machine : Machine, default=None

    References
    ----------
    J. Hajek. Asymptotic theory of rejective sampling. Annals of Mathematical Statistics 35, 1964.
    A. Angelopoulos, J. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv 2311.01453, 2023.
    P. Hall. Inverting an Edgeworth expansion. Annals of Statistics 11, 1983.

    Examples
    --------
    >>> estimate = interval(np.array([0.0, 0.2, 0.1, -0.1]), np.full(4, 1.0), 100)
    >>> round(estimate.mean, 4), round(estimate.low, 4), round(estimate.high, 4)
    (0.002, 0.002, 0.002)
    """
    open_ = probability < _NEARLY_CERTAIN
    weight = np.where(open_, 1 - probability, 0.0)
    z = losses / probability
    m = int(open_.sum())
    if m < 2:
        mean = float(z.sum()) / n_queries
        return Interval(mean, mean, mean)
    alone = _centred(z, weight)
    power, total, spent, leverage = 0.0, 0.0, 1, np.zeros(len(z))
    if machine is not None:
        by_machine = machine.losses / probability
        power = _power(z, by_machine, weight)
        if power != 0.0:
            z, total, spent = z - power * by_machine, power * machine.total, 2
            deviations = _centred(by_machine, weight)
            leverage = deviations**2 / (deviations**2).sum()
    mean = (total + float(z.sum())) / n_queries
    error = (_centred(z, weight) / (1 - np.minimum(leverage, 0.9)))[open_]
    standard_error = MARGIN * float(np.sqrt(m / (m - 1) * (error**2).sum())) / n_queries
    tail = (1 - level) / 2
    chances, signs = probability[open_], np.sign(losses[open_])
    arms = np.array(_arms(error, chances, signs, float(max(m - spent, 1)), tail)) * standard_error
    if largest is None:
        return Interval(mean, float(mean - arms[0]), float(mean + arms[1]), power)
    left = 1.0 if power == 0.0 else float(np.sqrt((error**2).sum() / (alone**2).sum()))
    unseen = np.array(_unseen(chances, signs, largest, left, tail)) / n_queries
    below, above = np.maximum(arms, unseen)
    return Interval(mean, float(mean - below), float(mean + above), power, bool((unseen > arms).any()))


def _arms(error: Floats, probability: Floats, signs: Floats, freedom: float, tail: float) -> tuple[float, float]:
    """How many standard errors the interval reaches below the estimate and above it."""
    squares, told = float((error**2).sum()), float(np.abs(signs).sum())
    heavy = float((np.minimum(HEAVIER * probability, 1.0) * error**4).sum())
    if heavy > 0:
        freedom = max(min(freedom, 2 * squares**2 / heavy), 1.0)
    t = float(stats.t.ppf(1 - tail, freedom))
    if told == 0 or squares == 0:
        return t, t
    skewness = float(signs.sum()) / told * float((np.abs(error) ** 3).sum()) / squares**1.5
    longer = t + (2 * t**2 + 1) / 6 * abs(skewness) + 5 * t * (4 * t**2 - 1) / 72 * skewness**2
    return (t, longer) if skewness > 0 else (longer, t)


def _unseen(probability: Floats, signs: Floats, largest: Largest, left: float, tail: float) -> tuple[float, float]:
    """How much queries of a kind that was not drawn may gain, and how much lose, in all."""
    told, judged = float(np.abs(signs).sum()), len(probability) / float((1 / probability).sum())
    most = largest.cut * judged * float(np.log(tail) / np.log1p(-judged)) + largest.beyond
    most *= max(PART * left, 2 / (2 + told))
    balance, chance = float(signs.sum()) / max(told, 1.0), float(np.sqrt(judged + 1 / max(told, 1.0)))
    return most * min(max(-balance, 0.0) + chance, 1.0), most * min(max(balance, 0.0) + chance, 1.0)


def _centred(z: Floats, weight: Floats) -> Floats:
    """Deviations from the weighted mean, so that their squares add up to the variance."""
    centred: Floats = (z - (weight * z).sum() / weight.sum()) * np.sqrt(weight)
    return centred


def _power(z: Floats, by_machine: Floats, weight: Floats) -> float:
    """The multiple of the machine's losses that leaves the smallest variance; 0 with too few judgements to tell."""
    f = _centred(by_machine, weight)
    squares = float((f**2).sum())
    if squares <= 0 or np.count_nonzero(weight) < 4:
        return 0.0
    return float((f * _centred(z, weight)).sum()) / squares
