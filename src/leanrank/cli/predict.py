"""`leanrank predict`: score documents by a trained ranker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from leanrank.cli._option_groups import option_groups
from leanrank.cli._outputs import STDOUT, check_outputs, write_text
from leanrank.cli._reading import FileArgument, JsonOption, Reading
from leanrank.cli._standard_input import typed
from leanrank.errors import ParameterError


@option_groups(without=["regroup", "propensities"])  # scores are in the order of the file
def predict(
    file: FileArgument,
    model: Annotated[Path, typer.Option("--model", "-m", help="A model of `leanrank train`.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; standard output if not given, or -.")
    ] = None,
    trec: Annotated[bool, typer.Option("--trec", help="Write a TREC run instead of one score a line.")] = False,
    tag: Annotated[str, typer.Option(help="The last column of a TREC run.")] = "leanrank",
    qrels: Annotated[Path | None, typer.Option(help="Also write the labels of FILE as TREC qrels.")] = None,
    *,
    reading: Reading,
    as_json: JsonOption = False,
) -> None:
    """Score the documents of FILE: one score a line, in the order of the file; higher is better.

    Document names of a TREC run come from the comments ("docid = ..." or one word), else from query and place.

    Example: leanrank predict test.txt --model model.json -o scores.txt
    """
    from leanrank.data.trec import qrels_text, run_text
    from leanrank.rankers._saving import load_ranker

    if len(tag.split()) != 1:
        raise ParameterError(f"The tag of a run is one word. Got {tag!r}.")
    target = output if output is not None or as_json else STDOUT
    check_outputs(target, qrels, reads=(file, model, Path(f"{model}.npz")))
    ranker = load_ranker(model)
    known = [] if ranker.categories_ is None else list(ranker.categories_.texts)
    data = reading.read_for_model(file, getattr(ranker, "feature_names_in_", None), known)
    scores = ranker.predict(data)
    text = run_text(data, scores, tag) if trec else "".join(f"{score!r}\n" for score in scores.tolist())
    if qrels is not None:
        write_text(qrels, qrels_text(data))
    if target is not None:
        write_text(target, text)
    if as_json and target != STDOUT:
        names = {"file": file, "model": model, "output": output, "qrels": qrels}
        record = {name: None if path is None else typed(path) for name, path in names.items()}
        sizes = {"n_rows": data.n_rows, "n_queries": data.n_queries}
        print(json.dumps({**record, **sizes, "scores": scores.tolist()}, ensure_ascii=False))
