#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Blosc2 chunks as hdf5plugin writes them, decoded by blosc2_chunks.

    blosc2_filter.py PROGRAM COUNT SEED       COUNT datasets made up from SEED

Codec, level, filter, item size, rank, chunks, block size and values are drawn.
What is in a chunk is what was written, which h5py must read back as well; for
the library versions and shapes of which another version reads something else,
one of the two readings has to be right. Boxes are put together by NumPy.
"""
import itertools
import math
import random
import struct
import subprocess
import sys

import h5py
import hdf5plugin  # noqa: F401  registers the filter
import numpy as np

CODECS = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "zlib": 4, "zstd": 5}
FILTERS = {"none": 0, "shuffle": 1, "bitshuffle": 2, "delta": 3, "trunc": 4}
TYPES = {1: "u1", 2: "<i2", 3: "V3", 4: "<f4", 8: "<f8", 13: "V13",
         300: "V300"}


class Decoder:
    """The program, one request at a time."""

    def __init__(self, program):
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)

    def _numbers(self, n):
        return struct.unpack("<%di" % n, self._bytes(4 * n))

    def _bytes(self, n):
        data = self.p.stdout.read(n)
        if len(data) != n:
            sys.exit("the program ended: %s" % self.p.wait())
        return data

    def ask(self, item, dims, stored, params=(), plain=False):
        """(error, bytes) of the whole chunk, (error, text, geometry, bytes)
        of the blocks."""
        size = item * math.prod(dims)
        numbers = (item, len(dims), *dims, plain, len(params), *params,
                   len(stored))
        self.p.stdin.write(struct.pack("<%dI" % len(numbers), *numbers))
        self.p.stdin.write(stored)
        self.p.stdin.flush()
        error, = self._numbers(1)
        whole = error, None if error else self._bytes(size)
        error, n = self._numbers(2)
        what = self._bytes(n).decode()
        if error:
            return whole, (error, what, None, None)
        ndim, = self._numbers(1)
        g = {"block": self._numbers(ndim), "grid": self._numbers(ndim)}
        for key in "nblock bytes last is_whole is_ambiguous".split():
            g[key], = self._numbers(1)
        if g["is_whole"]:
            return whole, (0, what, g, None)
        error, = self._numbers(1)
        if error:
            return whole, (error, what, g, None)
        data = self._bytes((g["nblock"] - 1) * g["bytes"] + g["last"])
        return whole, (0, what, g, unite(data, g, item, dims))

    def close(self):
        self.p.stdin.close()
        assert self.p.wait() == 0, "the program failed"


def unite(data, g, item, dims):
    """Blocks end to end to the chunk."""
    if not g["block"]:
        return data
    n = len(dims)
    assert math.prod(g["grid"]) == g["nblock"]
    a = np.frombuffer(data, "V%d" % item).reshape(g["grid"] + g["block"])
    a = a.transpose([k for i in range(n) for k in (i, n + i)])
    a = a.reshape([x * y for x, y in zip(g["grid"], g["block"])])
    return a[tuple(slice(d) for d in dims)].tobytes()


def values(r, kind, shape, dtype):
    """Seen as bytes, as any item size has them."""
    rng = np.random.default_rng(r.randrange(2**32))
    n = math.prod(shape) * dtype.itemsize
    if kind == "zeros":
        a = np.zeros(n, "u1")
    elif kind == "constant":
        one = rng.integers(0, 256, dtype.itemsize, "u1")
        a = np.tile(one, math.prod(shape))
    elif kind == "ramp":
        a = np.zeros((math.prod(shape), dtype.itemsize), "u1")
        count = np.arange(math.prod(shape), dtype="<u4") // r.choice((1, 3))
        wide = min(4, dtype.itemsize)
        a[:, :wide] = count.view("u1").reshape(-1, 4)[:, :wide]
    elif kind == "noise":
        a = rng.integers(0, 256, n, "u1")
    elif kind == "text":
        a = rng.choice(np.frombuffer(b"abcdabcdefabc \n", "u1"), n)
    else:  # mixed: a part of each
        a = np.zeros(n, "u1")
        for kind in ("ramp", "noise", "text", "constant"):
            at = r.randrange(n)
            end = at + r.randrange(n // 2 + 1)
            part = values(r, kind, shape, dtype).reshape(-1).view("u1")
            a[at:end] = part[at:end]
    return a.reshape(-1).view(dtype).reshape(shape)


def draw(r):
    """One dataset: what it is, and create_dataset's arguments."""
    item = r.choice(list(TYPES))
    rank = r.randint(1, 8)
    room = r.choice((200, 3000, 40000, 300000)) // item + 1
    chunks, shape = [], []
    for _ in range(rank):
        most = max(1, int(room ** (1 / max(1, rank - len(chunks)))))
        c = r.choice((1, r.randint(1, most), most, r.randint(1, 2 * most)))
        c = max(1, min(c, room))
        room = max(1, room // c)
        chunks.append(c)
    order = list(range(rank))
    r.shuffle(order)
    chunks = [chunks[i] for i in order]
    for c in chunks:
        shape.append(r.choice((c, c, c + r.randint(1, c), max(1, c - 1))))
    while math.prod(-(-s // c) for s, c in zip(shape, chunks)) > 4:
        k = r.randrange(rank)
        shape[k] = min(shape[k], chunks[k])
    block = item * r.choice((0, 0, 16, 100, 1000, 8192))
    codec, filt = r.choice(list(CODECS)), r.choice(list(FILTERS))
    if filt == "trunc" and item not in (4, 8):
        filt = "shuffle"
    level = r.choice((0, 1, 3, 5, 9))
    kind = r.choice("zeros constant ramp noise text mixed".split())
    name = "%s-%d %s item %d chunks %s of %s block %d %s" % (
        codec, level, filt, item, chunks, shape, block, kind)
    return name, kind, shape, np.dtype(TYPES[item]), dict(
        maxshape=(None,) * rank, chunks=tuple(chunks), compression=32026,
        compression_opts=(0, block, 0, 0, level, FILTERS[filt],
                          CODECS[codec]))


def parameters(d):
    plist = d.id.get_create_plist()
    return next(p for n, _, p, _ in map(plist.get_filter, range(
        plist.get_nfilters())) if n == 32026)


def padded(data, at, chunks):
    """What HDF5 hands to the filter: fill behind the ends."""
    part = data[tuple(slice(a, a + c) for a, c in zip(at, chunks))]
    out = np.zeros(chunks, data.dtype)
    out[tuple(slice(n) for n in part.shape)] = part
    return out.tobytes()


def check(decoder, d, data, tally):
    """Each chunk of d; what is wrong, or None."""
    item, params = d.dtype.itemsize, parameters(d)
    for at in itertools.product(*(range(0, s, c) for s, c in
                                  zip(d.shape, d.chunks))):
        mask, stored = d.id.read_direct_chunk(at)
        want = padded(data, at, d.chunks)
        if mask:  # the filter gave up, as it does with "trunc"
            tally["masked"] += 1
            if stored != want:
                return "a mask"
            continue
        (bad, whole), (bad_b, what, g, blocks) = decoder.ask(
            item, d.chunks, stored, params)
        if bad or bad_b:
            return "errors %d %d %s" % (bad, bad_b, what)
        tally["chunks"] += 1
        tally["blocks"] += g["nblock"]
        if not g["is_whole"] and whole != blocks:
            return "the whole chunk is not its blocks"
        tally["whole"] += g["is_whole"]
        if whole == want:
            continue
        if not g["is_ambiguous"]:
            return "wrong bytes"
        tally["plain"] += 1
        _, (bad, _, g, blocks) = decoder.ask(item, d.chunks, stored, params,
                                             True)
        if not g["is_ambiguous"] or g["block"]:
            return "no plain reading"
        if blocks != want and not g["is_whole"]:
            return "neither reading is right"
    return None


def main():
    decoder = Decoder(sys.argv[1])
    count, r = int(sys.argv[2]), random.Random(int(sys.argv[3]))
    tally = dict.fromkeys("datasets chunks blocks whole plain masked".split(), 0)
    wrong = 0
    with h5py.File("memory", "w", driver="core", backing_store=False) as f:
        for _ in range(count):
            name, kind, shape, dtype, args = draw(r)
            data = values(r, kind, shape, dtype)
            d = f.create_dataset("d", data=data, **args)
            f.flush()
            # Of items of more than 255 bytes the library reads nothing.
            if dtype.itemsize < 256:
                back = d[...]
                if args["compression_opts"][5] == FILTERS["trunc"]:
                    data = back
                elif back.tobytes() != data.tobytes():
                    print("h5py reads something else:", name)
            tally["datasets"] += 1
            error = check(decoder, d, data, tally)
            if error:
                print("%s: %s" % (name, error))
                wrong += 1
            del f["d"]
    decoder.close()
    print(" ".join("%s %d" % i for i in tally.items()))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
