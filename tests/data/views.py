# SPDX-License-Identifier: MIT
"""Views computed anew: the reference that tests compare the mount with."""

import numpy as np


class Item:
    """A box of an array: start and extent of every axis, which are kept."""

    def __init__(self, start, extent, keep, pad=None):
        self.start, self.extent = tuple(start), tuple(extent)
        self.keep, self.pad = keep, pad

    @property
    def shape(self):
        return tuple(n for n, k in zip(self.extent, self.keep) if k)

    def of(self, a):
        out = np.full(self.extent, 0 if self.pad is None else self.pad,
                      a.dtype)
        src, dst = [], []
        for s, n, length in zip(self.start, self.extent, a.shape):
            lo, hi = max(s, 0), min(s + n, length)
            src.append(slice(lo, hi))
            dst.append(slice(lo - s, hi - s))
        out[tuple(dst)] = a[tuple(src)]
        return out.reshape(self.shape)


class Items:
    """The product of the starts of each axis, the last axis fastest."""

    def __init__(self, starts, extent, keep, pad=None):
        self.starts, self.extent = starts, extent
        self.keep, self.pad = keep, pad

    def __len__(self):
        n = 1
        for s in self.starts:
            n *= len(s)
        return n

    def __getitem__(self, i):
        start = []
        for s in reversed(self.starts):
            i, k = divmod(i, len(s))
            start.insert(0, s[k])
        return Item(start, self.extent, self.keep, self.pad)


def _text(size):
    return "x".join(str(p) for p in size)


def _extent(shape, size):
    """(extent, keep, whole) of every axis for an item of that size."""
    lead = len(shape) - len(size)
    whole = [False] * lead + [p == "all" for p in size]
    extent = [1] * lead + [
        n if p == "all" else p for n, p in zip(shape[lead:], size)
    ]
    return extent, [False] * lead + [True] * len(size), whole


def slices(shape, axis):
    name = "slices" + ("+axis-%d" % axis if axis else "")
    starts = [range(1)] * len(shape)
    starts[axis] = range(shape[axis] if min(shape) else 0)
    extent = list(shape)
    extent[axis] = 1
    keep = [True] * len(shape)
    keep[axis] = False
    return name, Items(starts, extent, keep)


def grid(shape, size, step=None, border="snap", pad=0):
    extent, keep, whole = _extent(shape, size)
    lead = len(shape) - len(size)
    steps = [1] * lead + list(step or extent[lead:])
    starts = []
    for n, p, s, w in zip(shape, extent, steps, whole):
        if w:
            starts.append([0])
        elif border == "pad":
            starts.append(list(range(0, n, s)))
        else:
            last = n - p
            count = -(-last // s) + 1
            starts.append([min(i * s, last) for i in range(count)])
    name = "patches+size-" + _text(size)
    if step and list(step) != list(size):
        name += "+stride-" + _text(step)
    if border != "snap":
        name += "+border-" + border
    if pad:
        name += "+pad-%s" % pad
    return name, Items(starts, extent, keep, pad)


def crop(shape, size, rng):
    extent, keep, _ = _extent(shape, size)
    start = [rng.randint(0, n - p) for n, p in zip(shape, extent)]
    name = "_".join(str(s) for s in start)
    return "crops+size-" + _text(size), name, Item(start, extent, keep)


def philox(seed, draw, purpose, k):
    """Word of axis id k: NumPy counts up before its first block."""
    counter = draw + ((k // 4) << 64) + (purpose << 128)
    counter = (counter - 1) % 2**256
    words = [counter >> 64 * i & 2**64 - 1 for i in range(4)]
    g = np.random.Philox(counter=np.array(words, np.uint64),
                         key=np.array([seed, 0], np.uint64))
    return int(g.random_raw(4)[k % 4])


def raw_draw(shape, size, seed, draw):
    extent, keep, whole = _extent(shape, size)
    start = []
    for a, (n, p, w) in enumerate(zip(shape, extent, whole)):
        k = len(shape) - 1 - a if keep[a] else 8 + a
        x = philox(seed, draw, 0, k)
        start.append(0 if w else x * (n - p + 1) >> 64)
    name = "random+size-" + _text(size)
    if seed:
        name += "+seed-%d" % seed
    return name, Item(start, extent, keep)

