"""RCDR: the artificial experiment and the SUSHI curves of Kamishima and Akaho."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from leanrank.data.orders import from_orders, read_sushi
from leanrank.data.ranking_data import RankingData
from leanrank.data.splits import QueryKFold
from leanrank.engines.local import LocalEngine
from leanrank.evaluation.journal import Task
from leanrank.evaluation.tasks import Tasks
from leanrank.metrics._base import mean
from leanrank.metrics.names import metric
from leanrank.rankers.expected_rank_regression import ExpectedRankRegression
from leanrank.reducers.rcdr import RCDR
from leanrank.reproduce.datasets import DataFolder
from leanrank.reproduce.outcome import Cell, Choice, Claim, Published, Reproduction, Table, published

Vector = NDArray[np.float64]

METHODS = ("KRCDR", "SRCDR", "PCA", "ORIG")
SIZES = ((500, 10), (100, 5), (100, 2))
SMALL = 2
#: The place the text gives its method among those of Table 3.
RANKS = {(500, 10): 3, (100, 5): 1, (100, 2): 2}
_FOLDS = 10
_SCALED = "attributes scaled to unit variance"
_LARGE = "at larger K', which is our question: the text says clear of small K' alone"
CHOICES = (Choice("scale of the attributes", "as they are", "the text, which mentions no scaling", 2),)


def run(data: DataFolder, tasks: Tasks, *, quick: bool = False) -> Reproduction:
    """Both experiments."""
    cells = _artificial(3 if quick else 30)
    claims: list[Claim] = []
    tables: list[Table] = []
    folder = data.folder("sushi")
    texts = [p for p in published("rcdr") if p.table == "text" and p.metric.startswith("w1[")]
    if folder is None:
        cells += [Cell(p, None, reason="needs SUSHI") for p in texts]
        claims.append(Claim("SUSHI: the curves", None, "needs SUSHI", where="Figure 4"))
    else:
        sushi = read_sushi(folder)
        cells += _components(sushi, texts, 5 if quick else 50)
        for scale in (False,) if quick else (False, True):
            curves = {}
            for n, length in SIZES:
                draws = 1 if quick else 5 if n == 500 else 60
                curves[n, length] = _curves(sushi, n, length, draws, scale, tasks)
            tables += [_table(n, length, scale, curves[n, length]) for n, length in SIZES]
            claims += _claims(curves, scale)
    claims += [
        Claim("NEWS: RCDR is above PCA and above every method of Table 3", None, "needs NEWS", where="Figure 4"),
        Claim("How the time of the learners and of RCDR grows", None, "orders of growth, no figures", where="Table 1"),
    ]
    for p in published("rcdr"):
        if p.table == "3":
            other = "copied from another paper; `leanrank reproduce sushi-rankers` runs those learners"
            cells.append(Cell(p, None, reason="needs NEWS" if p.dataset.startswith("NEWS") else other))
    return Reproduction.of("rcdr", cells, claims, tables, CHOICES, quick=quick)


def _artificial(n_seeds: int) -> list[Cell]:
    """Table 2: means over seeds, as the paper's one draw is not known; component signs as printed."""
    vectors: dict[str, list[Vector]] = {"KRCDR": [], "SRCDR": []}
    norms: dict[str, list[Vector]] = {"KRCDR": [], "SRCDR": []}
    ratios = []
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        items = rng.normal(size=(1000, 5))
        items[:, 4] = items[:, 3]
        worth = items @ np.array([1.0, 1.0, 0.5, 0.0, 0.0])
        chosen = [rng.choice(1000, 5, replace=False) for _ in range(300)]
        orders = from_orders(items, [c[np.argsort(-worth[c])] for c in chosen])
        for method, kind in (("KRCDR", "kendall"), ("SRCDR", "spearman")):
            reducer = RCDR(2, kind=kind, scale=False).fit(orders)
            vectors[method].append(reducer.components_)
            norms[method].append(reducer.norms_)
        ratios.append(PCA(2).fit(items).explained_variance_ratio_)
    cells = []
    for p in published("rcdr"):
        if p.table == "2":
            which = 0 if p.metric.startswith("first") else 1
            if p.method == "PCA":
                ours = float(np.mean(ratios, axis=0)[which]) if "ratio" in p.metric else None
                reason = "" if ours is not None else "the print is rows of the eigenvector matrix, not components"
            elif "component" in p.metric:
                if which == 0:
                    drawn = np.array(vectors[p.method])[:, 0, int(p.metric[-1]) - 1]
                    ours, reason = float(drawn.mean()), _one_draw(drawn)
                else:
                    ours, reason = None, "the second direction is noise in this experiment: it changes with the draw"
            else:
                ours = float(np.mean(norms[p.method], axis=0)[which]) / 5
                reason = "ours divided by K = 5, which is what the print can only mean"
            cells.append(Cell(p, ours, reason=reason))
    return cells


