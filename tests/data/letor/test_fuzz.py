"""Damaged LETOR files: whatever the bytes, the reader returns data or says what is wrong, at once."""

from __future__ import annotations

import bz2
import gzip
import io
import random
import time
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import letor as naive

from leanrank.data import RankingData
from leanrank.data.letor.reader import read
from leanrank.data.letor.rows import Format
from leanrank.errors import LeanRankError

SEEDS = [
    b"2 qid:10 1:0.5 2:-1e-3 3:7 # d1\n0 qid:10 1:0 2:3 3:NULL\n1 qid:x 3:4 #\n",
    b"0 qid:1 1:1.000000 2:0.833333 45:0.971425 #docid = 244338\r\n2 qid:1 1:.6 2:1. 45:1E+2 #docid = 1\r\n" * 3,
    b"\n# only a comment\n1.5 qid:007\t5:12345678901234567890\t1:1e-320 \n-3 qid:8 2:0 \n\n",
    b"".join(b"%d qid:%d 1:%d 2:0.%d #x\n" % (i % 3, i // 4, i, i) for i in range(40)),
    gzip.compress(b"1 qid:1 1:2 3:4 #a\n0 qid:1 2:2\n" * 20),
    bz2.compress(b"1 qid:1 1:2 3:4 #a\n0 qid:2 2:2\n"),
]
ALPHABET = [
    b" ",
    b"\t",
    b"\n",
    b"\r",
    b"#",
    b":",
    b".",
    b"-",
    b"+",
    b"e",
    b"E",
    b"qid:",
    b"NULL",
    b"nan",
    b"\0",
    b"\xff",
]
ALPHABET += [
    b"0",
    b"1",
    b"9" * 25,
    b"1e400",
    b"2000000000:1",
    b"0:1",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"BZh9",
    b"\x28\xb5\x2f\xfd",
]

N_FILES = 24_000
SECONDS_EACH = 2.0


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """One to six random edits: bytes changed, dropped, doubled, moved, tokens put in, the end cut off."""
    text = bytearray(raw)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice((1, 1, 2, 8, 40)))
        edit = rng.randrange(7)
        if edit == 0 and at < len(text):
            text[at] = rng.randrange(256)
        elif edit == 1 and at < len(text):
            text[at] ^= 1 << rng.randrange(8)
        elif edit == 2:
            text[at:at] = rng.choice(ALPHABET)
        elif edit == 3:
            text[at:to] = rng.choice(ALPHABET)
        elif edit == 4:
            del text[at:to]
        elif edit == 5:
            text[at:at] = text[at:to] * rng.choice((1, 2, 30))
        elif rng.random() < 0.3:
            del text[at:]
    return bytes(text)


def outcome(raw: bytes, piece_bytes: int) -> RankingData | LeanRankError:
    start = time.perf_counter()
    try:
        result: RankingData | LeanRankError = read(
            [io.BytesIO(raw)], Format("float32", max_id=5000), piece_bytes=piece_bytes
        )
    except LeanRankError as error:
        result = error
    if isinstance(result, LeanRankError):
        assert "\n" not in str(result)
        assert len(str(result)) < 500
    assert time.perf_counter() - start < SECONDS_EACH, raw
    return result


@pytest.mark.parametrize("part", range(4))
def test_mutated_files(part: int) -> None:
    rng = random.Random(part)
    outcome(SEEDS[0], 1 << 18)  # compiled outside the time limit
    n_read = 0
    for _, seed, piece_bytes in zip(
        range(N_FILES // 4), cycle(SEEDS), cycle([1 << 18, 1 << 18, 1 << 18, 64]), strict=False
    ):
        raw = mutated(seed, rng)
        result = outcome(raw, piece_bytes)
        if isinstance(result, RankingData):
            n_read += 1
            if n_read % 20 == 0 and not raw.startswith((b"\x1f\x8b", b"BZh")):
                _check_against_naive(raw, result)
    assert n_read > 300  # damage is often harmless: both ways are exercised


def _check_against_naive(raw: bytes, data: RankingData) -> None:
    """What is accepted is read as the obvious reader does."""
    text = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    rows = naive.read(text)
    np.testing.assert_array_equal(data.dense(), naive.dense(rows, data.n_features))
    assert data.y.tolist() == rows["labels"]
    assert data.qid.astype(str).tolist() == rows["queries"]


@given(st.binary(max_size=300), st.integers(1, 64))
@settings(max_examples=300, deadline=None)
def test_any_bytes(raw: bytes, piece_bytes: int) -> None:
    outcome(raw, piece_bytes)


@given(st.lists(st.sampled_from([*ALPHABET, b"1 qid:1 ", b"1:1 ", b"\n0 qid:2 3:.5"]), max_size=30), st.integers(1, 64))
@settings(max_examples=400, deadline=None)
def test_any_tokens_are_read_alike_whatever_the_pieces(tokens: list[bytes], piece_bytes: int) -> None:
    raw = b"".join(tokens)
    one, many = outcome(raw, 1 << 18), outcome(raw, piece_bytes)
    assert type(one) is type(many)
    if isinstance(one, RankingData):
        assert isinstance(many, RankingData)
        assert one.equals(many)
