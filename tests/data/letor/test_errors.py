"""Bad LETOR input: one sentence with file, line and column."""

from __future__ import annotations

import bz2
import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pytest

from leanrank import read_letor, scan_letor
from leanrank.errors import DataError, LeanRankError

GOOD = "1 qid:1 1:0.5 2:3 #a\n"

CASES = {
    "empty": ("", r"is empty: expected lines of the form '<label> qid:<query>"),
    "only blank lines": ("\n \n# c\n", r"has no documents, only blank lines or comments"),
    "no qid": ("1 1:2 2:3\n", r"line 1: found no qid:<query> after the label, and no file .*\.query or \.group"),
    "qid missing later": (GOOD + "1 1:2\n", r"line 2, column 3: found '1:2', expected qid:<query> after the label"),
    "nothing but a label": (GOOD + "1\n", r"line 2, column 2: found the end of the line, expected qid:"),
    "label": (GOOD + "\nhigh qid:1 1:2\n", r"line 3, column 1: found 'high', expected a number as label"),
    "label is nan": ("nan qid:1 1:2\n", r"line 1, column 1: found 'nan', expected a number as label"),
    "label with a tail": ("1x qid:1 1:2\n", r"column 1: found '1x', expected a number as label"),
    "label too large": ("1e39 qid:1 1:2\n", r"column 1: found '1e39', expected a number that fits in float32"),
    "label far too large": ("1e999 qid:1 1:2\n", r"column 1: found '1e999', expected a number that fits in float32"),
    "value": (GOOD + "1 qid:1 1:2 3:abc\n", r"line 2, column 13: found '3:abc', expected a number or NULL after the"),
    "no value": ("1 qid:1 3: 4:1\n", r"column 9: found '3:', expected a number or NULL"),
    "value with a tail": ("1 qid:1 3:1.5f\n", r"found '3:1.5f', expected a number or NULL"),
    "half an exponent": ("1 qid:1 3:1e\n", r"found '3:1e', expected a number or NULL"),
    "hexadecimal": ("1 qid:1 3:0x10\n", r"found '3:0x10', expected a number or NULL"),
    "underscore": ("1 qid:1 3:1_0\n", r"found '3:1_0', expected a number or NULL"),
    "nan with a sign": ("1 qid:1 3:-nan\n", r"column 9: found '3:-nan', expected a finite number \(write NULL"),
    "nan with a tail": ("1 qid:1 3:nano\n", r"column 9: found '3:nano', expected a number or NULL"),
    "infinity": ("1 qid:1 3:-Infinity\n", r"found '3:-Infinity', expected a finite number \(write NULL"),
    "null in small letters": ("1 qid:1 3:null\n", r"found '3:null', expected a number or NULL"),
    "beyond float32": ("1 qid:1 3:1e39\n", r"column 9: found '3:1e39', .* fits in float32: pass dtype='float64'"),
    "beyond float64": ("1 qid:1 13:1e999\n", r"column 9: found '13:1e999', expected a number that fits in float32"),
    "id 0": ("1 qid:1 0:2\n", r"column 9: found '0:2', expected a feature id of 1 or more"),
    "negative id": ("1 qid:1 -3:2\n", r"column 9: found '-3:2', expected a feature id of 1 or more"),
    "id is a name": ("1 qid:1 bm25:2\n", r"found 'bm25:2', expected <feature id>:<value>, the id a whole number"),
    "fractional id": ("1 qid:1 1.5:2\n", r"found '1.5:2', expected <feature id>:<value>"),
    "no id": ("1 qid:1 :2\n", r"found ':2', expected <feature id>:<value>"),
    "no colon": ("1 qid:1 1:2 7 8:1\n", r"column 13: found '7', expected <feature id>:<value>"),
    "second qid": ("1 qid:1 1:2 qid:3\n", r"column 13: found 'qid:3', expected the query id once, right after"),
    "repeated id": (GOOD + "1 qid:1 3:1 1:2 3:4 5:1\n", r"line 2, column 17: found feature id 3 a second time"),
    "repeated id at once": ("1 qid:1\t1:1  1:2 # 1:3\n", r"line 1, column 14: found feature id 1 a second time"),
    "huge id": (GOOD + "1 qid:1 2000000000:1\n", r"line 2, column 9: found feature id 2000000000, expected at"),
    "id beyond int64": ("1 qid:1 99999999999999999999999:1\n", r"found feature id 9+, expected at most 1,000,000"),
    "empty qid": ("1 qid: 1:2\n", r"column 3: found 'qid:' with nothing after it, expected qid:<query>"),
    "qid with control character": ("1 qid:a\x01b 1:2\n", r"column 3: found .*, expected a query id of printable"),
    "qid not UTF-8": (b"1 qid:\xff 1:2\n", r"column 3: found .*, expected a query id of printable UTF-8"),
    "long qid": (f"1 qid:{'a' * 300} 1:2\n", r"column 3: found a query id longer than 256 bytes"),
    "query comes back": (
        GOOD + "1 qid:2 1:1\n\n" + GOOD,
        r"line 4: the rows of query 1 are not adjacent: it begins at line 1 and again at line 4\. .*regroup=True",
    ),
    "lone carriage returns": ("1 qid:1 1:2\r1 qid:1 1:3\r", r"line 1, column 12: found '\\r1', expected <feature id>"),
    "binary junk": (bytes(range(128, 256)) * 9, r"line 1, column 1: found .* \(this does not look like a text file\)"),
    "null bytes": (b"\0" * 1000, r"line 1, column 1: found .* \(this does not look like a text file\)"),
    "UTF-16": (GOOD.encode("utf-16"), r"line 1, column 1: found .*\(this does not look like a text file\)"),
    "a table": ("label,qid,f1\n1,2,3\n", r"line 1, column 1: found 'label,qid,f1', expected a number as label"),
    "no features": ("1 qid:1\n0 qid:1 # 3:4\n", r"has no features: no line has a <feature>:<value>"),
    "column in characters": ("1 qid:é 1:x\n", r"column 9: found '1:x'"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_with_file_line_and_column(tmp_path: Path, case: str) -> None:
    text, message = CASES[case]
    path = tmp_path / "bad.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=message) as caught:
        read_letor(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert len(sentence) < 400 + 2 * len(str(path))
    with pytest.raises(DataError, match=message):
        scan_letor(path)
    with pytest.raises(DataError, match=message):  # the same on threads and in pieces
        list(scan_letor(path, n_features=None if "id" in case or case == "no features" else 20).blocks())


@pytest.mark.parametrize("case", ["value", "repeated id", "qid missing later", "label", "query comes back"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_line_is_right_in_a_long_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, threads: str
) -> None:
    monkeypatch.setenv("LEANRANK_THREADS", threads)
    text, _ = CASES[case]
    assert isinstance(text, str)
    path = tmp_path / "bad.txt.gz"
    before = "".join(f"0 qid:{i} 1:{i}.25 # document {i}\n\n" for i in range(100, 20_100))
    path.write_bytes(gzip.compress((before + text).encode(), 1))
    line = 40_000 + {"value": 2, "repeated id": 2, "qid missing later": 2, "label": 3, "query comes back": 4}[case]
    with pytest.raises(DataError, match=rf"bad.txt.gz, line {line:,}"):
        read_letor(path)


def test_a_row_without_query_in_a_later_piece(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("1 qid:1 1:2\n" * 30_000 + "1 1:2\n" * 30_000)
    with pytest.raises(DataError, match="line 30,001, column 3: found '1:2', expected qid:<query> after the label"):
        read_letor(path)
    path.write_text("1 1:2\n" * 60_000 + "1 qid:1 1:2\n" * 30_000)
    with pytest.raises(DataError, match="line 60,001, column 3: found 'qid:1', expected no query id"):
        read_letor(path, query=[90_000])


def _zstd(raw: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(raw)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(("compress", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bz2"), (_zstd, "zstd")])
def test_damaged_compression(tmp_path: Path, compress, name: str) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    raw = "".join(f"0 qid:{i} 1:{rng.random()}\n" for i in range(2000)).encode()
    whole = compress(raw)
    path = tmp_path / "train.txt"
    for cut in (len(whole) // 2, len(whole) - 1, 12):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError, match=rf"train.txt is cut off: its {name} stream ends too early"):
            read_letor(path)
    path.write_bytes(whole + b"more")
    with pytest.raises(DataError, match=rf"train.txt is damaged: its {name} stream does not decompress"):
        read_letor(path)
    path.write_bytes(whole[:4])
    with pytest.raises(DataError, match=r"train\.txt"):
        read_letor(path)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(LeanRankError, match=r"There is no file .*nothing\.txt\."):
        read_letor(tmp_path / "nothing.txt")
    with pytest.raises(LeanRankError, match="is a folder: expected a file"):
        read_letor(tmp_path)
    with pytest.raises(LeanRankError, match="is not the name of a file"):
        read_letor("a\0b")
    with pytest.raises(LeanRankError, match="the list of paths is empty"):
        read_letor([])
    with pytest.raises(LeanRankError, match="'path' parameter"):
        read_letor([3])  # type: ignore[list-item]
    (tmp_path / "locked").write_text(GOOD)
    (tmp_path / "locked").chmod(0)
    if not os.access(tmp_path / "locked", os.R_OK):
        with pytest.raises(LeanRankError, match="locked cannot be read: Permission denied"):
            read_letor(tmp_path / "locked")


def test_query_sizes_that_do_not_fit(tmp_path: Path) -> None:
    path, sizes = tmp_path / "rank.train", tmp_path / "rank.train.query"
    path.write_text("1 1:2\n0 1:3\n")
    for content, message in (
        ("1\n", r"The sizes in .*query sum to 1 rows, but .*rank.train has more"),
        ("3\n", r"The sizes in .*query sum to 3 rows, but .*rank.train ends after 2"),
        ("1\nx\n", r"rank.train.query, line 2: found 'x', expected the number of rows of a query"),
        ("0\n2\n", r"rank.train.query, line 1: found '0'"),
        ("-1\n", r"found '-1'"),
        ("9" * 30, r"found '9+'"),
        ("\n", r"rank.train.query is empty"),
    ):
        sizes.write_text(content)
        with pytest.raises(DataError, match=message):
            read_letor(path)
    with pytest.raises(DataError, match=r"The group sizes sum to 3 rows, but .* ends after 2"):
        read_letor(path, query=[1, 2])
    with pytest.raises(DataError, match=r"There is no file .*absent"):
        read_letor(path, query=tmp_path / "absent")
    path.write_text(GOOD)
    with pytest.raises(DataError, match="line 1: the rows have query ids, and query sizes are given too"):
        read_letor(path, query=[1])


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\n" + GOOD)
    (tmp_path / "b").write_text(GOOD)
    with pytest.raises(DataError, match=r"b, line 1: query 1 is also in .*a, line 2: a query cannot be split"):
        read_letor([tmp_path / "a", tmp_path / "b"])
    (tmp_path / "c").write_text("1 1:2\n")
    with pytest.raises(DataError, match=r"c, line 1: some of the files have query ids"):
        read_letor([tmp_path / "a", tmp_path / "c"])


def test_n_features_and_names_are_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1 qid:1 1:1 3:1\n")
    for options in ({"n_features": 2}, {"feature_names": ["a", "b"]}):
        with pytest.raises(DataError, match=r"line 1, column 13: found feature id 3, expected at most 2"):
            read_letor(path, **options)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="Feature name 'a' occurs twice"):
        read_letor(path, feature_names=["a", "a", "b"])


def test_a_nearly_empty_dense_matrix_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    path.write_text("".join(f"0 qid:{i} 1:1\n" for i in range(400)) + "0 qid:x 999999:1\n")
    with pytest.raises(DataError, match=r"wide.txt, line 401: 401 rows x 999,999 features.*sparse=True or 'auto'"):
        read_letor(path, sparse=False)
    assert read_letor(path).X.nnz == 401
    with pytest.raises(DataError, match=r"wide.txt, line 401: 401 rows x 999,999 features"):
        scan_letor(path, sparse=False)


_HOSTILE = """
import resource, sys
from leanrank import read_letor, scan_letor
from leanrank.errors import DataError
try:
    for block in scan_letor(sys.argv[1], n_features=3).blocks():
        pass
except DataError as error:
    print(error)
if sys.platform == 'linux':  # ru_maxrss is inherited from whoever started this process
    print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM:')))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("kind", ["one line of 1 GB", "many lines"])
def test_memory_is_bounded(tmp_path: Path, kind: str) -> None:
    """Next to nothing on disk, since it is compressed; the reader must not hold all of it."""
    one_line = kind == "one line of 1 GB"
    member = gzip.compress(b"1" * (1 << 20) if one_line else b"# " + b"x" * 260_000 + b"\n", 1)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"" if one_line else b"0 qid:1 2:1\n") + member * (1024 if one_line else 2000))
    out = subprocess.run([sys.executable, "-c", _HOSTILE, path], capture_output=True, text=True, check=True).stdout
    *messages, peak = out.splitlines()
    assert int(peak) * (1 if sys.platform == "darwin" else 1024) < 600e6
    if one_line:
        assert "line 1: the line is longer than 64 MiB" in messages[0]
    else:
        assert messages == []
