#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what patchfs shows of a container with what h5py and NumPy compute.

    compare.py [OPTIONS] FILE.h5 DIRECTORY       a directory of the mount
    compare.py [OPTIONS] --cat CMD FILE.h5 PATH  CMD SRC PATH writes the bytes

Grids, borders and draws are computed here anew, from the manual's formulas
and NumPy's own Philox; nothing of patchfs is used. Prints the number of files
compared; ends with 1 at a difference.
"""

import argparse
import json
import mmap
import os
import pathlib
import random
import shlex
import subprocess
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))
try:
    import hdf5plugin  # noqa: F401
except ImportError:
    pass
from names import encode  # noqa: E402
from views import crop, grid, raw_draw, slices  # noqa: E402
from voxels import voxels  # noqa: E402

faults = 0
files = 0


def fault(text):
    global faults
    faults += 1
    if faults <= 20:
        print("DIFFERENCE:", text)


class Mount:
    """Files by open and pread."""

    def __init__(self, root, use_mmap):
        self.root, self.use_mmap = os.fsencode(root), use_mmap

    def path(self, *parts):
        return b"/".join((self.root,) + parts)

    def names(self, *parts):
        return sorted(os.listdir(self.path(*parts)))

    def read(self, *parts):
        fd = os.open(self.path(*parts), os.O_RDONLY)
        try:
            size = os.fstat(fd).st_size
            data = b""
            while True:
                part = os.pread(fd, 1 << 20, len(data))
                if not part:
                    break
                data += part
            if len(data) != size:
                fault("%r: size %d, bytes %d" % (parts, size, len(data)))
            if self.use_mmap and size:
                with mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ) as m:
                    if m[:] != data:
                        fault("%r: mmap differs" % (parts,))
            return data
        finally:
            os.close(fd)

    def every_offset(self, data, *parts):
        fd = os.open(self.path(*parts), os.O_RDONLY)
        try:
            for off in range(len(data) + 2):
                for n in (1, 3, 8, 100, len(data), 4096):
                    if os.pread(fd, n, off) != data[off : off + n]:
                        fault("%r: %d bytes at %d" % (parts, n, off))
        finally:
            os.close(fd)


class Cat:
    """Files by a command."""

    def __init__(self, command, source, prefix):
        self.command = shlex.split(command) + [source]
        self.prefix = os.fsencode(prefix)

    names = None

    def read(self, *parts):
        path = b"/".join((self.prefix,) + parts).lstrip(b"/")
        return subprocess.run(
            self.command + [path], stdout=subprocess.PIPE, check=True
        ).stdout


def parse_npy(data):
    """(array, header length) of .npy bytes, whole or an error."""
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("no npy 1.0 magic")
    n = 10 + int.from_bytes(data[8:10], "little")
    head = eval(data[10:n].decode("latin1"), {"__builtins__": {}})
    if n % 64 or data[n - 1 : n] != b"\n" or head["fortran_order"]:
        raise ValueError("header of %d bytes: %r" % (n, head))
    a = np.frombuffer(data[n:], np.dtype(head["descr"]))
    return a.reshape(head["shape"]), n


class Array:
    """One array of the container against its directory."""

    def __init__(self, io, path, ref, args, rng):
        self.io, self.path, self.ref = io, path, ref
        self.args, self.rng = args, rng
        self.shape = ref.shape
        self.slowly = args.every_offset

    def check(self, want, *name):
        global files
        files += 1
        label = "/".join(os.fsdecode(p) for p in self.path + name)
        try:
            data = self.io.read(*self.path, *name)
            got, head = parse_npy(data)
        except (OSError, ValueError, subprocess.CalledProcessError) as e:
            fault("%s: %s" % (label, e))
            return
        want = np.ascontiguousarray(want).reshape(want.shape)
        if got.dtype.str != want.dtype.str or got.shape != want.shape:
            fault("%s: %s %s, want %s %s" % (
                label, got.dtype.str, got.shape, want.dtype.str, want.shape))
        elif data[head:] != want.tobytes():
            fault("%s: values differ" % label)
        elif self.slowly and len(data) <= 400 and self.io.names:
            self.slowly -= 1
            self.io.every_offset(data, *self.path, *name)
        if self.io.names and self.rng.random() < 0.05:
            self.check_raw(want, label, *name)

    def check_raw(self, want, label, *name):
        raw = name[:-1] + (name[-1].rsplit(b".", 1)[0] + b".raw",)
        if self.io.read(*self.path, *raw) != want.tobytes():
            fault("%s: the .raw differs" % label)

    def check_json(self, view, number, item, *name):
        name = name[:-1] + (name[-1].rsplit(b".", 1)[0] + b".json",)
        data = self.io.read(*self.path, *name)
        j = json.loads(data)
        label = "/".join(os.fsdecode(p) for p in self.path + name)
        if len(data) % 512:
            fault("%s: %d bytes" % (label, len(data)))
        want = {"start": list(item.start), "shape": list(item.shape),
                "stop": [a + b for a, b in zip(item.start, item.extent)],
                "dtype": self.ref.dtype.str, "number": number, "view": view}
        for key, value in want.items():
            if j.get(key) != value:
                fault("%s: %s is %r, want %r" % (label, key, j.get(key), value))

    def some(self, n):
        """Item numbers to look at: the first, the last, some between."""
        if n <= self.args.items:
            return range(n)
        more = self.rng.sample(range(n), self.args.items - 2)
        return sorted({0, n - 1, *more})

    def all(self):
        self.check(self.ref, b"array.npy")
        rank = len(self.shape)
        for k in range(rank if rank >= 2 else 0):
            self.items(*slices(self.shape, k))
        if rank and min(self.shape) > 0:
            self.patches()
            self.corners()
            self.draws()

    def items(self, view, items):
        """A grid view: its list, and the items."""
        n = len(items)
        width = max(6, len(str(max(n - 1, 0))))
        if self.io.names and n <= 20000:
            want = [b"%0*d.npy" % (width, i) for i in range(n)]
            try:
                if self.io.names(*self.path, view.encode()) != want:
                    fault("%r/%s: list" % (self.path, view))
            except OSError as e:
                return fault("%r/%s: %s" % (self.path, view, e))
        for i in self.some(n):
            item = items[i]
            name = (view.encode(), b"%0*d.npy" % (width, i))
            self.check(item.of(self.ref), *name)
            if self.io.names and self.rng.random() < 0.05:
                self.check_json(view, i, item, *name)
        if n and n <= 20000 and self.io.names and self.rng.random() < 0.3:
            self.check_index(view, items)

    def check_index(self, view, items):
        text = self.io.read(*self.path, view.encode(), b"index.csv").decode()
        rows = text.splitlines()
        label = "%r/%s/index.csv" % (self.path, view)
        if len({len(r) for r in rows[1:]}) > 1:
            fault("%s: columns are not of fixed width" % label)
        rank = len(self.shape)
        head = ["item"] + ["start_%d" % k for k in range(rank)]
        head += ["stop_%d" % k for k in range(rank)]
        if [c.strip() for c in rows[0].split(",")] != head:
            fault("%s: first line %r" % (label, rows[0]))
        if len(rows) != len(items) + 1:
            return fault("%s: %d rows" % (label, len(rows)))
        for i in self.some(len(items)):
            got = [int(c) for c in rows[i + 1].split(",")]
            s, e = items[i].start, items[i].extent
            if got != [i, *s, *(a + b for a, b in zip(s, e))]:
                fault("%s: row %d is %r" % (label, i, got))

    def sizes(self):
        """Item sizes to try: whole rank, trailing axes, an axis whole."""
        half = [max(1, (n + 1) // 2) for n in self.shape]
        odd = [max(1, n // 3) for n in self.shape]
        yield half
        if len(half) > 1:
            yield odd[-2:]
            yield odd[-1:]
        if len(half) > 2:
            yield ["all"] + odd[-2:]
            yield odd[-2:-1] + ["all"]

    def patches(self):
        for size in self.sizes():
            self.items(*grid(self.shape, size))
            if "all" not in size:
                step = [p // 2 + 1 for p in size]
                self.items(*grid(self.shape, size, step))
                pad = 1 if self.ref.dtype.kind == "b" else 7
                self.items(*grid(self.shape, size, step, "pad", pad))
        far = [n + 2 for n in self.shape]
        self.items(*grid(self.shape, far, None, "pad"))

    def corners(self):
        for size in self.sizes():
            for _ in range(min(4, self.args.items)):
                view, name, item = crop(self.shape, size, self.rng)
                self.check(item.of(self.ref), view.encode(),
                           name.encode() + b".npy")

    def draws(self):
        for size in self.sizes():
            for seed in (0, 3, 2**40 + 1):
                for n in (0, 1, 2, self.rng.randrange(1 << 36)):
                    view, item = raw_draw(self.shape, size, seed, n)
                    name = (view.encode(), b"%06d.npy" % n)
                    self.check(item.of(self.ref), *name)
                    if self.io.names and self.rng.random() < 0.05:
                        self.check_json(view, n, item, *name)


def reference(d):
    """The values of a dataset, little endian; None: it is not served."""
    if d.shape is None or d.dtype.kind not in "iufb":
        return None
    try:
        a = np.asarray(d[()])
    except OSError:
        if d.attrs.get("voxels") != "hash":
            return None # a filter that this Python does not have
        a = voxels(d.shape, d.dtype)
    if a.dtype.kind == "f" and a.dtype.itemsize > 8:
        return None
    return a.astype(a.dtype.newbyteorder("<")).reshape(d.shape)


def walk(group, path, above):
    """Datasets below group with their encoded paths; hard links only."""
    for name in group.id:
        if group.get(name, getlink=True).__class__ is not h5py.HardLink:
            continue
        o = group[name]
        here = path + (encode(name),)
        if isinstance(o, h5py.Group):
            if all(o != g for g in above):
                yield from walk(o, here, above + [o])
        elif isinstance(o, h5py.Dataset):
            yield here, o


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cat")
    p.add_argument("--items", type=int, default=12)
    p.add_argument("--every-offset", type=int, default=0, metavar="N",
                   help="at most N small files of an array at every offset")
    p.add_argument("--no-mmap", action="store_true")
    p.add_argument("--only", metavar="DATASET")
    p.add_argument("--seed", type=int,
                   default=int(os.environ.get("PATCHFS_SEED", 0))
                   or random.randrange(1 << 30))
    p.add_argument("file")
    p.add_argument("where")
    args = p.parse_args()
    rng = random.Random(args.seed)
    if args.cat:
        io = Cat(args.cat, args.file, args.where)
    else:
        io = Mount(args.where, not args.no_mmap)
    arrays = skipped = 0
    with h5py.File(args.file, "r") as f:
        for path, d in walk(f, (), [f]):
            if args.only and path != (args.only.encode(),):
                continue
            ref = reference(d)
            if ref is None:
                skipped += 1
                continue
            arrays += 1
            Array(io, path, ref, args, rng).all()
    print("%s: %d arrays, %d files compared, %d differences, %d not served"
          " (seed %d)" % (os.path.basename(args.file), arrays, files, faults,
                          skipped, args.seed))
    sys.exit(1 if faults or not arrays else 0)


if __name__ == "__main__":
    main()
