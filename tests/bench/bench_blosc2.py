# SPDX-License-Identifier: MIT
"""Blosc2 by blocks, on one core:  bench_blosc2.py PROGRAM DIR [--quick]

MB/s of PROGRAM over all blocks of some chunks, and of h5py with hdf5plugin,
which reads the same chunks whole into an array at hand.
"""

import os
import subprocess
import sys

import h5py
import hdf5plugin  # noqa: F401  registers the filter
import numpy as np
from bench_common import clock, row, say

program, where = sys.argv[1:3]
rounds = 3 if "--quick" in sys.argv else 10
path = os.path.join(where, "blosc2.h5")
SHAPE, CHUNK = (128, 256, 256), (128, 128, 128)
# Name: type, codec, level, filter (1 shuffle, 2 bitshuffle).
SETS = {
    "lz4_1_shuffle_i2": ("i2", 1, 1, 1),
    "lz4hc_8_shuffle_i2": ("i2", 2, 8, 1),
    "zstd_3_shuffle_i2": ("i2", 5, 3, 1),
    "zstd_9_bitshuffle_i2": ("i2", 5, 9, 2),
    "blosclz_5_shuffle_i2": ("i2", 0, 5, 1),
    "zstd_3_shuffle_f4": ("f4", 5, 3, 1),
    "lz4_1_bitshuffle_f4": ("f4", 1, 1, 2),
    "zstd_3_bitshuffle_u1": ("u1", 5, 3, 2),
    "lz4_1_bitshuffle_u1": ("u1", 1, 1, 2),
}


def volumes():
    """A body with noise, and its labels."""
    rng = np.random.default_rng(5)
    z, y, x = np.ogrid[tuple(slice(-1, 1, n * 1j) for n in SHAPE)]
    r = np.hypot(np.hypot(z / 2, y), x)
    ct = (np.where(r < 0.8, 40, -1000) + np.where(
        np.hypot(x - 0.3, y) < 0.2, -800, 0)).astype("f4")
    ct += rng.standard_normal(SHAPE, dtype="f4") * 14
    labels = (r < 0.8).astype("u1") + (np.hypot(x - 0.3, y) < 0.2)
    return {"i2": ct.astype("i2"), "f4": ct / 1024, "u1": labels.astype("u1")}


def make():
    data = volumes()
    with h5py.File(path, "w") as f:
        for name, (kind, codec, level, filt) in SETS.items():
            f.create_dataset(name, data=data[kind], chunks=CHUNK,
                             compression=32026, compression_opts=(
                                 0, 0, 0, 0, level, filt, codec))


os.path.exists(path) or make()
print("# %s %s, chunks of 128^3; one core" % (
    "hdf5plugin", hdf5plugin.version))
with h5py.File(path) as f:
    for name in SETS:
        d = f[name]
        chunks = [d.id.get_chunk_info(i) for i in range(
            d.id.get_num_chunks())]
        out = np.empty(d.shape, d.dtype)
        took = min(clock(d.read_direct, out)[0] for _ in range(rounds))
        got = subprocess.run(
            [program, path, str(rounds), str(d.dtype.itemsize),
             *map(str, CHUNK)],
            input="".join("%d %d\n" % (c.byte_offset, c.size)
                          for c in chunks).encode(),
            stdout=subprocess.PIPE, check=True).stdout.split()
        opening, blocks, whole = map(float, got[:3])
        n, *sums = map(int, got[3:])
        want = int(out.reshape(-1).view("u1").sum(dtype="u8"))
        if sums != [want, want]:
            raise SystemExit("%s: other values" % name)
        size = out.nbytes / 1e6
        say("blosc2_%s" % name, size / blocks, "MB/s")
        say("blosc2_%s_whole" % name, size / whole, "MB/s")
        say("blosc2_%s_open" % name, 1e6 * opening / len(chunks), "us")
        row("blosc2_%s_h5py" % name, took / blocks, "x h5py", ">=", 1,
            "%d blocks, h5py %.0f MB/s, ratio %.2f" % (
                n, size / took, out.nbytes / sum(c.size for c in chunks)))
