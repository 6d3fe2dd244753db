#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Foreground draws, computed with NumPy's Philox and nothing of ours.

Reads lines "SEED DRAW FRACTION WEIGHTS BORDER SIZE" (3 17 0.5 inverse clamp
4x5x6), each a draw from one label of shape 12x16x20,

    h = (7 z + 5 y + 3 x) mod 23; 1 where h < 9, else 2 where h < 12,
    else 3 where h = 12, else 0

and writes the class of each (- for a uniform draw), the centre and the start.
WEIGHTS may be a list 1@0.5,3@2: those classes alone, weighted so.
"""
import sys

import numpy as np

SHAPE = 12, 16, 20


def word(seed, draw, purpose, k):
    # The four counter words as one integer; NumPy adds one before it starts.
    counter = draw + ((k // 4) << 64) + (purpose << 128)
    counter = (counter - 1) % 2**256
    bits = np.random.Philox(counter=counter, key=seed)
    return int(bits.random_raw(4)[k % 4])


def unit(w):
    return (w >> 11) * 2.0**-53


def label():
    z, y, x = np.indices(SHAPE)
    h = (7 * z + 5 * y + 3 * x) % 23
    return np.where(h < 9, 1, np.where(h < 12, 2, np.where(h == 12, 3, 0)))


def corner(seed, draw, size):
    out = []
    for axis, (n, p) in enumerate(zip(SHAPE, size)):
        k = 8 + axis if p is None else len(SHAPE) - 1 - axis
        out.append(word(seed, draw, 0, k) * (n - (p or 1) + 1) >> 64)
    return out


def pick(u, weights):
    total = 0.0
    for w in weights:
        total += w
    if total == 0:
        return None
    run = 0.0
    for i, w in enumerate(weights):
        run += w
        if u * total < run:
            return i
    raise AssertionError("weights too small for this")


def foreground(voxels, seed, draw, fraction, weights, border, size):
    extent = [p or 1 for p in size]
    if unit(word(seed, draw, 1, 0)) < fraction:
        ids, given = [1, 2, 3], None
        if "@" in weights:
            given = dict(w.split("@") for w in weights.split(","))
            ids = sorted(int(c) for c in given)
        at = {c: voxels.get(c, np.empty((0, 3), int)) for c in ids}
        if border == "inside":
            for axis, (n, p) in enumerate(zip(SHAPE, extent)):
                for c, v in at.items():
                    s = v[:, axis] - p // 2
                    at[c] = v[(s >= 0) & (s + p <= n)]
        count = [len(at[c]) for c in ids]
        w = [0.0 if n == 0 else float(given[str(c)]) if given else
             {"uniform": 1.0, "frequency": float(n), "inverse": 1.0 / n}[weights]
             for c, n in zip(ids, count)]
        i = pick(unit(word(seed, draw, 2, 0)), w)
        if i is not None:
            k = word(seed, draw, 3, 0) * count[i] >> 64
            centre = [int(c) for c in at[ids[i]][k]]
            start = [c - p // 2 for c, p in zip(centre, extent)]
            if border == "clamp":
                start = [min(max(s, 0), n - p)
                         for s, n, p in zip(start, SHAPE, extent)]
            return ids[i], centre, start
    start = corner(seed, draw, size)
    return "-", [s + p // 2 for s, p in zip(start, extent)], start


def main():
    values = label()
    voxels = {c: np.argwhere(values == c) for c in (1, 2, 3)}  # in C order
    for line in sys.stdin:
        seed, draw, fraction, weights, border, size = line.split()
        size = [int(p) for p in size.split("x")]
        size = [None] * (len(SHAPE) - len(size)) + size
        c, centre, start = foreground(voxels, int(seed), int(draw),
                                      float(fraction), weights, border, size)
        print(line.strip(), c, *("(%s)" % ",".join(map(str, v))
                                 for v in (centre, start)))


main()
