# SPDX-License-Identifier: MIT
"""Fixtures whose point is an array: types, layouts, indexes, filters, masks."""

import h5py
import numpy as np

from h5low import (
    BLOSC2, FLETCHER, GZIP, LATEST, LZ4, SHUFFLE, ZSTD, dataset, set_istore_k,
)
from voxels import voxels, zstd_frame

EARLY = h5py.h5d.ALLOC_TIME_EARLY
LATE = h5py.h5d.ALLOC_TIME_LATE
NEVER = h5py.h5d.FILL_TIME_NEVER
IFSET = h5py.h5d.FILL_TIME_IFSET

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
BOTH = (("default", None), ("latest", LATEST))


def types(out):
    """All types served, in both byte orders, chunked and contiguous."""
    with h5py.File(out / "types.h5", "w") as f:
        for t in NUMBERS:
            for order, tag in (("<", "le"), (">", "be")):
                if t[1] == "1" and order == ">":
                    continue
                d = np.dtype(order + t)
                name = "%s_%s" % (t, tag)
                dataset(f, name, (3, 4, 5), d, (2, 3, 4), [(GZIP, (1,))])
                dataset(f, name + "_shuffle", (3, 4, 5), d, (2, 3, 4),
                        [(SHUFFLE, ()), (GZIP, (1,))])
                dataset(f, name + "_raw", (3, 4, 5), d)
        dataset(f, "bool", (3, 4, 5), "?", (2, 3, 4), [(GZIP, (1,))])
        dataset(f, "bool_raw", (3, 4, 5), "?")
        f["odd_enum"] = np.arange(6, dtype="u1").reshape(2, 3)
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40]
        for t in ("<f2", "<f4", "<f8", ">f4"):
            with np.errstate(over="ignore"):
                f["special" + t[1:] + ("be" if t[0] == ">" else "")] = (
                    np.array(special).astype(t).reshape(2, 3))


def ranks(out):
    """Ranks 0 to 8, axes of length 0 and 1, contiguous and chunked."""
    with h5py.File(out / "ranks.h5", "w") as f:
        for r in range(1, 9):
            shape = (3, 2, 4, 2, 3, 2, 2, 3)[:r]
            dataset(f, "rank%d" % r, shape, "<i4", (2,) * r, [(GZIP, (1,))])
            dataset(f, "rank%d_raw" % r, shape, "<i2")
        f["scalar"] = np.float32(0.25)
        f["scalar_be"] = np.array(-7, ">i8")
        f["one"] = np.zeros((1, 1, 1), "<u2") + 9
        f["null"] = h5py.Empty("f4")
        for name, shape in (
            ("empty_n", (0, 4, 5)), ("empty_mid", (3, 0, 5)),
            ("empty_last", (3, 4, 0)), ("empty_1d", (0,)),
        ):
            f.create_dataset(name, shape, "<f4")
            f.create_dataset(name + "_chunked", shape, "<f4",
                             maxshape=(None,) * len(shape),
                             chunks=(2,) * len(shape), compression="gzip")


def layouts(out):
    """Contiguous, compact, never written, early and late, fill rules."""
    for tag, libver in BOTH:
        with h5py.File(out / ("layouts-%s.h5" % tag), "w", libver=libver) as f:
            s = (5, 6, 7)
            dataset(f, "contiguous", s, "<f4")
            dataset(f, "contiguous_be", s, ">u2")
            dataset(f, "compact", (4, 5), "<i2", compact=True)
            dataset(f, "compact_be", (4, 5), ">f8", compact=True)
            dataset(f, "never_written", s, "<i2", data=None, fill=-5)
            dataset(f, "never_written_be", s, ">i4", data=None, fill=77)
            dataset(f, "never_written_chunked", s, "<f4", (2, 3, 4),
                    [(GZIP, (1,))], data=None, fill=0.5)
            dataset(f, "early", s, "<u1", data=None, alloc=EARLY, fill=3)
            dataset(f, "late_default", s, "<u1", data=None, alloc=LATE)
            missing = ((0, 0, 0), (2, 1, 1), (1, 0, 1))
            for name, fill, when in (
                ("fill_set", 42, None), ("fill_default", None, None),
                ("fill_ifset", 9, IFSET), ("fill_never", 8, NEVER),
            ):
                for t in ("<i2", ">i2"):
                    dataset(f, name + ("_be" if t[0] == ">" else ""), s, t,
                            (2, 3, 4), [(GZIP, (1,))], fill=fill,
                            skip=missing, fill_time=when)
            dataset(f, "fill_nan", s, "<f4", (2, 3, 4), fill=np.nan,
                    skip=missing)


