"""`leanrank select --from`: another answer of a finished run, without training anything."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from leanrank.cli._catalogue import CatalogueOptions
from leanrank.cli._invocation import OF_ONE_RUN, Invocation
from leanrank.cli._measuring import losses_of
from leanrank.cli._outputs import Delivery, check_outputs, refuse_stdout
from leanrank.cli._reading import Reading
from leanrank.cli._shadow_options import LoggedOptions
from leanrank.cli._tables import show_selection
from leanrank.cli.report import data_again
from leanrank.errors import DataError, ParameterError

if TYPE_CHECKING:
    import typer

    from leanrank.evaluation.select.selection import Selection

#: Options of `select` that choose among what was measured, and those that say where the answer goes.
_CHOOSING = ("k", "max_loss", "budget", "answer")
_DELIVERING = ("finished", "output", "form", "report", "as_json", "catalogue")
#: Those that say what judged queries of a log prove.
_LOGGED = ("judged", "shadow", "max_label")


@dataclass(frozen=True)
class ChoosingAgain:
    """What is asked of a finished run: its file, the options that were typed, and what a log proves."""

    finished: Path
    typed: dict[str, Any]
    log: LoggedOptions

    @classmethod
    def of(cls, context: typer.Context, finished: Path, log: LoggedOptions) -> ChoosingAgain:
        """What was typed; whatever would have to be measured is refused."""
        typed = {}
        for parameter in context.command.params:
            name = str(parameter.name)
            source = context.get_parameter_source(name)
            if source is None or source.name != "COMMANDLINE" or name in (*_DELIVERING, *_LOGGED):
                continue
            if name not in _CHOOSING:
                what = parameter.opts[0] if parameter.opts[0].startswith("-") else "FILE"
                raise ParameterError(
                    f"--from chooses among what {finished} has measured, {what} belongs to measuring: leave out one."
                )
            typed[name] = context.params[name]
        if len(typed.keys() - {"answer"}) > 1 or (typed.keys() & {"k", "budget"} and "answer" in typed):
            raise ParameterError("One at a time: choose again by one of -k, --budget, --max-loss and --answer.")
        return cls(finished, typed, log)

    def run(self, context: typer.Context, delivery: Delivery, report: Path | None, named: CatalogueOptions) -> None:
        """Choose, and deliver, with the names of a catalogue where one is named."""
        refuse_stdout("features go there", report)
        check_outputs(delivery.output, report, reads=(self.finished, named.file, self.log.judged, self.log.shadow))
        selection, tested = self._chosen()
        if named.catalogue is not None:
            selection = replace(selection, catalogue=named.naming(selection.feature_names).catalogue)
        again = Invocation.of(context).command(without=OF_ONE_RUN)
        selection = replace(selection, source={**selection.source, "again": again})
        delivery.write(selection.to_dict() if tested is None else {**selection.to_dict(), "test": tested})
        if report is not None:
            from leanrank.report.writing import write_report

            data, _ = data_again(selection)
            write_report(selection, report, data, test=tested)
        if delivery.is_shown:
            console = Console()
            show_selection(selection, tested, console, self.finished)
            for path in (delivery.output, report):
                if path is not None:
                    console.print(Text(f"Written: {path}"), soft_wrap=True)
            if delivery.output is None:
                console.print(Text("Next: the same with -o FILE writes these features."))
            elif "data" in selection.source and delivery.features_file is not None:
                source = selection.source
                reading = Reading(**{one.name: source[one.name] for one in fields(Reading) if source.get(one.name)})
                train = ["leanrank", "train", source["data"], *reading.arguments()]
                train += ["--features", str(delivery.output), *_ranker_as_before(source)]
                console.print(Text(f"Next: {shlex.join([*train, '-o', 'model.json'])}"), soft_wrap=True)

    def _chosen(self) -> tuple[Selection, dict[str, Any] | None]:
        """The selection asked for, and what a test said of it, if it was about these features."""
        from leanrank.evaluation.select.selection import Selection
        from leanrank.report.loading import load_results

        loaded = load_results(self.finished)
        if not isinstance(loaded.results, Selection):
            raise DataError(f"{self.finished}: is a comparison: --from takes a features.json or a journal of `select`.")
        before = selection = loaded.results
        if "k" in self.typed:
            selection = selection.at(self.typed["k"])
        if "budget" in self.typed:
            selection = selection.cheaper_than(self.typed["budget"])
        if "max_loss" in self.typed:
            loss = losses_of(self.typed["max_loss"])
            selection = selection if loss is None else selection.within(loss)
        known = self.log.read(selection.settings["metric_name"], selection.settings["level"])
        selection = selection if known is None else selection.on_log(known)
        if "answer" in self.typed:
            selection = selection.with_answer(self.typed["answer"])
        return selection, loaded.test if set(selection.features) == set(before.features) else None


def _ranker_as_before(source: dict[str, Any]) -> list[str]:
    """Which ranker it was, with its settings, as they were typed.

    >>> _ranker_as_before({"command": "leanrank select own.csv -r ranksvm --ranker-set C=10 --ranker-file=my.json"})
    ['-r', 'ranksvm', '--ranker-set', 'C=10', '--ranker-file=my.json']
    """
    said: list[str] = []
    for word, following in pairwise([*shlex.split(source.get("command", "")), ""]):
        if word.startswith("--ranker") and "=" in word:
            said.append(word)
        elif word.startswith("--ranker") or word == "-r":
            said += [word, following]
    return said
