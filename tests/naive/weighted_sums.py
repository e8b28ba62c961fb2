"""Slow, obvious twin of kernels/weighted_sums.py, in fractions."""

from __future__ import annotations

from fractions import Fraction


def weighted(total, weight):
    """``weight * total`` in the units of a sum, 2^-46, exactly."""
    return [[Fraction(int(t)) * Fraction(weight) * Fraction(1, 2**46) for t in row] for row in total]


def value(parts):
    """What three parts are together."""
    units = [Fraction(1, 2**16), Fraction(1, 2**46), Fraction(1, 2**76)]
    K = len(parts[0])
    return [
        [sum(Fraction(float(part[a][b])) * unit for part, unit in zip(parts, units, strict=True)) for b in range(K)]
        for a in range(K)
    ]
