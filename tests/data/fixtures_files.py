# SPDX-License-Identifier: MIT
"""Fixtures whose point is the file: links, names, attributes, refusals."""

import json
import os
import socket

import h5py
import numpy as np

from fixtures_arrays import blosc2_step
from h5low import GZIP, LATEST, LZ4, SHUFFLE, ZSTD, dataset
from voxels import voxels

try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None


def attributes(out):
    """Attributes of every class, small and many, on root, group and array."""
    vlen = h5py.vlen_dtype(np.int32)
    for tag, libver in (("default", None), ("latest", LATEST)):
        with h5py.File(out / ("attributes-%s.h5" % tag), "w",
                       libver=libver) as f:
            d = dataset(f, "x", (4, 5), "<f4", (2, 3), [(GZIP, (1,))])
            g = f.create_group("g")
            for o in (f, g, d):
                a = o.attrs
                a["int"] = -5
                a["big"] = np.uint64(2**64 - 1)
                a["float"] = 0.1
                a["float32"] = np.float32(0.1)
                a["nan"] = np.nan
                a["inf"] = -np.inf
                a["text"] = "caf\u00e9"
                a["bytes"] = np.bytes_(b"fixed")
                a["not_utf8"] = np.bytes_(b"\xff\xfe")
                a["texts"] = ["a", "bb"]
                a["vector"] = np.arange(3.0)
                a["matrix"] = np.arange(6).reshape(2, 3)
                a["be"] = np.arange(3, dtype=">i2")
                a["bool"] = True
                a["empty"] = h5py.Empty("f8")
                a["none"] = np.zeros((0,), "f4")
                a["compound"] = np.zeros((), "i4,f8")
                a["complex"] = 1 + 2j
                a["reference"] = d.ref
                a["region"] = d.regionref[0:2]
                a["opaque"] = np.void(b"\x01\x02\x03")
                ragged = np.empty((2,), object)
                ragged[:] = [np.arange(2, dtype="i4"), np.arange(3, dtype="i4")]
                a.create("vlen", ragged, dtype=vlen)
                a["long"] = "x" * 5000
                a["name / with \" and \\ and \n"] = 1
                if libver == LATEST:
                    a["huge"] = np.zeros(20000, "f8")
            for i in range(100):
                g.attrs["a%03d" % i] = i
            f["scalar"] = 3
            f["text"] = "a scalar string"
            f["fixed"] = np.bytes_(b"fixed string")
            f["texts"] = np.array(["one", "two", "three"], object)
            f["texts"].attrs["unit"] = "words"
            f["fixed_texts"] = np.array([b"one", b"two"], "S5")
            f["long_text"] = "y" * 6000


def links(out):
    """Soft, hard and external links; cycles; a tree they stay in."""
    tree = out / "links"
    (tree / "sub").mkdir(parents=True, exist_ok=True)
    with h5py.File(tree / "sub" / "target.h5", "w") as f:
        f["entry/data"] = voxels((3, 4), "<i4")
    with h5py.File(tree / "links.h5", "w") as f:
        a = f.create_group("a")
        b = a.create_group("b")
        f["a/data"] = voxels((3, 4, 5), "<i2")
        f["hard"] = f["a/data"]
        f["hard_group"] = a
        b["up"] = a
        b["root"] = f
        f["soft"] = h5py.SoftLink("/a/data")
        f["soft_relative"] = h5py.SoftLink("a/data")
        f["soft_group"] = h5py.SoftLink("/a/b")
        f["a/soft_up"] = h5py.SoftLink("/hard")
        f["dangling"] = h5py.SoftLink("/nowhere/at/all")
        f["loop1"] = h5py.SoftLink("/loop2")
        f["loop2"] = h5py.SoftLink("/loop1")
        f["inside"] = h5py.ExternalLink("sub/target.h5", "/entry/data")
        f["gone"] = h5py.ExternalLink("sub/missing.h5", "/entry/data")
        f["outside"] = h5py.ExternalLink("../../etc/passwd", "/x")
        f["absolute"] = h5py.ExternalLink("/etc/passwd", "/x")
        f["type"] = np.dtype("<f4")


