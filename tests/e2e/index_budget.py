# SPDX-License-Identifier: MIT
"""What test-index-budget.sh makes and compares.

    index_budget.py make SRC            cases, and some that take too much
    index_budget.py draws MNT SRC OUT   draws of all cases, checked with h5py
    index_budget.py budget MNT OUT BUDGET KEPT
                                        the same from a mount that holds a few
"""
import concurrent.futures
import json
import random
import sys

import h5py
import numpy as np

FILES, CASES, TINY = 3, 20, 150
SHAPE, SIZE = (12, 40, 44), (3, 9, 9)
VIEW = "foreground+size-3x9x9+seed-5+weights-inverse"
INSIDE = "foreground+size-3x9x9+border-inside"
DRAWS = 4


def write(group, shape, r):
    """Labels of which every run is short."""
    label = r.choice([0, 1, 2, 7], shape).astype("u1")
    group.create_dataset("label", data=label, chunks=(4,) + shape[1:])
    group["image"] = label * 10 + r.integers(0, 10, shape).astype("u1")


def make(src):
    r = np.random.default_rng(3)
    for i in range(FILES):
        with h5py.File("%s/f%d.h5" % (src, i), "w") as f:
            for k in range(CASES):
                write(f.create_group("case%02d" % k), SHAPE, r)
    with h5py.File(src + "/tiny.h5", "w") as f:
        for k in range(TINY):
            write(f.create_group("case%03d" % k), (4, 10, 10), r)
    with h5py.File(src + "/large.h5", "w") as f:
        write(f.create_group("case"), (40, 60, 70), r)


def cases():
    return ["f%d/case%02d" % (i, k) for k in range(CASES)
            for i in range(FILES)]


def tiny():
    return ["tiny/case%03d" % k for k in range(TINY)]


def draw(mnt, case, view, n):
    with open("%s/%s/image/%s/%d.json" % (mnt, case, view, n)) as f:
        return json.load(f)


def place(mnt, case, view, n):
    d = draw(mnt, case, view, n)
    return [d["start"], d["class"], d["center"], d["used_index"]]


def stats(mnt):
    with open(mnt + "/.patchfs/stats") as f:
        return {k: int(v) for k, v in (line.split() for line in f)}


def size_of(case):
    return "foreground+size-2x2x2" if case.startswith("tiny") else VIEW


def draws(mnt, src, out):
    found = {}
    for case in cases() + tiny():
        file, group = case.split("/")
        with h5py.File("%s/%s.h5" % (src, file)) as f:
            label, image = f[group + "/label"][()], f[group + "/image"][()]
        for view in {size_of(case), INSIDE if file != "tiny" else size_of(case)}:
            for n in range(DRAWS):
                p = place(mnt, case, view, n)
                start, number, centre, used = p
                assert used is False and label[tuple(centre)] == number, p
                a = np.load("%s/%s/image/%s/%d.npy" % (mnt, case, view, n))
                box = tuple(slice(s, s + e) for s, e in zip(start, a.shape))
                assert np.array_equal(a, image[box]), p
                found["%s %s %d" % (case, view, n)] = p
    with open(out, "w") as f:
        json.dump(found, f)


class Few:
    """A mount whose budget is watched after each draw."""

    def __init__(self, mnt, want, budget):
        self.mnt, self.want, self.budget = mnt, want, budget
        self.before = stats(mnt)

    def draw(self, case, view, n):
        got = place(self.mnt, case, view, n)
        assert got == self.want["%s %s %d" % (case, view, n)], (case, got)

    def all(self, names, n, hot=None, view=None):
        for case in names:
            self.draw(case, view or size_of(case), n)
            if hot:
                self.hot += 1
                place(self.mnt, hot, VIEW, self.hot)
            now = stats(self.mnt)["index_bytes"]
            assert 0 < now <= self.budget, (case, now)

    hot = 100

    def changed(self):
        """How many were built and read from files since the last time."""
        now, before = stats(self.mnt), self.before
        self.before = now
        return tuple(now[k] - before[k]
                     for k in ("indices_built", "indices_loaded"))


def budget(mnt, out, size, kept):
    with open(out) as f:
        few = Few(mnt, json.load(f), size)
    every = cases()
    # All are built, or found; each but the one that is always in use leaves.
    few.all(every, 0, hot=every[0])
    first = few.changed()
    assert first == ((0, len(every)) if kept else (len(every), 0)), first
    again = few.all(every, 1, hot=every[0]), few.changed()
    n = len(every) - 1
    assert again[1] == ((0, n) if kept else (n, 0)), again
    # Those used last are at hand.
    few.all(every[:-4:-1] + every[:1], 2)
    assert few.changed() == (0, 0)
    # Parts of indices count too, and are right.
    few.all(every, 3, view=INSIDE)
    few.all(every[::7], 3, view=INSIDE)
    few.all(every[::5], 3)
    # More than there is room for, from many at once.
    few.changed()
    r = random.Random(7)
    asked = [(c, size_of(c), r.randrange(DRAWS)) for c in every * 5]
    r.shuffle(asked)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda a: few.draw(*a), asked))
    few.all(every[:1], 3)
    # Many small ones.
    few.changed()
    few.all(tiny(), 1)
    assert sum(few.changed()) == TINY
    now = stats(mnt)
    assert now["index_bytes"] > size // 4, now
    # One that takes more than half is refused by name, and others are not.
    for n in range(3):
        try:
            place(mnt, "large/case", VIEW, n)
        except OSError as e:
            print("large:", e.strerror)
        else:
            raise AssertionError("too large an index was made")
    few.all(every[:3], 1)


if sys.argv[1] == "make":
    make(sys.argv[2])
elif sys.argv[1] == "draws":
    draws(*sys.argv[2:])
else:
    budget(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5] == "kept")
