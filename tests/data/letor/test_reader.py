"""Reading LETOR files: real data, formats, queries, storage."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import letor as naive

from leanrank import RankingData, read, read_letor, scan, scan_letor
from leanrank.data.letor import stream as letor_lines
from leanrank.data.letor.options import checked
from leanrank.data.letor.reader import read as read_sources
from leanrank.data.letor.rows import Format
from leanrank.data.letor.writer import write_lightgbm
from leanrank.data.ranking_data import concatenate
from leanrank.errors import DataError, ParameterError

SMALL = "2 qid:10 1:0.5 2:-1e-3 3:7 # d1\n0 qid:10 1:0 2:3 3:NULL\n1 qid:x 3:4 #\n"


def parsed(text: str | bytes, *, piece_bytes: int = 1 << 18, dtype: str = "float32", **options: object) -> RankingData:
    raw = text.encode() if isinstance(text, str) else text
    sizes = options.pop("sizes", None)
    form = checked("parsed", dtype=dtype, **options)  # type: ignore[arg-type]
    return read_sources([io.BytesIO(raw)], form, sizes=sizes, piece_bytes=piece_bytes)  # type: ignore[arg-type]


def zstd(raw: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(raw)
    return sink.getvalue().to_pybytes()


COUNTS = {
    "ohsumed": (16_140, 106, 45, [21, 21, 21, 21, 22]),
    "ohsumed-null": (16_140, 106, 45, [21, 21, 21, 21, 22]),
    "mq2008": (15_211, 784, 46, [157, 157, 157, 157, 156]),
}


@pytest.mark.data
@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_the_letor_sets(data_dir: Path, name: str) -> None:
    paths = sorted((data_dir / name).glob("S*.txt.gz"))
    data = read_letor(paths)
    rows, queries, features, per_part = COUNTS[name]
    assert (data.n_rows, data.n_queries, data.n_features) == (rows, queries, features)
    assert [read_letor(path, n_features=features).n_queries for path in paths] == per_part
    assert data.missing == (name == "ohsumed-null")
    assert data.query_ids.dtype == np.int64
    assert set(np.unique(data.y)) == {0, 1, 2}
    assert data.comments is not None
    assert all(comment.startswith("docid = ") for comment in data.comments)
    if name != "ohsumed-null":
        zeros = {"ohsumed": [5, 6, 7, 20, 21, 22, 35, 36, 37], "mq2008": [6, 7, 8, 9, 10, 43]}[name]
        assert (np.flatnonzero(~data.X.any(axis=0)) + 1).tolist() == zeros


@pytest.mark.data
def test_counts_of_the_other_sets(data_dir: Path) -> None:
    mslr = read_letor(data_dir / "mslr-sample" / "mslr-sample.txt.gz")
    assert (mslr.n_rows, mslr.n_queries, mslr.n_features) == (16_268, 146, 136)
    assert mslr.comments is None
    train = read_letor(data_dir / "lightgbm-rank" / "rank.train.gz")
    assert (train.n_rows, train.n_queries, train.n_features) == (3_005, 201, 300)
    test = read_letor(data_dir / "lightgbm-rank" / "rank.test.gz", n_features=300)
    assert (test.n_rows, test.n_queries, test.n_features) == (768, 50, 300)
    assert train.query_sizes[:3].tolist() == [1, 13, 5]


@pytest.mark.data
def test_real_file_equals_the_naive_reader(data_dir: Path) -> None:
    for name in ("ohsumed-null/S1.txt.gz", "mq2008/S2.txt.gz"):
        rows = naive.read(gzip.decompress((data_dir / name).read_bytes()).decode(), "float64")
        data = read_letor(data_dir / name, dtype="float64")
        np.testing.assert_array_equal(data.X, naive.dense(rows, data.n_features, "float64"))
        assert data.y.tolist() == rows["labels"]
        assert data.qid.astype(str).tolist() == rows["queries"]
        assert data.comments is not None
        assert data.comments.tolist() == rows["comments"]


def test_the_parts_of_a_line() -> None:
    data = parsed(SMALL)
    assert data.y.tolist() == [2, 0, 1]
    assert data.query_ids.tolist() == ["10", "x"]
    assert data.query_ptr.tolist() == [0, 2, 3]
    np.testing.assert_array_equal(data.dense(), np.float32([[0.5, -1e-3, 7], [0, 3, np.nan], [0, 0, 4]]))
    assert data.comments is not None
    assert data.comments.tolist() == [" d1", "", ""]
    assert data.missing
    assert data.feature_names == ("1", "2", "3")


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, zstd])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_compressions_and_line_ends(tmp_path: Path, compress: object, end: str) -> None:
    path = tmp_path / "anything.txt"  # the name does not tell
    path.write_bytes(compress(SMALL.replace("\n", end).encode()))  # type: ignore[operator]
    assert read_letor(path).equals(parsed(SMALL))


def test_members_of_one_gzip_file_are_joined() -> None:
    first, second = SMALL.encode()[:20], SMALL.encode()[20:]
    assert parsed(gzip.compress(first) + gzip.compress(second)).equals(parsed(SMALL))


@pytest.mark.parametrize(
    "text",
    [
        SMALL.rstrip("\n"),
        "\n\n" + SMALL + "\n \t\n",
        "# a comment\n" + SMALL + "   # another",
        SMALL.replace(" ", "\t"),
        SMALL.replace(" ", " \t  ") + "  \n",
        "\ufeff" + SMALL,
        SMALL.replace("2 qid", "  +2.0e0 qid"),
        SMALL.replace("1:0.5 2:-1e-3 3:7", "3:7 1:0.5 2:-1e-3"),
        SMALL.replace("3:7", "0003:7."),
    ],
)
def test_spellings_of_the_same_data(text: str) -> None:
    found = parsed(text)
    expected = parsed(SMALL)
    if "\t" in text:
        assert found.comments is not None
        found.comments[:] = [comment.strip() and " d1" for comment in found.comments]
    assert found.equals(expected)


def test_comments_are_kept_to_the_byte() -> None:
    text = b"1 qid:1 1:2#\xff \x00\tcaf\xc3\xa9 # # 3:4 \n0 qid:1 1:3 \n"
    data = parsed(text)
    assert data.comments is not None
    assert data.comments[0].encode("utf-8", "surrogateescape") == b"\xff \x00\tcaf\xc3\xa9 # # 3:4 "
    assert data.comments[1] == ""
    assert parsed("1 qid:1 1:2\n").comments is None


@pytest.mark.parametrize(
    ("ids", "dtype"),
    [
        (["3", "-1", "9223372036854775807"], "int64"),
        (["3", "007"], "str"),
        (["3", "-0"], "str"),
        (["3", "+1"], "str"),
        (["3", "9223372036854775808"], "str"),
        (["3", "1_0"], "str"),
        (["3", "q:3"], "str"),
        (["3", "é"], "str"),
        (["3", "٣"], "str"),  # a digit, but not as numbers are printed
        (["3", "1" * 250], "str"),
    ],
)
def test_query_ids_are_numbers_only_if_all_are(ids: list[str], dtype: str) -> None:
    data = parsed("".join(f"1 qid:{name} 1:2\n" for name in ids))
    assert data.query_ids.dtype.name.startswith(dtype)
    assert [str(name) for name in data.query_ids] == ids


_FIELD = st.one_of(
    st.just("NULL"),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.sampled_from(["0", "-0", "1.", ".5", "+3", "1e-50", "000.100", "12345678901234567890", "1E+2"]),
)
_ROW = st.tuples(
    st.sampled_from(["0", "1", "2.5", "-3", "4e0"]),
    st.sampled_from(["1", "2", "10", "b", "1b", "11"]),
    st.dictionaries(st.integers(1, 12), _FIELD, max_size=6),
    st.sampled_from(["", "#", "# d1", "#a#b:c", " #  é "]),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n#only a comment\n"]),
)


@given(st.lists(_ROW, min_size=1, max_size=12), st.integers(1, 90), st.sampled_from(["float32", "float64"]))
@settings(max_examples=60, deadline=None)
def test_equals_the_naive_reader_whatever_the_pieces(rows: list, piece_bytes: int, dtype: str) -> None:  # type: ignore[type-arg]
    rows.sort(key=lambda row: row[1])
    text = "".join(
        f"{label} qid:{qid} {' '.join(f'{i}:{value}' for i, value in features.items())} {comment}{end}"
        for label, qid, features, comment, end in rows
    )
    expected = naive.read(text, dtype)
    data = parsed(text, piece_bytes=piece_bytes, dtype=dtype, n_features=12, sparse=False)
    assert data.dense().tobytes() == naive.dense(expected, 12, dtype).tobytes()
    assert data.y.tolist() == expected["labels"]
    assert data.qid.astype(str).tolist() == expected["queries"]
    comments = expected["comments"] if any(expected["comments"]) else None
    assert (None if data.comments is None else data.comments.tolist()) == comments


@pytest.mark.data
@pytest.mark.parametrize("threads", ["1", "2", "3"])
@pytest.mark.parametrize("piece_bytes", [700, 20_000])
def test_threads_and_pieces_change_nothing(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, threads: str, piece_bytes: int
) -> None:
    monkeypatch.setenv("LEANRANK_THREADS", threads)
    path = data_dir / "ohsumed-null" / "S1.txt.gz"
    assert read_sources([path], Format("float32"), piece_bytes=piece_bytes).equals(read_letor(path))


def test_storage_is_csr_below_a_quarter() -> None:
    full = "1 qid:1 1:1 2:2 3:3 4:4\n"
    assert not parsed(full + "0 qid:1\n" * 3).is_sparse
    sparse = parsed(full + "0 qid:1\n" * 4)
    assert sparse.is_sparse
    assert parsed(full + "0 qid:1\n" * 4, sparse=False).equals(sparse)
    assert parsed(full, sparse=True).is_sparse
    explicit = parsed("0 qid:1 3:0 1:5\n", sparse=True).X
    assert (explicit.indices.tolist(), explicit.data.tolist()) == ([0, 2], [5, 0])


def test_a_mix_of_full_and_sparse_pieces() -> None:
    text = "1 qid:1 1:1 2:2\n" * 3 + "0 qid:1 2:5\n" + "1 qid:1 1:1 2:2 3:3\n" * 3
    for sparse in (True, False):
        for piece_bytes in (20, 40, 1000):
            data = parsed(text, sparse=sparse, piece_bytes=piece_bytes)
            assert data.dense().tolist() == [[1, 2, 0]] * 3 + [[0, 5, 0]] + [[1, 2, 3]] * 3


def test_feature_names_and_numbers() -> None:
    assert parsed("1 qid:1 1:3\n", n_features=3).dense().tolist() == [[3, 0, 0]]
    path_data = parsed("1 qid:1 1:3\n", feature_names=["bm25", "age"])
    assert path_data.feature_names == ("bm25", "age")
    assert path_data.dense().tolist() == [[3, 0]]


@pytest.mark.parametrize("null", ["NULL", "nan", "NaN"])
def test_null_is_nan_or_a_number_or_an_error(tmp_path: Path, null: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"1 qid:1 1:{null} 2:3\n")
    assert read_letor(path).missing
    assert np.isnan(read_letor(path).X[0, 0])
    filled = read_letor(path, null=-1)
    assert filled.X[0, 0] == -1
    assert not filled.missing
    with pytest.raises(DataError, match=rf"a.txt, line 1, column 9: found '1:{null}', expected a number"):
        read_letor(path, null="error")
    assert not read_letor(path, null=0).missing


@pytest.mark.parametrize("name", ["train", "train.gz"])
@pytest.mark.parametrize("suffix", ["query", "group"])
def test_query_sizes_beside_the_file(tmp_path: Path, name: str, suffix: str) -> None:
    raw = b"1 1:2\n0 1:3\n2 2:1\n"
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    (tmp_path / f"train.{suffix}").write_text("2\n1\n\n")
    data = read_letor(tmp_path / name)
    assert data.query_ptr.tolist() == [0, 2, 3]
    assert data.query_ids.tolist() == [0, 1]
    (tmp_path / "sizes").write_text("1\r\n2")
    assert read_letor(tmp_path / name, query=tmp_path / "sizes").query_ptr.tolist() == [0, 1, 3]
    assert read_letor(tmp_path / name, query=[1, 1, 1]).n_queries == 3
    both = read_letor([tmp_path / name, tmp_path / name])
    assert both.query_ids.tolist() == [0, 1, 2, 3]
    assert read_letor([tmp_path / name] * 2, query=np.array([4, 2])).query_ptr.tolist() == [0, 4, 6]


@pytest.mark.parametrize("name", ["rank.train", "rank.train.gz", "rank.txt"])
def test_what_is_written_for_lightgbm_reads_back_by_every_reader(tmp_path: Path, name: str) -> None:
    X = np.float32([[0.5, np.nan], [0, 3], [2, 1]])
    data = RankingData(X, [2, 0, 1], [0, 2, 3], ["tea", "cup"], missing=True)
    write_lightgbm(data, tmp_path / name)
    expected = RankingData(X, data.y, data.query_ptr, missing=True)  # queries count from 0
    assert read_letor(tmp_path / name).equals(expected)
    assert read(tmp_path / name).equals(expected)
    for scanned in (scan_letor(tmp_path / name), scan(tmp_path / name)):
        assert concatenate(list(scanned.blocks(1))).equals(expected)
    with pytest.raises(DataError, match="line 1, column 9: found '2:nan', expected a number"):
        read(tmp_path / name, missing=False)


def test_query_ids_in_the_rows_count_more_than_sizes_beside(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:7 1:2\n0 qid:8 1:3\n")
    (tmp_path / "a.txt.query").write_text("2\n")
    assert read_letor(tmp_path / "a.txt").query_ids.tolist() == [7, 8]


def test_sizes_over_small_pieces() -> None:
    data = parsed("1 1:2\n0 1:3\n2 2:1\n1 1:1\n", piece_bytes=7, sizes=np.array([1, 3]))
    assert data.query_ptr.tolist() == [0, 1, 4]


def test_several_files_have_the_features_of_the_largest(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 qid:1 1:1\n")
    (tmp_path / "b").write_text("1 qid:2 4:1 # x\n")
    data = read_letor([tmp_path / "a", str(tmp_path / "b")], sparse=False)
    assert data.X.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    assert data.comments is not None
    assert data.comments.tolist() == ["", " x"]


def test_regroup_brings_rows_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 qid:7 1:1 #a\n2 qid:3 1:2 #b\n3 qid:7 1:3 #c\n")
    data = read_letor(tmp_path / "a", regroup=True)
    assert data.query_ids.tolist() == [7, 3]
    assert data.y.tolist() == [1, 3, 2]
    assert data.comments is not None
    assert data.comments.tolist() == ["a", "c", "b"]
    (tmp_path / "b").write_text("5 qid:3 1:9\n")
    assert read_letor([tmp_path / "a", tmp_path / "b"], regroup=True).y.tolist() == [1, 3, 2, 5]


def test_a_line_longer_than_a_piece() -> None:
    text = "1 qid:1 " + " ".join(f"{i}:{i}" for i in range(1, 3000)) + "\n"
    assert parsed(text + text, piece_bytes=16).dense().sum() == 2 * 2999 * 3000 / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 0}, "'n_features' parameter of read_letor must be a whole number from 1"),
        ({"feature_names": []}, "'feature_names' parameter .* one name per feature. Got '0 names'"),
        ({"feature_names": ["a"], "n_features": 2}, "Got '1 names for n_features=2'"),
        ({"sparse": "yes"}, "'sparse' parameter"),
        ({"dtype": "float16"}, "'dtype' parameter"),
        ({"null": "zero"}, "'null' parameter"),
        ({"null": float("inf")}, "'null' parameter"),
        ({"null": 1e300}, "fits in float32"),
        ({"query": [1, -1]}, "'query' parameter"),
        ({"query": ["a", "b"]}, "names 2 files for 1"),
    ],
)
def test_parameters_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_letor("nowhere.txt", **options)  # type: ignore[arg-type]


def test_long_lines_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letor_lines, "MAX_LINE_BYTES", 1000)
    served = 0

    class Endless(io.RawIOBase):
        name = "endless"

        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
            nonlocal served
            n = len(buffer)
            buffer[:n] = b"1" * n
            served += n
            return n

    with pytest.raises(DataError, match=r"endless, line 3: the line is longer than 0 MiB"):
        read_sources([_Chain(b"1 qid:1 1:1\n\n", Endless())], Format("float32"), piece_bytes=16)
    assert served < 100_000


class _Chain(io.RawIOBase):
    """Some bytes, then another stream."""

    name = "endless"

    def __init__(self, head: bytes, tail: io.RawIOBase) -> None:
        self._head, self._tail = head, tail

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        if self._head:
            part, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
            buffer[: len(part)] = part
            return len(part)
        return self._tail.readinto(buffer)  # type: ignore[return-value]
