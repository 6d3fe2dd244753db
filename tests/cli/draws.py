#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Corners of random views, computed with NumPy's Philox and nothing of ours.

Reads lines "SEED DRAW SHAPE SIZE" (7x9x11 4x5, "all" for a whole axis, "-" for
rank 0) and writes the corner of each, as the manual describes it.
"""
import sys

import numpy as np


def word(seed, draw, purpose, k):
    # The four counter words as one integer; NumPy adds one before it starts.
    counter = draw + ((k // 4) << 64) + (purpose << 128)
    counter = (counter - 1) % 2**256
    bits = np.random.Philox(counter=counter, key=seed)
    return int(bits.random_raw(4)[k % 4])


def corner(seed, draw, shape, size):
    dropped = len(shape) - len(size)
    out = []
    for axis, length in enumerate(shape):
        if axis < dropped:
            part, k = 1, 8 + axis
        else:
            part, k = size[axis - dropped], len(shape) - 1 - axis
        if part == "all":
            out.append(0)
        else:
            w = word(seed, draw, 0, k)
            out.append(w * (length - part + 1) >> 64)
    return out


def main():
    for line in sys.stdin:
        seed, draw, shape, size = line.split()
        dims = [int(d) for d in shape.split("x")]
        parts = [p if p == "all" else int(p) for p in size.split("x")]
        got = corner(int(seed), int(draw), dims, parts)
        print(line.strip(), "(" + ",".join(map(str, got)) + ")")


main()
