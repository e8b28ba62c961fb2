"""What Yu, Oh and Han state, on our curves and times."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from leanrank.engines.local import LocalEngine
from leanrank.reproduce.datasets import STRICT
from leanrank.reproduce.outcome import Claim
from leanrank.reproduce.rankrelief_data import LEVEL, LEVELS, NARROW, NEAREST, ORDER, POINTS, WIDE, points
from leanrank.selectors.gas import GAS
from leanrank.selectors.rankfilter import RankFilter

LEARNERS = ("Committee Perceptron", "RankSVM (RBF)")

#: (method, learner) -> mean of the measure at each number of features, descending
Curves = dict[tuple[str, str], NDArray[np.float64]]

#: What the text at hand has lost of the synthetic data.
_NARROW = "5 of 30 features matter, kernels half as wide"


def claims(by_name: Mapping[str, Curves]) -> list[Claim]:
    """The findings, and the same in other readings."""
    stated = []
    for generator, reading in ((WIDE, ""), (NARROW, _NARROW)):
        for kind, methods, figure in ((" relative ordering", ORDER, "Figure 2"), (" five levels", LEVEL, "Figure 3")):
            curves = by_name.get(f"{generator.name},{kind}")
            if curves is not None:
                stated += _of_curves(f"synthetic,{kind}", curves, methods, figure, reading)
    order, levels = (by_name.get(f"OHSUMED, {kind}") for kind in ("relative ordering", "three levels"))
    if order is None or levels is None:
        text = "OHSUMED: RankWrapper and RankFilter are the best"
        return [*stated, Claim(text, None, "needs OHSUMED", where="Figures 6 and 7"), *_words()]
    stated += _of_curves("OHSUMED, relative ordering", order, ORDER, "Figure 6")
    stated += _of_curves("OHSUMED, three levels", levels, LEVEL, "Figure 7")
    for synthetic in (by_name["synthetic, relative ordering"], order):
        name = "OHSUMED, relative ordering" if synthetic is order else "synthetic, relative ordering"
        nearest = {key: curve for key, curve in synthetic.items() if key[0] != "RankWrapper"}
        swapped = {("RankWrapper" if m == NEAREST else m, x): curve for (m, x), curve in nearest.items()}
        stated += [
            claim
            for claim in _of_curves(name, swapped, ORDER, "", "sigma = k/2, one or two neighbours decide")
            if "RankWrapper is" in claim.text
        ]
    return [*stated, *_comparisons(by_name), *_words()]


def _of_curves(name: str, curves: Curves, methods: Sequence[str], figure: str, reading: str = "") -> list[Claim]:
    stated = []
    for learner in LEARNERS:
        means = {method: float(curves[method, learner].mean()) for method in methods}
        figures = ", ".join(f"{method} {value:.4f}" for method, value in means.items())
        text = f"{name}, {learner}: {methods[0]} is the best (mean of the curve)"
        best = max(means, key=means.__getitem__) == methods[0]
        stated.append(Claim(text, best, figures, where=figure, reading=reading))
        if name.startswith("synthetic"):
            for gas in ("GAS", "GAS one way"):
                lowest = means[gas] < min(means[methods[0]], means[methods[1]])
                text = f"{name}, {learner}: {gas} is the lowest"
                stated.append(Claim(text, lowest, figures, where=figure, reading=reading))
    return stated


def _comparisons(by_name: Mapping[str, Curves]) -> list[Claim]:
    real, made = by_name["OHSUMED, three levels"], by_name["synthetic, five levels"]
    svm, cp = (float(np.mean([real[m, learner].mean() for m in LEVEL])) for learner in reversed(LEARNERS))
    gaps = [
        float(np.mean([curves["RankFilter", x].mean() - curves["ReliefF", x].mean() for x in LEARNERS]))
        for curves in (made, real)
    ]
    order = {key: curve for key, curve in by_name["OHSUMED, relative ordering"].items() if key[0] != NEAREST}
    highest = max(order, key=lambda key: float(order[key].mean()))
    return [
        Claim(
            "OHSUMED, three levels: RankSVM is much more accurate than Committee Perceptron",
            svm - cp > 0.01,
            f"{svm:.4f} and {cp:.4f}",
            where="Figure 7",
        ),
        Claim(
            "RankFilter and ReliefF differ less on OHSUMED (three levels) than on the synthetic data (five)",
            abs(gaps[1]) < abs(gaps[0]),
            f"{gaps[1]:+.4f} and {gaps[0]:+.4f}",
            where="Figure 7",
        ),
        Claim(
            "OHSUMED, relative ordering: RankWrapper with Committee Perceptron is the best of all",
            highest == ("RankWrapper", "Committee Perceptron"),
            f"{' with '.join(highest)}: {float(order[highest].mean()):.4f}",
            where="Figure 6",
        ),
    ]


def _words() -> list[Claim]:
    text = "Word features of ten queries: RankWrapper is the best for most of them, with few of the words"
    needs = "needs the documents of OHSUMED"
    return [
        Claim("The documents and words of ten queries", None, needs, where="Table 1"),
        Claim(text, None, needs, where="Figure 8"),
    ]


def time_claims() -> list[Claim]:
    """How time grows with the number of features and of points, on one thread."""
    sizes = {"few": (POINTS, 100), "features": (POINTS, 400), "points": (4 * POINTS, 100)}
    seconds = {name: _seconds(*size) for name, size in sizes.items()}
    growth = {
        name: {method: seconds[name][method] / seconds["few"][method] for method in ("GAS", "RankFilter")}
        for name in ("features", "points")
    }
    ratio = seconds["few"]["GAS"] / seconds["few"]["RankFilter"]
    by_features, by_points = growth["features"], growth["points"]
    return [
        Claim(
            "GAS's time grows faster with the number of features than RankFilter's",
            by_features["GAS"] > by_features["RankFilter"],
            f"400 features take {by_features['GAS']:.1f} times as long as 100 for GAS, "
            f"{by_features['RankFilter']:.1f} times for RankFilter",
            where="Figure 4",
        ),
        Claim(
            "At 100 features GAS is slower than RankFilter",
            ratio > 1,
            f"{ratio:.1f} times as long ({1000 * seconds['few']['GAS']:.1f} ms)",
            where="Figure 4",
        ),
        Claim(
            "GAS's time grows faster with the number of points than RankFilter's",
            by_points["GAS"] > by_points["RankFilter"],
            f"400 points take {by_points['GAS']:.1f} times as long as 100 for GAS, {by_points['RankFilter']:.1f} times "
            "for RankFilter (100 features)",
            where="Figure 5",
        ),
    ]


def _seconds(n_points: int, n_features: int) -> dict[str, float]:
    """The least processor time of seven fits of GAS and RankFilter."""
    rng = np.random.default_rng(0)
    alone = LocalEngine(n_threads=1)
    data = points(rng.random((n_points, n_features)), rng.permutation(n_points) * LEVELS // n_points)
    selectors = {
        "GAS": GAS(importance="ndcg@10", similarity=STRICT, engine=alone),
        "RankFilter": RankFilter(n_neighbors=5, engine=alone),
    }
    seconds = {}
    for name, selector in selectors.items():
        times = []
        for _ in range(7):
            start = time.process_time()  # not the clock: other work on the machine would be measured
            selector.fit(data)
            times.append(time.process_time() - start)
        seconds[name] = min(times)
    return seconds