def _components(sushi: RankingData, texts: Sequence[Published], draws: int) -> list[Cell]:
    """The first Kendall component, mean over draws of 500 orders."""
    components = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        part = sushi.take_queries(np.sort(rng.choice(sushi.n_queries, 500, replace=False)))
        components.append(RCDR(1, kind="kendall").fit(part).components_[0])
    cells = []
    for p in texts:
        drawn = np.array(components)[:, int(p.metric[3 : p.metric.index("]")])]
        cells.append(Cell(p, float(drawn.mean()), reason=_one_draw(drawn)))
    return cells


def _one_draw(drawn: Vector) -> str:
    """Why a mean over draws differs from a figure of one draw."""
    return f"mean over {len(drawn)} draws, standard deviation {drawn.std(ddof=1):.3f}; the paper's is one draw"


def _curves(sushi: RankingData, n_orders: int, length: int, draws: int, scale: bool, tasks: Tasks) -> dict[str, Vector]:
    """Rho of each method: draws by K'."""

    def one(sushi: RankingData, task: Task, _: None) -> dict[str, list[float]]:
        seed = task["seed"]
        rng = np.random.default_rng(seed)
        chosen = sushi.take_queries(np.sort(rng.choice(sushi.n_queries, n_orders, replace=False)))
        orders = _shortened(chosen, length, rng)
        splits = QueryKFold(_FOLDS, shuffle=True, random_state=seed).split_queries(orders)
        values = [_fold(orders.take_queries(train), orders.take_queries(test), scale) for train, test in splits]
        return {method: np.mean([fold[method] for fold in values], axis=0).tolist() for method in METHODS}

    what = {"paper": "rcdr", "orders": n_orders, "length": length, "scaled": scale}
    title = f"SUSHI {n_orders}:{length}" + (", scaled" if scale else "")
    scores = tasks.run(one, sushi, [{**what, "seed": seed} for seed in range(draws)], title=title)
    return {method: np.array([draw[method] for draw in scores]) for method in METHODS}


def _shortened(orders: RankingData, length: int, rng: np.random.Generator) -> RankingData:
    """`length` objects drawn of every order, in their order."""
    sizes = orders.query_sizes
    rows = np.concatenate(
        [
            start + np.sort(rng.choice(size, length, replace=False))
            for start, size in zip(orders.query_ptr[:-1], sizes, strict=True)
        ]
    )
    labels = np.tile(np.arange(length - 1, -1, -1, dtype=np.float32), orders.n_queries)
    return RankingData(
        orders.X[rows], labels, np.arange(0, length * orders.n_queries + 1, length), feature_names=orders.feature_names
    )


def _fold(train: RankingData, test: RankingData, scale: bool) -> dict[str, Vector]:
    """Rho by K' on the test orders. `scale` divides attributes by their deviation over the training rows."""
    K = train.n_features
    if scale:
        spread = train.X.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        train, test = (replace(part, X=part.X / spread) for part in (train, test))
    parts = [train.X, test.X]
    objects = np.unique(train.X, axis=0)
    bases = {
        "KRCDR": _basis(train, "kendall"),
        "SRCDR": _basis(train, "spearman"),
        "PCA": PCA(min(K, len(objects))).fit(objects).components_,
    }
    original = _rho(train, test, *parts)
    scores = {"ORIG": np.full(K, original)}
    for method, basis in bases.items():
        values = [_rho(train, test, *(part @ basis[:k].T for part in parts)) for k in range(1, len(basis) + 1)]
        # Where no further direction was found, the last one stands for larger K'.
        scores[method] = np.array(values + [values[-1]] * (K - len(values)))
    return scores


