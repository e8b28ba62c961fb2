"""How a command reads judged data: the options for it, said once, and the data that they give."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leanrank.errors import DataError, LeftOutWarning

if TYPE_CHECKING:
    from leanrank.data.query_sample import QuerySample
    from leanrank.data.ranking_data import RankingData, RankingSource

#: How much larger compressed text is, about, when it is none.
_EXPANDED = 6

FileArgument = Annotated[Path, typer.Argument(help="Judged data: LETOR text (.gz, .bz2, .zst), CSV or Parquet.")]
_ONLY = "Features to keep, by name or pattern: 'bm25*,tfidf*'. All by default."
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@dataclass(frozen=True)
class Reading:
    """Which columns of a table mean what, and whether the rows of a query may lie apart.

    A command with `option_groups` and a parameter of this type has these as options.
    """

    label: Annotated[str | None, typer.Option(help="CSV, Parquet: the column of labels.")] = None
    qid: Annotated[str | None, typer.Option(help="CSV, Parquet: the column of query ids.")] = None
    comments: Annotated[str | None, typer.Option(help="CSV, Parquet: a column of texts to keep, not a feature.")] = None
    only: Annotated[str | None, typer.Option("--only", "--features", help=_ONLY)] = None
    drop: Annotated[str | None, typer.Option(help="Features to leave out, by name or pattern: doc_id,position.")] = None
    regroup: Annotated[bool, typer.Option(help="Bring rows of one query together where they are not adjacent.")] = False
    weight: Annotated[str | None, typer.Option(help="CSV, Parquet: the column of how much a document counts.")] = None
    query_weight: Annotated[str | None, typer.Option(help="CSV, Parquet: the column of how much a query counts.")] = (
        None
    )
    position: Annotated[
        str | None, typer.Option(help="CSV, Parquet: the column of where a document was shown, from 1 on.")
    ] = None
    propensities: Annotated[
        str | None,
        typer.Option(
            help="Labels are clicks: how likely each --position is looked at, a CSV of position and propensity, or "
            "'estimate'. Every click becomes a query, weighted by one over it."
        ),
    ] = None
    time: Annotated[str | None, typer.Option(help="CSV, Parquet: the column of when a query was asked.")] = None
    query_group: Annotated[
        str | None, typer.Option(help="CSV, Parquet: the column of what several queries have in common.")
    ] = None
    categorical: Annotated[
        str | None,
        typer.Option(help="Features that are kinds, not amounts, with commas: brand,colour; in LETOR text by number."),
    ] = None
    slice: Annotated[
        str | None, typer.Option(help="CSV, Parquet: columns of kinds of queries, with commas: country,device.")
    ] = None

    def given(self) -> dict[str, Any]:
        """Those that differ from their defaults, by name."""
        return {name: value for name, value in vars(self).items() if value}

    def arguments(self) -> list[str]:
        """The same as they are typed.

        >>> Reading(qid="query id", regroup=True).arguments()
        ['--qid', 'query id', '--regroup']
        """
        named = ((f"--{name.replace('_', '-')}", value) for name, value in self.given().items())
        return [part for option in named for part in option if part is not True]

    def read(self, path: Path, at_least: int = 0) -> RankingData:
        """Read a judged file; missing values are let in, methods refuse them by name.

        A feature that is 0 in every row need not be in a LETOR file: it is given the features up to `at_least`.
        """
        return self.read_numbered(path, at_least)[0]

    def read_numbered(self, path: Path, at_least: int = 0) -> tuple[RankingData, list[int]]:
        """As `read`, and which columns the features are of all features of the file."""
        whole, left_out = self._whole(path, at_least)
        data: RankingData = self._kept(whole, left_out)
        place = {name: j for j, name in enumerate(whole.feature_names)}
        return data, [place[name] for name in data.feature_names]

    def _whole(self, path: Path, at_least: int, categorical: Iterable[str] = ()) -> tuple[RankingData, list[str]]:
        """A judged file with all of its features, and the columns that are none.

        Features are categories if they are among these, or if the options say so.
        """
        from leanrank.data.reading import read

        _refuse_odd_name(path)
        columns = self._columns()
        columns["categorical"] = tuple(dict.fromkeys([*columns["categorical"], *categorical]))
        with left_out_beside(_listed(self.drop)) as left_out:
            data = read(path, **columns, at_least=at_least)
        return self._corrected(data), left_out

    def _corrected(self, data: RankingData) -> RankingData:
        """Clicks as judgements that position has no part in, where propensities are given."""
        if self.propensities is None:
            return data
        from leanrank.data.clicks import per_click
        from leanrank.data.propensities import Propensities, estimate_propensities

        if self.propensities == "estimate":
            return per_click(data, estimate_propensities(data))
        return per_click(data, Propensities.read(self.propensities))

    def _columns(self) -> dict[str, Any]:
        others = ("only", "drop", "slice", "categorical", "propensities")
        columns = {name: value for name, value in vars(self).items() if name not in others}
        return {**columns, "slices": tuple(_listed(self.slice)), "categorical": tuple(_listed(self.categorical))}

    def _kept(self, source: RankingSource, left_out: Sequence[str]) -> Any:
        """The source with the features that `only` and `drop` leave; columns that are none were `left_out` before."""
        only, drop = _listed(self.only), _listed(self.drop)
        if not only and not drop:
            return source
        from leanrank.data.same_features import kept_by
        from leanrank.data.sources import with_features

        return with_features(source, kept_by(source.feature_names, only, drop, left_out))

    def read_like(self, path: Path, data: RankingData) -> RankingData:
        """Read another judged file with the features of `data`; what it has beside them is left out."""
        wanted = list(data.feature_names)
        other, _ = self._whole(path, at_least=max(data.n_features, largest_number(wanted)))
        if list(other.feature_names) == wanted:
            return other
        known = set(other.feature_names)
        absent = next((name for name in wanted if name not in known), None)
        if absent is not None:
            raise DataError(
                f"{path} has {other.n_features} features, the training data {data.n_features}, of which it lacks "
                f"{absent!r}: name a file with the same features."
            )
        from leanrank.data.same_features import columns_of

        return other.subset(columns_of(other, wanted, "the choice", data.n_features))

    def read_for_model(self, path: Path, names: Iterable[str] | None, categorical: Iterable[str] = ()) -> RankingData:
        """Read a judged file and keep the model's features, by `names`; None for a model that does not know names.

        Features that are categories to the model are read as such, whatever the options say.
        """
        if names is None:
            return self.read(path)
        from leanrank.data.same_features import are_numbers, columns_of

        wanted = [str(name) for name in names]
        data: RankingData = self._kept(*self._whole(path, largest_number(wanted), categorical))
        return data.subset(columns_of(data, wanted, "the model", len(wanted) if are_numbers(wanted) else None))

    def read_chosen(self, path: Path, features: Path) -> tuple[RankingData, list[int]]:
        """Read a judged file and keep the features of a selection, in the order of the file; with their columns there.

        Other features than the selection was made among are refused or warned about, see `columns_of`.
        """
        from leanrank.data.same_features import columns_of
        from leanrank.selectors.features_file import read_names

        wanted, n_among = read_names(features)
        data, places = self.read_numbered(path, at_least=largest_number(wanted))
        columns = sorted(columns_of(data, wanted, "the selection", n_among).tolist())
        return data.subset(columns), [places[j] for j in columns]

    def scan(self, path: Path, n_features: int | None = None) -> RankingSource:
        """A judged file as a source for an engine, block by block where the format allows; LETOR's `n_features`."""
        from leanrank.data.reading import scan

        if self.propensities is not None:
            return self.read(path, at_least=n_features or 0)
        _refuse_odd_name(path)
        with left_out_beside(_listed(self.drop)) as left_out:
            whole = scan(path, **self._columns(), n_features=n_features)
        source: RankingSource = self._kept(whole, left_out)
        return source

    def sample(self, path: Path, memory: str | int | None, seed: int) -> QuerySample:
        """All of a judged file or, with a limit or where it is too large, as many whole queries as memory allows."""
        from leanrank.data.memory_size import bytes_of, default_limit
        from leanrank.data.query_sample import COPIES, sample_of

        limit = None if memory is None else bytes_of(memory, owner="select")
        if limit is None and COPIES * self._size(path) <= default_limit():
            return sample_of(self.read(path))
        return sample_of(self.scan(path), limit, seed)

    def _size(self, path: Path) -> int:
        """About as many bytes as the values of a file take in memory: those of the text, where it is text."""
        from leanrank.data.formats import codec_of, format_of

        _refuse_odd_name(path)
        if format_of(path) == "parquet":
            source: Any = self.scan(path)
            if not hasattr(source, "dtype"):  # with categories, which are read whole
                return int(source.X.nbytes)
            return int(source.n_rows * len(source.feature_names) * source.dtype(0).itemsize)
        return path.stat().st_size * (1 if codec_of(path) is None else _EXPANDED)