def names(out):
    """Names that a file system, a shell or the tree itself would trip over."""
    tree = out / "names"
    tree.mkdir(exist_ok=True)
    with h5py.File(tree / "odd.h5", "w") as f:
        for name in (
            b"info.json", b"slices", b"patches", b"array.npy", b"a+b-c",
            b"%41", b"%", b"%~", b"sp ace", b"quote'\"", b"back\\slash",
            b"new\nline", b"tab\t", b"\x01ctl", b"\x7f", b"bad\xff\xfe",
            "\u00e9t\u00e9".encode(), b"n" * 300, b"n" * 299 + b"x",
            "\u00e9".encode() * 150, b"-dash", b"*", b"~", b"...",
            b".patchfs", b".hidden", b"slices+axis-1", b"size-4x4",
        ):
            space = h5py.h5s.create_simple((2, 3))
            d = h5py.h5d.create(f.id, name, h5py.h5t.STD_I32LE, space)
            d.write(h5py.h5s.ALL, h5py.h5s.ALL,
                    voxels((2, 3), "<i4") ^ (len(name) + name[0]))
        g = f.create_group("group")
        h5py.h5g.create(g.id, b"slices")
        h5py.h5g.create(g.id, b"info.json")
        g["slices/array.npy"] = np.arange(4, dtype="<i4").reshape(2, 2)
    for n in ("train.h5", "train.hdf5"):
        with h5py.File(tree / n, "w") as f:
            f["x"] = np.full((2, 2), len(n), "<i4")
    (tree / "train").mkdir(exist_ok=True)
    (tree / "train" / "note.txt").write_text("a directory beside two files\n")
    with h5py.File(tree / "UPPER.H5", "w") as f:
        f["x"] = np.zeros((2, 2), "<u1")
    with h5py.File(tree / "no_extension", "w") as f:
        f["x"] = np.ones((2, 2), "<u1")
    (tree / "empty.h5").write_bytes(b"")
    (tree / "text.h5").write_text("not HDF5 at all\n")
    (tree / "secret.h5").write_bytes((tree / "UPPER.H5").read_bytes())
    (tree / "secret.h5").chmod(0)
    (tree / "manifest.json").write_text("{}\n")
    with open(bytes(tree) + b"/bad\xff\xfe.txt", "w") as f:
        f.write("a name that is not UTF-8\n")
    with open(bytes(tree) + b"/new\nline.txt", "w") as f:
        f.write("a name with a line end\n")
    (tree / ("l" * 255)).write_text("a long name\n")
    for link, target in (("dangling", "nowhere"), ("loop", "loop"),
                         ("up", "."), ("linked.h5", "train.h5"),
                         ("linkdir", "train")):
        if not os.path.lexists(tree / link):
            os.symlink(target, tree / link)
    if not (tree / "fifo").exists():
        os.mkfifo(tree / "fifo")
    here = os.getcwd()
    os.chdir(tree) # a socket's path is short
    try:
        if not os.path.lexists("socket"):
            with socket.socket(socket.AF_UNIX) as s:
                s.bind("socket")
    finally:
        os.chdir(here)


def refused(out):
    """What is listed and refused by name; beside it an array that reads."""
    with h5py.File(out / "refused.h5", "w", libver=LATEST) as f:
        dataset(f, "good", (3, 4), "<i4", (2, 2), [(GZIP, (1,))])
        f.create_dataset("external", (4,), "<i4", external=[
            ("/etc/passwd", 0, 16)])
        layout = h5py.VirtualLayout((2, 4), "<i4")
        layout[0] = h5py.VirtualSource("first-source.h5", "x", (4,))
        layout[1] = h5py.VirtualSource("second-source.h5", "x", (4,))
        f.create_virtual_dataset("virtual", layout)
        for n, number in (("zfp", 32013), ("blosc", 32001), ("lzf", 32000)):
            dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            dcpl.set_chunk((2, 2))
            dcpl.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
            d = h5py.Dataset(h5py.h5d.create(
                f.id, n.encode(), h5py.h5t.STD_I32LE,
                h5py.h5s.create_simple((4, 4)), dcpl))
            d.id.write_direct_chunk((0, 0), b"\0" * 16, 0)
        f["complex"] = np.zeros((2, 2), "<c8")
        f["compound"] = np.zeros((2, 2), [("a", "<i4"), ("b", "<f8")])
        f["opaque"] = np.zeros((2, 2), "V5")
        f["time"] = np.zeros((2, 2), "<i8")
        if np.dtype("longdouble").itemsize == 16:
            f["longdouble"] = np.zeros((2, 2), "longdouble")
        f.create_dataset("reference", (2,), h5py.ref_dtype)
        f.create_dataset("vlen", (2,), h5py.vlen_dtype(np.int32))
        f["array_type"] = np.zeros((2,), np.dtype(("<i4", (3,))))


