"""`leanrank predict`: score documents by a trained ranker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from leanrank.cli._input import CommentsOption, FileArgument, JsonOption, LabelOption, QidOption
from leanrank.errors import ParameterError


def predict(
    file: FileArgument,
    model: Annotated[Path, typer.Option("--model", "-m", help="A model of `leanrank train`.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; the screen if not given.")
    ] = None,
    trec: Annotated[bool, typer.Option("--trec", help="Write a TREC run instead of one score a line.")] = False,
    tag: Annotated[str, typer.Option(help="The last column of a TREC run.")] = "leanrank",
    qrels: Annotated[Path | None, typer.Option(help="Also write the labels of FILE as TREC qrels.")] = None,
    label: LabelOption = None,
    qid: QidOption = None,
    comments: CommentsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score the documents of FILE: one score a line, in the order of the file; higher is better.

    Document names of a TREC run come from the comments ("docid = ..." or one word), else from query and place.

    Example: leanrank predict test.txt --model model.json -o scores.txt
    """
    from leanrank.cli._model_input import read_for_model
    from leanrank.data.trec import qrels_text, run_text
    from leanrank.data.whole_file import write_whole
    from leanrank.rankers._saving import load_ranker

    if len(tag.split()) != 1:
        raise ParameterError(f"The tag of a run is one word. Got {tag!r}.")
    ranker = load_ranker(model)
    data = read_for_model(file, getattr(ranker, "feature_names_in_", None), label=label, qid=qid, comments=comments)
    scores = ranker.predict(data)
    text = run_text(data, scores, tag) if trec else "".join(f"{score!r}\n" for score in scores.tolist())
    if qrels is not None:
        write_whole(qrels, qrels_text(data))
    if output is not None:
        write_whole(output, text)
    if as_json:
        names = {"file": file, "model": model, "output": output, "qrels": qrels}
        record = {name: None if path is None else str(path) for name, path in names.items()}
        sizes = {"n_rows": data.n_rows, "n_queries": data.n_queries}
        print(json.dumps({**record, **sizes, "scores": scores.tolist()}, ensure_ascii=False))
    elif output is None:
        print(text, end="")
