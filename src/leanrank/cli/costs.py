"""`leanrank costs`: what features cost in an engine, from its own timings."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from leanrank.cli._outputs import STDOUT, check_outputs
from leanrank.cli._reading import JsonOption


def costs(
    timings: Annotated[
        list[Path],
        typer.Argument(help='Responses with timings, lines {"feature": ..., "response": {...}}, or a CSV.'),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the costs: a CSV file; - is standard output.")
    ],
    featureset: Annotated[
        Path | None, typer.Option(help="Profiles of Elasticsearch, OpenSearch: the feature set they were made with.")
    ] = None,
    window: Annotated[int | None, typer.Option(min=1, help="How many documents a request reranks; noted.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Costs of features in milliseconds, for `leanrank select --costs`.

    Of each feature the median over all requests is its cost; the 99th percentile, the number of requests and the window
    stand beside it. Timings are the profiles of Elasticsearch and OpenSearch ("profile": true, which time the query of
    each feature; features with one query become a group), responses to requests for one feature each (Solr's
    debug=timing, Vespa's presentation.timing, took), from which those for none ("feature": null) are subtracted, or a
    CSV with the columns feature and milliseconds.

    Example: leanrank costs profiles.jsonl --featureset full.json --window 100 -o costs.csv
    """
    from leanrank.data.logs.timings import costs_text, read_timings
    from leanrank.data.text_file import read_text
    from leanrank.data.whole_file import write_whole
    from leanrank.exports.elasticsearch import parse

    check_outputs(output, reads=(*timings, featureset))
    names = None if featureset is None else parse(read_text(featureset), str(featureset)).names
    text = costs_text(read_timings(timings, names), window)
    write_whole(output, text)
    rows = list(csv.DictReader(io.StringIO(text)))
    if as_json:
        if output != STDOUT:
            print(json.dumps({"costs": rows, "output": str(output)}, ensure_ascii=False))
        return
    console = Console(stderr=output == STDOUT)
    priced = [row for row in rows if row["cost"]]
    dearest = sorted(priced, key=lambda row: -float(row["cost"]))[:5]
    console.print(Text(f"{len(priced)} costs in milliseconds (median). Dearest:"))
    for row in dearest:
        console.print(Text(f"  {row['feature']}: {row['cost']} ms, p99 {row['p99']} ms, {row['requests']} requests"))
    if output != STDOUT:
        console.print(Text(f"Written: {output}."), soft_wrap=True)
