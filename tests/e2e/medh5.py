#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what a mount shows of medh5 files with what the package read.

    medh5.py [--values CAT] FIXTURES MOUNT

FIXTURES has NAME.medh5 or NAME.medh5c beside NAME.expect.json (their README
says what is in it); MOUNT shows that directory. Without --values names and
info.json are compared, with it every value, and some with what the command
CAT FILE PATH writes (-: no command). Ends with 1 at a difference.
"""

import glob
import hashlib
import json
import os
import shlex
import subprocess
import sys

import h5py
import numpy as np

faults = 0
compared = 0


def check(ok, *what):
    global faults, compared
    compared += 1
    if not ok:
        faults += 1
        if faults <= 30:
            print("DIFFERENCE:", *what)


def equal(got, want, *what):
    check(got == want, *what, "is", got, "not", want)


def info(*parts):
    with open(os.path.join(*parts, "info.json"), encoding="utf-8") as f:
        return json.load(f)


def digest(a):
    a = np.ascontiguousarray(a)
    return hashlib.sha256(
        a.astype(a.dtype.newbyteorder("<")).tobytes()).hexdigest()


def load(path, name="array.npy"):
    return np.load(os.path.join(path, name))


def crop(path, box, rank):
    """The box of the last axes, the others whole, through crops."""
    lead = rank - len(box)
    size = "x".join(["all"] * lead + [str(b - a) for a, b in box])
    corner = "_".join(["0"] * lead + [str(a) for a, _ in box])
    return load(path, "crops+size-%s/%s.npy" % (size, corner))


class Sample:
    """One sample of a file: what was expected, and where it is shown."""

    def __init__(self, path, want, h5, arrays):
        self.path, self.want, self.h5 = path, want, h5
        self.arrays = arrays
        self.derived = {}  # path below the sample: (shape, dtype)
        self.keys = {c["id"]: c for c in want["labels"]}

    def grid(self, name):
        return self.want["grids"][name]

    def key(self, c):
        return self.keys[c]["key"] if c in self.keys else str(c)

    def levels(self, name):
        levels = self.want["images"][name]["levels"]
        for i, level in enumerate(levels):
            below = "images/" + name + ("/%d" % i if len(levels) > 1 else "")
            yield below, level

    def geometry(self, below, name):
        """info.json of an array that lies on that grid."""
        got, g = info(self.path, below), self.grid(name)
        want = {k: g[k] for k in ("spacing", "origin", "direction",
                                  "coord_system", "units", "patch_hint")}
        want["grid"] = name
        equal(got.get("geometry"), want, self.path, below, "geometry")
        self.patches(below, g)
        return got

    def patches(self, below, grid):
        """patches/ has the size that the grid states."""
        at = os.path.join(self.path, below)
        names = os.listdir(at)
        hint, shape = grid["patch_hint"], grid["spatial_shape"]
        fits = bool(hint) and all(p <= n for p, n in zip(hint, shape))
        equal("patches" in names, fits, at, "lists patches")
        equal(os.path.isdir(at + "/patches"), fits, at, "has patches")
        equal("patches" in [v["name"] for v in info(at)["views"]], fits,
              at, "info.json has patches")
        if not fits:
            return
        long = at + "/patches+size-" + "x".join(map(str, hint))
        equal(os.readlink(long), "patches", long)
        equal(os.stat(long).st_ino, os.stat(at + "/patches").st_ino, long)
        first = sorted(os.listdir(at + "/patches"))[0]
        with open(at + "/patches/" + first[:-4] + ".json",
                  encoding="utf-8") as f:
            item = json.load(f)
        equal(item["shape"], hint, at, "item")
        equal(item["view"], "patches", at, "item")

    def expect(self, below, shape, dtype, kind):
        self.derived[below] = (list(shape), dtype)
        got = info(self.path, below)
        equal((got["shape"], got["dtype"]), (list(shape), dtype), below)
        equal((got["layout"], got["derived"]), ("derived", kind), below)

    def images(self):
        for name, im in self.want["images"].items():
            for below, level in self.levels(name):
                self.geometry(below, level["grid"])
                if (im["slope"], im["intercept"]) != (1, 0):
                    self.expect(below + "/physical", level["shape"],
                                level["physical_dtype"], "physical")
                    self.geometry(below + "/physical", level["grid"])
                if im["valid_mask"]:
                    self.expect(below + "/valid", level["spatial_shape"],
                                "|b1", "valid")
                    self.geometry(below + "/valid", level["grid"])

    def classes(self, got, ids, a, below):
        rows = [{"id": c, "key": self.keys[c]["key"],
                 "name": self.keys[c]["name"],
                 "color": self.keys[c]["color"],
                 "annotated": c in a["annotated_class_ids"]} for c in ids]
        equal(got["classes"], rows, below, "classes")

    def annotation(self, name, a):
        below, shape = "annotations/" + name, None
        at = os.path.join(self.path, below)
        if "dense_sha256" not in a:
            for n in ("labels", "classes", "ignore"):
                check(not os.path.lexists(os.path.join(at, n)), at, n)
            return
        shape = self.grid(a["grid"])["spatial_shape"]
        self.expect(below + "/labels", shape, "<u2", "labels")
        got = self.geometry(below + "/labels", a["grid"])
        self.classes(got, a["class_ids"], a, below)
        index = (self.want.get("index") or {}).get(name)
        equal(got["index"]["state"], index["state"] if index else "absent",
              below)
        equal(got["index"]["why"] is None, not index or
              index["state"] == "fresh", below)
        equal(got["annotated"], a["annotated_class_ids"], below)
        equal(got["absent"], sorted(set(a["annotated_class_ids"]) -
                                    set(a["class_ids"])), below)
        equal(got["annotation_kind"], a["kind"], below)
        equal(got["closure"], a["closure"], below)
        equal(sorted(os.listdir(at + "/classes")),
              sorted(self.key(c) for c in a["class_ids"]), at, "classes")
        for c in a["class_ids"]:
            one = below + "/classes/" + self.key(c)
            self.expect(one, shape, "|b1", "class")
            got = self.geometry(one, a["grid"])
            self.classes(got, [c], a, one)
        # Where voxels are ignored, and nowhere where none can be.
        can = os.path.lexists(at + "/ignore")
        check(can or not a["ignored_voxels"], at, "has no ignore")
        equal(info(at, "labels")["ignore_id"],
              a["ignore_id"] if can else None, at)
        if can:
            self.expect(below + "/ignore", shape, "|b1", "ignore")
            self.geometry(below + "/ignore", a["grid"])

    def names(self):
        """All that is stored and nothing else, but for what is private."""
        shown, stored = set(), set()
        for where, dirs, _ in os.walk(self.path):
            if os.path.exists(where + "/info.json") and where != self.path:
                dirs[:] = [d for d in dirs if d in ("physical", "valid")]
            shown |= {os.path.relpath(os.path.join(where, d), self.path)
                      for d in dirs}
        self.h5.visititems(lambda n, _: stored.add(n))
        stored = {n for n in stored
                  if n.split("/")[0] not in ("meta", "clinical")}
        for below in self.derived:
            stored |= {below, os.path.dirname(below)}
        equal(sorted(shown - stored), [], self.path, "extra")
        equal(sorted(stored - shown), [], self.path, "missing")
        for n in ("meta", "clinical", "%6deta", "./meta/info.json"):
            check(not os.path.lexists(os.path.join(self.path, n)), n)

    def told(self):
        got, want = info(self.path), self.want
        equal(got["format"], "medh5", self.path)
        equal(got["kind"], "sample", self.path)
        for k in ("version", "content_id", "labels"):
            equal(got[k], want[k], self.path, k)
        equal(sorted(got["profiles"]), want["profiles"], self.path)
        equal((got["splits"], got["group_id"]), ([], None), self.path)
        equal(sorted(got["grids"]), sorted(want["grids"]), self.path)
        for name, g in want["grids"].items():
            for k, v in got["grids"][name].items():
                equal(v, g[k], self.path, name, k)

    def compare(self):
        self.told()
        self.images()
        for name, a in self.want["annotations"].items():
            self.annotation(name, a)
        self.names()

    # ---------------------------------------------------------- values

    def whole(self, below, want):
        at = os.path.join(self.path, below)
        got = load(at)
        equal(digest(got), want, at, "values")
        return got

    def box(self, below, box, want, rank):
        at = os.path.join(self.path, below)
        got = crop(at, box, rank)
        check(got.dtype == want.dtype and np.array_equal(
            got.view(np.uint8), want.view(np.uint8)), at, box)

    def image_values(self, name, im):
        rescaled = (im["slope"], im["intercept"]) != (1, 0)
        for below, level in self.levels(name):
            rank = len(level["shape"])
            self.whole(below, level["raw_sha256"])
            for b in level["boxes"]:
                self.box(below, b["box"], self.arrays[b["raw"]], rank)
            if not rescaled:
                continue
            below += "/physical"
            self.whole(below, level["physical_sha256"])
            for b in level["boxes"]:
                self.box(below, b["box"], self.arrays[b["physical"]], rank)
        if im["valid_mask"]:
            mask = self.want["annotations"][im["valid_mask"]]
            self.whole("images/" + name + "/valid", mask["mask_sha256"])
            for b in mask["boxes"]:
                self.box("images/" + name + "/valid", b["box"],
                         self.arrays[b["mask"]], len(b["box"]))

    def annotation_values(self, name, a):
        below = "annotations/" + name
        if "dense_sha256" not in a:
            return
        can = "annotations/%s/ignore" % name in self.derived
        rank = len(self.grid(a["grid"])["spatial_shape"])
        self.whole(below + "/labels", a["dense_sha256"])
        if can:
            self.whole(below + "/ignore", a["ignore_sha256"])
        for c in a["class_ids"]:
            one = below + "/classes/" + self.key(c)
            got = self.whole(one, a["mask_sha256"][str(c)])
            equal(int(got.sum()), a["counts"][str(c)], one, "count")
        for b in a["boxes"]:
            self.box(below + "/labels", b["box"], self.arrays[b["dense"]],
                     rank)
            masks = self.arrays[b["masks"]]
            for c, mask in zip(a["class_ids"], masks):
                self.box(below + "/classes/" + self.key(c), b["box"], mask,
                         rank)
            if can:
                self.box(below + "/ignore", b["box"],
                         self.arrays[b["ignore"]], rank)

    def cat(self, command, file, below):
        """What the command writes is what the mount has."""
        for path in sorted(self.derived):
            # Of the classes some.
            if "/classes/" in path and not path.endswith(("body", "c7")):
                continue
            at = os.path.join(self.path, path, "array.npy")
            got = subprocess.run(
                shlex.split(command) + [file, os.path.join(
                    below, path, "array.npy")], check=True,
                stdout=subprocess.PIPE).stdout
            with open(at, "rb") as f:
                check(got == f.read(), at, "cat")

    def compare_values(self):
        for name, im in self.want["images"].items():
            self.image_values(name, im)
        for name, a in self.want["annotations"].items():
            self.annotation_values(name, a)


def refused(at):
    equal(sorted(os.listdir(at)), ["info.json"], at)
    equal(info(at)["format"], None, at)
    equal(info(at)["problems"],
          ["medh5_version 2.0 is not supported (E002)"], at)


def plain(at, h5):
    equal(info(at)["format"], "hdf5", at)
    stored = []
    h5.visititems(lambda n, o: stored.append(n)
                  if isinstance(o, h5py.Dataset) else None)
    equal([a["path"] for a in info(at)["arrays"]], sorted(stored), at)


def table(at, samples):
    """The container's table has each derived array."""
    got = {a["path"]: (a["shape"], a["dtype"]) for a in info(at)["arrays"]}
    for s in samples:
        for below, want in s.derived.items():
            path = os.path.relpath(os.path.join(s.path, below), at)
            equal(got.get(path), want, at, path)