def indexes(out):
    """Every chunk index, filtered and not, with missing chunks."""
    none = ()
    gzip = ((GZIP, (1,)),)
    for tag, libver in BOTH:
        with h5py.File(out / ("indexes-%s.h5" % tag), "w", libver=libver) as f:
            for p, filters in (("raw", none), ("gzip", gzip)):
                def add(name, shape, chunks, maxshape=None, **more):
                    dataset(f, "%s_%s" % (name, p), shape, "<u2", chunks,
                            filters, maxshape=maxshape, **more)
                add("single", (4, 5), (4, 5))
                add("single_cut", (3, 5), (4, 5), (4, None))
                add("implicit", (6, 8), (2, 3), alloc=EARLY)
                add("fixed", (6, 8), (2, 3))
                add("fixed_paged", (60, 80), (1, 2))
                add("fixed_max", (6, 8), (2, 3), (12, 9))
                add("ext_first", (6, 8), (2, 2), (None, 8))
                add("ext_last", (6, 8), (2, 2), (6, None))
                add("ext_mid", (4, 6, 8), (2, 2, 2), (4, None, 8))
                add("ext_many", (700, 3), (1, 2), (None, 3))
                add("btree2", (6, 8), (2, 3), (None, None))
                add("btree2_many", (40, 50), (1, 2), (None, None))
                add("sparse", (40, 50), (1, 2), (None, None),
                    skip=tuple((i, j) for i in range(40) for j in range(25)
                               if (i * 25 + j) % 7))
                add("chunk_beyond", (3, 3), (8, 8), (None, None))
                add("rank5", (3, 4, 2, 5, 3), (2, 2, 2, 2, 2))


def superblocks(out):
    """Superblocks 0 to 3 and user blocks, chunked, contiguous, unallocated."""
    def fill(f):
        dataset(f, "chunked", (5, 6), "<i4", (2, 4), [(GZIP, (1,))])
        dataset(f, "contiguous", (5, 6), "<f4")
        dataset(f, "unallocated", (5, 6), "<f4", data=None, fill=1.5)
        dataset(f, "compact", (5, 6), "<i2", compact=True)
        f.create_group("g").create_group("h")["x"] = np.arange(4)

    for n, libver in ((0, None), (2, ("v108", "v108")), (3, LATEST)):
        try:
            with h5py.File(out / ("superblock%d.h5" % n), "w",
                           libver=libver) as f:
                fill(f)
        except ValueError:
            continue # this h5py does not know v108
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    set_istore_k(fcpl, 16)
    name = str(out / "superblock1.h5").encode()
    with h5py.File(h5py.h5f.create(name, h5py.h5f.ACC_TRUNC, fcpl)) as f:
        fill(f)
    for n in (512, 4096):
        for tag, libver in BOTH:
            with h5py.File(out / ("userblock%d-%s.h5" % (n, tag)), "w",
                           libver=libver, userblock_size=n) as f:
                fill(f)


