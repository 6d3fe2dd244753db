#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare views with priorities with what is painted from masks of classes.

    priority.py FIXTURES MOUNT CAT

FIXTURES has NAME.medh5 beside NAME.expect.json and NAME.expect.npz, whose
masks and dense labels the package computed; CAT FILE PATH writes a file of the
mount. The rule: classes that are not listed are painted first, in the order of
class_ids, then the list backwards, then what is ignored.
"""

import glob
import hashlib
import itertools
import json
import os
import shlex
import subprocess
import sys

import numpy as np

fixtures, mount, cat = sys.argv[1:]
compared = {}   # encoding: boxes in which the list changes a voxel
whole = 0


def paint(ids, masks, priority, ignore, ignore_id):
    out = np.zeros(ignore.shape, "<u2")
    for c in [c for c in ids if c not in priority] + priority[::-1]:
        if c in ids:
            out[masks[ids.index(c)]] = c
    out[ignore] = ignore_id
    return out


def load(*path):
    return np.load(os.path.join(*path))


def name(kind, key, priority):
    return kind + "".join("+priority-%s" % key(c) for c in priority)


def crop(at, box, key, priority):
    size = "x".join(str(b - a) for a, b in box)
    return load(at, name("crops+size-" + size, key, priority),
                "_".join(str(a) for a, _ in box) + ".npy")


def boxes(at, arrays, a, key, lists):
    for b in a["boxes"]:
        masks, ignore = arrays[b["masks"]], arrays[b["ignore"]]
        plain = paint(a["class_ids"], masks, [], ignore, a["ignore_id"])
        # That the masks are of what is painted: not with closure.
        assert np.array_equal(plain, arrays[b["dense"]]), (at, b["box"])
        for priority in lists:
            want = paint(a["class_ids"], masks, list(priority), ignore,
                         a["ignore_id"])
            got = crop(at, b["box"], key, priority)
            assert got.dtype == want.dtype, got.dtype
            assert np.array_equal(got, want), (at, b["box"], priority)
            if not np.array_equal(want, plain):
                compared[a["kind"]] = compared.get(a["kind"], 0) + 1


def kinds(at, key, priority, file):
    """Views of every kind are parts of one volume, which is that of slices."""
    view = name("slices", key, priority)
    items = sorted(n for n in os.listdir(os.path.join(at, view))
                   if n.endswith(".npy"))
    all_ = np.stack([load(at, view, n) for n in items])
    size = "x".join(str(min(5, n)) for n in all_.shape)
    for kind in ("patches", "random", "foreground"):
        view = name(kind + "+size-" + size, key, priority)
        view = os.path.basename(os.path.realpath(os.path.join(at, view)))
        for i in (0, 1, 3):
            item = os.path.join(at, view, "%06d" % i)
            with open(item + ".json", encoding="utf-8") as f:
                j = json.load(f)
            assert j["view"] == view, j
            part = tuple(map(slice, j["start"], j["stop"]))
            got = np.load(item + ".npy")
            assert np.array_equal(got, all_[part]), item
            # The same place and size as without.
            other = os.path.join(at, kind + "+size-" + size, "%06d" % i)
            with open(other + ".json", encoding="utf-8") as f:
                k = json.load(f)
            assert (k["start"], k.get("class")) == (
                j["start"], j.get("class")), item
            assert os.stat(other + ".npy").st_size == \
                os.stat(item + ".npy").st_size, item
        below = os.path.relpath(item, os.path.join(
            mount, os.path.basename(file)[:-len(".medh5")]))
        out = subprocess.run(shlex.split(cat) + [file, below + ".npy"],
                             check=True, stdout=subprocess.PIPE).stdout
        with open(item + ".npy", "rb") as f:
            assert out == f.read(), item
    return all_


def order(ids, priority):
    listed = [c for c in priority if c in ids]
    return [c for c in ids if c not in listed] + listed[::-1]


def links(at, ids, key, is_map):
    """Names are links to the shortest list that means the same."""
    best = {}
    for n in range(len(ids) + 1):
        for p in itertools.permutations(ids, n):
            best.setdefault(tuple(order(ids, p)), p)
            want = () if is_map else best[tuple(order(ids, p))]
            for spell in (key, str):
                given = name("slices", spell, p)
                path = os.path.join(at, given)
                canonical = name("slices", key, want)
                if given == canonical:
                    assert os.path.isdir(path), path
                    assert not os.path.islink(path), path
                else:
                    assert os.readlink(path) == canonical, (path, canonical)


def annotation(at, arrays, a, labels, file):
    global whole
    ids = a["class_ids"]
    keys = {c["id"]: c["key"] for c in labels}

    def key(c):
        return keys.get(c, str(c))

    if a["closure"] != "implicit":
        lists = [()] + [(c,) for c in ids[:3]] + [ids[2:0:-1], ids[:2]]
        if a.get("priority"):
            lists.append(a["priority"][:12])
        boxes(at, arrays, a, key, lists)
    if len(ids) <= 3:
        links(at, ids, key, a["kind"] == "labelmap")
    absent = [c for c in keys if c not in ids]
    if absent:
        path = os.path.join(at, name("slices", key, absent[:1]))
        assert os.readlink(path) == "slices", path
    # Lists that are too long for a name apart.
    if len(ids) < 2 or len(ids) > 10:
        return
    # The whole volume, from the package alone.
    got = kinds(at, key, a["priority"], file)
    assert hashlib.sha256(got.tobytes()).hexdigest() == \
        a["dense_priority_sha256"], at
    whole += 1


def refusals():
    at = os.path.join(mount, "layers_training/annotations/organs")
    for path in ("labels/slices+priority-nothing", "labels/slices+priority-999",
                 "labels/slices+priority-body+priority-1",
                 "labels/slices+priority-", "data/slices+priority-body",
                 "classes/body/slices+priority-body",
                 "../over/ignore/slices+priority-body",
                 "../../images/CT/crops+size-2x2x2+priority-body"):
        for _ in range(2):
            try:
                os.stat(os.path.join(at, path))
                raise AssertionError(path)
            except FileNotFoundError:
                pass


for path in sorted(glob.glob(fixtures + "/*.medh5")):
    base = path[:-len(".medh5")]
    with open(base + ".expect.json", encoding="utf-8") as f:
        want = json.load(f)
    if want["opens_as"] != "sample":
        continue
    with np.load(base + ".expect.npz") as arrays:
        sample = want["samples"][""]
        for n, a in sample["annotations"].items():
            if "dense_sha256" in a:
                annotation(os.path.join(mount, os.path.basename(base),
                                        "annotations", n, "labels"),
                           arrays, a, sample["labels"], path)
refusals()
print(compared, whole)
assert set(compared) == {"layers", "bitmask", "probmap", "instances"}
assert whole > 5
