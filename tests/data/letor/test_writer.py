"""Writing LETOR files, and reading back what was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from leanrank import RankingData, read_letor, scan_letor, write_letor
from leanrank.errors import DataError, ParameterError


def _bits(X: np.ndarray) -> np.ndarray:
    same_nan = np.where(np.isnan(X), X.dtype.type("nan"), X)
    return same_nan.view(np.uint32 if X.dtype == np.float32 else np.uint64)


def back(data: RankingData, path: Path, **options: object) -> RankingData:
    write_letor(data, path)
    again = read_letor(path, dtype=data.X.dtype.name, **options)  # type: ignore[arg-type]
    assert np.array_equal(_bits(data.dense()), _bits(again.dense()))
    assert data.y.tobytes() == again.y.tobytes()
    assert data.missing == again.missing
    assert data.equals(again)
    return again


@pytest.mark.data
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "name",
    [f"{name}/S{i}.txt.gz" for name in ("ohsumed", "ohsumed-null", "mq2008") for i in range(1, 6)]
    + ["mslr-sample/mslr-sample.txt.gz", "lightgbm-rank/rank.train.gz", "lightgbm-rank/rank.test.gz"],
)
def test_read_write_read_is_the_identity(data_dir: Path, tmp_path: Path, name: str, dtype: str) -> None:
    data = read_letor(data_dir / name, dtype=dtype)  # type: ignore[arg-type]
    back(data, tmp_path / "again.txt")


@pytest.mark.parametrize("suffix", [".txt", ".gz", ".bz2", ".zst"])
def test_compressed_as_the_suffix_says(tmp_path: Path, suffix: str) -> None:
    data = RankingData([[0.5, 2], [1e-9, -0.0]], [1, 0], [0, 1, 2], ["a", "é:1"], comments=["", "x#é"])
    path = tmp_path / f"a{suffix}"
    back(data, path)
    magic = {".txt": b"1 qid", ".gz": b"\x1f\x8b", ".bz2": b"BZh", ".zst": b"\x28\xb5\x2f\xfd"}[suffix]
    assert path.read_bytes().startswith(magic)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


_HARD = [0.1, 1 / 3, 1e-45, 1.17549435e-38, 3.4028235e38, 8.5899345e9, 16777216.0, 1e15, 9007199254740993.0, 1e22, 1e23]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_hard_numbers(tmp_path: Path, dtype: str) -> None:
    rng = np.random.default_rng(0)
    raw = rng.integers(0, 2**32 if dtype == "float32" else 2**64, 6000, dtype=np.uint64)
    values = raw.astype(np.uint32).view(np.float32) if dtype == "float32" else raw.view(np.float64)
    short = (rng.integers(0, 10**7, 3000) / 10.0 ** rng.integers(0, 9, 3000)).astype(dtype)
    X = np.concatenate([values[np.isfinite(values)], short, np.array(_HARD, dtype), -np.array(_HARD, dtype)])
    back(RankingData(X[:, None], np.zeros(len(X)), [0, len(X)]), tmp_path / "a")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_digits_are_the_fewest(tmp_path: Path, dtype: type) -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.random(2000), rng.lognormal(0, 12, 2000), [0.1, 100, 0.3, 5e-7]]).astype(dtype)
    write_letor(RankingData(X[:, None], np.zeros(len(X)), [0, len(X)]), tmp_path / "a")
    for value, line in zip(X, (tmp_path / "a").read_text().splitlines(), strict=True):
        token = line.rpartition(":")[2]
        digits = (
            np.format_float_scientific(value, unique=True, trim="-").partition("e")[0].replace(".", "").lstrip("-0")
        )
        found = token.partition("e")[0].replace(".", "").strip("0")
        assert len(found) <= len(digits.rstrip("0")), (token, digits)


@given(
    arrays(np.float32, (3, 4), elements=st.floats(width=32, allow_infinity=False)),
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
    st.lists(
        st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=5), min_size=3, max_size=3
    ),
    st.booleans(),
)
@example(np.float32([[0, 0, 0, 0]] * 3), [0.0, -0.0, 1.5], ["", "", ""], True)
@settings(max_examples=50, deadline=None)
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, X, y, comments, sparse) -> None:  # type: ignore[no-untyped-def]
    kept = comments if any(comments) else None
    missing = bool(np.isnan(X).any())
    matrix = sp.csr_array(X) if sparse else X
    data = RankingData(matrix, y, [0, 2, 3], ["q#1".replace("#", ""), "2"], comments=kept, missing=missing)
    path = tmp_path_factory.mktemp("w") / "a"
    write_letor(data, path)
    again = read_letor(path, sparse=sparse)
    assert np.array_equal(_bits(data.dense()), _bits(again.dense()))
    assert data.equals(again)


def test_dense_writes_all_and_csr_what_is_stored(tmp_path: Path) -> None:
    X = sp.csr_array(([0.0, 5.0], [1, 0], [0, 1, 2]), shape=(2, 4))
    path = tmp_path / "a"
    write_letor(RankingData(X, [1, 0], [0, 2]), path)
    assert path.read_text() == "1 qid:0 2:0 4:0\n0 qid:0 1:5\n"  # the highest feature once
    write_letor(RankingData(X[:, :2], [1, 0], [0, 2]), path)
    assert path.read_text() == "1 qid:0 2:0\n0 qid:0 1:5\n"
    write_letor(RankingData(X.toarray(), [1, 0], [0, 2]), path)
    assert path.read_text() == "1 qid:0 1:0 2:0 3:0 4:0\n0 qid:0 1:5 2:0 3:0 4:0\n"


@pytest.mark.parametrize("decimals", [0, 3, 6, 15])
def test_decimals_are_rounded_as_python_does(tmp_path: Path, decimals: int) -> None:
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(0, 1000, 500), rng.integers(0, 4001, 500) / 16000, [0.5, 1.5, 2.5, -0.0005, 1e20]])
    data = RankingData(X[:, None], np.zeros(len(X)), [0, len(X)])
    write_letor(data, tmp_path / "a", decimals=decimals)
    printed = [line.rpartition(":")[2] for line in (tmp_path / "a").read_text().splitlines()]
    assert printed == [f"{value:.{decimals}f}" for value in X.tolist()]


def test_decimals_write_nan_as_null(tmp_path: Path) -> None:
    data = RankingData([[np.nan, 0.25]], [1], [0, 1], missing=True)
    write_letor(data, tmp_path / "a", decimals=1)
    assert (tmp_path / "a").read_text() == "1 qid:0 1:NULL 2:0.2\n"


@pytest.mark.data
def test_a_source_is_written_block_by_block(data_dir: Path, tmp_path: Path) -> None:
    source = scan_letor(data_dir / "mq2008" / "S1.txt.gz")
    write_letor(source, tmp_path / "a.zst")
    assert read_letor(tmp_path / "a.zst").equals(read_letor(data_dir / "mq2008" / "S1.txt.gz"))


@pytest.mark.parametrize(
    ("query", "comment", "message"),
    [
        ("a b", "", "Query id 'a b' cannot be written to a LETOR file: it must have no blanks and no '#'"),
        ("a#b", "", "Query id 'a#b' cannot be written"),
        ("", "", "Query id '' cannot be written"),
        ("a\x7f", "", "cannot be written"),
        ("x" * 257, "", "is longer than 256 bytes"),
        ("a", "two\nlines", "has a line end: a LETOR row is one line"),
        ("a", "end\r", "has a line end"),
        ("a", "\ud800", "cannot be written as UTF-8"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path: Path, query: str, comment: str, message: str) -> None:
    path = tmp_path / "a"
    path.write_text("as before")
    data = RankingData([[1.0]], [1], [0, 1], np.array([query]), comments=[comment])
    with pytest.raises(DataError, match=message):
        write_letor(data, path)
    assert path.read_text() == "as before"
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    data = RankingData([[1.0]], [1], [0, 1])
    with pytest.raises(DataError, match="cannot be written"):
        write_letor(data, tmp_path / "no" / "such" / "folder")
    with pytest.raises(DataError, match="cannot be written"):
        write_letor(data, tmp_path)
    with pytest.raises(ParameterError, match="'decimals' parameter of write_letor must be"):
        write_letor(data, tmp_path / "a", decimals=-1)
    with pytest.raises(ParameterError, match="'data' parameter of write_letor must be a RankingData"):
        write_letor(data.X, tmp_path / "a")