def filters(out):
    """The served filters alone and chained, in the orders that occur."""
    s, c = (5, 6, 7), (2, 3, 4)
    chains = {
        "gzip": [(GZIP, (1,))],
        "gzip9": [(GZIP, (9,))],
        "shuffle": [(SHUFFLE, ())],
        "shuffle_gzip": [(SHUFFLE, ()), (GZIP, (4,))],
        "fletcher": [(FLETCHER, ())],
        "shuffle_gzip_fletcher": [(SHUFFLE, ()), (GZIP, (4,)), (FLETCHER, ())],
        "fletcher_shuffle_gzip": [(FLETCHER, ()), (SHUFFLE, ()), (GZIP, (4,))],
        "gzip_gzip": [(GZIP, (1,)), (GZIP, (1,))],
        "lz4": [(LZ4, (0,))],
        "lz4_raw": [(LZ4, (0, True))],
        "lz4_blocks": [(LZ4, (32,))],
        "lz4_tiny_blocks": [(LZ4, (3,))],
        "shuffle_lz4": [(SHUFFLE, ()), (LZ4, (0,))],
    }
    if zstd_frame(b"x"):
        chains["zstd"] = [(ZSTD, (3,))]
        chains["shuffle_zstd"] = [(SHUFFLE, ()), (ZSTD, (3,))]
        chains["shuffle_zstd_fletcher"] = [
            (SHUFFLE, ()), (ZSTD, (3,)), (FLETCHER, ())]
    for tag, libver in BOTH:
        with h5py.File(out / ("filters-%s.h5" % tag), "w", libver=libver) as f:
            for name, chain in chains.items():
                for t in ("<i1", "<i2", ">i2", "<f4", "<f8"):
                    dataset(f, "%s_%s%s" % (
                        name, t[1:], "be" if t[0] == ">" else ""),
                        s, t, c, chain)
            smooth = np.arange(5 * 6 * 7, dtype="<i4").reshape(s) // 16
            for name, chain in chains.items():
                if not name.startswith(("zstd", "lz4_tiny")):
                    dataset(f, "smooth_" + name, s, "<i4", c, chain,
                            data=smooth)
            ones = np.full((4, 32), 0xFF, "u1")
            dataset(f, "all_ff_fletcher", (4, 32), "u1", (4, 32),
                    [(FLETCHER, ())], data=ones)
            dataset(f, "all_0_fletcher", (4, 32), "u1", (4, 32),
                    [(FLETCHER, ())], data=ones * 0)
            dataset(f, "odd_fletcher", (3, 5), "u1", (1, 5),
                    [(FLETCHER, ())])


def blosc2_step(t, chunks, codec, filt, boxes=True):
    """The filter with the parameters that it gives itself."""
    item = np.dtype(t).itemsize
    return BLOSC2, (1, 0, item, item * int(np.prod(chunks)), 5, filt, codec,
                    *((len(chunks), *chunks) if boxes else ()))


def blosc2(out):
    """Blosc2, each codec and filter, in boxes and not, and chains with it."""
    s, c = (9, 13, 14), (5, 7, 9)
    codecs = {"blosclz": 0, "lz4": 1, "zlib": 4}
    if zstd_frame(b"x"):
        codecs["zstd"] = 5
    with h5py.File(out / "blosc2.h5", "w") as f:
        for name, codec in codecs.items():
            for t in ("<i1", "<i2", ">i2", "<f4", "<f8"):
                for filt in range(4):
                    tag = "%s_%s%s_%d" % (name, t[1:], "be" * (t[0] == ">"),
                                          filt)
                    dataset(f, tag, s, t, c, [blosc2_step(t, c, codec, filt)])
                    dataset(f, tag + "_plain", s, t, c, [
                        blosc2_step(t, c, codec, filt, False)])
            step = blosc2_step("<i4", c, codec, 1)
            smooth = np.arange(9 * 13 * 14, dtype="<i4").reshape(s) // 50
            dataset(f, "smooth_" + name, s, "<i4", c, [step], data=smooth)
            dataset(f, "half_" + name, s, "<i4", c, [step], data=np.where(
                np.arange(14) < 9, 0, smooth))
            dataset(f, "masked_" + name, s, "<i4", c, [step],
                    masks={(0, 1, 0): 1, (1, 1, 1): 1})
            for tag, chain in (
                ("fletcher", [step, (FLETCHER, ())]),
                ("shuffle", [(SHUFFLE, ()), step]),
                ("all", [(SHUFFLE, ()), step, (FLETCHER, ())]),
            ):
                dataset(f, "%s_%s" % (tag, name), s, "<i4", c, chain)
        for rank in range(1, 9):
            shape = (3, 2, 4, 2, 3, 2, 2, 3)[:rank]
            chunks = (2, 2, 3, 2, 2, 1, 2, 2)[:rank]
            dataset(f, "rank%d" % rank, shape, "<i2", chunks, [
                blosc2_step("<i2", chunks, 1, 1)])
        # As the filter does by default.
        dataset(f, "rank1_plain", (3000,), "<i2", (2000,), [
            blosc2_step("<i2", (2000,), 1, 1, False)])