@dataclass(frozen=True)
class ReadingChosen(Reading):
    """The same for a command whose --features is a selection."""

    only: Annotated[str | None, typer.Option("--only", help=_ONLY)] = None


def _refuse_odd_name(path: Path) -> None:
    """Arrow, which reads tables, takes no name that is not text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        from leanrank.data.formats import format_of

        if format_of(path) != "letor":
            raise DataError(f"{path}: the name of a table must be text in UTF-8: rename the file.") from None


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def largest_number(names: Iterable[str]) -> int:
    """The largest of the names that are numbers, 0 where none is: LETOR's features are called by their numbers.

    Longer numbers than any file has are all one to it: reading LETOR text refuses them.

    >>> largest_number(["7", "bm25", "12"])
    12
    """
    numbers = (name.lstrip("0") or "0" for name in names if name.isascii() and name.isdecimal())
    return max((int(number) if len(number) < 10 else 2**31 - 1 for number in numbers), default=0)


@contextmanager
def left_out_beside(drop: Sequence[str]) -> Iterator[list[str]]:
    """Gather the columns that reading leaves out; its warnings follow, without those that are dropped anyway."""
    from leanrank.data.same_features import called

    left_out: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield left_out
        for one in said:
            left_out += one.message.names if isinstance(one.message, LeftOutWarning) else ()
    for one in said:
        message = one.message
        if isinstance(message, LeftOutWarning):
            rest = [name for name in message.names if not any(called([name], pattern).any() for pattern in drop)]
            if not rest:
                continue
            message = LeftOutWarning(rest, message.reason)
        warnings.warn(message, stacklevel=2)
