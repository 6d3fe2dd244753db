# SPDX-License-Identifier: MIT
"""Blosc2 frames and chunks made by hand, also such as no writer makes.

frame() puts a header, one chunk, an index and a trailer together, boxes() does
so for an array in blocks, filter_frame() as the HDF5 filter would. Blocks have
one stream, or one for each byte of an item if split.
"""

import itertools
import struct
import zlib

import numpy as np

import voxels
from voxels import lz4_block, shuffled

CODECS = {"blosclz": 0, "lz4": 1, "zlib": 3, "zstd": 4}
# Filters, by the numbers of the format; then what a special chunk holds.
SHUFFLE, BITSHUFFLE, DELTA, TRUNC = 1, 2, 3, 4
ZERO, NAN, VALUE, UNINIT = 1, 2, 3, 4
# As the parameters of the HDF5 filter number them.
FILTER_CODECS = {0: "blosclz", 1: "lz4", 2: "lz4", 4: "zlib", 5: "zstd"}
EXTENDED, RAW, UNSPLIT = 5, 2, 0x10


def zstd_frame(data):
    """A zstd frame, of raw blocks where there is no libzstd."""
    frame = voxels.zstd_frame(data)
    if frame is None:
        most = 1 << 17
        frame = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data))
        for at in range(0, len(data) or 1, most):
            part = data[at:at + most]
            last = at + most >= len(data)
            frame += (len(part) << 3 | last).to_bytes(3, "little") + part
    return frame


def _literals(data):
    return b"".join(bytes([len(data[i:i + 32]) - 1]) + data[i:i + 32]
                    for i in range(0, len(data), 32))


