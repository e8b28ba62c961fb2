"""Kendall concordance of every pair of features inside each query, on bits.

For a query of n documents and a feature a, every unordered pair of documents {s, t}, t < s, gets two bits:
*above* (a_s > a_t) and *untied* (a_s != a_t). For features a and b then

    concordant = popcount(~(above_a ^ above_b) & untied_a & untied_b)

over n(n-1)/2 bits, 512 at a time. Bits come from comparing one document with 16 others at once, no sort needed.
They are made for a chunk of documents and all features, small enough to stay in cache; then all pairs of features
are counted on it. See docs/decisions/0002-kendall-bitsets.md for what was measured; very long lists are counted
by `inversions.py` instead.

Arrays: total (K, K) is added to, above the diagonal. Of one query: columns (K, n) its features as rows; bits (K, 2,
words) the two bits of every pair of a chunk of documents; counts (K, K) and tied (K,) pairs of documents.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.kernels._jit import Array, Ints, Words, cgutils, intrinsic, ir, kernel, popcount, types

# What is summed over queries.
STRICT, HALF, ORDINAL, TAU_B = 0, 1, 2, 3

#: Bits of all features kept at once, in bytes: they fit the second-level cache of one core.
CHUNK_BYTES = 384 << 10
#: One unit of the sums.
UNIT = 2.0**-46

_I64 = ir.IntType(64)
_WORDS = ir.VectorType(_I64, 8)  # 512 bits; LLVM splits it where registers are narrower


@intrinsic
def _compare_16(typing_context: Any, columns: Any, position: Any, x: Any) -> Any:
    """Bits of (value < x) in the low half and of (value != x) in the high half, for 16 values."""
    signature = types.uint32(columns, types.intp, columns.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        number = context.get_value_type(signature.args[0].dtype)
        vector = ir.VectorType(number, 16)
        i16, i32 = ir.IntType(16), ir.IntType(32)
        values = builder.load(builder.bitcast(builder.gep(array.data, [args[1]]), vector.as_pointer()))
        values.align = signature.args[0].dtype.bitwidth // 8
        nothing = ir.Constant(vector, ir.Undefined)
        first = builder.insert_element(nothing, args[2], ir.Constant(i32, 0))
        all_x = builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(i32, 16), [0] * 16))
        below = builder.bitcast(builder.fcmp_ordered("<", values, all_x), i16)
        differs = builder.bitcast(builder.fcmp_unordered("!=", values, all_x), i16)
        return builder.or_(builder.zext(below, i32), builder.shl(builder.zext(differs, i32), ir.Constant(i32, 16)))

    return signature, generate


def _tile_counter(variant: str) -> Any:
    """Count for 2 x 4 features at once, so that a loaded vector serves several pairs; adds to `out` (8,)."""

    @intrinsic
    def count(typing_context: Any, bits: Any, rows: Any, i: Any, j: Any, n_vectors: Any, out: Any) -> Any:
        signature = types.void(bits, rows, types.intp, types.intp, types.intp, out)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def array(k: int) -> Any:
                return context.make_array(signature.args[k])(context, builder, args[k])

            words = cgutils.unpack_tuple(builder, array(0).shape, 3)[2]

            def row_of(position: Any, offset: int) -> list[Any]:
                at = builder.gep(array(1).data, [builder.add(position, ir.Constant(_I64, offset))])
                start = builder.mul(builder.load(at), builder.mul(words, ir.Constant(_I64, 2)))
                planes = [start] if variant == "untied" else [start, builder.add(start, words)]
                return [builder.bitcast(builder.gep(array(0).data, [p]), _WORDS.as_pointer()) for p in planes]

            def load(pointer: Any, index: Any) -> Any:
                loaded = builder.load(builder.gep(pointer, [index]))
                loaded.align = 8
                return loaded

            def call(name: str, returns: Any, value: Any) -> Any:
                function = ir.FunctionType(returns, [_WORDS])
                return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [value])

            def popcount(value: Any) -> Any:
                return call("llvm.ctpop.v8i64", _WORDS, value)

            left, right = [row_of(args[2], r) for r in range(2)], [row_of(args[3], c) for c in range(4)]
            zero = ir.Constant(_WORDS, [0] * 8)
            sums = [cgutils.alloca_once_value(builder, zero) for _ in range(8)]
            with cgutils.for_range(builder, args[4]) as loop:
                a = [[load(plane, loop.index) for plane in row] for row in left]
                for c in range(4):
                    b = [load(plane, loop.index) for plane in right[c]]
                    for r in range(2):
                        opposed = builder.xor(a[r][0], b[0])
                        if variant == "untied":  # discordant pairs
                            ones = popcount(opposed)
                        else:
                            both = builder.and_(a[r][1], b[1])
                            if variant == "strict":  # concordant pairs
                                ones = popcount(builder.and_(both, builder.not_(opposed)))
                            else:  # concordant minus discordant pairs
                                against = popcount(builder.and_(both, opposed))
                                ones = builder.sub(popcount(both), builder.add(against, against))
                        total = sums[4 * r + c]
                        builder.store(builder.add(builder.load(total), ones), total)
            for k, total in enumerate(sums):
                ones = call("llvm.vector.reduce.add.v8i64", _I64, builder.load(total))
                builder.store(ones, builder.gep(array(5).data, [ir.Constant(_I64, k)]))
            return context.get_dummy_value()

        return signature, generate

    return count


_count_untied, _count_strict, _count_signed = (_tile_counter(v) for v in ("untied", "strict", "signed"))


@kernel
def kendall_sums(X: Array, query_ptr: Ints, first: int, last: int, mode: int, total: Ints) -> int:
    """Add the similarity of features a <= b in queries first..last-1 to `total[a, b]`, in units of 2^-46.

    Returns the number of queries with at least two documents; others add nothing. At most 2^16 queries a call.
    """
    K, longest = X.shape[1], 1
    for q in range(first, last):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    n_words = max(CHUNK_BYTES // (16 * K), longest // 64 + 8)  # at least one row
    n_words = min(n_words, longest * (longest // 64 + 2) // 2) // 8 * 8 + 8
    store = np.empty(K * 2 * n_words + 8, dtype=np.uint64)
    store = store[-(store.ctypes.data // 8) % 8 :]  # a vector that crosses a cache line costs twice
    columns = np.zeros((K, (longest + 15) // 16 * 16), dtype=X.dtype)
    counts, tied = np.zeros((K, K), dtype=np.int64), np.zeros(K, dtype=np.int64)
    rows, untied = np.empty(K + 4, dtype=np.int64), np.empty(K, dtype=np.int64)
    counted = 0
    for q in range(first, last):
        n = query_ptr[q + 1] - query_ptr[q]
        if n < 2:
            continue
        counted += 1
        _transpose(X, query_ptr[q], n, columns)
        counts[:] = 0
        tied[:] = 0
        begin = 1
        while begin < n:
            end, n_vectors = _rows_that_fit(begin, n, n_words)
            bits = store[: K * 16 * n_vectors].reshape((K, 2, 8 * n_vectors))
            pairs = (begin + end - 1) * (end - begin) // 2
            for j in range(K):
                _make_bits(columns[j], begin, end, bits[j].view(np.uint16))
                ones = 0
                for w in range(8 * n_vectors):
                    ones += popcount(bits[j, 1, w])
                untied[j] = ones
                tied[j] += pairs - ones
            _count_pairs(bits, n_vectors, pairs, mode, untied, rows, counts)
            begin = end
        add_similarity(counts, tied, n * (n - 1) // 2, mode, total)
    return counted


@kernel
def _transpose(X: Array, start: int, n: int, columns: Array) -> None:
    """Features of one query as rows. Adding zero turns -0.0 into 0.0: they are one value."""
    zero = columns.dtype.type(0)
    for block in range(0, X.shape[1], 16):
        for s in range(n):
            for j in range(block, min(block + 16, X.shape[1])):
                columns[j, s] = X[start + s, j] + zero


@kernel
def _rows_that_fit(begin: int, n: int, n_words: int) -> tuple[int, int]:
    """The end of the rows begin.. whose bits fit, and how many vectors they fill; row s has s bits, in units of 16."""
    end, used = begin, 0
    while end < n and used + (end + 15) // 16 <= 4 * n_words:
        used += (end + 15) // 16
        end += 1
    return end, (used + 31) // 32


@kernel
def _make_bits(column: Array, begin: int, end: int, units: NDArray[np.uint16]) -> None:
    """Rows begin..end-1 of one feature, 16 documents at once; the last unit of a row is cut at the document itself."""
    above, untied, at = units[0], units[1], 0
    for s in range(begin, end):
        x = column[s]
        for t in range(0, s - 15, 16):
            compared = _compare_16(column, t, x)
            above[at] = np.uint16(compared)
            untied[at] = np.uint16(compared >> np.uint32(16))
            at += 1
        if s % 16:
            compared = _compare_16(column, s // 16 * 16, x)
            mask = np.uint32((1 << (s % 16)) - 1)
            above[at] = np.uint16(compared & mask)
            untied[at] = np.uint16((compared >> np.uint32(16)) & mask)
            at += 1
    above[at:] = 0
    untied[at:] = 0


@kernel
def _count_pairs(bits: Words, n_vectors: int, pairs: int, mode: int, untied: Ints, rows: Ints, counts: Ints) -> None:
    """Add to counts[a, b], a <= b, the concordant pairs of a chunk (minus the discordant ones for HALF and TAU_B)."""
    K, free = len(untied), 0
    for j in range(K):  # features without ties first: their tiles need half the bits
        if untied[j] == pairs or mode == ORDINAL:
            rows[free] = j
            free += 1
    at = free
    for j in range(K):
        if untied[j] != pairs and mode != ORDINAL:
            rows[at] = j
            at += 1
    rows[K:] = rows[K - 1]
    tile = np.empty(8, dtype=np.int64)
    signed = mode in (HALF, TAU_B)
    for i in range(0, K, 2):
        for j in range(i // 4 * 4, K, 4):
            if min(j + 4, K) <= free:
                _count_untied(bits, rows, i, j, n_vectors, tile)
                for k in range(8):
                    tile[k] = pairs - (2 * tile[k] if signed else tile[k])
            elif signed:
                _count_signed(bits, rows, i, j, n_vectors, tile)
            else:
                _count_strict(bits, rows, i, j, n_vectors, tile)
            if j + 4 <= K and i + 2 <= j and (j + 4 <= free or i >= free):  # rows ascend
                for r in range(2):
                    for c in range(4):
                        counts[rows[i + r], rows[j + c]] += tile[4 * r + c]
            else:
                for r in range(2):
                    for c in range(4):
                        if i + r <= j + c < K:
                            a, b = rows[i + r], rows[j + c]
                            counts[min(a, b), max(a, b)] += tile[4 * r + c]


@kernel
def add_similarity(counts: Ints, tied: Ints, pairs: int, mode: int, total: Ints) -> None:
    """Turn the counts of one query into its similarities in [0, 1], and add them in whole units."""
    K = len(tied)
    if mode in (STRICT, ORDINAL):
        scale = 1.0 / (pairs * UNIT)
        for a in range(K):
            for b in range(a, K):
                total[a, b] += np.int64(counts[a, b] * scale + 0.5)
    elif mode == HALF:
        scale = 0.5 / (pairs * UNIT)
        for a in range(K):
            for b in range(a, K):
                total[a, b] += np.int64((pairs + counts[a, b]) * scale + 0.5)
    else:
        for a in range(K):
            for b in range(a, K):
                spread = math.sqrt(np.float64(pairs - tied[a]) * np.float64(pairs - tied[b]))
                tau = counts[a, b] / spread if spread > 0.0 else 0.0
                total[a, b] += np.int64((0.5 + 0.5 * tau) / UNIT + 0.5)
