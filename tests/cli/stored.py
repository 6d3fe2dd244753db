#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sampling indices that medh5 files carry, against what the package reads.

    stored.py FIXTURES WORK PROGRAM...

PROGRAM is run on files and says what it sees of their indices. Those of the
fixtures have to be as NAME.expect.json says; then copies are edited, each in
one place, and their indices have to be used or not as the format demands.
"""

import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

fixtures, work, program = sys.argv[1], sys.argv[2], sys.argv[3:]
faults = 0
HEX = "0123456789abcdef"


def check(ok, *what):
    global faults
    if not ok:
        faults += 1
        print("DIFFERENCE:", *what)


def look(path):
    """{(sample, annotation): [state, why, classes]}, problems."""
    out = subprocess.run(program + [path], check=True, capture_output=True,
                         text=True).stdout.splitlines()
    end = out.index("problems")
    found, last = {}, None
    for line in out[:end]:
        part = line.split("\t")
        if len(part) == 4:
            last = found[int(part[0]), part[1]] = [part[2], part[3], {}]
        else:
            last[2][int(part[0])] = part[1:]
    return found, out[end + 1:]


def sha256(a):
    return hashlib.sha256(np.ascontiguousarray(a, "<i4").tobytes()).hexdigest()


def classes(e, coords):
    out = {}
    for c in e["class_ids"]:
        box = e["bboxes"][str(c)] or [[-.5, -.5]] * coords[c].shape[1]
        out[c] = [str(e["counts"][str(c)]), str(len(coords[c])),
                  ",".join("%d:%d" % (lo + .5, hi + .5) for lo, hi in box),
                  sha256(coords[c])]
    return out


def fixture(path):
    name = path.rsplit(".", 1)[0]
    with open(name + ".expect.json", encoding="utf-8") as f:
        expect = json.load(f)
    if expect["opens_as"] not in ("sample", "collection"):
        return 0
    arrays = np.load(name + ".expect.npz")
    found, problems = look(path)
    stale = 0
    for i, key in enumerate(sorted(expect["samples"])):
        sample = expect["samples"][key]
        index = sample.get("index") or {}
        for a in sample["annotations"]:
            got = found.pop((i, a))
            want = index.get(a)
            what = (path, key, a)
            if want is None:
                check(got == ["absent", "", {}], *what, got)
            elif want["state"] == "stale":
                stale += 1
                check(got[0] == "stale" and got[1] and not got[2], *what, got)
            else:
                coords = {int(c): arrays[n]
                          for c, n in want["coords"].items()}
                check(got == ["fresh", "", classes(want, coords)], *what, got)
    check(all(v[0] == "absent" for v in found.values()), path, found)
    told = [p for p in problems if "W905" in p]
    check(len(told) == stale, path, told)
    return len(expect["samples"])


# ------------------------------------------------------------------- edits

def put(f, name, data, dtype=None, **how):
    """A dataset in place of the one there is."""
    old = f[name]
    dtype = old.dtype if dtype is None else dtype
    del f[name]
    f.create_dataset(name, data=data, dtype=dtype, **how)


def value(name, at, v):
    def edit(f):
        f["index/organs/" + name][at] = v
    return edit


def change(name, fn, dtype=None, **how):
    def edit(f):
        n = "index/organs/" + name
        put(f, n, fn(f[n][()]), dtype, **how)
    return edit


def remove(name):
    def edit(f):
        del f[name]
    return edit


def attribute(name, v):
    def edit(f):
        a = f["index/organs"].attrs
        if v is None:
            del a[name]
        else:
            a[name] = v(a[name]) if callable(v) else v
    return edit


def source_digest(algorithm, f):
    h = hashlib.new(algorithm)
    for n, d in sorted(f["annotations/organs"].items()):
        h.update(("%s\t%s\n" % (n, d.attrs["digest"])).encode())
    return h.hexdigest()


def algorithm(name, hashed=None, spoil=False):
    def edit(f):
        h = source_digest(hashed or name, f)
        if spoil:
            h = HEX[HEX.index(h[0]) ^ 1] + h[1:]
        f["index/organs"].attrs["source_digest"] = name + ":" + h
    return edit


def object_digest(name, d, algorithm):
    """As facts of the format say, written here once more."""
    h = hashlib.new(algorithm)
    dtype = "|b1" if d.dtype == bool else d.dtype.newbyteorder("<").str
    for part in (name, dtype, ",".join(map(str, d.shape))):
        h.update(part.encode() + b"\0")
    h.update(np.ascontiguousarray(d[()].astype(dtype)).tobytes())
    return algorithm + ":" + h.hexdigest()


def without_digest(algorithm="sha256", spoil=False, more=()):
    """A source_digest of what is there, and no digest of the data."""
    def edit(f):
        a = f["annotations/organs"]
        for n, data, how in more:
            a.create_dataset(n, data=data, **how)
        h = hashlib.new(algorithm)
        for n in sorted(a):
            h.update(("%s\t%s\n" % (n, object_digest(
                "annotations/organs/" + n, a[n], algorithm))).encode())
            if "digest" in a[n].attrs:
                del a[n].attrs["digest"]
        f["index/organs"].attrs["source_digest"] = (
            algorithm + ":" + h.hexdigest())
        if spoil:
            a["data"][3, 4, 5] ^= 1
    return edit


def both(*edits):
    def edit(f):
        for e in edits:
            e(f)
    return edit


def swap(a):
    a = a.copy()
    a[[3, 4]] = a[[4, 3]]
    return a


def many(n):
    """So many classes, all but one of them empty."""
    def edit(f):
        g = f["index/organs"]
        put(f, "index/organs/class_ids", np.arange(1, n + 1) % 65536)
        for name, fill in (("voxel_counts", 0), ("class_bboxes", np.nan)):
            old = g[name][()]
            new = np.full((n,) + old.shape[1:], fill, old.dtype)
            new[0], new[6] = old[0], old[1]
            put(f, "index/organs/" + name, new)
        empty = g.create_dataset("empty", (0, 3), "i4", chunks=(1, 3),
                                 maxshape=(None, 3))
        for i in range(1, n + 1):
            if i not in (1, 7):
                g["fg_coords/%d" % i] = empty
    return edit


def replace(f, name, data):
    del f[name]
    f[name] = data


SEVEN = "fg_coords/7"
rng = np.random.default_rng(5)
fine = ["fresh", None]
EDITS = {
    # used
    "nothing": (fine, lambda f: None),
    "sha512": (fine, algorithm("sha512")),
    "blake2b": (fine, algorithm("blake2b")),
    "no max_coords": (fine, attribute("max_coords", None)),
    "max_coords as int32": (fine, attribute("max_coords", np.int32(4096))),
    "big endian": (fine, both(change("class_ids", np.array, ">u2"),
                              change("voxel_counts", np.array, ">i8"),
                              change("class_bboxes", np.array, ">f4"),
                              change(SEVEN, np.array, ">i4"))),
    "chunked": (fine, both(
        change("fg_coords/1", np.array, chunks=(1000, 2),
               compression="gzip", shuffle=True),
        change("class_ids", np.array, chunks=(1,)))),
    "no digest": (fine, without_digest()),
    "no digest, sha512": (fine, without_digest("sha512")),
    "no digest, blake2b": (fine, without_digest("blake2b")),
    "no digests of many types": (fine, without_digest(more=[
        ("a", rng.random((5, 6)), {"dtype": ">f8"}),
        ("zz", np.float32(1.5), {}),
        ("b", rng.random(300000) < .5, {"chunks": (1000,),
                                        "compression": "gzip"}),
        ("data2", rng.integers(-99, 99, (70, 80, 90)),
         {"dtype": ">i2", "chunks": (9, 80, 11)}),
        ("none", np.zeros((0, 3)), {"dtype": "f4"})])),
    "extra members": (fine, lambda f: f["index/organs"].create_dataset(
        "fg_coords/8", data=[1, 2])),
    # stale
    "upper case": ("stale", attribute(
        "source_digest", lambda d: d[:7] + d[7:].upper())),
    "short": ("stale", attribute("source_digest", lambda d: d[:-1])),
    "long": ("stale", attribute("source_digest", lambda d: d + "0")),
    "no algorithm": ("stale", attribute("source_digest", lambda d: d[7:])),
    "empty": ("stale", attribute("source_digest", "")),
    "md5": ("stale", algorithm("md5")),
    "another's digest": ("stale", algorithm("sha512", "blake2b")),
    "another digit": ("stale", algorithm("sha256", spoil=True)),
    "sha512, another digit": ("stale", algorithm("sha512", spoil=True)),
    "blake2b, another digit": ("stale", algorithm("blake2b", spoil=True)),
    "no source_digest": ("stale", attribute("source_digest", None)),
    "a number": ("stale", attribute("source_digest", 5)),
    "another array": ("stale", lambda f: f["annotations/organs"].
                      create_dataset("z", data=[1])),
    "an endless array": ("stale", lambda f: f["annotations/organs"].
                         create_dataset("z", (2**20, 2**20), "u1")),
    "endless chunks": ("stale", lambda f: f["annotations/organs"].
                       create_dataset("z", (2**16, 2**15), "u1", chunks=(1, 1))),
    "other data": ("stale", lambda f: f["annotations/organs/data"].attrs.
                   __setitem__("digest", "sha256:" + "0" * 64)),
    "no digest, other data": ("stale", without_digest(spoil=True)),
    "no digest, of strings": ("stale", lambda f: f["annotations/organs"].
                              create_dataset("names", data=["a", "b"])),
    # malformed
    "max_coords 0": ("malformed", attribute("max_coords", 0)),
    "max_coords -1": ("malformed", attribute("max_coords", -1)),
    "max_coords text": ("malformed", attribute("max_coords", "many")),
    "max_coords less": ("malformed", attribute("max_coords", 4095)),
    "max_coords more": ("malformed", attribute("max_coords", 4097)),
    "outside the box": ("malformed", value(SEVEN, 10, (22, 24, 27))),
    "negative": ("malformed", value(SEVEN, 0, (0, 0, -1))),
    "outside": ("malformed", value("fg_coords/1", 4095, (23, 0, 0))),
    "far outside": ("malformed", value("fg_coords/1", 9, (2**31 - 1,) * 3)),
    "descending": ("malformed", change(SEVEN, lambda a: a[::-1])),
    "two swapped": ("malformed", change("fg_coords/1", swap)),
    "one twice": ("malformed", change(SEVEN, lambda a: a[[0, 0, *range(
        2, 11)]])),
    "too few": ("malformed", change(SEVEN, lambda a: a[:-1])),
    "too many": ("malformed", change("fg_coords/1", lambda a: a.repeat(
        2, axis=0))),
    "none": ("malformed", change(SEVEN, lambda a: a[:0])),
    "no fg_coords/7": ("malformed", remove("index/organs/" + SEVEN)),
    "no fg_coords": ("malformed", remove("index/organs/fg_coords")),
    "fg_coords an array": ("malformed", lambda f: replace(
        f, "index/organs/fg_coords", [1])),
    "coordinates int64": ("malformed", change(SEVEN, np.array, "i8")),
    "coordinates uint32": ("malformed", change(SEVEN, np.array, "u4")),
    "coordinates of 2 axes": ("malformed", change(SEVEN,
                                                  lambda a: a[:, :2])),
    "coordinates flat": ("malformed", change(SEVEN, np.ravel)),
    "count more": ("malformed", value("voxel_counts", 1, 12)),
    "count less": ("malformed", value("voxel_counts", 1, 10)),
    "count negative": ("malformed", value("voxel_counts", 1, -11)),
    "count 0": ("malformed", value("voxel_counts", 1, 0)),
    "count above the box": ("malformed", value("voxel_counts", 0, 12168)),
    "count huge": ("malformed", value("voxel_counts", 0, 2**63 - 1)),
    "one array for two": ("malformed", both(
        lambda f: f["index/organs/fg_coords"].move("7", "8"),
        change("class_ids", lambda a: [7, 8]),
        value("voxel_counts", 0, 11),
        lambda f: f["index/organs/class_bboxes"].__setitem__(
            0, f["index/organs/class_bboxes"][1]),
        lambda f: f["index/organs/fg_coords"].__setitem__(
            "7", f["index/organs/fg_coords/8"]))),
    "counts uint64": ("malformed", change("voxel_counts", np.array, "u8")),
    "counts float": ("malformed", change("voxel_counts", np.array, "f8")),
    "counts missing": ("malformed", remove("index/organs/voxel_counts")),
    "counts of 1": ("malformed", change("voxel_counts", lambda a: a[:1])),
    "box not tight": ("malformed", value("class_bboxes", (1, 2, 1), 3.5)),
    "box between": ("malformed", value("class_bboxes", (1, 2, 1), 2.25)),
    "box beyond": ("malformed", value("class_bboxes", (0, 0, 1), 23.5)),
    "box negative": ("malformed", value("class_bboxes", (0, 0, 0), -1.5)),
    "box turned": ("malformed", value("class_bboxes", (1, 0), (2.5, -.5))),
    "box empty": ("malformed", value("class_bboxes", (1, 0), (1.5, 1.5))),
    "box NaN": ("malformed", value("class_bboxes", 1, np.nan)),
    "box in part NaN": ("malformed", value("class_bboxes", (1, 0, 0),
                                           np.nan)),
    "box infinite": ("malformed", value("class_bboxes", (1, 0, 1), np.inf)),
    "boxes float64": ("malformed", change("class_bboxes", np.array, "f8")),
    "boxes of 2 axes": ("malformed", change("class_bboxes",
                                            lambda a: a[:, :2])),
    "boxes missing": ("malformed", remove("index/organs/class_bboxes")),
    "ids int32": ("malformed", change("class_ids", np.array, "i4")),
    "ids of rank 2": ("malformed", change("class_ids", lambda a: a[:, None])),
    "ids twice": ("malformed", change("class_ids", lambda a: a[[0, 0]])),
    "id 0": ("malformed", value("class_ids", 1, 0)),
    "id 65535": ("malformed", value("class_ids", 1, 65535)),
    "ids missing": ("malformed", remove("index/organs/class_ids")),
    "65535 classes": ("malformed", many(65535)),
    "65536 classes": ("malformed", many(65536)),
    "an array": ("malformed", lambda f: replace(f, "index/organs", [1])),
    "no grid": ("malformed", lambda f: f["annotations/organs"].attrs.
                __delitem__("grid")),
    "another grid": ("malformed", lambda f: f["grids/ct"].attrs.
                     __setitem__("shape", [22, 25, 28])),
}


def edited(name, want, edit, base, full):
    path = os.path.join(work, "edited.medh5")
    shutil.copyfile(base, path)
    os.chmod(path, 0o644)
    with h5py.File(path, "r+") as f:
        edit(f)
    found, problems = look(path)
    got = found[0, "organs"]
    told = [p for p in problems if "W905" in p]
    if want == fine:
        check(got == full, name, got)
        check(not told, name, told)
        return
    check(got[0] == want and got[1] and not got[2], name, got)
    check(len(told) == 1 and "medh5 index build" in told[0] and
          want in told[0] and got[1] in told[0], name, told)


def most(base):
    """As many classes as there can be."""
    path = os.path.join(work, "most.medh5")
    shutil.copyfile(base, path)
    os.chmod(path, 0o644)
    with h5py.File(path, "r+") as f:
        many(65534)(f)
    state, why, got = look(path)[0][0, "organs"]
    check((state, why, len(got)) == ("fresh", "", 65534), "most", state, why)
    check(got[7][:2] == ["11", "11"] and got[65534][0] == "0", "most")


def orphan(base):
    path = os.path.join(work, "orphan.medh5")
    shutil.copyfile(base, path)
    os.chmod(path, 0o644)
    with h5py.File(path, "r+") as f:
        f.move("index/organs", "index/other")
    found, problems = look(path)
    check(found[0, "organs"] == ["absent", "", {}], "orphan", found)
    check(len([p for p in problems if "W905" in p]) == 1, "orphan", problems)


def damaged(base):
    """A chunk of coordinates whose checksum is wrong."""
    path = os.path.join(work, "damaged.medh5")
    shutil.copyfile(base, path)
    os.chmod(path, 0o644)
    with h5py.File(path, "r+") as f:
        put(f, "index/organs/fg_coords/1", f["index/organs/fg_coords/1"][()],
            chunks=(4096, 3), fletcher32=True)
        at = f["index/organs/fg_coords/1"].id.get_chunk_info(0).byte_offset
    with open(path, "r+b") as f:
        f.seek(at + 4096)
        f.write(b"\x01")
    found, problems = look(path)
    check(found[0, "organs"][0] == "malformed", "damaged", found)
    check(len([p for p in problems if "W905" in p]) == 1, "damaged", problems)


def main():
    n = sum(fixture(p) for p in sorted(
        glob.glob(os.path.join(fixtures, "*.medh5")) +
        glob.glob(os.path.join(fixtures, "*.medh5c"))))
    check(n > 15, "only", n, "samples")
    base = os.path.join(fixtures, "defaultindex_balanced.medh5")
    full = look(base)[0][0, "organs"]
    for name, (want, edit) in EDITS.items():
        edited(name, want, edit, base, full)
    most(base)
    orphan(base)
    damaged(base)
    print(n, "samples,", len(EDITS), "edits")
    sys.exit(1 if faults else 0)


main()
