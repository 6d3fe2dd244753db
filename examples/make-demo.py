#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/make-demo.py DIRECTORY [SLICES]
"""Write a CT-like data set, a few hundred MB, as training clusters keep it:

    train_truth.h5       image  one slice a chunk, gzip-1, values of 12 bits
    train_sinograms.h5   sino   one sinogram a chunk, LZ4, float noise
    volume.h5            image, labels   cubic chunks, shuffle and gzip-1
    manifest.json
"""

import concurrent.futures
import json
import os
import pathlib
import sys
import zlib

import h5py
import numpy as np

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "tests" / "data"))
from voxels import lz4_chunk  # noqa: E402

SIZE, ANGLES, BINS = 512, 360, 736


def ellipses(rng):
    """A body, two lungs, a spine and some small lesions."""
    parts = [(0.0, 0.0, 0.75, 0.55, 0.0193), (-0.3, 0.05, 0.22, 0.33, -0.014),
             (0.3, 0.05, 0.22, 0.33, -0.014), (0.0, 0.38, 0.09, 0.08, 0.016)]
    for _ in range(6):
        x, y = rng.uniform(-0.5, 0.5, 2)
        a, b = rng.uniform(0.02, 0.06, 2)
        parts.append((x, y, a, b, rng.uniform(0.002, 0.006)))
    return parts


def image(parts, t, rng, n=SIZE):
    """A slice in 1/mm: scanners give 12 bits, so the floats have steps."""
    y, x = np.ogrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j]
    out = np.zeros((n, n), "<f4")
    for cx, cy, a, b, mu in parts:
        a, b = a * (0.9 + 0.1 * t), b * (0.9 + 0.1 * t)
        out += mu * (((x - cx) / a) ** 2 + ((y - cy) / b) ** 2 < 1)
    out += rng.standard_normal((n, n), dtype="f4") * 0.0006
    out *= x * x + y * y < 1
    step = 0.0193 / 1000
    return (np.round(np.maximum(out, 0) / step) * step).astype("<f4")


def sinogram(parts, rng):
    """Parallel projections of the ellipses by formula, with photon noise."""
    phi = np.linspace(0, np.pi, ANGLES, endpoint=False)[:, None]
    s = np.linspace(-1, 1, BINS)[None, :]
    p = np.zeros((ANGLES, BINS))
    for cx, cy, a, b, mu in parts:
        r2 = (a * np.cos(phi)) ** 2 + (b * np.sin(phi)) ** 2
        d2 = (s - cx * np.cos(phi) - cy * np.sin(phi)) ** 2
        p += mu * 512 * a * b * np.sqrt(np.maximum(r2 - d2, 0)) / r2
    noise = rng.standard_normal(p.shape, dtype="f4")
    return (p + noise * np.sqrt(np.exp(p) / 1e5)).astype("<f4")


def write(path, name, shape, filters, chunks_of, pool):
    """One dataset, one chunk per item, compressed in the pool."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk((1,) + shape[1:])
    for number, params in filters:
        dcpl.set_filter(number, h5py.h5z.FLAG_OPTIONAL, params)
    with h5py.File(path, "w", libver="latest") as f:
        d = h5py.h5d.create(f.id, name.encode(), h5py.h5t.IEEE_F32LE,
                            h5py.h5s.create_simple(shape), dcpl)
        for i, chunk in enumerate(pool.map(chunks_of, range(shape[0]))):
            d.write_direct_chunk((i,) + (0,) * (len(shape) - 1), chunk, 0)


def volume(path, rng, n=(192, 384, 384), chunk=64):
    """int16 with labels of two organs and a few lesions."""
    z, y, x = np.ogrid[-1 : 1 : n[0] * 1j, -1 : 1 : n[1] * 1j,
                       -1 : 1 : n[2] * 1j]
    image_, labels = np.full(n, -1000, "<i2"), np.zeros(n, "<u1")
    shapes = [(0, 0, 0, 0.95, 0.55, 0.75, 0, 40)]
    shapes += [(0, 0.05, side, 0.7, 0.33, 0.22, label, -850)
               for side, label in ((-0.3, 1), (0.3, 2))]
    for _ in range(12):
        c = rng.uniform(-0.45, 0.45, 3)
        r = rng.uniform(0.02, 0.08, 3)
        shapes.append((*c, *r, 3, 80))
    for cz, cy, cx, a, b, c, label, hu in shapes:
        inside = (((z - cz) / a) ** 2 + ((y - cy) / b) ** 2
                  + ((x - cx) / c) ** 2 < 1)
        image_[inside] = hu
        labels[inside] = label
    for k in range(n[0]):
        noise = rng.standard_normal(n[1:], dtype="f4") * 20
        image_[k] += noise.astype("<i2")
    with h5py.File(path, "w") as f:
        for name, data in (("image", image_), ("labels", labels)):
            f.create_dataset(name, data=data, chunks=(chunk,) * 3,
                             compression="gzip", compression_opts=1,
                             shuffle=True)
        f["image"].attrs["spacing_mm"] = [1.0, 0.7, 0.7]
        f["labels"].attrs["names"] = "1 left lung, 2 right lung, 3 lesion"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make-demo.py DIRECTORY [SLICES]")
    out = pathlib.Path(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 160
    out.mkdir(parents=True, exist_ok=True)

    def slice_chunk(i):
        rng = np.random.default_rng([1, i])
        parts = ellipses(np.random.default_rng([2, i // 40]))
        return zlib.compress(image(parts, i % 40 / 40, rng).tobytes(), 1)

    def sino_chunk(i):
        rng = np.random.default_rng([3, i])
        parts = ellipses(np.random.default_rng([2, i // 40]))
        return lz4_chunk(sinogram(parts, rng).tobytes())

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        write(out / "train_truth.h5", "image", (n, SIZE, SIZE),
              [(1, (1,))], slice_chunk, pool)
        write(out / "train_sinograms.h5", "sino", (n, ANGLES, BINS),
              [(32004, (0,))], sino_chunk, pool)
    depth = 192 if n >= 100 else 64
    volume(out / "volume.h5", np.random.default_rng(4), (depth, 384, 384))
    manifest = {"source": "make-demo.py, made by formula", "splits": {
        "train": n}, "geometry": {"image_size": SIZE, "n_angles": ANGLES,
                                  "n_det": BINS}}
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
