#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole arrays with Blosc2 in their pipeline, as patchfs writes them.

    blosc2_cat.py DIR COUNT SEED CMD...    COUNT arrays drawn from SEED, and
                                           each pipeline; CMD SRC PATH... cats
"""
import io
import pathlib
import random
import struct
import subprocess
import sys

import h5py
import hdf5plugin  # noqa: F401  registers the filter
import numpy as np

from blosc2_filter import CODECS, FILTERS, TYPES, draw, values

SHUFFLE, FLETCHER, BLOSC2, GZIP = 2, 3, 32026, 1
PIPELINES = {
    "shuffle-blosc2": (SHUFFLE, BLOSC2),
    "blosc2-fletcher": (BLOSC2, FLETCHER),
    "blosc2-gzip": (BLOSC2, GZIP),
    "fletcher-blosc2": (FLETCHER, BLOSC2),
    "shuffle-blosc2-fletcher": (SHUFFLE, BLOSC2, FLETCHER),
    "blosc2": (BLOSC2,),
}


def pipeline(f, name, shape, chunks, dtype, steps, options):
    """A dataset with filters in that order, which h5py itself cannot make."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk(chunks)
    for step in steps:
        if step == SHUFFLE:
            dcpl.set_shuffle()
        elif step == FLETCHER:
            dcpl.set_fletcher32()
        elif step == GZIP:
            dcpl.set_deflate(1)
        else:
            dcpl.set_filter(step, h5py.h5z.FLAG_OPTIONAL, options)
    return h5py.Dataset(h5py.h5d.create(
        f.id, name.encode(), h5py.h5t.py_create(dtype),
        h5py.h5s.create_simple(shape), dcpl))


def is_ambiguous(stored):
    """Whether c-blosc2 2.15.0 to 2.21.1 takes these boxes to be none."""
    if b"b2nd" not in stored[:200]:
        return False
    at = struct.unpack_from(">i", stored, stored.index(b"b2nd") + 5)[0] + 5
    n = stored[at + 2]
    at += 5 + 9 * n
    c = struct.unpack_from(">" + "xi" * n, stored, at)
    b = struct.unpack_from(">" + "xi" * n, stored, at + 5 * n + 1)
    if n < 3 or b[-1] != c[-1] or any(x % y for x, y in zip(c, b)):
        return False
    return not any(all(x == 1 for x in b[:k]) and b[k + 1:] == c[k + 1:]
                   for k in range(n))


def write(f, count, r):
    """The names of what was written."""
    names = []
    while len(names) < count:
        _, kind, shape, dtype, args = draw(r)
        if dtype.itemsize not in (1, 2, 4, 8):
            continue
        name = "a%d" % len(names)
        d = f.create_dataset(name, data=values(r, kind, shape, dtype), **args)
        if is_ambiguous(d.id.read_direct_chunk((0,) * len(shape))[1]):
            del f[name]
            continue
        names.append(name)
    for name, steps in PIPELINES.items():
        for item in (1, 2, 4, 8):
            for shape, chunks in (((5000,), (3000,)), ((50, 60), (30, 60)),
                                  ((20, 30, 40), (13, 20, 20))):
                # Of more axes the filter drops the sum; of items of eight
                # bytes the library cannot read what it wrote.
                if steps[0] == FLETCHER and (len(shape) > 1 or item == 8):
                    continue
                dtype = np.dtype(TYPES[item])
                d = pipeline(f, "%s-%d-%d" % (name, item, len(shape)), shape,
                             chunks, dtype, steps,
                             (0, 4096, 0, 0, 5, FILTERS[r.choice((
                                 "none", "shuffle", "bitshuffle"))],
                              r.choice(list(CODECS.values()))))
                d[...] = values(r, "mixed", shape, dtype)
                names.append(d.name[1:])
    # A chunk that was stored without the filter, among others.
    d = f.create_dataset("masked", shape=(4, 5), chunks=(2, 5), dtype="<i4",
                         **hdf5plugin.Blosc2())
    d[...] = np.arange(20).reshape(4, 5)
    d.id.write_direct_chunk((2, 0), np.arange(50, 60, dtype="<i4").tobytes(),
                            filter_mask=1)
    return names + ["masked"]


def main():
    out, count, r = pathlib.Path(sys.argv[1]), int(sys.argv[2]), random.Random(
        int(sys.argv[3]))
    with h5py.File(out / "blosc2.h5", "w") as f:
        names = write(f, count, r)
    with h5py.File(out / "blosc2.h5", "r") as f:
        want = {name: f[name][...] for name in names}
    wrong = 0
    for at in range(0, len(names), 100):
        some = names[at:at + 100]
        data = io.BytesIO(subprocess.run(
            [*sys.argv[4:], str(out / "blosc2.h5"),
             *("%s/array.npy" % n for n in some)],
            stdout=subprocess.PIPE, check=True).stdout)
        for name in some:
            got = np.load(data)
            if got.tobytes() != want[name].tobytes() or \
                    got.shape != want[name].shape:
                print("%s: wrong values" % name)
                wrong += 1
    print(len(names), "arrays,", wrong, "wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
