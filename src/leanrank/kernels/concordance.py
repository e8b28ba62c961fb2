"""Kendall concordance of every pair of features inside each query, on bits.

For a query of n documents and a feature a, every unordered pair of documents {s, t}, t < s, gets two bits:
*above* (a_s > a_t) and *untied* (a_s != a_t). For features a and b then

    concordant = popcount(~(above_a ^ above_b) & untied_a & untied_b)

over n(n-1)/2 bits, 512 at a time. Rows of bits are made for a chunk of documents, for all features, small
enough to stay in cache; then all pairs of features are counted on it. Short lists get their bits by comparing
16 documents at once; long ones by one sort per feature and a running set of the documents passed.
See docs/decisions/0002-kendall-bitsets.md for what was measured.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from leanrank.kernels._jit import cgutils, intrinsic, kernel, popcount, types

# What is summed over queries.
STRICT, HALF, ORDINAL, TAU_B = 0, 1, 2, 3

#: Lists longer than this are sorted rather than compared document by document.
SORT_FROM = 400
#: Bits of all features kept at once, in bytes: the second-level cache of one core.
CHUNK_BYTES = 1 << 20
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
                            found = popcount(opposed)
                        else:
                            both = builder.and_(a[r][1], b[1])
                            if variant == "strict":  # concordant pairs
                                found = popcount(builder.and_(both, builder.not_(opposed)))
                            else:  # concordant minus discordant pairs
                                against = popcount(builder.and_(both, opposed))
                                found = builder.sub(popcount(both), builder.add(against, against))
                        total = sums[4 * r + c]
                        builder.store(builder.add(builder.load(total), found), total)
            for k, total in enumerate(sums):
                found = call("llvm.vector.reduce.add.v8i64", _I64, builder.load(total))
                builder.store(found, builder.gep(array(5).data, [ir.Constant(_I64, k)]))
            return context.get_dummy_value()

        return signature, generate

    return count


_count_untied, _count_strict, _count_signed = (_tile_counter(v) for v in ("untied", "strict", "signed"))


@kernel
def kendall_sums(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    first: int,
    last: int,
    mode: int,
    total: NDArray[np.int64],
) -> int:
    """Add the similarity of features a <= b in queries first..last-1 to `total[a, b]`, in units of 2^-46.

    Returns the number of queries with at least two documents; others add nothing. At most 2^16 queries a call.
    """
    K, longest = X.shape[1], 1
    for q in range(first, last):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    n_words = max(CHUNK_BYTES // (16 * K), longest // 64 + 8)  # at least one row
    n_words = min(n_words, longest * (longest // 64 + 2) // 2) // 8 * 8 + 8
    bits = np.empty((K, 2, n_words), dtype=np.uint64)
    columns = np.zeros((K, (longest + 15) // 16 * 16), dtype=X.dtype)
    order = np.empty((K if longest > SORT_FROM else 1, longest), dtype=np.int32)
    group_end = np.empty_like(order)
    keys, documents = np.empty((2, longest), dtype=np.uint64), np.empty((2, longest), dtype=np.int32)
    running = np.empty(longest // 64 + 1, dtype=np.uint64)
    row_start = np.empty(longest + 1, dtype=np.int64)
    counts, tied = np.zeros((K, K), dtype=np.int64), np.zeros(K, dtype=np.int64)
    rows, untied = np.empty(K + 4, dtype=np.int64), np.empty(K, dtype=np.int64)
    counted = 0
    for q in range(first, last):
        n = query_ptr[q + 1] - query_ptr[q]
        if n < 2:
            continue
        counted += 1
        _transpose(X, query_ptr[q], n, columns)
        by_sort = n > SORT_FROM
        if by_sort:
            for j in range(K):
                _sort(columns[j], n, keys, documents, order[j], group_end[j])
        counts[:] = 0
        tied[:] = 0
        begin = 1
        while begin < n:
            end, n_vectors = _rows_that_fit(begin, n, n_words, 64 if by_sort else 16, row_start)
            if by_sort:
                for j in range(K):
                    _bits_by_sort(order[j], group_end[j], n, begin, end, row_start, running, bits[j])
            else:
                for j in range(K):
                    _bits_by_comparison(columns[j], begin, end, bits[j].view(np.uint16))
            used = row_start[end] if by_sort else (row_start[end] + 3) // 4
            pairs = (begin + end - 1) * (end - begin) // 2
            for j in range(K):
                bits[j, :, used : 8 * n_vectors] = 0
                untied[j] = 0
                for w in range(used):
                    untied[j] += popcount(bits[j, 1, w])
                tied[j] += pairs - untied[j]
            _count_pairs(bits, n_vectors, pairs, mode, untied, rows, counts)
            begin = end
        _add_similarity(counts, tied, n * (n - 1) // 2, mode, total)
    return counted


@kernel
def _transpose(X: NDArray[Any], start: int, n: int, columns: NDArray[Any]) -> None:
    """Features of one query as rows. Adding zero turns -0.0 into 0.0: they are one value."""
    zero = columns.dtype.type(0)
    for block in range(0, X.shape[1], 16):
        for s in range(n):
            for j in range(block, min(block + 16, X.shape[1])):
                columns[j, s] = X[start + s, j] + zero


@kernel
def _rows_that_fit(begin: int, n: int, n_words: int, step: int, row_start: NDArray[np.int64]) -> tuple[int, int]:
    """The end of the rows begin.. whose bits fit, and their vectors; row s has s bits, in units of `step` bits."""
    end, used, fits = begin, 0, n_words * 64 // step
    while end < n and used + (end + step - 1) // step <= fits:
        row_start[end] = used
        used += (end + step - 1) // step
        end += 1
    row_start[end] = used
    return end, (used * step + 511) // 512


@kernel
def _bits_by_comparison(column: NDArray[Any], begin: int, end: int, halves: NDArray[np.uint16]) -> None:
    """Rows begin..end-1 of one feature, 16 documents at once; the last unit of a row is cut at the document itself."""
    above, untied, at = halves[0], halves[1], 0
    for s in range(begin, end):
        x = column[s]
        for t in range(0, s - 15, 16):
            found = _compare_16(column, t, x)
            above[at] = np.uint16(found)
            untied[at] = np.uint16(found >> np.uint32(16))
            at += 1
        if s % 16:
            found = _compare_16(column, s // 16 * 16, x)
            mask = np.uint32((1 << (s % 16)) - 1)
            above[at] = np.uint16(found & mask)
            untied[at] = np.uint16((found >> np.uint32(16)) & mask)
            at += 1
    while at % 4:  # up to the next whole word
        above[at] = untied[at] = np.uint16(0)
        at += 1


@kernel
def _bits_by_sort(
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
    n: int,
    begin: int,
    end: int,
    row_start: NDArray[np.int64],
    running: NDArray[np.uint64],
    bits: NDArray[np.uint64],
) -> None:
    """Rows begin..end-1 of one feature: documents in ascending order, `running` the set of those passed."""
    one, ones = np.uint64(1), ~np.uint64(0)
    above, untied = bits[0], bits[1]
    running[: (end + 63) // 64] = 0
    i = 0
    while i < n:
        after = group_end[i]
        for k in range(i, after):
            s = order[k]
            if begin <= s < end:
                at, whole, rest = row_start[s], s // 64, np.uint64(s % 64)
                for w in range(whole):
                    above[at + w] = running[w]
                    untied[at + w] = ones
                if rest:
                    mask = (one << rest) - one
                    above[at + whole] = running[whole] & mask
                    untied[at + whole] = mask
        for k in range(i, after):
            s = order[k]
            if s < end:
                running[s // 64] |= one << np.uint64(s % 64)
        if after - i > 1:
            for k in range(i, after):
                s = order[k]
                if begin <= s < end:
                    at = row_start[s]
                    for w in range(s // 64):
                        untied[at + w] = above[at + w] | ~running[w]
                    if s % 64:
                        at, w = at + s // 64, s // 64
                        untied[at] &= above[at] | ~running[w]
        i = after


@kernel
def _sort(
    column: NDArray[Any],
    n: int,
    keys: NDArray[np.uint64],
    documents: NDArray[np.int32],
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
) -> None:
    """Documents in ascending order of value (radix sort on the bits of the numbers), and where equal values end."""
    if column.itemsize == 4:
        sign, digits = np.uint64(1 << 31), 3
        narrow = column.view(np.uint32)
        for s in range(n):
            key = np.uint64(narrow[s])
            keys[0, s] = (key ^ np.uint64(0xFFFFFFFF)) if key & sign else (key | sign)
    else:
        sign, digits = np.uint64(1 << 63), 6
        wide = column.view(np.uint64)
        for s in range(n):
            keys[0, s] = ~wide[s] if wide[s] & sign else (wide[s] | sign)
    histogram = np.zeros((6, 2048), dtype=np.int32)
    low = np.uint64(2047)
    for s in range(n):
        documents[0, s] = s
        key = keys[0, s]
        for d in range(digits):
            histogram[d, (key >> np.uint64(11 * d)) & low] += 1
    now = 0
    for d in range(digits):
        shift, count = np.uint64(11 * d), histogram[d]
        if count[(keys[now, 0] >> shift) & low] == n:
            continue  # all the same digit
        total = 0
        for v in range(2048):
            count[v], total = total, total + count[v]
        for i in range(n):
            key = keys[now, i]
            v = (key >> shift) & low
            keys[1 - now, count[v]] = key
            documents[1 - now, count[v]] = documents[now, i]
            count[v] += 1
        now = 1 - now
    end = n
    for i in range(n - 1, -1, -1):
        order[i] = documents[now, i]
        group_end[i] = end
        if i and keys[now, i - 1] != keys[now, i]:
            end = i


@kernel
def _count_pairs(
    bits: NDArray[np.uint64],
    n_vectors: int,
    pairs: int,
    mode: int,
    untied: NDArray[np.int64],
    rows: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
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
    signed = mode == HALF or mode == TAU_B
    for i in range(0, K, 2):
        for j in range(i // 4 * 4, K, 4):
            if j + 4 <= free:
                _count_untied(bits, rows, i, j, n_vectors, tile)
                for k in range(8):
                    tile[k] = pairs - (2 * tile[k] if signed else tile[k])
            elif signed:
                _count_signed(bits, rows, i, j, n_vectors, tile)
            else:
                _count_strict(bits, rows, i, j, n_vectors, tile)
            for r in range(2):
                for c in range(4):
                    if i + r <= j + c < K:
                        a, b = rows[i + r], rows[j + c]
                        counts[min(a, b), max(a, b)] += tile[4 * r + c]


@kernel
def _add_similarity(
    counts: NDArray[np.int64], tied: NDArray[np.int64], pairs: int, mode: int, total: NDArray[np.int64]
) -> None:
    """Turn the counts of one query into its similarities in [0, 1], and add them in whole units."""
    K = len(tied)
    if mode == STRICT or mode == ORDINAL:
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
