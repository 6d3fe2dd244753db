# SPDX-License-Identifier: MIT
"""The exact index of a label:  bench_label.py PROGRAM DIR [--quick]

Beside one read of the same array by PROGRAM and by h5py, and beside NumPy's
unique and flatnonzero of each class, which are what is done without an index.
"""

import os
import subprocess
import sys

import h5py
import numpy as np
from bench_common import clock, row, say

program, where = sys.argv[1:3]
quick = "--quick" in sys.argv
path = os.path.join(where, "label.h5")
threads = os.cpu_count()


def ellipsoids(shape):
    """Eight classes, as organs lie, over each other."""
    rng = np.random.default_rng(3)
    out = np.zeros(shape, "u1")
    for c in range(1, 9):
        at = [rng.uniform(0.2, 0.8) * n for n in shape]
        half = [rng.uniform(0.08, 0.2) * n for n in shape]
        grid = np.ogrid[tuple(slice(0, n) for n in shape)]
        out[sum(((g - a) / h) ** 2
                for g, a, h in zip(grid, at, half)) < 1] = c
    return out


def make():
    rng = np.random.default_rng(4)
    with h5py.File(path, "w") as f:
        for name, shape in (("192", (192, 256, 256)), ("512", (512,) * 3)):
            data = ellipsoids(shape)
            kw = dict(chunks=(64,) * 3, compression="gzip", compression_opts=1)
            f.create_dataset("gzip_" + name, data=data, **kw)
            f.create_dataset("raw_" + name, data=data)
            if name == "192":
                noise = rng.random(shape) < 0.1
                data[noise] = rng.integers(0, 9, noise.sum())
                f.create_dataset("noise_" + name, data=data, **kw)


def read(name):
    with h5py.File(path) as f:
        return f[name][()]


def by_numpy(data):
    return {c: np.flatnonzero(data == c) for c in np.unique(data) if c}


os.path.exists(path) or make()
print("# %d threads; ellipsoids of 8 classes, u1, cubes of 64, gzip 1; noise: "
      "a tenth of the voxels any class" % threads)
for name in "gzip_192", "noise_192", "gzip_512", "raw_512":
    if quick and name.endswith("512"):
        continue
    out = subprocess.run([program, path, name, str(threads), "5"], check=True,
                         stdout=subprocess.PIPE).stdout.split()
    reading, building, runs, size, a_run, lookup, voxels = map(float, out)
    took, data = min((clock(read, name) for _ in range(3)),
                     key=lambda pair: pair[0])
    numpy_took, lists = clock(by_numpy, data)
    if voxels != sum(len(v) for v in lists.values()):
        raise SystemExit("%s: another number of voxels" % name)
    note = "%.0f ms, h5py reads in %.0f ms" % (1000 * building, 1000 * took)
    row("label_%s_build" % name, building / took, "x read",
        "<=", 2, note) if name == "gzip_192" else say(
            "label_%s_build" % name, building / took, "x h5py's read")
    say("label_%s_build_own_read" % name, building / reading, "x own read")
    say("label_%s_build_ms" % name, 1000 * building, "ms")
    say("label_%s_numpy" % name, numpy_took / building, "x slower than build")
    say("label_%s_runs" % name, runs, "runs")
    say("label_%s_bytes_a_run" % name, a_run, "bytes")
    say("label_%s_lookup" % name, lookup, "ns")
