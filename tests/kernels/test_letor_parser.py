"""The number reader of the LETOR kernel against Python's own float()."""

from __future__ import annotations

import io
import random
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leanrank.data.letor.reader import read
from leanrank.data.letor.rows import Format, parse_piece
from leanrank.kernels import letor_parser as parser


def _values(tokens: list[str]) -> np.ndarray:
    text = "".join(f"0 qid:1 1:{token}\n" for token in tokens)
    piece = parse_piece(memoryview(text.encode()), Format("float64"))
    assert piece.fault is None
    return piece.rows.values


def _same_bits(tokens: list[str]) -> None:
    expected = np.array([float(token) for token in tokens])
    found = _values(tokens)
    wrong = np.flatnonzero(found.view(np.uint64) != expected.view(np.uint64))
    assert not wrong.size, [(tokens[i], found[i], expected[i]) for i in wrong[:5]]


def test_random_doubles_printed_to_any_number_of_digits() -> None:
    rng = random.Random(1)
    tokens = []
    while len(tokens) < 40_000:
        value = struct.unpack("<d", rng.randbytes(8))[0]
        if np.isfinite(value):
            tokens += [repr(value), f"{value:.{rng.randrange(25)}e}"]
    tokens = [token for token in tokens if np.isfinite(float(token))]
    _same_bits(tokens)


def test_decimals_as_files_have_them() -> None:
    rng = random.Random(2)
    tokens = [f"{rng.uniform(-1, 1):.{d}f}" for d in range(1, 24) for _ in range(800)]
    tokens += [f"{rng.randrange(10**19)}e{rng.randrange(-340, 289)}" for _ in range(20_000)]
    _same_bits(tokens)


def test_half_way_between_two_doubles() -> None:
    """The hardest decimals to round: exactly half way, and a digit beside."""
    rng = random.Random(3)
    tokens = []
    for _ in range(3_000):
        exponent = rng.randrange(-70, 70)
        half = (2 * rng.randrange(2**52, 2**53) + 1) * (10**80 if exponent < 0 else 1)
        half = half >> -exponent if exponent < 0 and half % (1 << -exponent) == 0 else half << max(exponent, 0)
        tokens += [f"{half}e{-80 if exponent < 0 else 0}", f"{half + 1}", f"{half - 1}"]
    for q in range(-10, 30):  # half ways that 19 digits can write
        for _ in range(200):
            odd = 2 * rng.randrange(2**52, 2**53) + 1
            scaled = odd * 5 ** max(0, -q) // 5 ** max(0, q)
            if scaled < 10**19:
                tokens += [f"{scaled}e{q}", f"{scaled + 1}e{q}"]
    _same_bits(tokens)


_digits = st.text("0123456789", min_size=0, max_size=30)
_exponents = st.one_of(st.just(""), st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]),
                                              st.integers(0, 400).map(str)))  # fmt: skip


@given(st.sampled_from(["", "+", "-"]), _digits, st.sampled_from(["", "."]), _digits, _exponents)
@example("", "9007199254740993", "", "", "")
@example("-", "0", ".", "0", "e-999999999999")
@example("", "1", "", "", "e99999999999999999999999")
@example("", "", ".", "5", "")
@example("", "5", ".", "", "")
@example("", "", ".", "", "")
@example("", "", "", "", "e5")
@example("", "2", "", "", "e")
@example("", "0" * 40 + "1", ".", "0" * 400 + "7", "e200")
@example("", "4.9406564584124654e-324", "", "", "")
@example("", "2.2250738585072011e-308", "", "", "")
@example("", "1.7976931348623157e308", "", "", "")
@example("", "1.7976931348623159e308", "", "", "")
@settings(max_examples=400, deadline=None)
def test_any_spelling_is_read_as_float_does_or_refused(
    sign: str, whole: str, point: str, part: str, power: str
) -> None:
    token = sign + whole + point + part + power
    piece = parse_piece(memoryview(f"0 qid:1 1:{token}\n".encode()), Format("float64"))
    try:
        expected = float(token)
    except ValueError:
        assert piece.fault is not None
        assert piece.fault.kind == parser.BAD_VALUE
        return
    if np.isinf(expected):
        assert piece.fault is not None
        assert piece.fault.kind == parser.OVERFLOW
    else:
        assert piece.rows.values.tobytes() == np.float64(expected).tobytes()


@pytest.mark.parametrize("value", [2.0**128 - 2.0**103, 2.0**128 - 2.0**103 - 2.0**75, 1e-46, 7e-46, 1.17549429e-38])
def test_float32_is_the_double_rounded(value: float) -> None:
    text = f"0 qid:1 1:{value!r}\n".encode()
    with np.errstate(over="ignore"):
        expected = np.float32(value)
    if np.isinf(expected):
        with pytest.raises(ValueError, match="fits in float32"):
            read([io.BytesIO(text)], Format("float32"))
    else:
        assert read([io.BytesIO(text)], Format("float32")).dense()[0, 0] == expected
