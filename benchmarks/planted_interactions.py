"""Who finds features that matter only together: places of planted interacting pairs among noise, by method.

    python -m benchmarks.planted_interactions

Writes docs/planted_interactions.md. In the data the label depends on whether the two features of a pair are on the
same side of their query's middle, and on neither alone. RankWrapper is given the labels as scores.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leanrank import GAS, RankFilter, RankWrapper, TopK, make_ranking

SEEDS = range(5)
# One pair among ten noise features; and a harder case, two pairs beside more useful features and their copies.
ONE_PAIR = {"n_informative": 2, "n_redundant": 0, "n_interacting": 2, "n_noise": 10}
TWO_PAIRS = {"n_informative": 3, "n_redundant": 2, "n_interacting": 4, "n_noise": 10}


def places(seed: int, counts: dict[str, int]) -> dict[str, dict[str, Any]]:
    """For each method the places of the interacting features (1 is best), and that of the best noise feature."""
    data, truth = make_ranking(150, (60, 100), random_state=seed, **counts)
    fitted = {
        "RankFilter": RankFilter().fit(data),
        "RankWrapper": RankWrapper().fit(data, scores=data.y),
        "TopK": TopK().fit(data),
        "GAS": GAS().fit(data),
    }
    found = {}
    for name, selector in fitted.items():
        place = {int(j): i for i, j in enumerate(selector.order_, start=1)}
        of_role = {
            role: sorted(place[j] for j, t in enumerate(truth) if t.role == role) for role in ("interacting", "noise")
        }
        found[name] = {"interacting": of_role["interacting"], "best noise": of_role["noise"][0]}
    return found


def table(counts: dict[str, int]) -> str:
    """One row per seed: places of the interacting features / place of the best noise feature."""
    by_seed = {seed: places(seed, counts) for seed in SEEDS}
    names = list(by_seed[0])
    lines = ["| seed | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for seed, found in by_seed.items():
        cells = [f"{', '.join(map(str, f['interacting']))} / {f['best noise']}" for f in found.values()]
        lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page() -> str:
    """The tables with what they mean."""
    lines = [
        "# Features that matter only together",
        "",
        "Places (1 is best) of planted interacting features, then that of the best noise feature, by method and seed.",
        "The label depends on whether the two features of a pair are on the same side of their query's middle, and on",
        "neither alone; RankWrapper is given the labels as scores.",
        "Made by `python -m benchmarks.planted_interactions`.",
    ]
    for counts in (ONE_PAIR, TWO_PAIRS):
        lines += ["", "## " + ", ".join(f"{key}={value}" for key, value in counts.items()), "", table(counts)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page()
    (Path(__file__).parent.parent / "docs" / "planted_interactions.md").write_text(text)
    print(text)
