"""What is wrong in a LETOR file, as one sentence with file, line and column."""

from __future__ import annotations

from dataclasses import dataclass

from leanrank.errors import DataError
from leanrank.kernels import letor_parser as parser

#: Kinds of fault that only show once a row is complete; they continue the parser's own.
REPEATED_ID = 100

_SHAPE = "<label> qid:<query> <feature>:<value> ... # comment"
_NUMBERS = {"nan", "inf", "infinity"}  # nan with a sign


@dataclass(frozen=True)
class Fault:
    """The place, in a piece of text, of something that breaks the format."""

    kind: int
    position: int
    text: memoryview

    def error(self, file: str, lines_before: int, *, max_id: int, dtype: str) -> DataError:
        """The fault as an error; `lines_before` lines of the file come before the piece."""
        before = bytes(self.text[: self.position])
        line_start = before.rfind(b"\n") + 1
        line = lines_before + before.count(b"\n") + 1
        column = len(before[line_start:].decode("utf-8", "replace")) + 1
        token, expected = _explain(self.kind, self._token(), max_id, dtype)
        return DataError(f"{file}, line {line:,}, column {column:,}: found {token}, expected {expected}.")

    def _token(self) -> str:
        """The text up to the next blank, as printable characters."""
        ahead = bytes(self.text[self.position : self.position + 400])
        line = ahead.split(b"\n")[0]
        token = (line.rstrip(b"\r") or line).split(b" ")[0].split(b"\t")[0]
        return (token if token.startswith(b"#") else token.split(b"#")[0]).decode("utf-8", "backslashreplace")


def _explain(kind: int, token: str, max_id: int, dtype: str) -> tuple[str, str]:
    shown = repr(_shortened(token)) if token else ""
    feature, _, value = token.partition(":")
    if kind == parser.BAD_LABEL:
        return shown, f"a number as label, in a line '{_SHAPE}'" + _not_text(token)
    if kind == parser.BAD_QID:
        name = token[4:]
        if not name:
            return "'qid:' with nothing after it", "qid:<query>"
        if len(name.encode()) > parser.MAX_QID_BYTES:
            return f"a query id longer than {parser.MAX_QID_BYTES} bytes", "a shorter one"
        return shown, "a query id of printable UTF-8 characters"
    if kind == parser.NO_QID:
        return shown or "the end of the line", "qid:<query> after the label, as in the lines before"
    if kind == parser.LATE_QID:
        return shown, "no query id, as in the lines before"
    if kind == parser.BAD_FEATURE:
        return shown, _expected_feature(feature, token)
    if kind == parser.ID_TOO_LARGE:
        return f"feature id {_shortened(feature)}", f"at most {max_id:,} (n_features= sets another limit)"
    if kind == parser.NULL_REFUSED:
        return shown, "a number: null='error' refuses missing values"
    if kind == parser.OVERFLOW:
        wider = ": pass dtype='float64' for values that large" if dtype == "float32" and ":" in token else ""
        return shown, f"a number that fits in {dtype if ':' in token else 'float32'}{wider}"
    if kind == REPEATED_ID:
        return f"feature id {feature} a second time", "each feature once in a line"
    if value.lstrip("+-").lower() in _NUMBERS:
        return shown, "a finite number (write NULL where a value is missing)"
    return shown, "a number or NULL after the colon"


def _expected_feature(feature: str, token: str) -> str:
    if feature == "qid":
        return "the query id once, right after the label"
    if feature.lstrip("-").isdigit() and ":" in token:
        return "a feature id of 1 or more"
    return "<feature id>:<value>, the id a whole number of 1 or more" + _not_text(token)


def _not_text(token: str) -> str:
    return "" if token.isprintable() and "\\x" not in token else " (this does not look like a text file)"


def _shortened(token: str, width: int = 40) -> str:
    return token if len(token) <= width else token[: width - 3] + "..."


def came_back(query: str, file: str, line: int, first_file: str, first_line: int) -> DataError:
    """A query whose rows are not adjacent."""
    if first_file == file:
        begins = f"it begins at line {first_line:,} and again at line {line:,}"
        return DataError(
            f"{file}, line {line:,}: the rows of query {query} are not adjacent: {begins}. "
            "Sort the rows by query, or regroup them (regroup=True, --regroup)."
        )
    return DataError(
        f"{file}, line {line:,}: query {query} is also in {first_file}, line {first_line:,}: a query cannot be split "
        "over files. Give the queries different ids, or regroup them (regroup=True, --regroup)."
    )


def without_queries(file: str, line: int) -> DataError:
    """Rows that belong to no query."""
    return DataError(
        f"{file}, line {line:,}: found no qid:<query> after the label, and no file {file}.query or .group with the "
        "number of rows of each query. Add query ids, or name that file by query=."
    )


def no_rows(file: str, *, empty: bool) -> DataError:
    """A file without a single document."""
    what = "is empty" if empty else "has no documents, only blank lines or comments"
    return DataError(f"{file} {what}: expected lines of the form '{_SHAPE}'.")