def compare(path, mount, cat):
    base = os.path.splitext(path)[0]
    at = os.path.join(mount, os.path.basename(base))
    with open(base + ".expect.json", encoding="utf-8") as f:
        want = json.load(f)
    samples = []
    if want["opens_as"] == "refused":
        return refused(at)
    with h5py.File(path) as h5, np.load(base + ".expect.npz") as arrays:
        if want["opens_as"] == "plain":
            return plain(at, h5)
        for key, w in want["samples"].items():
            one = "samples/" + key if key else ""
            s = Sample(os.path.join(at, one).rstrip("/"), w,
                       h5[one or "/"], arrays)
            s.compare()
            if cat:
                s.compare_values()
                if cat != "-":
                    s.cat(cat, path, one)
            samples.append(s)
    if want["opens_as"] == "collection":
        equal(info(at)["kind"], "collection", at)
        equal(info(at)["samples"], sorted(want["samples"]), at)
    table(at, samples)


def main():
    cat = sys.argv[2] if sys.argv[1] == "--values" else None
    fixtures, mount = sys.argv[-2:]
    files = sorted(glob.glob(fixtures + "/*.medh5*"))
    assert len(files) > 10, files
    for path in files:
        compare(path, mount, cat)
    print(compared, "comparisons in", len(files), "files")
    sys.exit(faults > 0)


main()
