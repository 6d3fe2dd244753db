# SPDX-License-Identifier: MIT
"""Sampling indices of objects of many classes against NumPy:

    objects.py FIXTURE FILE SEED RUN PATCHFS
"""

import json
import shutil
import subprocess
import sys

import h5py
import numpy as np

FIXTURE, FILE, SEED = sys.argv[1:4]
rng = np.random.default_rng(int(SEED))
SHAPE = (30, 40, 60)
PARTS = ("boxes", "class_ids", "instance_ids", "mask_data", "mask_offsets",
         "mask_shapes", "scores")
# 2 is below 1 and 3 below 2 in the file's table of labels.
IDS = np.array([3, 1, 2, 7, *range(1000, 2600)], "<u2")
faults = 0


def check(ok, *what):
    global faults
    if not ok:
        faults += 1
        print("DIFFERENCE:", *what)


def make(group, n, has_masks):
    """n objects, of some classes none; the masks of the classes."""
    for name in PARTS:
        if name in group:
            del group[name]
    ids = rng.choice(IDS[:-200], n).astype("<u2")
    ids[:3] = 1, 2, 3
    low = rng.integers(-2, np.array(SHAPE) - 1, (n, 3))
    size = rng.integers(1, 8, (n, 3))
    masks, packed, offsets = {}, [], [0]
    for c, a, s in zip(ids, low, size):
        bits = rng.random(s) < 0.6 if has_masks else np.ones(s, bool)
        whole = masks.setdefault(int(c), np.zeros(SHAPE, bool))
        first, stop = np.maximum(a, 0), np.minimum(a + s, SHAPE)
        if (first < stop).all():  # or all of it is outside
            whole[tuple(map(slice, first, stop))] |= bits[
                tuple(map(slice, first - a, stop - a))]
        packed.append(np.packbits(bits.ravel()))
        offsets.append(offsets[-1] + len(packed[-1]))
    group["boxes"] = np.stack([low - 0.5, low + size - 0.5], 2).astype("<f4")
    group["class_ids"] = ids
    group["instance_ids"] = np.arange(1, n + 1, dtype="<u4")
    if has_masks:
        group["mask_data"] = np.concatenate(packed)
        group["mask_offsets"] = np.array(offsets, "<u8")
        group["mask_shapes"] = size.astype("<i4")
    group.attrs["class_ids"] = group.attrs["annotated_class_ids"] = IDS
    return masks


def classes(masks):
    out = []
    for c in sorted(masks):
        at = np.argwhere(masks[c])
        if len(at):
            out.append((c, len(at), at.min(0).tolist(),
                        (at.max(0) + 1).tolist()))
    return out


shutil.copyfile(FIXTURE, FILE)
with h5py.File(FILE, "r+") as f:
    want = {"lesions": make(f["annotations/lesions"], 3000, True),
            "loose": make(f["annotations/loose"], 2500, False)}
    f["annotations/loose"].attrs["closure"] = "implicit"
# What is below a class is in it.
loose = want["loose"]
loose[2] |= loose[3]
loose[1] |= loose[2]
for name, masks in want.items():
    base = "annotations/%s/labels/" % name
    r = subprocess.run(
        [*sys.argv[4:], "cat", FILE,
         base + "foreground+size-1x1x1+labels-%s+index-exact/0.json" % name,
         base + "classes.json"], capture_output=True, check=False)
    check(r.returncode == 0, name, r.stderr.decode())
    text = r.stdout.decode().strip()
    _, end = json.JSONDecoder().raw_decode(text)
    got = json.loads(text[end:] or "{}")
    check(got.get("index") == "exact", name, got.get("index"))
    got = [(c["id"], c["count"], c["start"], c["stop"])
           for c in got.get("classes") or []]
    check(len(got) > 1024, name, len(got))
    check(got == classes(masks), name)
    # And a draw of the last of them lies in it.
    c, _, start, stop = classes(masks)[-1]
    r = subprocess.run(
        [*sys.argv[4:], "cat", FILE, base + "foreground+size-1x1x1+labels-%s"
         "+class-%d+index-exact/7.json" % (name, c)],
        capture_output=True, check=False)
    draw = json.loads(r.stdout or "{}")
    check(draw and masks[c][tuple(draw["start"])] and draw["class"] == c,
          name, draw, r.stderr.decode())
sys.exit(faults > 0)
