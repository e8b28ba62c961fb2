"""`leanrank demo`: the main job on synthetic data whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Where to write.")] = Path("leanrank-demo"),
    seed: Annotated[int, typer.Option(help="Seed of the synthetic data.")] = 0,
) -> None:
    """Generate judged data with planted features, lint them, and measure what each feature can do alone.

    Example: leanrank demo
    """
    import numpy as np

    from leanrank.cli.lint import show
    from leanrank.data.letor import write_letor
    from leanrank.data.synthetic import make_ranking
    from leanrank.metrics.evaluation import evaluate
    from leanrank.stats.lint import lint

    console = Console()
    data, truth = make_ranking(n_query_level=1, n_constant=1, random_state=seed)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "demo.txt"
    write_letor(data, path)
    show(lint(data), str(path), console)

    role = {entry.name: entry.role for entry in truth}
    X = data.dense()
    ndcg = np.array([evaluate(data, X[:, j], "ndcg@10").mean["ndcg@10"] for j in range(data.n_features)])
    table = Table(title="Each feature alone", title_justify="left", title_style="bold")
    for heading in ("feature", "planted as", "NDCG@10"):
        table.add_column(heading, justify="right" if heading == "NDCG@10" else "left")
    for j in np.argsort(-ndcg, kind="stable"):
        name = data.feature_names[j]
        table.add_row(name, role[name], f"{ndcg[j]:.4f}")
    console.print(table)
    console.print(f"The data are in {path}. Next: leanrank lint {path}")