def masks(out):
    """Filter masks per chunk, and partial chunks that are not filtered."""
    with h5py.File(out / "masks.h5", "w") as f:
        s, c = (6, 7), (2, 3)
        chain = [(SHUFFLE, ()), (GZIP, (1,)), (FLETCHER, ())]
        dataset(f, "mixed", s, "<i4", c, chain, masks={
            (0, 0): 1, (0, 1): 2, (0, 2): 4, (1, 0): 3, (1, 1): 5,
            (1, 2): 6, (2, 0): 7, (2, 1): 0xFFFFFFFF})
        dataset(f, "all_masked", s, ">f4", c, [(GZIP, (1,))], masks={
            (i, j): 1 for i in range(3) for j in range(3)})
        dataset(f, "lz4_masked", s, "<f4", c, [(LZ4, (0,))],
                masks={(1, 1): 1})
    for tag, libver in BOTH:
        with h5py.File(out / ("edges-%s.h5" % tag), "w", libver=libver) as f:
            for name, shape, chunks, maxshape in (
                ("fixed", (10, 10), (4, 4), None),
                ("ext", (10, 10), (4, 4), (None, 10)),
                ("btree2", (10, 10), (4, 4), (None, None)),
                ("rank3", (5, 6, 7), (2, 3, 4), None),
            ):
                for p, chain in (("gzip", [(GZIP, (1,))]),
                                 ("chain", [(SHUFFLE, ()), (GZIP, (1,)),
                                            (FLETCHER, ())])):
                    n = "%s_%s" % (name, p)
                    dataset(f, n, shape, "<i4", chunks, chain,
                            maxshape=maxshape, edges=True)
                    dataset(f, n + "_filtered", shape, "<i4", chunks, chain,
                            maxshape=maxshape)


def pairs(out):
    """Arrays that agree in their trailing extents, for the pairing rule."""
    with h5py.File(out / "pairs.h5", "w", libver=LATEST) as f:
        gzip = [(SHUFFLE, ()), (GZIP, (1,))]
        dataset(f, "image", (2, 12, 13, 14), "<f4", (1, 4, 5, 6), gzip)
        dataset(f, "mask", (12, 13, 14), "<u1", (4, 5, 6), gzip)
        dataset(f, "stack", (9, 12, 13), "<f4", (1, 12, 13), gzip)
        dataset(f, "channels", (9, 3, 12, 13), "<f4", (1, 3, 12, 13), gzip)
        dataset(f, "sino", (9, 20, 11), "<i2", (1, 20, 11), gzip)
        dataset(f, "answers", (7, 9, 11), "<i4", (3, 4, 5), gzip)
        dataset(f, "axis_last", (24, 10, 6), "<f4", (1, 10, 6), gzip)
        f["plain"] = voxels((6, 5, 4), "<u2")


MAKERS = (types, ranks, layouts, indexes, superblocks, filters, blosc2, masks, pairs)
