"""Named pipes: waited for, not for ever."""

from __future__ import annotations

import os
import threading

import pytest

from leanrank import read, read_letor, read_table
from leanrank.data import compressed
from leanrank.errors import DataError

TEXT = b"1 qid:7 1:2.5\n0 qid:7 1:0.5\n"

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def test_a_pipe_that_nobody_writes_to(tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "PATIENCE", 0.1)
    os.mkfifo(tmp_path / "judged.txt")
    with pytest.raises(DataError, match=r"judged\.txt: a pipe that nobody has opened for writing within 0\.1 seconds"):
        read(tmp_path / "judged.txt")


def test_a_pipe_with_a_writer_that_comes_late(tmp_path):
    path = tmp_path / "judged"
    os.mkfifo(path)
    writer = threading.Timer(0.2, path.write_bytes, [TEXT])
    writer.start()
    try:
        assert read_letor(path).X.tolist() == [[2.5], [0.5]]
    finally:
        writer.join()


def test_a_csv_cannot_be_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "judged.csv")
    with pytest.raises(DataError, match=r"judged\.csv: is no file, and a CSV is read more than once"):
        read_table(tmp_path / "judged.csv")
