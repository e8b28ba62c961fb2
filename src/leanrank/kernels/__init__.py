"""Compiled loops over plain arrays: no checks, no classes, no frames.

The arrays that have one name in every file; each file says what else its kernels take:

X (n, K)                    features, documents one below the other, in C order
values, columns, indptr     the same as CSR: stored values, their columns, where each row begins (n + 1,); also `starts`
y (n,)                      labels, higher is better
query_ptr (Q + 1,)          query q owns the rows query_ptr[q]..query_ptr[q + 1] - 1
first, last                 do the queries first..last - 1; results are counted from query 0 unless said otherwise
out                         filled by the kernel, whatever was in it, unless it is said to be added to
"""
