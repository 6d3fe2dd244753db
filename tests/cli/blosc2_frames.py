#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Blosc2 frames that the HDF5 filter does not write: special chunks, frames
without b2nd, blocks out of order, old versions, what is refused, what is wrong.

    blosc2_frames.py PROGRAM
"""
import errno
import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))
import frames  # noqa: E402
from blosc2_filter import Decoder  # noqa: E402
from frames import (  # noqa: E402
    BITSHUFFLE, DELTA, NAN, SHUFFLE, TRUNC, UNINIT, VALUE, ZERO, boxes, chunk,
    frame, head, metalayer, raw, special,
)

BAD, UNSERVED = -errno.EBADMSG, -errno.EOPNOTSUPP


def mixed(n, size):
    """Bytes of n items: a ramp, zeros, noise, one value."""
    rng = np.random.default_rng(n * 1000 + size)
    a = np.zeros((n, size), "u1")
    q = n // 4
    a[:q, 0] = np.arange(q)
    a[2 * q:3 * q] = rng.integers(0, 256, (q, size))
    a[3 * q:] = 7
    return a.tobytes()


def array(shape, size):
    n = int(np.prod(shape))
    return np.frombuffer(mixed(n, size), "V%d" % size).reshape(shape)


def good():
    """(name, item, extents, frame, bytes)."""
    for codec in frames.CODECS:
        for filters in ([], [SHUFFLE], [BITSHUFFLE], [DELTA], [TRUNC, SHUFFLE],
                        [SHUFFLE, BITSHUFFLE], [BITSHUFFLE, SHUFFLE, SHUFFLE]):
            for size in (1, 2, 3, 4, 8, 13, 24, 255):
                for n, block in ((100, 0), (100, 16), (259, 32), (259, 100)):
                    for split in (False, True):
                        data = mixed(n, size)
                        yield ("%s %s %d %d %d %d" % (codec, filters, size, n,
                                                      block, split),
                               size, (n,), frame(chunk(
                                   data, size, block * size, codec, filters,
                                   split=split), len(data), size), data)
    a = array((5, 7, 9), 4)
    for block in ((5, 7, 9), (2, 3, 4), (1, 7, 9), (1, 1, 1), (5, 4, 9)):
        for name in "b2nd", "caterva":
            yield "%s %s" % (name, block), 4, a.shape, boxes(
                a, block, name=name, filters=[SHUFFLE]), a.tobytes()
        yield "raw %s" % (block,), 4, a.shape, boxes(a, block, raw), a.tobytes()
        yield "delta %s" % (block,), 4, a.shape, boxes(
            a, block, filters=[DELTA]), a.tobytes()
    a = array((3, 5), 300)
    yield "300 bytes", 300, a.shape, boxes(a, (2, 2), size=1), a.tobytes()
    a = array((2, 3, 2, 1, 2, 3, 2, 2), 2)
    yield "rank 8", 2, a.shape, boxes(a, (1, 2, 2, 1, 2, 2, 1, 2)), a.tobytes()
    a = array((6, 8), 2)
    yield "a metalayer more", 2, a.shape, boxes(
        a, (4, 4), extra=[("long", bytes(9000)), ("b2n", b"x")]), a.tobytes()
    yield "16 metalayers", 2, a.shape, boxes(
        a, (4, 4), extra=[("m%d" % i * 10, bytes(i)) for i in range(15)]
    ), a.tobytes()

    data = mixed(500, 8)
    for order in ([3, 0, 2, 1, 4], [4, 3, 2, 1, 0]):
        yield "order %s" % order, 8, (500,), frame(chunk(
            data, 8, 800, order=order), len(data), 8), data
    for version in 3, 4, 5, 6:
        yield "chunk version %d" % version, 8, (500,), frame(chunk(
            data, 8, 800, version=version), len(data), 8), data
    for version in 1, 2, 3:
        yield "frame version %d" % version, 8, (500,), frame(chunk(
            data, 8, 800), len(data), 8, version=version), data
    yield "a larger chunk size", 8, (500,), frame(
        chunk(data, 8, 800), len(data), 8, chunk_size=100000), data
    yield "not at the front", 8, (500,), frame(
        chunk(data, 8, 800), len(data), 8, at=77), data
    yield "far from the front", 8, (500,), frame(
        chunk(data, 8, 800), len(data), 8, at=7777), data
    many = mixed(9000, 4)
    yield "many blocks", 4, (9000,), frame(
        chunk(many, 4, 16, "lz4"), len(many), 4), many
    yield "many raw blocks", 4, (9000,), frame(
        raw(many, 4, 16), len(many), 4), many
    lots = mixed(70000, 1)
    yield "too many blocks", 1, (70000,), frame(
        raw(lots, 1, 1), len(lots), 1), lots
    for meta in (2, 4, 8, 5):
        yield "shuffle of %d" % meta, 4, (1000,), frame(chunk(
            data, 4, 800, filters=[SHUFFLE], metas=[meta]), 4000, 4), data
    for n in (41, 42, 43, 44, 49, 300, 600, 1000):
        for byte in b"\x05", b"\xff":
            run = byte * n
            yield "blosclz %d" % n, 1, (n,), frame(
                coded("blosclz", n, piece(frames.blosclz(run))), n, 1), run

    # The index, stored in other ways than raw.
    for name, index in (
        ("as a value", lambda w: special(VALUE, 8, 8, 8, w)),
        ("as a value of one byte", lambda w: special(VALUE, 8, 8, 8, w[:1])),
        ("coded", lambda w: chunk(w, 8, filters=[SHUFFLE], split=True)),
        ("as zeros", lambda w: special(ZERO, 8, 8)),
        ("in blocks", lambda w: chunk(w, 1, 3)),
    ):
        yield "index " + name, 8, (500,), frame(
            chunk(data, 8, 800), len(data), 8, index=index), data

    single, double = b"\0\0\xc0\x7f", bytes(6) + b"\xf8\x7f"
    for n, block in ((100, 0), (100, 3), (99, 100)):
        for size, nan in ((4, single), (8, double)):
            args = n * size, size, block * size
            yield "NaN", size, (n,), frame(NAN, *args), n * nan
            yield "chunk of NaN", size, (n,), frame(
                special(NAN, *args), *args), n * nan
        for size in (1, 2, 8, 13, 255):
            args = n * size, size, block * size
            for kind in ZERO, UNINIT:
                yield "zeros", size, (n,), frame(kind, *args), bytes(n * size)
                yield "chunk of zeros", size, (n,), frame(
                    special(kind, *args), *args), bytes(n * size)
            value = bytes(range(1, size + 1))
            yield "value", size, (n,), frame(
                special(VALUE, *args, value), *args), n * value
    # Of another width than the item's, and than the block's.
    for width, block in ((1, 12), (6, 7), (5, 12), (300, 7), (300, 0),
                         (600, 7)):
        value = bytes(i % 251 for i in range(width))
        yield "value of %d" % width, 2, (300,), frame(
            special(VALUE, 600, 2, block, value), 600, 2
        ), (value * 600)[:600]
    meta = [("b2nd", metalayer((5, 6), (5, 6), (2, 4)))]
    value = b"\1\2\3\4"
    yield "value in boxes", 4, (5, 6), frame(
        special(VALUE, 192, 4, 32, value), 192, 4, 32, meta), 30 * value
    yield "NaN in boxes", 4, (5, 6), frame(
        NAN, 192, 4, 32, meta), 30 * single
    yield "zeros in boxes", 4, (5, 6), frame(
        special(ZERO, 192, 4), 192, 4, 32, meta), bytes(120)


def coded(codec, n, body, size=1, flags=0x15):
    """A chunk of one block of n bytes, stored as body."""
    return head(n, 36 + len(body), size, n,
                flags=flags | frames.CODECS[codec] << 5
                ) + struct.pack("<I", 36) + body


def piece(data):
    return struct.pack("<i", len(data)) + data


def patched(data, at, new):
    return data[:at] + new + data[at + len(new):]


def be(v):
    return struct.pack(">i", v)


def le(v):
    return struct.pack("<i", v)


EXTREMES = (-2**31, -1, 0, 1, 2, 31, 32, 86, 87, 127, 65536, 2**31 - 1)


def bad():
    """(name, item, extents, frame, error or None for any, what of it)."""
    data = mixed(100, 8)
    one = frame(chunk(data, 8, 200), 800, 8)
    at = struct.unpack(">i", one[0x0b:0x0f])[0]
    a = array((6, 8), 2)
    box = boxes(a, (4, 4), filters=[SHUFFLE])

    def header_of(name, pos, new, error, what=""):
        return name, 8, (100,), patched(one, pos, new), error, what

    def chunk_of(name, pos, new, error, what=""):
        return header_of(name, at + pos, new, error, what)

    yield "empty", 8, (100,), b"", BAD, ""
    yield "a bare chunk", 8, (100,), chunk(data, 8, 200), BAD, ""
    for pos in (0, 1, 2, 9, 0x0a, 0x0f, 0x18, 0x1d, 0x26, 0x2f, 0x34, 0x39):
        yield header_of("tag %d" % pos, pos, b"\x01", BAD)
    yield header_of("frame version 0", 0x19, b"\x10", BAD)
    yield header_of("frame version 4", 0x19, b"\x14", UNSERVED, "newer")
    yield header_of("offsets of 32 bits", 0x19, b"\x02", BAD)
    yield header_of("chunk sizes", 0x19, b"\x53", UNSERVED, "variable size")
    yield header_of("block lengths", 0x19, b"\x93", UNSERVED, "variable len")
    yield header_of("sparse", 0x1a, b"\x01", UNSERVED, "sparse")
    yield header_of("two chunks", 0x3a, be(400), UNSERVED, "several")
    for pos in (0x0b, 0x30, 0x35, 0x3a):
        for v in EXTREMES:
            yield header_of("%#x %d" % (pos, v), pos, be(v), None)
    for pos in (0x10, 0x1e, 0x27):
        for v in (0, 1, 799, 801, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1):
            yield header_of("%#x %d" % (pos, v), pos, struct.pack(">Q", v),
                            BAD if pos != 0x1e else None)
    for pos in (87, 88, 91):
        yield header_of("metalayers %d" % pos, pos, b"\x01", BAD)
    yield header_of("17 metalayers", 92, b"\0\x11", BAD)
    yield header_of("metalayers behind", 92, b"\0\x01", BAD)

    for v in (0, 1, 2):
        yield chunk_of("chunk version %d" % v, 0, bytes([v]), BAD)
    yield chunk_of("chunk version 7", 0, b"\7", UNSERVED, "newer")
    yield chunk_of("codec's version", 1, b"\2", BAD)
    for flags in (0x70, 0x71, 0x74):
        yield chunk_of("header of 16 bytes", 2, bytes([flags]), BAD)
    yield chunk_of("type size 0", 3, b"\0", BAD)
    for codec, what in ((2, "codec"), (5, "codec"), (7, "codec")):
        yield chunk_of("codec %d" % codec, 2, bytes([codec << 5 | 0x15]),
                       UNSERVED, what)
    for number, what in ((32, "ndlz"), (33, "zfp"), (35, "zfp"), (36, "HTJ2K"),
                         (37, "Grok"), (38, "OpenZL"), (39, "J2K"),
                         (40, "HTJ2K"), (160, "user")):
        yield (what, 8, (100,), patched(patched(
            one, at + 2, b"\xd5"), at + 22, bytes([number])), UNSERVED, what)
    for number, what in ((5, "user"), (32, "ndcell"), (33, "ndmean"),
                         (34, "bytedelta"), (35, "bytedelta"),
                         (36, "int_trunc"), (160, "user")):
        yield chunk_of(what, 21, bytes([number]), UNSERVED, what)
    for slots in ((3, 1), (1, 3), (3, 3), (3, 2)):
        yield chunk_of("delta and %s" % (slots,), 20, bytes(slots), UNSERVED,
                       "delta")
    yield chunk_of("variable blocks", 30, b"\1", UNSERVED, "variable")
    for flag, what in ((1, "dictionary"), (2, "big endian"), (4, "codecs"),
                       (8, "lazy"), (128, "instrumented")):
        yield chunk_of(what, 31, bytes([flag]), UNSERVED, what)
    for kind in (5, 6, 7):
        yield chunk_of("special %d" % kind, 31, bytes([kind << 4]), BAD)
    for pos in (4, 8, 12):
        for v in EXTREMES:
            # A block size below the truth takes other starts for its own.
            yield chunk_of("chunk %d %d" % (pos, v), pos, le(v), BAD)
    for pos in (32, 36, 44):
        for v in (*EXTREMES[:-2], len(one), 2**31 - 1):
            yield chunk_of("start %d %d" % (pos, v), pos, le(v), BAD)
    for size in (-2**31, -257, -256, 2**31 - 1, 1 << 16):
        yield chunk_of("stream of %d" % size, 32 + 16, le(size), BAD)
    for name, streams in (
        ("nothing", b""), ("half a length", b"\0\0"),
        ("no token", le(-3)), ("a bad token", le(-3) + b"\2"),
        ("token 0", le(-3) + b"\0"), ("too long", le(7) + bytes(6)),
        ("no raw bytes", le(40)), ("raw bytes missing", le(40) + bytes(39)),
    ):
        for codec in frames.CODECS:
            yield name, 1, (40,), frame(
                coded(codec, 40, streams), 40, 1), BAD, ""
    for codec, pack in (("zlib", frames.zlib.compress),
                        ("zstd", frames.zstd_frame),
                        ("lz4", frames.lz4_block),
                        ("blosclz", frames.blosclz)):
        for n in (39, 41):
            yield "%s of %d" % (codec, n), 1, (40,), frame(
                coded(codec, 40, piece(pack(b"ab" * 15 + bytes(n - 30)))),
                40, 1), BAD, ""
    for stored in (
        b"\0", b"\x1f" + bytes(20), b"\0a\x20\1", b"\0a\x20", b"\0a\xe0",
        b"\0a\xe0\xff\xff\xff", b"\0a\xff\xff", b"\0a\xff\0\xff",
        b"\0a\xff\0\xff\0", b"\0a\xff\0\xff\0\0\0x", b"\0a\xe0\x1d\0",
        b"\0a\xe0\x1e\0\0b", b"\x27" + bytes(40), b"\0a\x20\0" + bytes(50),
    ):
        yield "blosclz %s" % stored.hex(), 1, (40,), frame(
            coded("blosclz", 40, piece(stored)), 40, 1), BAD, ""
    yield "streams that do not divide", 3, (33,), frame(
        coded("lz4", 99, le(0) * 8, size=8, flags=5), 99, 8), BAD, ""
    for kind, size, value in ((NAN, 2, b""), (NAN, 4, b"x"), (ZERO, 4, b"x"),
                              (UNINIT, 4, b"x"), (VALUE, 4, b""),
                              (VALUE, 4, bytes(7))):
        yield "special %d" % kind, 2, (30,), frame(
            special(kind, 60, size, 60, value), 60, size), BAD, ""
    yield "NaN that does not fit", 2, (31,), frame(
        special(NAN, 62, 4), 62, 4), BAD, ""
    for kind in (0, 3, 5, 6, 7):
        yield "frame of %d" % kind, 4, (30,), frame(kind, 120, 4), BAD, ""
    yield "NaN of two bytes", 2, (30,), frame(NAN, 60, 2), BAD, ""
    yield "raw and short", 1, (40,), frame(
        raw(bytes(40), 1)[:-1], 40, 1), BAD, ""
    yield "raw and too long", 1, (40,), frame(
        head(40, 73, flags=0x17) + bytes(41), 40, 1), BAD, ""

    # The index.
    for name, index in (
        ("beyond", lambda w: raw(struct.pack("<Q", 10**6), 8)),
        ("at the end", lambda w: raw(struct.pack("<Q", len(
            chunk(data, 8, 200)) - 31), 8)),
        ("of two", lambda w: raw(w + w, 8)), ("short", lambda w: raw(w[:7], 8)),
        ("huge", lambda w: special(VALUE, 8, 8, 8, bytes(5000))),
    ):
        yield "index " + name, 8, (100,), frame(
            chunk(data, 8, 200), 800, 8, index=index), BAD, ""
    yield "no trailer", 8, (100,), one[:-24], BAD, ""
    for pos, new in ((-23, b"\1"), (-18, b"\1"), (-22, be(24)),
                     (-22, be(36)), (-22, be(-1))):
        yield "trailer", 8, (100,), patched(one, len(one) + pos, new), BAD, ""

    # Boxes against the extents of the chunk.
    for dims in ((8, 6), (6, 8, 1), (48,), (6, 7), (6, 9), (3, 16)):
        yield "extents %s" % (dims,), 2, dims, box, BAD, ""
    for item, dims in ((1, (6, 8)), (4, (6, 8)), (4, (3, 8))):
        yield "items of %d" % item, item, dims, box, BAD, ""
    padded = frames.blocked(a, (4, 4))
    for name, meta, error, what in (
        ("version", b"\x97\1" + metalayer((6, 8), (6, 8), (4, 4))[2:],
         UNSERVED, "b2nd"),
        ("array", metalayer((12, 8), (6, 8), (4, 4)), BAD, ""),
        ("chunk", metalayer((6, 8), (6, 9), (4, 4)), BAD, ""),
        ("block 0", metalayer((6, 8), (6, 8), (0, 4)), BAD, ""),
        ("block -1", metalayer((6, 8), (6, 8), (-1, 4)), BAD, ""),
        ("block 7", metalayer((6, 8), (6, 8), (7, 4)), BAD, ""),
        ("other blocks", metalayer((6, 8), (6, 8), (2, 4)), BAD, ""),
        ("as many bytes", metalayer((6, 8), (6, 8), (2, 8)), BAD, ""),
        ("rank 0", metalayer((), (), ()), BAD, ""),
        ("rank 9", metalayer((1,) * 9, (1,) * 9, (1,) * 9), UNSERVED, "axes"),
        ("huge", metalayer((65536, 65536), (65536, 65536), (65536, 65536)),
         BAD, ""),
        ("huge grid", metalayer((2**31 - 1, 2**31 - 1), (2**31 - 1, 2**31 - 1),
                                (1, 1)), BAD, ""),
        ("nothing", b"", BAD, ""), ("no array", b"\x07", BAD, ""),
        *(("cut %d" % n, metalayer((6, 8), (6, 8), (4, 4))[:n], BAD, "")
          for n in range(3, 43)),
    ):
        yield "b2nd " + name, 2, (6, 8), frame(
            chunk(padded, 2, 32), len(padded), 2, 32, [("b2nd", meta)]
        ), error, what
    where = box.index(b"b2nd") + 5
    for v in (1, 87, len(box), len(box) - 1, 2**31 - 1, -1):
        yield "b2nd at %d" % v, 2, (6, 8), patched(box, where, be(v)), BAD, ""
    yield "b2nd at 0", 2, (6, 8), patched(box, where, be(0)), BAD, ""


def main():
    decoder = Decoder(sys.argv[1])
    n = wrong = 0

    def fault(name, *text):
        nonlocal wrong
        wrong += 1
        print("%s:" % name, *text)

    for name, item, dims, stored, want in good():
        n += 1
        (error, whole), (bad_b, what, g, blocks) = decoder.ask(
            item, dims, stored, (2, 0, item, 0, 5, 1, 5, len(dims), *dims))
        if error or bad_b:
            fault(name, "errors", error, bad_b, what)
        elif whole != want:
            fault(name, "wrong bytes")
        elif not g["is_whole"] and blocks != want:
            fault(name, "wrong blocks")
        elif g["is_whole"] != ("delta" in name or "[3]" in name or
                               "too many" in name):
            fault(name, "is_whole")
    for name, item, dims, stored, error, text in bad():
        n += 1
        (got, _), (opened, what, g, _) = decoder.ask(
            item, dims, stored, (1, 0, item, 0, 5, 1, 5, len(dims), *dims))
        if error is None:
            continue
        if got != error:
            fault(name, "whole:", got, "not", error)
        if opened not in (error, 0) or opened == 0 and error != BAD:
            fault(name, "blocks:", opened, "not", error)
        if text not in what:
            fault(name, what, "is not", text)
    decoder.close()
    print(n, "frames,", wrong, "wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
