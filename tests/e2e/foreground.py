# SPDX-License-Identifier: MIT
"""What test-foreground.sh compares.

    foreground.py make SRC
    foreground.py check SRC MNT SEED    with manual.py, from the manual
"""
import errno
import json
import os
import random
import sys

import numpy as np

SHAPE = 12, 16, 20


def label():
    z, y, x = np.indices(SHAPE)
    h = (7 * z + 5 * y + 3 * x) % 23
    a = np.where(h < 9, 1, np.where(h < 12, 2, np.where(h == 12, 3, 0)))
    return a.astype("u1")


def image():
    return np.arange(np.prod(SHAPE), dtype="i4").reshape(SHAPE)


def make(src):
    import h5py

    a = label()
    how = {"chunks": (4, 8, 8), "compression": "gzip"}
    with h5py.File(src + "/a.h5", "w") as f:
        f.create_dataset("image", data=image(), **how)
        f.create_dataset("label", data=a, **how)
        f["channels"] = np.stack([image(), -image()])
        f["g/other"] = (a == 2)
        f["g/twice"] = f["h/twice"] = a
        f["small"] = a[:, :, 1:]
        f["h/float"] = a.astype("f4")
        f["h/same"] = a.astype(">i8") - 2
        f["h/ends"] = np.where(a == 1, -2**63, 2**63 - 1)
        f["round"] = h5py.SoftLink("/image/foreground+size-4x4x4+labels-round")
    with h5py.File(src + "/masks.h5", "w") as f:
        f["sub/m,1"] = a
    with h5py.File(src + "/stack.h5", "w") as f:
        f["image"] = np.arange(5 * 2 * 16 * 20).reshape(5, 2, 16, 20)
        f["Labels"] = a[:5]
        f["plane"] = a[3]
    with h5py.File(src + "/two.h5", "w") as f:
        f["image"] = image()
        f["label"] = f["Mask"] = a
        f["none/image"] = image()
    with h5py.File(src + "/odd.h5", "w") as f:
        f["many/image"] = np.zeros((100, 100, 100), "i1")
        f["many/label"] = np.arange(10**6, dtype="i4").reshape(100, 100, 100)
        f["empty/image"] = f["empty/label"] = np.zeros((0, 16, 20), "u1")
        f.create_dataset("wide/label", (2**40, 2**20), "u1", chunks=(64, 64))
        f.create_dataset("fine/label", (2**16, 2**14), "u1", chunks=(1, 1))
        f["void/image"] = image()
        f["void/label"] = np.zeros(SHAPE, "u1")
        f["whole/image"] = np.zeros((4, 4, 4), "u1")
        f["whole/label"] = np.ones((4, 4, 4), bool)
    with h5py.File(src + "/big.h5", "w") as f:
        f["volume"] = np.zeros((64, 128, 128), "i4")
    with h5py.File(src + "/hurt.h5", "w") as f:
        f["image"] = image()
        d = f.create_dataset("label", data=a, **how)
        at = d.id.get_chunk_info(3)
    with open(src + "/hurt.h5", "r+b") as f:
        f.seek(at.byte_offset)
        f.write(bytes(at.size))


def voxels(a, ids):
    return [np.argwhere(a == c) for c in ids]


WEIGHTS = {"uniform": lambda n: 1.0, "frequency": float,
           "inverse": lambda n: 1.0 / n}


def box(at, path):
    info = json.load(open("%s/%s.json" % (at, path)))
    return info, np.load("%s/%s.npy" % (at, path))


def thousand(mnt, r):
    """Boxes that the manual's text gives are those that are served."""
    import manual

    a, img, all_of = label(), image(), voxels(label(), (1, 2, 3))
    for i in range(1000):
        size = [r.randint(1, n) for n in SHAPE]
        weights = r.choice(list(WEIGHTS))
        fraction = r.choice((1, 0.5, 0.125))
        seed, draw = r.choice((0, 3, 2**64 - 1)), r.randrange(2**36)
        view = "foreground+size-%dx%dx%d+fraction-%r+weights-%s+seed-%d" % (
            *size, fraction, weights, seed)
        want = manual.start(SHAPE, all_of, WEIGHTS[weights], size, seed, draw,
                            fraction)
        name = r.choice(("image", "label"))
        info, got = box(mnt + "/a", "%s/%s/%d" % (name, view, draw))
        start = info["start"]
        if want is None:
            assert info["strategy"] == "uniform", info
            assert info["class"] is None and info["used_index"] is None
            other, _ = box(mnt + "/a", "image/random+size-%dx%dx%d+seed-%d/%d"
                           % (*size, seed, draw))
            want = other["start"]
        else:
            c = info["center"]
            assert a[tuple(c)] == info["class"], info
            assert info["used_index"] is False and info["labels"] == "label"
        assert start == list(want), (view, draw, start, want)
        cut = tuple(slice(s, s + p) for s, p in zip(start, size))
        assert np.array_equal(got, (img if name == "image" else a)[cut])


