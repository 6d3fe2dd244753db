# SPDX-License-Identifier: MIT
"""Data of the benchmarks:  bench_data.py DIR [SLICES]

slices.h5   gzip, shuffle_gzip, shuffle_lz4: (N,512,512) f4, one slice a chunk
cubes.h5    gzip, lz4: i2, cubes of 64; small0 to small4: a volume whose planes
            fit HDF5's chunk cache, several times to be cold again
items.h5    64 KiB items, stored as they are
"""

import concurrent.futures
import importlib.util
import os
import pathlib
import sys

import h5py
import numpy as np

top = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(top / "tests" / "data"))
from h5low import GZIP, LZ4, SHUFFLE, encode  # noqa: E402

spec = importlib.util.spec_from_file_location(
    "demo", top / "examples" / "make-demo.py")
demo = importlib.util.module_from_spec(spec)
spec.loader.exec_module(demo)

CHAINS = {
    "gzip": [(GZIP, (1,))],
    "shuffle_gzip": [(SHUFFLE, ()), (GZIP, (1,))],
    "shuffle_lz4": [(SHUFFLE, ()), (LZ4, (0,))],
    "lz4": [(LZ4, (0,))],
}


def create(f, name, shape, dtype, chunks, chain):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk(chunks)
    for number, params in chain:
        if number == SHUFFLE:
            dcpl.set_shuffle()
        else:
            dcpl.set_filter(number, h5py.h5z.FLAG_OPTIONAL, params)
    return h5py.h5d.create(f.id, name.encode(),
                           h5py.h5t.py_create(np.dtype(dtype)),
                           h5py.h5s.create_simple(shape), dcpl)


def slices(path, n, pool):
    def made(i):
        rng = np.random.default_rng([1, i])
        parts = demo.ellipses(np.random.default_rng([2, i // 40]))
        data = demo.image(parts, i % 40 / 40, rng).tobytes()
        return {k: encode(data, CHAINS[k], 4)
                for k in ("gzip", "shuffle_gzip", "shuffle_lz4")}

    with h5py.File(path, "w") as f:
        sets = {k: create(f, k, (n, 512, 512), "<f4", (1, 512, 512), CHAINS[k])
                for k in ("gzip", "shuffle_gzip", "shuffle_lz4")}
        for i, chunks in enumerate(pool.map(made, range(n))):
            for k, d in sets.items():
                d.write_direct_chunk((i, 0, 0), chunks[k], 0)


def cubes(path, pool):
    shape = (192, 512, 512)
    rng = np.random.default_rng(5)
    z, y, x = np.ogrid[-1:1:192j, -1:1:512j, -1:1:512j]
    data = (np.hypot(np.hypot(z, y), x) * -900).astype("<i2")
    for k in range(shape[0]):
        data[k] += (rng.standard_normal(shape[1:], dtype="f4") * 20).astype(
            "<i2")
    with h5py.File(path, "w") as f:
        sets = {k: create(f, k, shape, "<i2", (64,) * 3, CHAINS[k])
                for k in ("gzip", "lz4")}
        at = [(i, j, k) for i in range(0, 192, 64) for j in range(0, 512, 64)
              for k in range(0, 512, 64)]

        def made(c):
            part = data[tuple(slice(i, i + 64) for i in c)].tobytes()
            return {k: encode(part, CHAINS[k], 2) for k in sets}
        for c, chunks in zip(at, pool.map(made, at)):
            for k, d in sets.items():
                d.write_direct_chunk(c, chunks[k], 0)
        for k in range(5):
            f.create_dataset("small%d" % k, data=data[:96, :96, :96],
                             chunks=(32,) * 3, compression="gzip",
                             compression_opts=1)


def main():
    out = pathlib.Path(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        slices(out / "slices.h5", n, pool)
        cubes(out / "cubes.h5", pool)
    with h5py.File(out / "items.h5", "w") as f:
        f.create_dataset("x", data=np.random.default_rng(6).integers(
            0, 1000, (1000, 128, 128), "<i4"), chunks=(1, 128, 128))


if __name__ == "__main__":
    main()