def _basis(train: RankingData, kind: str) -> Vector:
    basis: Vector = RCDR(kind=kind, scale=False, engine=LocalEngine(n_threads=1)).fit(train).components_
    return basis


def _rho(train: RankingData, test: RankingData, reduced: Vector, held_out: Vector) -> float:
    ranker = ExpectedRankRegression().fit(RankingData(reduced, train.y, train.query_ptr))
    values = metric("spearman").per_query(test.y, ranker.predict(held_out), test.query_ptr)
    return float(mean(values))


def _table(n: int, length: int, scale: bool, curves: dict[str, Vector]) -> Table:
    rows = [(str(k + 1), *(f"{curves[m][:, k].mean():.3f}" for m in METHODS)) for k in range(curves["ORIG"].shape[1])]
    how = ", attributes scaled to unit variance" if scale else ""
    title = f"Mean rho on SUSHI {n}:{length} against K'{how} ({len(curves['ORIG'])} draws)"
    return Table(title, ("K'", *METHODS), tuple(rows))


def _claims(curves: dict[tuple[int, int], dict[str, Vector]], scale: bool) -> list[Claim]:
    """What the text says of Figure 4, and the ranks it gives its method among those of Table 3."""
    claims = []
    told = {"where": "Figure 4", "reading": _SCALED if scale else ""}
    for (n, length), of in curves.items():
        gap = float(np.abs(of["KRCDR"].mean(axis=0) - of["SRCDR"].mean(axis=0)).max())
        text = f"{n}:{length}: the two RCDRs resemble each other"
        claims.append(Claim(text, gap <= 0.03, f"largest difference {gap:.3f}", **told))
        for method in ("KRCDR", "SRCDR"):
            above = of[method] - of["PCA"]
            small = above.mean(axis=0)[:SMALL]
            text = f"{n}:{length}: {method} is above PCA at small K' (1 and {SMALL})"
            figures = " and ".join(_with_error(above[:, k]) for k in range(SMALL))
            claims.append(Claim(text, bool((small > 0).all()), figures, **told))
            if not scale:
                large = above[:, SMALL:].mean(axis=1)
                text = f"{n}:{length}: {method} is above PCA at larger K' (mean from {SMALL + 1} on)"
                claims.append(Claim(text, bool(large.mean() > 0), _with_error(large), "Figure 4", _LARGE))
    for n, length in SIZES[1:]:
        for method in ("KRCDR", "SRCDR"):
            gain = (curves[n, length][method] - curves[n, length]["ORIG"])[:, 0]
            text = f"{n}:{length}: {method} with one component is above ORIG"
            claims.append(Claim(text, bool(gain.mean() > 0), _with_error(gain), **told))
    gains = [(of["SRCDR"] - of["ORIG"])[:, 0] for of in curves.values()]
    text = "the gain over ORIG (SRCDR, one component) is larger with fewer and shorter orders"
    means = [float(gain.mean()) for gain in gains]
    claims.append(Claim(text, means[0] < means[1] < means[2], ", ".join(map(_with_error, gains)), **told))
    best = {size: max(float(of[m].mean(axis=0).max()) for m in ("KRCDR", "SRCDR")) for size, of in curves.items()}
    return [*claims, *rank_claims(best, told["reading"])]


def rank_claims(best: dict[tuple[int, int], float], reading: str = "") -> list[Claim]:
    """Where RCDR with a linear regression, at its best K', stands among the methods of Table 3, none of them linear."""
    claims = []
    for size, wanted in RANKS.items():
        name = f"SUSHI N:L={size[0]}:{size[1]}"
        printed = {p.method: p.value for p in published("rcdr") if p.table == "3" and p.dataset == name}
        place = 1 + sum(value > best[size] for value in printed.values())
        text = f"{size[0]}:{size[1]}: linear regression with RCDR is number {wanted} among the methods of Table 3"
        figures = f"number {place}: {best[size]:.3f}; " + ", ".join(f"{m} {v:.3f}" for m, v in printed.items())
        claims.append(Claim(text, place == wanted, figures, where="Table 3", reading=reading))
    return claims


def _with_error(differences: Vector) -> str:
    """Mean over draws and its standard error."""
    if len(differences) < 2:
        return f"{differences.mean():+.3f}"
    return f"{differences.mean():+.3f} (standard error {differences.std(ddof=1) / np.sqrt(len(differences)):.3f})"
