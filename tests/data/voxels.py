# SPDX-License-Identifier: MIT
"""Voxels that say where they are, and codecs without h5py's help.

Every voxel is a fixed mixing hash of its coordinates, so that swapped axes,
shifted boxes and mixed-up chunks show:

    h = 0
    for k, c in enumerate(coordinates):
        h = mix(h ^ (c + (k + 1) * 0x9e3779b97f4a7c15))     (mod 2^64)

with the finisher of splitmix64 as mix. An integer takes the highest bits of
h, a boolean the highest bit, a float the highest bits as a number in [-1, 1).
"""

import ctypes

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15


def _mix(h):
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


def hashes(shape, start=None):
    """The 64-bit hashes of the box of that shape at start."""
    h = np.zeros(shape, np.uint64)
    with np.errstate(over="ignore"):
        for k, n in enumerate(shape):
            c = np.arange(n, dtype=np.uint64)
            c += np.uint64(start[k] if start else 0)
            c += np.uint64((k + 1) * GOLDEN % 2**64)
            c = c.reshape((n,) + (1,) * (len(shape) - k - 1))
            h = _mix(h ^ c)
    return h


def voxels(shape, dtype, start=None):
    """The box of that shape at start as an array of dtype."""
    dtype = np.dtype(dtype)
    h = hashes(tuple(shape), start)
    if dtype.kind == "b":
        return (h >> np.uint64(63)).astype(bool)
    if dtype.kind in "iu":
        bits = 8 * dtype.itemsize
        u = (h >> np.uint64(64 - bits)).astype("u%d" % dtype.itemsize)
        return u.view("%s%d" % (dtype.kind, dtype.itemsize)).astype(dtype)
    bits = {2: 11, 4: 24, 8: 53}[dtype.itemsize]
    m = (h >> np.uint64(64 - bits)).astype(np.float64)
    return (m / 2.0 ** (bits - 1) - 1).astype(dtype)


def _library(*names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def lz4_block(data):
    """An LZ4 block of data, by liblz4 if it is there, else of literals."""
    lib = _library("liblz4.so.1", "liblz4.so")
    if lib is not None:
        room = lib.LZ4_compressBound(len(data))
        out = ctypes.create_string_buffer(room)
        n = lib.LZ4_compress_default(data, out, len(data), room)
        return out.raw[:n]
    n = len(data)
    out = bytearray([min(n, 15) << 4])
    rest = n - 15
    while rest >= 0:
        out.append(min(rest, 255))
        rest -= 255
    return bytes(out) + data


def lz4_chunk(data, block=0, raw=False):
    """A chunk as HDF5's filter 32004 stores it."""
    data = bytes(data)
    block = min(block or len(data), len(data)) or 1
    out = len(data).to_bytes(8, "big") + block.to_bytes(4, "big")
    for at in range(0, len(data), block):
        part = data[at : at + block]
        packed = part if raw else lz4_block(part)
        if len(packed) >= len(part):
            packed = part
        out += len(packed).to_bytes(4, "big") + packed
    return out


def zstd_frame(data, level=3):
    """A zstd frame, or None where there is no libzstd."""
    lib = _library("libzstd.so.1", "libzstd.so")
    if lib is None:
        return None
    lib.ZSTD_compressBound.restype = ctypes.c_size_t
    lib.ZSTD_compress.restype = ctypes.c_size_t
    data = bytes(data)
    room = lib.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(room)
    n = lib.ZSTD_compress(
        out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), level
    )
    return out.raw[:n]


def shuffled(data, size):
    """What HDF5's shuffle filter makes of data."""
    data = bytes(data)
    n = len(data) // size
    if size < 2 or n < 2:
        return data
    planes = np.frombuffer(data[: n * size], np.uint8).reshape(n, size)
    return planes.T.tobytes() + data[n * size :]


def fletcher32(data):
    """The four bytes that HDF5's fletcher32 filter appends."""
    data = bytes(data)
    s1 = s2 = 0
    for i in range(0, len(data), 2):
        s1 += data[i] << 8 | (data[i + 1] if i + 1 < len(data) else 0)
        s1 = (s1 & 0xFFFF) + (s1 >> 16)
        s2 += s1
        s2 = (s2 & 0xFFFF) + (s2 >> 16)
    s1 = (s1 & 0xFFFF) + (s1 >> 16)
    s2 = (s2 & 0xFFFF) + (s2 >> 16)
    return (s2 << 16 | s1).to_bytes(4, "little")
