# SPDX-License-Identifier: MIT
"""Labels of all types in an HDF5 file, and what NumPy says of them.

    label.py FILE LINES ANSWERS SEED
"""
import sys

import h5py
import numpy as np

rng = np.random.default_rng(int(sys.argv[4]))
SHAPE = (19, 33, 41)


def blobs(most, low=0):
    """Some large pieces, some noise."""
    out = np.zeros(SHAPE, "i8")
    for _ in range(6):
        at = [slice(a, a + rng.integers(1, 15))
              for a in (rng.integers(0, n) for n in SHAPE)]
        out[tuple(at)] = rng.integers(low, most + 1)
    noise = rng.random(SHAPE) < rng.choice([0, 0.01, 0.3])
    out[noise] = rng.integers(low, most + 1, noise.sum())
    return out


def answer(masks):
    lines = ["index"]
    for c in sorted(masks):
        at = np.flatnonzero(masks[c])
        if not at.size:
            continue
        where = np.nonzero(masks[c])
        total = (at.astype("u8") * np.arange(1, at.size + 1, dtype="u8")).sum(
            dtype="u8")
        lines.append(" ".join(
            [str(c), str(at.size), str(1 + int((np.diff(at) > 1).sum()))] +
            ["%d:%d" % (w.min(), w.max() + 1) for w in where] + [str(total)]))
    return lines


def unite(masks, more):
    for c, m in more.items():
        masks[c] = masks.get(c, False) | m
    return masks


def values(data, ids=None):
    return {int(c): data == c for c in np.unique(data)
            if c and (ids is None or c in ids)}


def storage(i, shape):
    if i % 4 == 0:
        return {}
    kw = dict(chunks=tuple(int(rng.integers(1, n + 1)) for n in shape))
    if i % 4 > 1:
        kw.update(compression="gzip", compression_opts=1, shuffle=i % 4 == 3)
    return kw


def make(path, questions, answers):
    lines, want = [], []

    def ask(line, masks):
        lines.append(line)
        want.extend(answer(masks))

    with h5py.File(path, "w") as f:
        types = ["%s%s%d" % (o, k, n) for k in "iu" for n in (1, 2, 4, 8)
                 for o in "<>"]
        for i, t in enumerate(types):
            signed = t[1] == "i"
            data = blobs(100 if t[2] == "1" else 1000,
                         -90 if signed else 0).astype(t)
            f.create_dataset("v" + t[1:] + "lb"[t[0] == ">"], data=data,
                             **storage(i, SHAPE))
            name = "v" + t[1:] + "lb"[t[0] == ">"]
            ask(name + " values - 0 -", values(data))
            ids = sorted({int(v) for v in rng.choice(data.ravel(), 9)} - {0})
            if ids:
                ask("%s values - 0 %s" % (name, ",".join(map(str, ids))),
                    values(data, ids))
        mask = blobs(1) > 0
        f.create_dataset("mask", data=mask, **storage(2, SHAPE))
        ask("mask values - 0 -", {1: mask})
        ask("mask above - 0 -7", {-7: mask})
        for i, t in enumerate(("<f2", ">f2", "<f4", ">f4", "<f8")):
            data = rng.random((3,) + SHAPE).astype(t)
            data[0].flat[::97] = [np.nan, np.inf, -np.inf, 0.5][i % 4]
            name = "p" + t[1:] + "lb"[t[0] == ">"]
            f.create_dataset(name, data=data, **storage(i, data.shape))
            for threshold in 0.5, 0.9:
                stored = np.dtype(t).type(threshold)
                ask("%s above 1 %.17g 4 %s above 0 %.17g 9" % (
                    name, float(stored), name, float(stored)),
                    {4: data[1] >= stored, 9: data[0] >= stored})
        planes = np.zeros((2,) + SHAPE, "u8")
        for bit in range(0, 128, 5):
            planes[bit // 64] |= np.where(
                blobs(1) > 0, np.uint64(1) << np.uint64(bit % 64),
                np.uint64(0))
        f.create_dataset("bits", data=planes, **storage(3, planes.shape))
        masks, line = {}, []
        for p in range(2):
            ids = [1 + 64 * p + b for b in range(64)]
            line.append("bits bits %d 0 %s" % (p, ",".join(map(str, ids))))
            unite(masks, {c: planes[p] >> np.uint64((c - 1) % 64) & np.uint64(
                1) > 0 for c in ids})
        ask(" ".join(line), masks)
        layers = np.stack([blobs(9), blobs(9)]).astype("<u2")
        f.create_dataset("layers", data=layers, **storage(3, layers.shape))
        masks = unite(values(layers[0], [1, 3, 5]), values(layers[1]))
        line = "layers values 0 0 1,3,5 layers values 1 0 -"
        ask(line, masks)
        closed = dict(masks)
        for a, b in ((1, 20), (20, 21), (3, 21), (2, 4)):
            unite(closed, {b: closed.get(a, np.zeros(SHAPE, bool))})
        ask(line + " >20:21 >1:20 >3:21 >2:4", closed)
        for name, shape in (("line", (1000,)), ("plane", (30, 50)),
                            ("four", (3, 4, 5, 60)), ("none", (3, 0, 5))):
            data = rng.integers(0, 3, shape).astype("u1")
            f.create_dataset(name, data=data)
            ask(name + " values - 0 -", values(data))
    for to, what in ((questions, lines), (answers, want)):
        with open(to, "w") as f:
            f.write("\n".join(what) + "\n")


make(*sys.argv[1:4])
