#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the frames of blosc2-frames that an installed package makes:

    make-frames.py DIR

python-blosc2 4.14.1 makes those of PYTHON, hdf5plugin 5.1.0 and 7.1.0 those of
FILTER that name the version. A name says what is special, bytes of an item,
extents, and which values() the frame was made of; check_blosc2.c has the same.
"""

import pathlib
import sys

import numpy as np

BLOSCLZ, LZ4, LZ4HC, ZLIB, ZSTD = 0, 1, 2, 4, 5
NONE, SHUFFLE, BITSHUFFLE, DELTA = range(4)
OLD, NEW = "5.1.0", "7.1.0"  # their c-blosc2 differ in "ambiguous"

# Version, name, item, extents, values; codec, level, filter, items of a block.
FILTER = (
    (OLD, "blosclz", 1, (40,), "steps", BLOSCLZ, 5, NONE, 0),
    (OLD, "blosclz-shuffle", 4, (12, 10), "mixed", BLOSCLZ, 5, SHUFFLE, 40),
    (OLD, "blosclz-bitshuffle", 13, (5, 9), "ramp", BLOSCLZ, 3, BITSHUFFLE, 0),
    (OLD, "lz4", 2, (150,), "steps", LZ4, 1, NONE, 64),
    (OLD, "lz4-shuffle", 300, (3, 4), "ramp", LZ4, 1, SHUFFLE, 4),
    (OLD, "lz4-bitshuffle", 4, (4, 5, 6), "ramp", LZ4, 3, BITSHUFFLE, 32),
    (OLD, "lz4-delta", 4, (6, 30), "ramp", LZ4, 3, DELTA, 48),
    (OLD, "lz4hc-shuffle", 8, (7, 9), "mixed", LZ4HC, 8, SHUFFLE, 16),
    (OLD, "zlib-shuffle", 3, (6, 11), "ramp", ZLIB, 5, SHUFFLE, 16),
    (OLD, "zlib-delta", 8, (5, 8), "steps", ZLIB, 5, DELTA, 16),
    (OLD, "zstd", 1, (9, 13), "steps", ZSTD, 3, NONE, 32),
    (OLD, "zstd-shuffle", 2, (2, 3, 2, 2, 2, 3, 2, 2), "mixed", ZSTD, 1,
     SHUFFLE, 0),
    (OLD, "zstd-bitshuffle", 1, (8, 9, 5), "steps", ZSTD, 9, BITSHUFFLE, 64),
    (OLD, "raw", 4, (8, 16), "noise", LZ4, 1, SHUFFLE, 64),
    (OLD, "stored", 4, (7, 11), "noise", ZSTD, 0, SHUFFLE, 32),
    (OLD, "tiny", 2, (3, 4), "ramp", LZ4, 5, SHUFFLE, 0),
    (OLD, "zeros", 2, (20, 30), "zero", LZ4, 1, SHUFFLE, 0),
    (OLD, "ambiguous-plain", 2, (8, 8, 6), "ramp", ZSTD, 3, SHUFFLE, 96),
    (NEW, "ambiguous-blocked", 2, (8, 8, 6), "ramp", ZSTD, 3, SHUFFLE, 96),
    (NEW, "zstd-shuffle", 8, (5, 6, 7), "steps", ZSTD, 3, SHUFFLE, 96),
    (NEW, "one-axis", 4, (100,), "mixed", ZSTD, 3, SHUFFLE, 32),
    (NEW, "blosclz-new", 4, (11, 9), "ramp", BLOSCLZ, 5, SHUFFLE, 0),
    (NEW, "lz4-new", 2, (9, 10), "mixed", LZ4, 1, BITSHUFFLE, 32),
    (NEW, "delta-new", 8, (9, 10), "steps", LZ4, 1, DELTA, 32),
    (NEW, "zeros-new", 1, (6, 7, 8), "zero", ZSTD, 3, SHUFFLE, 0),
)

OWN = {"own": b"x" * 30}  # a metalayer that no reader knows
# Name, dtype, extents, values; extents of a block, filters, more.
PYTHON = (
    ("python", "<i4", (6, 10), "ramp", (4, 3), None, {"meta": OWN}),
    ("python-shuffle-bitshuffle", "<i4", (6, 10), "ramp", (6, 10),
     ["SHUFFLE", "BITSHUFFLE"], {}),
    # All 23 bits are kept.
    ("python-trunc.prec-shuffle", "<f4", (6, 10), "ramp", (6, 10),
     ["TRUNC_PREC", "SHUFFLE"], {"filters_meta": [23, 0]}),
    ("python-zeros", "<f8", (5, 7), "zero", (2, 7), None, {}),
    ("python-uninit", "<f8", (5, 7), "zero", (2, 7), None, {}),
    ("python-full", "<i4", (5, 7), "zero", (2, 7), None, {}),
    ("schunk", "<i4", (100,), "ramp", None, ["SHUFFLE"], {}),
    ("schunk", "<f8", (6, 10), "mixed", None, ["BITSHUFFLE"], {}),
)


def values(kind, n, size):
    """n items: each byte is one of the four of a number, over and over."""
    k = np.arange(n, dtype="<u4")
    v = {"ramp": k * 3, "steps": k // 7 % 5,
         "noise": k * np.uint32(2654435761) ^ k * k,
         "mixed": np.where(k % 64 < 32, 0, k * np.uint32(2654435761)),
         "zero": k * 0}[kind].astype("<u4")
    return v.view("u1").reshape(n, 4)[:, np.arange(size) % 4].tobytes()


def of_filter(version):
    import h5py
    import hdf5plugin  # noqa: F401  registers the filter

    with h5py.File("frames", "w", driver="core", backing_store=False) as f:
        for row in FILTER:
            of, name, size, shape, kind, codec, level, filt, block = row
            if of != version:
                continue
            data = values(kind, int(np.prod(shape)), size)
            a = np.frombuffer(data, "V%d" % size).reshape(shape)
            d = f.create_dataset(str(len(f)), data=a, chunks=shape,
                                 compression=32026, compression_opts=(
                                     0, block * size, 0, 0, level, filt, codec))
            mask, stored = d.id.read_direct_chunk((0,) * len(shape))
            assert not mask, name
            yield name, size, shape, kind, stored


def of_python():
    import blosc2

    for name, dtype, shape, kind, block, filters, more in PYTHON:
        dtype = np.dtype(dtype)
        data = values(kind, int(np.prod(shape)), dtype.itemsize)
        a = np.frombuffer(data, dtype).reshape(shape)
        cparams = {"codec": blosc2.Codec.ZSTD, "clevel": 5, "nthreads": 1}
        if filters:
            cparams["filters"] = [blosc2.Filter[f] for f in filters]
            cparams["filters_meta"] = more.get("filters_meta",
                                               [0] * len(filters))
        how = {"chunks": shape, "blocks": block, "cparams": cparams}
        if name == "schunk":
            cparams["typesize"] = dtype.itemsize
            made = blosc2.SChunk(chunksize=len(data), data=data,
                                 contiguous=True, cparams=cparams)
        elif name == "python-zeros":
            made = blosc2.zeros(shape, dtype, **how)
        elif name == "python-uninit":
            made = blosc2.uninit(shape, dtype, **how)
        elif name == "python-full":
            made = blosc2.full(shape, 0, dtype, **how)
        else:
            made = blosc2.asarray(a, meta=more.get("meta"), **how)
        stored = made.to_cframe()
        yield name, dtype.itemsize, shape, kind, stored


def main():
    to = pathlib.Path(sys.argv[1])
    try:
        import hdf5plugin
        made = of_filter(hdf5plugin.version)
    except ImportError:
        made = of_python()
    for name, size, shape, kind, stored in made:
        dims = "x".join(map(str, shape))
        path = to / ("%s_%d_%s_%s.frame" % (name, size, dims, kind))
        path.write_bytes(stored)


main()
