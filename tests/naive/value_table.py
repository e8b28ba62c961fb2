"""Tables of values with their class counts, from a dictionary of the leading bits."""

from __future__ import annotations

import struct


def ordered_bits(value):
    """The 64 bits of a float as a whole number that is ordered as the floats are."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value + 0.0))
    return (1 << 64) - 1 - bits if bits >> 63 else bits | 1 << 63


def value_table(values, classes, n_classes, most):
    """(lowest, highest, counts) of each group of values, and how many bits were dropped: as few as will do."""
    for shift in range(65):
        groups = {}
        for value, label in zip(values, classes, strict=True):
            groups.setdefault(ordered_bits(value) >> shift, []).append((value, label))
        if len(groups) <= most:
            break
    table = []
    for key in sorted(groups):
        inside = [value for value, _ in groups[key]]
        labels = [label for _, label in groups[key]]
        table.append((min(inside), max(inside), [labels.count(label) for label in range(n_classes)]))
    return table, shift


def class_counts(codes, classes, times, n_codes, n_classes):
    out = [[0] * n_classes for _ in range(n_codes)]
    for row, label, n in zip(codes, classes, times, strict=True):
        for code in row:
            out[code][label] += n
    return out


def joint_counts(codes, others, times, n_codes, n_others):
    out = [[0] * n_others for _ in range(n_codes)]
    for row, other, n in zip(codes, others, times, strict=True):
        for a in row:
            for b in other:
                out[a][b] += n
    return out
