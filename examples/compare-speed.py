#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/compare-speed.py demo/data demo/mnt
# Needs h5py and, for the row with LZ4, hdf5plugin: venv/bin/python3 has both
# after ./quickstart.
"""Random slices and patches: h5py as the cluster guide does it, and np.load.

DATA is what examples/make-demo.py wrote, MNT the mount of it. Values are
compared as they come; times are those of reading, in one process.
"""

import sys
import time

import h5py
import numpy as np

try:
    import hdf5plugin  # noqa: F401
except ImportError:
    hdf5plugin = None


def timed(read, items):
    seconds, sums = 0.0, []
    for i in items:
        t = time.perf_counter()
        a = read(i)
        seconds += time.perf_counter() - t
        sums.append(float(a.sum(dtype="f8")))
    return seconds, sums


def row(title, h5, files, items):
    """First and second epoch of both, as items a second and a ratio."""
    out = []
    for epoch in (1, 2):
        (t_h5, a), (t_np, b) = timed(h5, items), timed(files, items)
        if a != b:
            sys.exit("%s: values differ" % title)
        out.append((epoch, len(items) / t_h5, len(items) / t_np, t_h5 / t_np))
    for epoch, x, y, ratio in out:
        print("%-35s epoch %d %9.0f/s %9.0f/s %7.1f x" % (
            title, epoch, x, y, ratio))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare-speed.py DATA MNT")
    data, mnt = sys.argv[1:3]
    rng = np.random.default_rng(0)
    print("h5py %s, HDF5 %s, NumPy %s" % (
        h5py.__version__, h5py.version.hdf5_version, np.__version__))
    print("%-35s %7s %11s %11s %9s" % ("", "", "h5py", "np.load", "ratio"))
    with h5py.File(data + "/train_truth.h5", "r") as f:
        d = f["image"]
        row("slices, 1 MiB, gzip-1", lambda i: d[i],
            lambda i: np.load("%s/train_truth/image/slices/%06d.npy"
                              % (mnt, i)), rng.permutation(len(d)))
    if hdf5plugin:
        with h5py.File(data + "/train_sinograms.h5", "r") as f:
            d = f["sino"]
            row("sinograms, 1 MiB, LZ4", lambda i: d[i],
                lambda i: np.load("%s/train_sinograms/sino/slices/%06d.npy"
                                  % (mnt, i)), rng.permutation(len(d)))
    with h5py.File(data + "/volume.h5", "r") as f:
        d = f["image"]
        crops = [tuple(int(rng.integers(0, n - 63)) for n in d.shape)
                 for _ in range(100)]
        row("64^3 crops of cubic chunks, gzip-1",
            lambda c: d[tuple(slice(s, s + 64) for s in c)],
            lambda c: np.load("%s/volume/image/crops+size-64x64x64/%d_%d_%d"
                              ".npy" % ((mnt,) + c)), crops)
        row("slice by slice through cubic chunks", lambda i: d[i],
            lambda i: np.load("%s/volume/image/slices/%06d.npy" % (mnt, i)),
            range(min(len(d), 64)))


if __name__ == "__main__":
    main()
