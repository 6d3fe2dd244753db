#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged containers for test-hostile.sh.

    damage.py make DIR TRUTH     write them, and what they were made of
    damage.py check MNT TRUTH    read all that the mount shows of them
"""

import itertools
import os
import pathlib
import random
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))
from h5low import FLETCHER, GZIP, LZ4, SHUFFLE, dataset  # noqa: E402

FULL = bool(os.environ.get("PATCHFS_FULL"))


def sources(where):
    """Small containers; all bytes of the first lie under a checksum."""
    sealed = [(SHUFFLE, ()), (GZIP, (1,)), (FLETCHER, ())]
    with h5py.File(where / "sealed.h5", "w", libver="latest") as f:
        dataset(f, "fixed", (6, 5), "<i4", (2, 3), sealed)
        dataset(f, "ext", (6, 5), "<i4", (2, 3), sealed, maxshape=(None, 5))
        dataset(f, "btree2", (6, 5), "<i4", (2, 3), sealed,
                maxshape=(None, None))
    with h5py.File(where / "old.h5", "w") as f:
        dataset(f, "g", (6, 5), "<i4", (2, 3), [(GZIP, (1,))])
        f.create_group("sub")["x"] = np.arange(12.0).reshape(3, 4)
        f["sub"].attrs["text"] = "words"
    with h5py.File(where / "lz4.h5", "w", libver="latest") as f:
        dataset(f, "z", (6, 5), "<f4", (2, 3), [(SHUFFLE, ()), (LZ4, (0,))])
        dataset(f, "c", (4, 5), "<f4")


def make(out, truth):
    rng = random.Random(int(os.environ["PATCHFS_SEED"]))
    truth.mkdir()
    sources(truth)
    for path in sorted(truth.glob("*.h5")):
        whole = path.read_bytes()
        assert len(whole) <= 16384, (path, len(whole))
        cuts = list(range(0, len(whole), 64))
        if not FULL:
            cuts = rng.sample(cuts, 12)
        for n in cuts:
            (out / ("%s-cut%05d.h5" % (path.stem, n))).write_bytes(whole[:n])
        for i in range(1000 if FULL else 60):
            bit = rng.randrange(8 * len(whole))
            bad = bytearray(whole)
            bad[bit // 8] ^= 1 << bit % 8
            (out / ("%s-flip%06d.h5" % (path.stem, bit))).write_bytes(bad)


def read(path):
    """Bytes of a file, at most 1 MiB; None: an error, as it should be."""
    try:
        with open(path, "rb", buffering=0) as f:
            return f.read(1 << 20)
    except OSError:
        return None


def look(path, depth=0):
    """Read what is shown; of a directory the first names: a bit of a shape
    that is flipped can make it one of 2^36."""
    try:
        with os.scandir(path) as found:
            entries = list(itertools.islice(found, 40))
    except OSError:
        return
    files = 0
    for e in entries:
        if not e.is_dir(follow_symlinks=False):
            files += 1
            if files <= 8:
                read(e.path)
        elif depth < 8:
            look(e.path, depth + 1)


def check(mnt, truth):
    arrays = {}
    for path in truth.glob("*.h5"):
        with h5py.File(path) as f:
            names = []
            f.visit(names.append)
            arrays[path.stem] = [
                n for n in names if isinstance(f[n], h5py.Dataset)]
            if path.stem == "sealed":
                sealed = {n: f[n][()] for n in names}
    errors = right = 0
    for name in sorted(os.listdir(mnt)):
        here = os.path.join(mnt, name)
        if not os.path.isdir(here):
            continue
        kind = name.partition("-")[0]
        if read(here + "/info.json") is None:
            raise SystemExit("%s: no info.json" % name)
        # What is shown, whatever it is; then what should be there.
        look(here)
        for a in arrays[kind]:
            for item in ("array.npy", "slices/000001.npy",
                         "random+size-2x2/000003.npy"):
                data = read("%s/%s/%s" % (here, a, item))
                if data is None:
                    errors += 1
                    continue
                if kind == "sealed" and item == "array.npy":
                    if data[128:] != sealed[a].tobytes():
                        raise SystemExit("%s: %s is wrong" % (name, a))
                right += 1
    print("%d reads were errors, %d were whole" % (errors, right))
    if not errors or not right:
        raise SystemExit("the damage does nothing, or too much")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](
        *map(pathlib.Path, sys.argv[2:]))
