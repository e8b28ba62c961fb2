"""`leanrank evaluate`: measure a ranking by any convention, per query and on average."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._completion import metric_lists
from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, write_text
from leanrank.cli._reading import JsonOption, Reading
from leanrank.cli._tables import table
from leanrank.errors import DataError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leanrank.metrics._base import Metric


@option_groups(without=["regroup"])  # scores are in the order of the file
def evaluate(
    file: Annotated[Path | None, typer.Argument(help="Judged data; not needed with --run and --qrels.")] = None,
    scores: Annotated[Path | None, typer.Option(help="One score a line, for the rows of FILE.")] = None,
    model: Annotated[Path | None, typer.Option("--model", "-m", help="A model to score FILE with.")] = None,
    run: Annotated[Path | None, typer.Option(help="A TREC run, with --qrels.")] = None,
    qrels: Annotated[Path | None, typer.Option(help="TREC qrels, with --run.")] = None,
    metric: Annotated[
        str, typer.Option(help="Metrics, with commas between: ndcg@10,map,p@5.", autocompletion=metric_lists)
    ] = "ndcg@10,map",
    convention: Annotated[
        str | None, typer.Option(help="letor3, letor4, mslr, trec, lightgbm, ...; standard, or trec for a run.")
    ] = None,
    complete: Annotated[
        bool, typer.Option(help="Queries of the qrels that the run lacks score 0 (trec_eval -c).")
    ] = False,
    per_query: Annotated[
        Path | None, typer.Option(help="Also write every query's values (TSV); - is standard output.")
    ] = None,
    *,
    reading: Reading,
    as_json: JsonOption = False,
) -> None:
    """Measure the ranking of FILE by scores or by a model, or a TREC run by its qrels.

    Example: leanrank evaluate test.txt --scores scores.txt --metric ndcg@10,map --convention letor3
    """
    from leanrank.metrics._base import mean
    from leanrank.metrics.names import metric as parse_metric

    given = [name for name, value in (("--scores", scores), ("--model", model), ("--run", run)) if value is not None]
    if len(given) != 1:
        raise ParameterError(
            f"Say what to measure by one of --scores, --model and --run. Got {', '.join(given) or 'none'}."
        )
    if per_query == STDOUT and as_json:
        raise ParameterError("--per-query - and --json both go to standard output: name a file for the queries.")
    check_outputs(per_query, reads=(file, scores, model, run, qrels))
    convention = convention or ("trec" if run is not None else "standard")
    measures = {name.strip(): parse_metric(name, convention=convention) for name in metric.split(",")}
    absent: list[str] = []
    weight = None
    if run is not None:
        if qrels is None or file is not None:
            raise ParameterError("A run is measured by its qrels: pass --run and --qrels, without FILE.")
        query_ids, values, absent = _of_run(run, qrels, measures, like_trec=convention == "trec", complete=complete)
    elif file is None:
        raise ParameterError("Name the file with the labels: leanrank evaluate FILE --scores scores.txt.")
    else:
        query_ids, values, weight = _of_file(file, scores, model, measures, reading)
    if per_query is not None:
        write_text(per_query, _tsv(query_ids, values))
    means = {name: float(mean(column, weight)) for name, column in values.items()}
    if as_json:
        record = {
            "convention": convention,
            "n_queries": len(query_ids),
            "mean": {name: None if math.isnan(value) else value for name, value in means.items()},
            "metrics": {name: repr(m) for name, m in measures.items()},
            "absent": absent,
        }
        print(json.dumps(record, ensure_ascii=False))
        return
    how = "score 0" if complete else "are left out (--complete counts them as 0)"
    note = f"{len(absent):,} judged queries are not in the run and {how}." if absent else ""
    _show(means, values, convention, note, Console(stderr=per_query == STDOUT))


def _of_file(
    file: Path, scores: Path | None, model: Path | None, measures: dict[str, Metric], reading: Reading
) -> tuple[list[Any], dict[str, NDArray[np.float64]], NDArray[np.float64] | None]:
    from leanrank.data.weights import query_weights

    if reading.propensities is not None and model is None:
        raise ParameterError(
            "--propensities makes a query of every click, so that scores by row have no place: "
            "measure a model with --model."
        )
    if model is not None:
        from leanrank.rankers._saving import load_ranker

        ranker = load_ranker(model)
        known = [] if ranker.categories_ is None else list(ranker.categories_.texts)
        data = reading.read_for_model(file, getattr(ranker, "feature_names_in_", None), known)
        predicted = ranker.predict(data)
    else:
        assert scores is not None
        data = reading.read(file)
        predicted = read_scores(scores, data.n_rows, file)
    values = {name: m.per_query(data.y, predicted, data.query_ptr) for name, m in measures.items()}
    return data.query_ids.tolist(), values, query_weights(data, "evaluate")


def _of_run(
    run: Path, qrels: Path, measures: dict[str, Metric], *, like_trec: bool, complete: bool
) -> tuple[list[Any], dict[str, NDArray[np.float64]], list[str]]:
    import numpy as np

    from leanrank.data.trec import judge, read_qrels, read_run
    from leanrank.metrics.evaluation import per_query_of_run

    judged = judge(read_run(run), read_qrels(qrels), like_trec=like_trec)
    extra = judged.absent if complete else []
    values = {}
    for name, m in measures.items():
        per_query = per_query_of_run(m, judged.y, judged.scores, judged.query_ptr, judged.unretrieved)
        values[name] = np.concatenate((per_query, np.zeros(len(extra))))
    return [*judged.query_ids.tolist(), *extra], values, judged.absent


def read_scores(path: Path, n_rows: int, file: Path) -> NDArray[np.float64]:
    """One number a line, as many as `file` has rows."""
    import numpy as np

    lines = path.read_text(encoding="utf-8", errors="replace").split()
    for number, text in enumerate(lines, start=1):
        try:
            float(text)
        except ValueError:
            raise DataError(f"{path}, score number {number}: {text[:40]!r} is not a number.") from None
    if len(lines) != n_rows:
        raise DataError(f"{path} has {len(lines):,} scores, {file} {n_rows:,} rows: expected one score a row.")
    return np.array(lines, dtype=np.float64)


def _tsv(query_ids: list[Any], values: dict[str, NDArray[np.float64]]) -> str:
    """One line a query; an empty cell where the convention leaves a query out."""
    lines = ["\t".join(["qid", *values])]
    for query, *row in zip(query_ids, *(column.tolist() for column in values.values()), strict=True):
        lines.append("\t".join([str(query), *("" if math.isnan(value) else repr(value) for value in row)]))
    return "\n".join(lines) + "\n"


def _show(
    means: dict[str, float], values: dict[str, NDArray[np.float64]], convention: str, note: str, console: Console
) -> None:
    import numpy as np

    columns = ("metric", "mean", "queries", "left out")
    drawn = table(f"Convention: {convention}", columns, right=columns[1:])
    for name, value in means.items():
        left_out = int(np.isnan(values[name]).sum())
        shown = "-" if math.isnan(value) else f"{value:.4f}"
        drawn.add_row(Text(name), shown, f"{len(values[name]) - left_out:,}", f"{left_out:,}")
    console.print(drawn)
    if note:
        console.print(Text(note), soft_wrap=True)
