#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws of the medh5 package, as a table that tests/unit/check_medh5.c reads.

    pip install medh5==2.2.3
    medh5_draws.py >tests/data/medh5-draws.txt        the table of the tree
    medh5_draws.py --seed N [--draws N]               another one

Small samples are written with the package, in every encoding, with and without
an index, and drawn from. A line of the table is one of

    case FRACTION WEIGHTS SHAPE SIZE [ID:COUNT:ROWS[:WEIGHT]]...
    SEED EPOCH ITEM CLASS ROW CENTRE START

Cases: classes that may be drawn, ids ascending, with their voxels, and how many
coordinates there are to draw from. Draws belong to the case above them: class
id and number of the coordinate, or - - for a uniform one; START is negative
where there is padding before the array. Counts and coordinates are those of the
masks that were written, or h5py's of the stored index: the package is asked for
nothing but draws.
"""
import argparse
import random
import sys
import tempfile

import h5py
import medh5
import numpy as np
from medh5.annotations.voxel import InstanceInput
from medh5.collection import open_any
from medh5.labels import LabelClass, LabelSet
from medh5.sampling import PatchSampler

MANY = range(400, 466)
LABELS = LabelSet("t", version="1.0.0", classes=[
    LabelClass(c, "c%d" % c, "C %d" % c) for c in (1, 2, 7, 300, *MANY)])
# Encoding, shape, patches. A patch may be longer than the array.
FILES = (
    ("labelmap", (11, 13, 17), ((4, 5, 6), (11, 2, 40))),
    ("layers", (8, 20, 21), ((3, 3, 3), (8, 24, 21))),
    ("bitmask", (23, 19), ((7, 8), (1, 22))),
    ("probmap", (6, 18, 25), ((6, 9, 10), (9, 4, 1))),
    ("instances", (14, 15, 16), ((5, 4, 3), (13, 16, 14))),
)
STRATEGIES = (("foreground", 1.0), ("balanced", 0.5), ("balanced", 0.875))
# As the package spells it, as the table does, classes asked for.
WEIGHTS = (
    ("uniform", "uniform", None),
    ("frequency", "frequency", (300, 2, 7, 1)),
    ("inverse_frequency", "inverse", (7, 5, 2, 7)),
    ({7: 0.3, 1: 2.5, 300: 0.0, 2: 1e-3}, "given", None),
)
# Fall back to uniform draws: weights of nothing, classes that are not there.
NOTHING = (
    ({9: 1.0}, "given", None),
    ("frequency", "frequency", (300,)),
    ("uniform", "uniform", (5, 6)),
    ("uniform", "uniform", ()),
)
FAR = 3 * 2**61 + 1  # starts below this: the generator rejects every fourth


def masks(shape, overlap):
    """Class 1 everywhere often, 2 and 7 less so, 300 nowhere."""
    at = np.indices(shape)
    h = sum((i + 1) * (2 * i + 3) * at[i] for i in range(len(shape)))
    h = (h * h + 7 * h) % 61
    m = {1: h % 3 == 1, 2: h % 7 == 2, 7: h % 11 == 3, 300: h < 0}
    if not overlap:
        m[2] &= ~m[1]
        m[7] &= ~m[1] & ~m[2]
    assert all(m[c].any() for c in (1, 2, 7))
    return m


def write(path, encoding, shape, m):
    """Annotation "bare" and, with an index of few coordinates, "indexed"."""
    more = {"masks": m, "encoding": encoding}
    if encoding == "probmap":
        more = {"probabilities": {c: np.where(v, 0.75, 0.25)
                                  for c, v in m.items()}}
    elif encoding == "instances":
        more = {"annotated_classes": sorted(m), "instances": [
            InstanceInput(class_id=c, instance_id=i + 1, mask=v)
            for i, (c, v) in enumerate(m.items()) if v.any()]}
    with medh5.create(path, sample_id=encoding, codec="portable") as w:
        w.label_set(LABELS)
        w.add_grid("g", shape=shape, spacing=(1,) * len(shape))
        w.add_grid("far", shape=(FAR, 1), spacing=(1, 1))
        w.add_image("i", np.zeros(shape, np.int16), grid="g", modality="CT")
        for name in ("bare", "indexed"):
            w.add_segmentation(name, grid="g", **more)
        w.build_index(["indexed"], max_coords=50, seed=3)


def coordinates(path, m, indexed):
    """Of each class the annotation declares: count, coordinates drawn from."""
    out = {}
    with h5py.File(path) as f:
        name = "indexed" if indexed else "bare"
        declared = [int(c) for c in f["annotations"][name].attrs["class_ids"]]
        for c in sorted(declared):
            at = np.argwhere(m[c])
            out[c] = len(at), at
        if indexed:
            index = f["index/indexed"]
            for c, n in zip(index["class_ids"][:], index["voxel_counts"][:]):
                assert out[c][0] == n
                out[c] = int(n), index["fg_coords/%d" % c][:]
    return out


def join(numbers, by):
    return by.join(str(int(n)) for n in numbers)


def case(sample, r, n, indexed, classes, shape, patch, how, weighting):
    strategy, fraction = how
    weights, spelled, asked = weighting
    sampler = PatchSampler(patch, strategy=strategy, foreground_prob=fraction,
                           foreground_classes=asked, class_weights=weights)
    listed = [c for c in classes if asked is None or c in asked]
    print("case", repr(fraction), spelled, join(shape, "x"), join(patch, "x"),
          *("%d:%d:%d" % (c, classes[c][0], len(classes[c][1])) +
            (":%r" % weights.get(c, 0.0) if spelled == "given" else "")
            for c in listed))
    for _ in range(n):
        key = (r.choice((0, 1, r.randrange(2**64))),
               r.choice((0, r.randrange(300))), r.randrange(2**36))
        p = sampler.draw(sample, "indexed" if indexed else "bare", key).to_json()
        drawn = ("-", "-")
        if p["strategy"] == "foreground":
            assert p["used_index"] is indexed
            rows = np.flatnonzero(
                (classes[p["class_id"]][1] == p["center"]).all(axis=1))
            assert len(rows) == 1
            drawn = p["class_id"], rows[0]
        else:
            assert p["used_index"] is None and p["class_id"] is None
        put(key, drawn, p)


def put(key, drawn, p):
    start = [s - before for s, (before, _) in zip(p["start"], p["pad"])]
    print(*key, *drawn, join(p["center"], ","), join(start, ","))


def far(sample, r, n):
    """Starts from so many that the generator rejects numbers."""
    print("# far")
    print("case 0.0 uniform", join((FAR, 1), "x"), "2x1")
    sampler = PatchSampler((2, 1), strategy="uniform")
    for _ in range(n):
        key = tuple(r.randrange(2**36) for _ in range(3))
        put(key, ("-", "-"), sampler.draw(sample, None, key, grid="far").to_json())


def many(path, r, n):
    """So many classes that the order of sums shows."""
    shape = (9, 10, 11)
    at = np.indices(shape)
    m = {c: (at[0] * i + at[1] * 3 + at[2] * 5) % (i + 2) == 0
         for i, c in enumerate(MANY)}
    write(path, "bitmask", shape, m)
    given = {c: r.random() for c in MANY}
    print("# many")
    with open_any(path) as sample:
        classes = coordinates(path, m, True)
        for w in (*WEIGHTS[:3], (given, "given", None)):
            case(sample, r, n, True, classes, shape, (4, 4, 4), STRATEGIES[0],
                 (w[0], w[1], None))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=4, help="of each case")
    a = parser.parse_args()
    r = random.Random(a.seed)
    print("# medh5 %s; written by medh5_draws.py, which says what is what"
          % medh5.__version__)
    with tempfile.TemporaryDirectory() as tmp:
        for encoding, shape, patches in FILES:
            path = "%s/%s.medh5" % (tmp, encoding)
            m = masks(shape, encoding != "labelmap")
            write(path, encoding, shape, m)
            with open_any(path) as sample:
                for indexed in (False, True):
                    at = coordinates(path, m, indexed)
                    for patch in patches:
                        print("#", encoding, "indexed" if indexed else "bare")
                        for how in STRATEGIES:
                            for w in WEIGHTS:
                                case(sample, r, a.draws, indexed, at, shape,
                                     patch, how, w)
                    for w in NOTHING:
                        case(sample, r, 1, indexed, at, shape, patches[0],
                             STRATEGIES[1], w)
                    case(sample, r, a.draws, indexed, at, shape, patches[0],
                         ("uniform", 0.0), WEIGHTS[0])
                if encoding == "labelmap":
                    far(sample, r, 5 * a.draws)
        many(tmp + "/many.medh5", r, 10 * a.draws)


sys.exit(main())
