"""Files that become much more than they are: refused before memory is taken, unless the limit is raised."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leanrank import FeatureGraph, RankSVM, load_ranker, read, scan
from leanrank.data.memory_size import VARIABLE, check_expansion
from leanrank.data.npz_file import read_npz
from leanrank.data.trec import read_qrels
from leanrank.errors import DataError, ParameterError


@pytest.fixture
def little(monkeypatch):
    """Files that become more than 1 MiB are looked at, not from 64 MiB on: the tests are quick."""
    monkeypatch.setattr("leanrank.data.memory_size.FREE_BYTES", 1 << 20)


def packed(path, head, row, n_bytes=1_500_000):
    times = n_bytes // len(row)
    path.write_bytes(gzip.compress(head + row * times, 9))
    return path


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [("a.txt.gz", b"", b"0 qid:1 1:0 2:0\n"), ("a.csv.gz", b"label,qid,bm25\n", b"0,1,0\n")],
)
@pytest.mark.usefixtures("little")
def test_a_compressed_bomb_is_refused(tmp_path, name, head, row):
    path = packed(tmp_path / name, head, row)
    with pytest.raises(DataError, match=rf"{name}: .* that become .*, over 100 times as much"):
        read(path)


@pytest.mark.usefixtures("little")
def test_a_bomb_can_be_scanned_as_little_of_it_is_held(tmp_path):
    path = packed(tmp_path / "a.txt.gz", b"", b"0 qid:1 1:0 2:0\n")
    assert sum(block.n_rows for block in scan(path).blocks()) == 1_500_000 // 16


@pytest.mark.usefixtures("little")
def test_the_limit_can_be_raised(tmp_path, monkeypatch):
    path = packed(tmp_path / "a.qrels.gz", b"1 0 d1 2\n", b"\n")
    with pytest.raises(DataError, match=f"set the environment variable {VARIABLE} to a larger number"):
        read_qrels(path)
    monkeypatch.setenv(VARIABLE, "2000")
    assert read_qrels(path) == {"1": {"d1": 2.0}}
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(ParameterError, match=f"{VARIABLE} must be a number >= 1. Got 'much' instead"):
        check_expansion(10**10, 10, "a")


def test_what_is_small_or_in_proportion_is_taken():
    check_expansion(60_000_000, 10, "a small file")
    check_expansion(10**12, 10**11, "a large file")


def archive(**entries):
    """An .npz of arrays, or of the bytes of entries."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, value in entries.items():
            if isinstance(value, bytes):
                file.writestr(f"{name}.npy", value)
            else:
                with file.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, value)
    return content.getvalue()


def header(shape):
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (archive(a=np.zeros(2 * 10**5)), "that become 1.6 MB"),
        (archive(a=header((10**12,))), "an array in it is damaged .*bytes are not"),
        (archive(a=header((2, -1))), "an array in it is damaged"),
        (archive(a=np.zeros(3)[:0].tobytes()), "an array in it is damaged"),
        (archive(a=b"\x93NUMPY\x01\x00\x04\x00((((" + bytes(8)), "an array in it is damaged"),
        (archive(a=np.zeros(3)).replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00"), "it is encrypted"),
        (b"no archive", r"not an \.npz file"),
    ],
    ids=["large", "short", "negative", "empty", "header", "encrypted", "no archive"],
)
@pytest.mark.usefixtures("little")
def test_arrays_that_are_not_what_they_say(content, message):
    with pytest.raises(DataError, match=f"model: .*{message}"):
        read_npz(io.BytesIO(content), "model")


def test_arrays_come_back():
    given = {"a": np.arange(6.0).reshape(2, 3), "b": np.asfortranarray(np.arange(6).reshape(2, 3)), "c": np.array(True)}
    arrays = read_npz(io.BytesIO(archive(**given)), "model")
    assert {name: array.tolist() for name, array in arrays.items()} == {n: a.tolist() for n, a in given.items()}
    assert all(array.flags.writeable for array in arrays.values())


@pytest.mark.usefixtures("little")
def test_a_model_whose_arrays_are_a_bomb(tmp_path, monkeypatch):
    import json
    from hashlib import blake2b

    monkeypatch.setattr("leanrank.rankers._saving.BIG", 1)
    path, beside = tmp_path / "model.json", tmp_path / "model.json.npz"
    RankSVM().fit([[1.0, 0.0], [0.0, 1.0]], [1, 0], qid=[7, 7]).save(path)
    beside.write_bytes(archive(coef_=np.zeros(2 * 10**5)))
    document = json.loads(path.read_text())
    document["npz_digest"] = blake2b(beside.read_bytes(), digest_size=16).hexdigest()
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"that become 1\.6 MB"):
        load_ranker(path)


def test_a_graph_with_an_encrypted_entry_or_nan(tmp_path):
    path = tmp_path / "graph.npz"
    FeatureGraph(np.ones(2), np.eye(2)).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"PK\x01\x02-\x03-\x00\x00", b"PK\x01\x02-\x03-\x00\x01"))
    assert path.read_bytes() != whole
    with pytest.raises(DataError, match="is not a feature graph: it: it is encrypted"):
        FeatureGraph.load(path)
    path.write_bytes(whole.replace(np.float64(1).tobytes() * 2, np.array([np.nan, 1]).tobytes(), 1))
    with pytest.raises(DataError, match="is not a feature graph: "):
        FeatureGraph.load(path)


@pytest.fixture
def judged_file(tmp_path):
    path = tmp_path / "judged.parquet"
    n = 300
    columns = {"label": np.arange(n) % 3, "qid": np.arange(n) // 10, "bm25": np.arange(n) / 7}
    pq.write_table(pa.table(columns), path, use_dictionary=["label"], compression="zstd")
    return path


def zigzag(value):
    """A whole number as Thrift's compact protocol writes it."""
    value, out = value * 2, bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def test_a_page_that_states_two_gigabytes(judged_file):
    content = judged_file.read_bytes()
    chunk = pq.ParquetFile(judged_file).metadata.row_group(0).column(2)
    at = chunk.data_page_offset if not chunk.has_dictionary_page else chunk.dictionary_page_offset
    assert content[at] == 0x15  # the first field, a number: the kind of the page
    sizes = at + 3  # behind the kind stands what the page takes in memory
    end = sizes
    while content[end] > 127:
        end += 1
    forged = content[:sizes] + zigzag(2**31 - 1)[: end + 1 - sizes].ljust(end + 1 - sizes, b"\x7f") + content[end + 1 :]
    judged_file.write_bytes(forged)
    with pytest.raises(DataError, match=r"states sizes that it cannot have: it is damaged"):
        read(judged_file)


@pytest.mark.usefixtures("little")
def test_more_rows_than_a_file_can_hold(tmp_path):
    path = tmp_path / "judged.parquet"
    n = 100_000  # of one value each: some kilobytes
    same = pa.array(np.zeros(n, dtype=np.int64))
    pq.write_table(pa.table({"label": same, "qid": same, "a": same, "b": same}), path)
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match=r"judged\.parquet: .* that become .*, over 100 times as much"):
        read(path)
