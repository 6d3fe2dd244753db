#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What patchfs list should print, from the manual's text and nothing of ours.

Makes a tree of containers (list.py DIR make SEED), then says for one command
(list.py DIR VIEW ARRAY K EPOCH SEED I N REST) which lines are right.
"""
import itertools
import json
import os
import random
import sys

import numpy as np


def words(seed, draw, purpose, part):
    for i in itertools.count():
        counter = draw + (i << 64) + (purpose << 128) + (part << 192)
        bits = np.random.Philox(key=seed, counter=(counter - 1) % 2**256)
        for w in bits.random_raw(4):
            yield int(w)


def shuffle(n, seed, draw, purpose, part):
    v = list(range(n))
    w = words(seed, draw, purpose, part)
    for i in range(n - 1):
        k = i + (next(w) * (n - i) >> 64)
        v[i], v[k] = v[k], v[i]
    return v


def make(top, seed):
    import h5py

    r = random.Random(seed)
    names = ["a", "b-1", "b", "b/x", "b/y/deep", "Z", "ä", "c/c", "c/c2"]
    names += [f"more/{i}" for i in range(r.randint(1, 9))]
    shapes = {}
    for name in names:
        n = r.randint(1, 30)
        path = os.path.join(top, name + ".h5")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with h5py.File(path, "w") as f:
            for array in ("image", "g/image"):
                f[array] = np.zeros((n, 9, 10), "u1")
            f["z"] = np.arange(n)
        shapes[name] = n
    # Beside the directory of that name the container has another one.
    shapes["b.h5.d"] = shapes.pop("b")
    with open(os.path.join(top, "shapes.json"), "w") as f:
        json.dump(shapes, f)


def expected(top, view, array, per, epoch, seed, i, n, rest):
    with open(os.path.join(top, "shapes.json")) as f:
        shapes = json.load(f)
    cases = sorted(os.fsencode(f"{c}/{array}") for c in shapes)
    lines = []
    for c in shuffle(len(cases), seed, epoch, 4, 0):
        path = os.fsdecode(cases[c])
        items = shapes[path[:-len(array) - 1]]
        if view.startswith("random"):
            chosen = [epoch * per + j for j in range(per)]
        else:
            m = max(1, items // per)
            v = shuffle(items, seed, epoch // m, 5, c)
            chosen = [v[(epoch % m * per + j) % items] for j in range(per)]
        lines += [f"{path}/{view}/{k:06d}.npy" for k in chosen]
    total = len(lines)
    if rest == "keep":
        first = total // n * i + min(i, total % n)
        count = total // n + (i < total % n)
    else:
        count = -(-total // n) if rest == "repeat" else total // n
        first = count * i
    return [lines[(first + k) % total] for k in range(count)]


def main():
    top = sys.argv[1]
    if sys.argv[2] == "make":
        make(top, int(sys.argv[3]))
        return
    view, array, rest = sys.argv[2], sys.argv[3], sys.argv[9]
    numbers = [int(a) for a in sys.argv[4:9]]
    out = "".join(s + "\n" for s in expected(top, view, array, *numbers, rest))
    sys.stdout.buffer.write(os.fsencode(out))


main()
