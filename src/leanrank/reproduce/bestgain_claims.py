"""What Costa and Silva state of their Table 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leanrank.evaluation.significance import paired_t_test
from leanrank.reproduce.bestgain_methods import BASELINE, WRAPPER
from leanrank.reproduce.outcome import Claim

RANKING = ("GAS-E", "BestGain", WRAPPER)
CLASSIFICATION = ("FCBF", "CFS", "Consistency", "INTERACT")
_MEASURES = ("MAP", "NDCG@10")


def claims(datasets: Sequence[str], outcomes: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Findings for each data set, and those on the means over all of them."""
    stated = []
    for dataset in datasets:
        of = outcomes.get(dataset)
        if of is None:
            stated.append(Claim(f"{dataset}: the findings of Section 5", None, f"needs {dataset}", where="Table 2"))
            continue
        stated.append(_few_features(dataset, of))
        if WRAPPER in of:
            stated += _of_all_methods(dataset, of)
    missing = [dataset for dataset in datasets if WRAPPER not in outcomes.get(dataset, {})]
    return [*stated, _overall(datasets, outcomes, missing)]


def _few_features(dataset: str, of: Mapping[str, Any]) -> Claim:
    share = of["BestGain"].cell("# features") / of[BASELINE].cell("# features")
    tests = {m: paired_t_test(of["BestGain"].per_query(m), of[BASELINE].per_query(m)) for m in ("map", "ndcg@10")}
    figures = ", ".join(f"{m} {t.difference:+.4f}, p = {t.p:.3f}" for m, t in tests.items())
    return Claim(
        f"{dataset}: BestGain keeps at most 15% of the features and is no worse than all of them (paired t-test, 0.05)",
        share <= 0.15 and all(t.p >= 0.05 or t.difference > 0 for t in tests.values()),
        f"{share:.1%} of the features; {figures}",
        where="Table 2",
    )


def _of_all_methods(dataset: str, of: Mapping[str, Any]) -> list[Claim]:
    ratio = of[WRAPPER].seconds / of["BestGain"].seconds
    least = min(of[m].cell("NDCG@10") for m in RANKING)
    most = max(of[m].cell("NDCG@10") for m in CLASSIFICATION)
    fewest = {m: of[m].cell("# features") for m in (*RANKING, *CLASSIFICATION)}
    best = {m: max(RANKING + CLASSIFICATION, key=lambda method, m=m: of[method].cell(m)) for m in _MEASURES}  # type: ignore[misc]
    stated = [
        Claim(f"{dataset}: the wrapper is far slower than BestGain", ratio > 10, f"{ratio:.0f} times as long"),
        Claim(
            f"{dataset}: the three methods made for ranking are above the four made for classification (NDCG@10)",
            least > most,
            f"lowest of the three {least:.2f}, highest of the four {most:.2f}",
        ),
    ]
    if dataset == "TD2003":
        return stated  # GAS-E keeps many features there, and the wrapper is poor, in the paper too
    many = max(fewest[m] for m in RANKING)
    others = min(fewest[m] for m in CLASSIFICATION if m != "FCBF")
    return [
        *stated,
        Claim(
            f"{dataset}: the methods made for ranking keep fewer features than those for classification, FCBF aside",
            many < others,
            f"at most {many:.1f} and at least {others:.1f}",
        ),
        Claim(
            f"{dataset}: the wrapper is the best of all selections in MAP and NDCG@10",
            set(best.values()) == {WRAPPER},
            ", ".join(f"{m}: {name} {of[name].cell(m):.2f}" for m, name in best.items()),
        ),
        Claim(
            f"{dataset}: BestGain is above all features in NDCG@10",
            of["BestGain"].cell("NDCG@10") > of[BASELINE].cell("NDCG@10"),
            f"{of['BestGain'].cell('NDCG@10'):.2f} and {of[BASELINE].cell('NDCG@10'):.2f}",
        ),
    ]


def _overall(datasets: Sequence[str], outcomes: Mapping[str, Mapping[str, Any]], missing: Sequence[str]) -> Claim:
    text = "BestGain has the best means of MAP and NDCG@10 over the three data sets"
    if missing:
        return Claim(text, None, f"needs {', '.join(missing)}", where="Figure 1")
    means = {
        measure: {
            method: float(np.mean([outcomes[dataset][method].cell(measure) for dataset in datasets]))
            for method in (*RANKING, *CLASSIFICATION)
        }
        for measure in _MEASURES
    }
    best = {measure: max(of, key=of.__getitem__) for measure, of in means.items()}
    figures = ", ".join(f"{measure}: {name} {means[measure][name]:.2f}" for measure, name in best.items())
    return Claim(text, set(best.values()) == {"BestGain"}, figures, where="Figure 1")