def corrupt(out):
    """One array a codec, each with one bad chunk among good ones."""
    with h5py.File(out / "corrupt.h5", "w") as f:
        s, c = (4, 6, 5), (1, 6, 5)
        for name, chain in (
            ("gzip", [(GZIP, (1,))]), ("lz4", [(LZ4, (0,))]),
            ("zstd", [(ZSTD, (3,))]), ("shuffle_gzip", [
                (SHUFFLE, ()), (GZIP, (1,))]),
            ("fletcher", [(3, ())]),
            ("blosc2", [blosc2_step("<i4", c, 1, 1)]),
        ):
            d = dataset(f, name, s, "<i4", c, chain)
            del d.attrs["voxels"]
            mask, chunk = d.id.read_direct_chunk((2, 0, 0))
            bad = bytearray(chunk)
            for i in range(len(bad) // 2, len(bad) // 2 + 8):
                bad[i] ^= 0x5A
            # No checksum: lie on size or magic.
            if name in ("lz4", "zstd", "blosc2"):
                bad[7 if name == "lz4" else 0] ^= 1
            d.id.write_direct_chunk((2, 0, 0), bytes(bad), mask)
            mask, chunk = d.id.read_direct_chunk((3, 0, 0))
            d.id.write_direct_chunk((3, 0, 0), chunk[: len(chunk) // 2], mask)


def staged(out):
    """The cluster guide's staged containers, small: a to h of the list."""
    tree = out / "staged"
    tree.mkdir(exist_ok=True)
    lz4, n = [(LZ4, (0,))], 12

    def write(name, libver, arrays):
        with h5py.File(tree / name, "w", libver=libver) as f:
            for key, shape, dtype, chunks, chain, more in arrays:
                dataset(f, key, shape, dtype, chunks, chain, **more)

    write("train_truth.h5", LATEST, [
        ("image", (n, 32, 32), "<f4", (1, 32, 32), lz4, {})])
    write("train_sinograms.h5", LATEST, [
        ("sino", (n, 16, 40), "<f4", (1, 16, 40), lz4, {}),
        ("z_meta", (n, 2), "<f8", None, (), {})])
    write("val_truth.h5", None, [
        ("truth", (5, 32, 32), "<f4", (1, 32, 32), [(LZ4, (0, True))], {}),
        ("ps", (5,), "<f8", None, (), {})])
    write("val_sinograms.h5", None, [
        ("sino", (5, 16, 40), "<f4", (1, 16, 40), lz4, {})])
    write("axis_last.h5", LATEST, [
        ("sino", (48, 20, 7), "<f4", (1, 20, 7), [(GZIP, (1,))], {})])
    write("metal_mask.h5", LATEST, [
        ("mask", (n, 32, 32), "<u1", (1, 32, 32), lz4, {})])
    write("spectral.h5", LATEST, [
        ("image", (4, 3, 16, 16), "<f4", (1, 3, 16, 16), lz4, {}),
        ("sino", (4, 2, 8, 20), "<f4", (1, 2, 8, 20), lz4, {})])
    write("interrupted.h5", LATEST, [
        ("image", (6, 32, 32), "<f4", (1, 32, 32), lz4,
         {"skip": ((4, 0, 0), (5, 0, 0))})])
    write("multi_block.h5", LATEST, [
        ("image", (3, 32, 32), "<f4", (1, 32, 32), [(LZ4, (1000,))], {}),
        ("masked", (3, 32, 32), "<f4", (1, 32, 32), lz4,
         {"masks": {(1, 0, 0): 1}})])
    if hdf5plugin:
        with h5py.File(tree / "noise.h5", "w") as f:
            f.create_dataset("sino", data=voxels((20, 16, 40), "<f4"),
                             chunks=(13, 8, 16), **hdf5plugin.Blosc(
                                 cname="zstd", clevel=5))
    manifest = {
        "source": "make-data.py", "splits": {"train": n, "val": 5},
        "geometry": {"image_size": 32, "n_angles": 16, "n_det": 40},
        "files": [{"name": p.name, "bytes": p.stat().st_size + 1,
                   "sha256": "0" * 64} for p in sorted(tree.glob("*.h5"))],
        "something_else": [1, None, {"x": "y"}],
    }
    (tree / "manifest.json").write_text(json.dumps(manifest, indent=1))


def stack(out, n=14000):
    """14 000 slices: what is quadratic in the number of chunks shows."""
    for tag, libver in (("default", None), ("latest", LATEST)):
        with h5py.File(out / ("stack-%s.h5" % tag), "w", libver=libver) as f:
            d = f.create_dataset("image", (n, 4, 4), "<i2", chunks=(1, 4, 4),
                                 compression="gzip", compression_opts=1)
            for at in range(0, n, 1000):
                m = min(1000, n - at)
                d[at : at + m] = voxels((m, 4, 4), "<i2", (at, 0, 0))
            d.attrs["voxels"] = "hash"


def grid(out, n=1000):
    """10^6 chunks of one row each in a version-1 B-tree."""
    with h5py.File(out / "grid.h5", "w") as f:
        d = f.create_dataset("x", (n, 2 * n), "<u2", chunks=(1, 2))
        for at in range(0, n, 100):
            d[at : at + 100] = voxels((100, 2 * n), "<u2", (at, 0))
        d.attrs["voxels"] = "hash"


def many(out, n=200000):
    """2x10^5 datasets in one file."""
    with h5py.File(out / "many.h5", "w", libver=LATEST) as f:
        lcpl = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        space = h5py.h5s.create_simple((2, 3))
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_obj_track_times(False)
        for g in range(0, n, 1000):
            group = h5py.h5g.create(f.id, b"g%06d" % g)
            for i in range(g, min(g + 1000, n)):
                h5py.h5d.create(group, b"d%06d" % i, h5py.h5t.STD_I16LE,
                                space, dcpl, lcpl)


def big(out):
    """Chunks as large as real ones: 6.5 MiB sinograms, a cubic volume."""
    with h5py.File(out / "big.h5", "w") as f:
        one = (voxels((1, 736), "<f4") * 100).round()
        d = f.create_dataset("sino", (4, 2304, 736), "<f4",
                             chunks=(1, 2304, 736), compression="gzip",
                             compression_opts=1, shuffle=True)
        rows = np.arange(2304, dtype="<f4")[:, None]
        for i in range(4):
            d[i] = one[0] + rows * (i + 1)
        z, y, x = np.ogrid[0:128, 0:128, 0:128]
        f.create_dataset("cube", data=(z * 16411 + y * 131 + x).astype("<i4"),
                         chunks=(32, 32, 32), compression="gzip",
                         compression_opts=1, shuffle=True)


def limits(out):
    """What makes a careless scanner run for ever, or out of its stack."""
    with h5py.File(out / "bomb.h5", "w") as f: # 2^40 paths, 41 groups
        g = f.create_group("a")
        f["b"] = g
        for _ in range(39):
            h = g.create_group("a")
            g["b"] = h
            g = h
        g["x"] = np.arange(6, dtype="<i4").reshape(2, 3)
    with h5py.File(out / "sparse.h5", "w") as f: # 10^12 chunks, 2 stored
        d = f.create_dataset("x", (10**6, 10**6), "<i4", chunks=(1, 1),
                             fillvalue=-1)
        d[5, 7] = 57
        d[999999, 999999] = 99
    path = out / "cycle.h5"
    with h5py.File(path, "w") as f:
        f["good"] = np.arange(6, dtype="<i4").reshape(2, 3)
        dataset(f, "x", (40, 40), "<i2", (1, 1))
    data = bytearray(path.read_bytes())
    at = 0
    while (at := data.find(b"TREE\x01", at)) >= 0: # chunk nodes: level >= 1
        if data[at + 5]: # the first child, after a key of rank 2, is itself
            data[at + 56 : at + 64] = at.to_bytes(8, "little")
        at += 4
    path.write_bytes(data)


MAKERS = (attributes, links, names, refused, corrupt, staged, stack, grid,
          many, big, limits)