def borders(mnt):
    a = label()
    size = (12, 9, 11)
    for i in range(40):
        info, got = box(mnt + "/a", "label/foreground+size-12x9x11+border-pad"
                        "+pad-7/%d" % i)
        c = info["center"]
        assert a[tuple(c)] == info["class"]
        assert info["start"] == [k - p // 2 for k, p in zip(c, size)]
        big = np.pad(a, 20, constant_values=7)
        cut = tuple(slice(s + 20, s + 20 + p)
                    for s, p in zip(info["start"], size))
        assert np.array_equal(got, big[cut])
        assert info["pad"] == [
            [max(-s, 0), max(s + p - n, 0)]
            for s, p, n in zip(info["start"], size, SHAPE)]
        info, got = box(mnt + "/a", "image/foreground+size-8x9x11"
                        "+border-inside+class-3/%d" % i)
        assert a[tuple(info["center"])] == info["class"] == 3
        assert info["start"] == [
            k - p // 2 for k, p in zip(info["center"], (8, 9, 11))]
    # A patch longer than its axis lies in the middle of it.
    info, got = box(mnt + "/a", "label/foreground+size-15x4x4+border-pad"
                    "+fraction-0/0")
    assert info["start"][0] == -1 and info["pad"][0] == [1, 2]
    assert got.shape == (15, 4, 4) and not got[0].any()


def pairs(mnt):
    a = label()
    for i in range(40):
        one, _ = box(mnt + "/a", "label/foreground+size-4x5x6/%d" % i)
        two, got = box(mnt + "/a", "channels/foreground+size-allx4x5x6/%d" % i)
        assert two["start"] == [0] + one["start"]
        assert two["center"] == [1] + one["center"]
        assert np.array_equal(got[0], -got[1])
        # Dropped axes pair from the first, whatever lies between.
        one, mask = box(mnt + "/stack", "Labels/foreground+size-6x7/%d" % i)
        two, got = box(mnt + "/stack", "image/foreground+size-allx6x7/%d" % i)
        n, y, x = one["start"]
        assert two["start"] == [n, 0, y, x], (one, two)
        assert got.shape == (2, 6, 7)
        n, y, x = one["center"]
        assert a[n, y, x] == one["class"] == two["class"]
        # A label without the leading axes: they are drawn as by random.
        two, _ = box(mnt + "/stack", "image/foreground+size-6x7+labels-plane/%d"
                     % i)
        free, _ = box(mnt + "/stack", "image/random+size-6x7/%d" % i)
        assert two["start"][:2] == free["start"][:2]
        assert a[3][tuple(two["center"][2:])] == two["class"]


def labels_elsewhere(mnt):
    a = label()
    for name, base in (
            ("labels-..%2Fmasks%2Fsub%2Fm%2C1", "image"),
            ("labels-..%2Fmasks.h5.d%2Fsub%2Fm,1", "image")):
        info, _ = box(mnt + "/a", "%s/foreground+size-4x5x6+%s/5" % (base, name))
        same, _ = box(mnt + "/a", "image/foreground+size-4x5x6/5")
        assert info["labels"] == "../masks/sub/m,1", info
        assert info["start"] == same["start"], (info, same)
    info, got = box(mnt + "/a", "image/foreground+size-1x1x1+labels-other/7")
    assert info["class"] == 1 and got.ravel()[0] == image()[a == 2].ravel()[
        np.searchsorted(image()[a == 2].ravel(), got.ravel()[0])]
    # Big endian, and below zero.
    info, _ = box(mnt + "/a", "h/same/foreground+size-4x4x4+labels-same"
                  "+class--1/3")
    assert info["class"] == -1 and a[tuple(info["center"])] == 1
    for c in (-2**63, 2**63 - 1):
        info, _ = box(mnt + "/a", "h/ends/foreground+size-4x4x4+labels-ends"
                      "+class-%d/3" % c)
        assert info["class"] == c, info
        assert (a[tuple(info["center"])] == 1) == (c < 0), info


def links(mnt):
    at = mnt + "/a/image/"
    for name, want in (
            ("foreground+size-4x5x6+labels-label", "foreground+size-4x5x6"),
            ("foreground+size-4x5x6+labels-..%2Fa%2Flabel",
             "foreground+size-4x5x6"),
            ("foreground+labels-g%2fother+size-04x5x6",
             "foreground+size-4x5x6+labels-other"),
            ("foreground+size-4x5x6+labels-..%2fmasks.h5.d%2Fsub%2Fm,1",
             "foreground+size-4x5x6+labels-..%2Fmasks%2Fsub%2Fm%2C1"),
            ("foreground+size-4x5x6+class-3+class-01@1.0+class-3",
             "foreground+size-4x5x6+class-1+class-3"),
            ("foreground+size-4x5x6+weights-uniform+fraction-1.0+border-clamp"
             "+index-auto+seed-0+count-0+format-npy+pad-0",
             "foreground+size-4x5x6")):
        assert os.readlink(at + name) == want, (name, os.readlink(at + name))
        assert os.path.isdir(at + want) and not os.path.islink(at + want)


def refused(mnt):
    for name in (
            "two/image/foreground+size-4x4x4",
            "two/none/image/foreground+size-4x4x4",
            "a/image/foreground+size-4x4x4+labels-float",
            "a/image/foreground+size-4x4x4+labels-small",
            "a/image/foreground+size-4x4x4+labels-nothing",
            "a/image/foreground+size-4x4x4+labels-twice",
            "a/image/foreground+size-4x4x4+labels-..%2F..%2F..%2Fetc%2Fpasswd",
            "a/image/foreground+size-4x4x4+labels-..%2Fa%2Fimage"
            "%2Fforeground%2Bsize-4x4x4",
            "a/image/foreground+size-4x4x4+labels-round",
            "a/image/foreground+size-4x4x4+class-liver",
            "a/image/foreground+size-4x4x4+class-1+class-1@2",
            "a/image/foreground+size-4x4x4+index-stored",
            "a/image/foreground+size-13x4x4",
            "a/image/foreground"):
        assert not os.path.lexists(mnt + "/" + name), name
    # Names and sizes are there before anyone knows that it cannot be.
    at = mnt + "/odd/"
    many = "many/image/foreground+size-4x4x4/"
    assert os.stat(at + many + "0.npy").st_size == 128 + 64
    for name in (many + "0.npy", many + "0.json", many + "1.npy",
                 "wide/label/foreground+size-1x1/0.npy",
                 "fine/label/foreground+size-1x1/0.json"):
        try:
            open(at + name, "rb").read()
        except OSError as e:
            assert e.errno == errno.EOPNOTSUPP, e
        else:
            raise AssertionError(name)
    at = mnt + "/hurt/image/"
    for name in ("0.npy", "0.json"):
        try:
            open(at + "foreground+size-4x4x4/" + name, "rb").read()
        except OSError as e:
            assert e.errno == errno.EIO, e
        else:
            raise AssertionError(name)
    assert np.load(at + "random+size-4x4x4/0.npy").shape == (4, 4, 4)
    assert np.array_equal(np.load(at + "array.npy"), image())
    assert np.load(at + "foreground+size-4x4x4+fraction-0/0.npy").size == 64
    # Nothing to draw: nothing, or uniformly.
    at = mnt + "/odd/"
    assert os.listdir(at + "empty/image/foreground+size-4x4x4+count-9") == []
    assert not os.path.exists(at + "empty/image/foreground+size-4x4x4/0.npy")
    for view in ("void/image/foreground+size-4x4x4/3",
                 "void/image/foreground+size-4x4x4+class-3+rule-medh5.2/3"):
        info, got = box(at, view)
        assert info["strategy"] == "uniform" and info["used_index"] is None
    for view in ("class-77", "class-1@0"):
        info, got = box(mnt + "/a", "image/foreground+size-4x4x4+%s/0" % view)
        same, _ = box(mnt + "/a", "image/random+size-4x4x4/0")
        assert info["strategy"] == "uniform"
        assert info["start"] == same["start"]
    info, got = box(at, "whole/label/foreground+size-4x4x4/9")
    assert info["class"] == 1 and got.all() and info["start"] == [0, 0, 0]


def sizes(mnt, r):
    """Every record has the size that stat says, and is JSON."""
    at = mnt + "/a/label/foreground+size-30x4x4+border-pad+weights-inverse/"
    for n in [r.randrange(2**36) for _ in range(50)] + [2**36 - 1, 0]:
        path = "%s%d.json" % (at, n)
        text = open(path, "rb").read()
        assert len(text) == os.stat(path).st_size and len(text) % 512 == 0
        assert json.loads(text)["number"] == n
    assert not os.path.exists(at + "%d.json" % 2**36)


def check(src, mnt, seed):
    r = random.Random(seed)
    thousand(mnt, r)
    borders(mnt)
    pairs(mnt)
    labels_elsewhere(mnt)
    links(mnt)
    refused(mnt)
    sizes(mnt, r)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        check(sys.argv[2], sys.argv[3], int(sys.argv[4]))