def _match(length, distance):
    length -= 3
    high, code = divmod(min(distance - 1, 0x1fff), 256)
    out = bytearray([min(length, 6) + 1 << 5 | high])
    if length >= 6:
        out += b"\xff" * ((length - 6) // 255) + bytes([(length - 6) % 255])
    out.append(code)
    if distance > 0x1fff:
        out += struct.pack(">H", distance - 0x2000)
    return bytes(out)


def blosclz(data):
    """A BloscLZ stream: matches of four bytes and more, literals behind."""
    out, seen = b"", {}
    at = start = 0
    last = len(data) - 2  # a stream ends with literals
    while at < last:
        key = data[at:at + 4]
        before = seen.get(key)
        seen[key] = at
        end = at
        if before is not None and at - before <= 0xffff + 0x2000:
            while end < last and data[end] == data[end - at + before]:
                end += 1
        if end - at < 4:
            at += 1
            continue
        out += _literals(data[start:at]) + _match(end - at, at - before)
        at = start = end
    return out + _literals(data[start:])


PACK = {"blosclz": blosclz, "lz4": lz4_block, "zlib": zlib.compress,
        "zstd": zstd_frame}


def _bitshuffled(data, size):
    n = len(data) // size & ~7
    a = np.frombuffer(data[:n * size], np.uint8).reshape(n, size)
    # Rows: each bit of each byte of an item, an element a bit.
    bits = np.unpackbits(a.reshape(n, size, 1), axis=2, bitorder="little")
    rows = np.packbits(bits.transpose(1, 2, 0), axis=2, bitorder="little")
    return rows.tobytes() + data[n * size:]


def _differences(data, size, first):
    """XOR with the word before in block 0, in others with block 0's."""
    width = size if size in (1, 2, 4, 8) else 1 if size % 8 else 8
    n = len(data) // width * width
    a = np.frombuffer(data[:n], "<u%d" % width).copy()
    ref = np.frombuffer(first[:n], a.dtype)
    if data is first:
        a[1:] ^= ref[:-1]
    else:
        a ^= ref
    return a.tobytes() + data[n:]


def _filtered(data, size, filters, metas, first):
    for i, f in enumerate(filters):
        if f == SHUFFLE:
            width = metas[i] if i < len(metas) and metas[i] else size
            data = shuffled(data, width)
        elif f == BITSHUFFLE:
            data = _bitshuffled(data, size)
        elif f == DELTA:
            data = _differences(data, size, first)
        elif f not in (0, TRUNC):
            raise ValueError(f)
    return data


def _stream(data, pack):
    """A stream with its length: a run, what pack makes of it, or raw."""
    if data.count(data[:1]) == len(data):
        if not data[0]:
            return struct.pack("<i", 0)
        return struct.pack("<iB", -data[0], 1)
    packed = pack(data)
    if len(packed) >= len(data):
        packed = data
    return struct.pack("<i", len(packed)) + packed


def head(nbytes, cbytes, size=1, block=0, flags=EXTENDED | UNSPLIT,
         filters=(), metas=(), kind=0, version=5):
    """The header of a chunk; block 0: all is one block."""
    return struct.pack("<4B3i6s2x6s2B", version, 1, flags, size, nbytes,
                       block or nbytes, cbytes, bytes(filters), bytes(metas),
                       0, kind << 4)


def chunk(data, size, block=0, codec="zlib", filters=(), split=False,
          order=None, version=5, metas=()):
    """A chunk of blocks of that many bytes, stored in the order given."""
    block = block or len(data)
    parts = [data[i:i + block] for i in range(0, len(data), block)]
    stored = []
    for part in parts:
        whole = _filtered(part, size, filters, metas, parts[0])
        n = len(part) // (size if split and len(part) == block else 1)
        stored.append(b"".join(_stream(whole[i:i + n], PACK[codec])
                               for i in range(0, len(whole), n)))
    starts, body = [0] * len(parts), b""
    for i in order or range(len(parts)):
        starts[i] = 32 + 4 * len(parts) + len(body)
        body += stored[i]
    body = struct.pack("<%di" % len(starts), *starts) + body
    flags = EXTENDED | (0 if split else UNSPLIT) | CODECS[codec] << 5
    return head(len(data), 32 + len(body), size, block, flags, filters, metas,
                version=version) + body


def raw(data, size, block=0):
    """A chunk that is a copy."""
    return head(len(data), 32 + len(data), size, block,
                EXTENDED | RAW | UNSPLIT) + data


def special(kind, nbytes, size, block=0, value=b""):
    """A chunk of zeros, NaN or one value."""
    return head(nbytes, 32 + len(value), size, block, kind=kind) + value


def metalayer(shape, chunks, block, dtype=b"|V1"):
    """The content of b2nd; of caterva, which has no dtype, if that is None."""
    n = len(shape)
    tag = bytes([0x90 + n])
    layer = b"".join([
        b"\x97\0" if dtype else b"\x95\0", bytes([n]),
        tag, *(struct.pack(">Bq", 0xd3, v) for v in shape),
        tag, *(struct.pack(">Bi", 0xd2, v) for v in chunks),
        tag, *(struct.pack(">Bi", 0xd2, v) for v in block)])
    if dtype:
        layer += struct.pack(">BBi", 0, 0xdb, len(dtype)) + dtype
    return layer


def _metalayers(meta):
    """The section of metalayers that stands at 0x57."""
    index = 7 + sum(6 + len(name) for name, _ in meta)
    entries = values = b""
    for name, value in meta:
        at = 0x57 + index + 3 + len(values)
        entries += bytes([0xa0 + len(name)]) + name.encode()
        entries += struct.pack(">Bi", 0xd2, at)
        values += struct.pack(">BI", 0xc6, len(value)) + value
    return struct.pack(">BBHBH", 0x93, 0xcd, index, 0xde, len(meta)) + (
        entries + struct.pack(">BH", 0xdc, len(meta)) + values)


def frame(stored, nbytes, size, block=0, meta=(), version=2, chunk_size=None,
          at=0, index=None):
    """A frame of one chunk, or of the kind of special chunk that none stores.

    meta: (name, bytes) each. at: bytes before the chunk. index: what makes
    the index chunk of its eight bytes.
    """
    if isinstance(stored, int):
        where, area = 1 << 63 | stored << 56, b""
    else:
        where, area = at, bytes(at) + stored
    layers = _metalayers(meta)
    offsets = (index or (lambda w: raw(w, 8)))(struct.pack("<Q", where))
    trailer = b"\x94\x01\x93\xcd\0\x07\xde\0\0\xdc\0\0"
    trailer += struct.pack(">BIBB", 0xce, len(trailer) + 23, 0xd8, 0)
    trailer += bytes(16)
    length = 0x57 + len(layers)
    header = struct.pack(
        ">B9sBiBQBBBBBBqBqBiBiBiBhBhBBB6sBB6sBB", 0x9e, b"\xa8b2frame\0",
        0xd2, length, 0xcf, length + len(area) + len(offsets) + len(trailer),
        0xa4, 0x10 | version, 0, 0x55, 3, 0xd3, nbytes, 0xd3, len(area),
        0xd2, size, 0xd2, block or nbytes, 0xd2,
        nbytes if chunk_size is None else chunk_size, 0xd1, 1, 0xd1, 1, 0xc2,
        0xd8, 6, bytes(6), 0, 0, bytes(6), 0, 0)
    return header + layers + area + offsets + trailer


def blocked(a, block):
    """The bytes of a in boxes, one after the other, ones behind its ends."""
    grid = [-(-n // b) for n, b in zip(a.shape, block)]
    padded = np.empty([g * b for g, b in zip(grid, block)], a.dtype)
    padded[...] = np.frombuffer(b"\1" * a.dtype.itemsize, a.dtype)[0]
    padded[tuple(slice(n) for n in a.shape)] = a
    return b"".join(
        padded[tuple(slice(i * b, i * b + b) for i, b in zip(at, block))]
        .tobytes() for at in itertools.product(*map(range, grid)))


def boxes(a, block, make=chunk, name="b2nd", extra=(), size=None, **how):
    """A frame of a in boxes; make stores it, extra are metalayers more."""
    item = a.dtype.itemsize
    data = blocked(a, block)
    nblock = item * int(np.prod(block))
    size = size or item
    dtype = None if name == "caterva" else b"|V%d" % item
    return frame(make(data, size, nblock, **how), len(data), size, nblock, [
        (name, metalayer(a.shape, a.shape, block, dtype)), *extra])


def filter_frame(data, params):
    """What the HDF5 filter stores with these parameters: in boxes that halve
    each axis, or with no extents in them in some blocks."""
    item, filt, dims = params[2], params[5], params[8:]
    size = item if item < 256 else 1
    how = {"codec": FILTER_CODECS[params[6]],
           "filters": [0] * 5 + [filt], "split": filt == SHUFFLE}
    block = params[1] or item * -(-len(data) // item // 3)
    meta, n = (), len(data)
    if dims and item * int(np.prod(dims)) == n:
        box = [-(-d // 2) for d in dims]
        data = blocked(np.frombuffer(data, "V%d" % item).reshape(dims), box)
        meta = [("b2nd", metalayer(dims, dims, box, b"|V%d" % item))]
        block = item * int(np.prod(box))
    if not any(data):
        return frame(ZERO, len(data), size, block, meta)
    return frame(chunk(data, size, block, **how), len(data), size, block, meta)
