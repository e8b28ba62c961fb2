"""`leanrank import`: logged features and judgements to judged data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._outputs import STDOUT, check_outputs
from leanrank.cli._reading import JsonOption
from leanrank.errors import ParameterError


def import_logs(
    logs: Annotated[
        list[Path],
        typer.Argument(help='Responses: one a file, named as the query, or lines {"qid": ..., "response": {...}}.'),
    ],
    judgements: Annotated[Path, typer.Option(help="Qrels (query 0 document grade) or lines grade qid:Q # document.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the data: a CSV file; - is standard output.")
    ],
    unmatched: Annotated[
        str, typer.Option(help="What a feature that did not match is: missing (an empty cell) or zero.")
    ] = "missing",
    unjudged: Annotated[
        float | None, typer.Option(help="The grade of documents without one; left out if not given.")
    ] = None,
    id_field: Annotated[str, typer.Option(help="Solr: the unique key.")] = "id",
    as_json: JsonOption = False,
) -> None:
    """Make judged data of the features that a search engine has logged.

    Responses of Elasticsearch and OpenSearch (`_ltrlog`), Solr (`[features]`) and Vespa (`match-features`) are told by
    their shape, and read one at a time. A feature that did not match a document is missing, apart from one that is 0;
    linear models need --unmatched zero. Solr tells them apart in its sparse format only.

    Example: leanrank import responses.jsonl --judgements qrels.txt -o log.csv
    """
    from leanrank.data.logs.table import UNMATCHED
    from leanrank.data.logs.table import import_logs as write_table
    from leanrank.data.trec import read_judgements

    if unmatched not in UNMATCHED:
        raise ParameterError.of("import", "unmatched", "'missing' or 'zero'", unmatched)
    if output != STDOUT and output.suffix != ".csv":
        raise ParameterError(f"import writes CSV: {output} must end in .csv; leanrank convert makes other files of it.")
    check_outputs(output, reads=(*logs, judgements))
    grades = read_judgements(judgements)
    done = write_table(logs, grades, output, unmatched=unmatched, unjudged=unjudged, id_field=id_field)
    if as_json and output != STDOUT:
        counts = {"n_queries": done.n_queries, "n_rows": done.n_rows, "n_unjudged": done.n_unjudged}
        print(json.dumps({**counts, "unmatched": done.unmatched, "output": str(output)}, ensure_ascii=False))
        return
    console = Console(stderr=output == STDOUT)
    said = f"{done.n_rows:,} documents of {done.n_queries:,} queries, {len(done.unmatched)} features."
    if done.n_unjudged:
        said += f" {done.n_unjudged:,} documents without a grade are left out."
    console.print(Text(said))
    gaps = {name: n for name, n in done.unmatched.items() if n}
    if gaps:
        most = sorted(gaps, key=lambda name: -gaps[name])[:5]
        shares = ", ".join(f"{name} {gaps[name] / done.n_rows:.0%}" for name in most)
        console.print(
            Text(f"Did not match, and {'are missing' if unmatched == 'missing' else 'count as 0'}: {shares}.")
        )
    if output != STDOUT:
        console.print(Text(f"Written: {output}."), soft_wrap=True)
