"""Columns of any frame narwhals knows, as numpy arrays: numbers, query ids, texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.categories import coded, whole_texts
from leanrank.errors import DataError, MissingValuesError, UnknownNameError

if TYPE_CHECKING:
    import narwhals as nw

# Rows copied at a time when columns become rows: small enough to stay in the processor's cache.
_TILE = 4096


def as_frame(native: Any) -> nw.DataFrame[Any] | None:
    """Wrap an eager frame (pandas, polars, pyarrow, ...); None for anything that is no frame.

    >>> import pyarrow as pa
    >>> as_frame(pa.table({"bm25": [1.5]})).columns
    ['bm25']
    >>> as_frame([[1.5]]) is None
    True
    """
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(native, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            kind = f"{type(native).__module__.partition('.')[0]}.{type(native).__name__}"
            raise DataError(f"{kind} is a lazy frame: collect it first, or stream a Parquet file with scan_parquet.")
        if not isinstance(frame, nw.DataFrame):
            return None
        names: list[Any] = list(frame.columns)  # of pandas anything that can be hashed
    except DuplicateError as error:
        twice = " ".join(str(error).replace("\n", " ").split()).partition("got: - ")[2] or str(error)
        raise DataError(f"Column names must be unique, but the frame has {twice}. Rename or drop one.") from error
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise DataError(f"Column names must be unique, but the frame has {twice!r} twice. Rename or drop one.")
    if several := [name for name in names if isinstance(name, tuple)]:
        raise DataError(f"Column names must be of one level, but the frame has {several[0]!r}: join the levels first.")
    if texts != names:  # pandas names columns by numbers too
        frame = frame.rename(dict(zip(names, texts, strict=True)))
    return frame


def as_series(values: Any) -> nw.Series[Any] | None:
    """Wrap a column (pandas or polars Series, pyarrow ChunkedArray); None for anything else."""
    import narwhals as nw

    if type(values).__module__.startswith("pyarrow") and type(values).__name__.endswith("Array"):
        import pyarrow as pa

        values = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    series = nw.from_native(values, pass_through=True, allow_series=True)
    return series if isinstance(series, nw.Series) else None


def column(frame: nw.DataFrame[Any], name: str, role: str) -> nw.Series[Any]:
    """The column called `name`, or an error with the nearest name there is.

    >>> import pyarrow as pa
    >>> column(as_frame(pa.table({"label": [1.5]})), "lable", "label column")
    Traceback (most recent call last):
    ...
    leanrank.errors.UnknownNameError: Unknown label column 'lable': did you mean 'label'? Known: label.
    """
    if name not in frame.columns:
        raise UnknownNameError.of(role, name, frame.columns)
    return frame.get_column(name)


def is_number(series: nw.Series[Any]) -> bool:
    """Whether the column can be a feature: numbers, booleans, or nothing but missing values."""
    import narwhals as nw

    dtype = series.dtype
    return bool(dtype.is_numeric() or dtype == nw.Boolean or (len(series) > 0 and series.null_count() == len(series)))


def is_kind(dtype: Any) -> bool:
    """Whether the type is one of categories."""
    import narwhals as nw

    return bool(dtype in (nw.Categorical, nw.Enum))


def numbers(series: nw.Series[Any]) -> NDArray[Any]:
    """A numeric column as a float array, float32 where it is; missing values become NaN."""
    import narwhals as nw

    if series.dtype in (nw.Float32, nw.Float64):
        return series.to_numpy()
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        if series.implementation.is_pyarrow():  # whose casts refuse whole numbers that are rounded, beyond 2^53
            import pyarrow as pa

            return np.asarray(series.to_native().cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return np.full(len(series), np.nan, dtype=np.float32)  # nothing but missing values


def numeric_matrix(frame: nw.DataFrame[Any], names: Sequence[str], dtype: Any = None) -> NDArray[Any]:
    """The columns `names` as a C-ordered matrix of `dtype`, or float32 if all of them are, otherwise float64."""
    known = set(frame.columns)  # a list made anew for each question
    chosen = [frame.get_column(name) if name in known else column(frame, name, "feature column") for name in names]
    refused = {name: str(one.dtype) for name, one in zip(names, chosen, strict=True) if not is_number(one)}
    if refused:
        name, kind = next(iter(refused.items()))
        more = list(refused)[1:6]
        also = f" (nor are {', '.join(map(repr, more))}{', ...' if len(refused) > 6 else ''})" if more else ""
        raise DataError(
            f"Column {name!r} is not numeric: its type is {kind}{also}. Convert it to numbers, or leave it out."
        )
    arrays = [numbers(one) for one in chosen]
    narrow = all(array.dtype == np.float32 for array in arrays)
    matrix = np.empty((len(frame), len(arrays)), dtype=dtype or (np.float32 if narrow else np.float64))
    for top in range(0, len(frame), _TILE):
        for j, array in enumerate(arrays):
            matrix[top : top + _TILE, j] = array[top : top + _TILE]
    return matrix


def feature_columns(
    frame: nw.DataFrame[Any], names: Sequence[str], categorical: Sequence[str] = (), dtype: Any = None
) -> tuple[NDArray[Any], dict[str, tuple[str, ...]]]:
    """As `numeric_matrix`, but the columns `categorical` hold kinds: the codes of these, and the texts of the codes."""
    if not categorical:
        return numeric_matrix(frame, names, dtype), {}
    import narwhals as nw

    taken = {name: coded(category_texts(column(frame, name, "categorical column"))) for name in categorical}
    codes = [
        nw.new_series(name, values, nw.Float32, backend=frame.implementation) for name, (values, _) in taken.items()
    ]
    return numeric_matrix(frame.with_columns(*codes), names, dtype), {name: texts for name, (_, texts) in taken.items()}


def category_texts(series: nw.Series[Any]) -> list[str | None]:
    """A column of kinds as texts, None where one is missing: texts, categories, whole numbers, true and false."""
    import narwhals as nw

    if series.dtype.is_integer() or series.dtype == nw.Boolean or not is_number(series):
        absent = series.is_null().to_numpy()
        if series.dtype.is_float() or series.dtype.is_nested():
            raise DataError(f"Column {series.name!r} is of the type {series.dtype}: a category has one text a row.")
        texts = (series.cast(nw.String) if series.dtype in (nw.Categorical, nw.Enum) else series).to_list()
        return [None if gone else str(_text(value)) for value, gone in zip(texts, absent, strict=True)]
    return whole_texts(np.asarray(numbers(series), dtype=np.float64), str(series.name))


def check_values(
    X: Any,
    names: Sequence[str],
    *,
    missing: bool,
    query_of: Callable[[int], Any] | None = None,
    first_row: int = 0,
    owner: str | None = None,
) -> None:
    """Refuse infinity, and NaN unless `missing`, with the feature, the row (from `first_row` on) and the query.

    `owner` is the method that cannot take NaN, where it is not the caller who may say `missing`.
    """
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(values, dtype=np.float64)):  # one pass, no temporary
            return
    bad = np.isinf(values) if missing else ~np.isfinite(values)
    if not bad.any():
        return
    at = np.argwhere(bad)[0]
    value = values[tuple(at)]
    if sp.issparse(X):
        row, j = int(np.searchsorted(X.indptr, at[0], side="right")) - 1, int(X.indices[at[0]])
    else:
        row, j = (int(i) for i in at)
    where = f"feature {names[j]!r}, row {row + first_row}" + ("" if query_of is None else f" (query {query_of(row)})")
    if np.isnan(value):
        raise MissingValuesError.at(where, owner)
    raise DataError(f"{value} in {where}: feature values must be finite. Clip or drop it first.")


def check_labels(y: NDArray[Any], name: str, *, first_row: int = 0) -> NDArray[np.float32]:
    """The labels as float32; one that is missing or infinite is refused, with its row."""
    with np.errstate(over="ignore"):
        labels = y.astype(np.float32)
    if not np.isfinite(labels).all():
        row = int(np.argmax(~np.isfinite(labels)))
        raise DataError(f"The label in {name}, row {row + first_row}, is {y[row]}: labels must be finite numbers.")
    return labels


_NO_NUMBERS = "Labels must be numbers, but {}. Give every grade a number, the better the higher."


def label_column(values: Any, name: str = "y") -> NDArray[Any]:
    """Labels as an array of numbers, whatever holds them; missing ones become NaN, which RankingData refuses."""
    series = as_series(values)
    if series is None:
        labels = np.asarray(values)
        if labels.dtype == object:
            try:
                labels = labels.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise DataError(_NO_NUMBERS.format(_first_text(labels) + " is in " + name)) from error
    elif is_number(series):
        labels = numbers(series)
    else:
        raise DataError(_NO_NUMBERS.format(f"the type of {name} is {series.dtype}"))
    if labels.dtype.kind not in "biuf":
        raise DataError(_NO_NUMBERS.format(_first_text(labels) + " is in " + name))
    return labels


def id_column(values: Any, name: str = "qid") -> NDArray[Any]:
    """Query ids of any type as numbers or texts; a missing one is an error.

    >>> id_column(["b", "b", "a"])
    array(['b', 'b', 'a'], dtype='<U1')
    """
    import narwhals as nw

    series = as_series(values)
    if series is None:
        ids = values if isinstance(values, np.ndarray) else _untyped(values)
        if ids.dtype.kind in "mM":
            absent = np.isnat(ids)
        elif ids.dtype.kind == "O":
            absent = np.array([_is_missing(value) for value in ids.ravel().tolist()], dtype=bool)
        else:
            absent = np.zeros(ids.shape, dtype=bool)
    else:
        if series.dtype.is_nested():
            raise DataError(f"{name} is of the type {series.dtype}: query ids are numbers or texts, one for each row.")
        absent = np.asarray(series.is_null().to_numpy(), dtype=bool)
        if series.dtype in (nw.Categorical, nw.Enum) and series.to_numpy().dtype.kind not in "iu":
            series = series.cast(nw.String)
        ids = series.to_numpy()
    if absent.any():
        raise DataError(f"{name} is missing in row {int(np.argmax(absent))}: every row needs a query id.")
    if ids.dtype.kind in "SO" and ids.ndim == 1:
        values = [_text(value) for value in ids.tolist()]
        ids = np.array(values, dtype=str if all(isinstance(value, str) for value in values) else object)
    return ids


def text_column(series: nw.Series[Any]) -> NDArray[np.object_]:
    """Comments: any column as texts, "" where a value is missing."""
    import narwhals as nw

    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    absent = series.is_null().to_numpy()
    texts = np.empty(len(series), dtype=object)
    texts[:] = ["" if gone else str(_text(value)) for value, gone in zip(series.to_list(), absent, strict=True)]
    return texts


def side_column(series: nw.Series[Any]) -> NDArray[Any]:
    """A column beside the features: numbers as they are (missing ones NaN), times in seconds, others as texts."""
    import narwhals as nw

    if series.dtype in (nw.Date, nw.Datetime):
        return np.asarray(series.dt.timestamp("us").cast(nw.Float64).to_numpy(), dtype=np.float64) / 1e6
    if not is_number(series):
        return text_column(series)
    if series.dtype.is_integer() and not series.null_count():
        return np.asarray(series.to_numpy())
    return np.asarray(numbers(series), dtype=np.float64)


def _untyped(values: Any) -> NDArray[Any]:
    """A list as an array in which NaN among texts stays NaN, rather than becoming the text "nan"."""
    given = np.asarray(values)
    if given.dtype.kind in "US" and any(not isinstance(value, (str, bytes)) for value in list(values)):
        mixed = np.empty(len(values), dtype=object)
        mixed[:] = list(values)
        return mixed
    return given


def _is_missing(value: Any) -> bool:
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _text(value: Any) -> Any:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _first_text(values: NDArray[Any]) -> str:
    for value in values.ravel().tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            return repr(value)
        if isinstance(value, str):
            return repr(value)
    return f"an array of dtype {values.dtype}"
