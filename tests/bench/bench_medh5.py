# SPDX-License-Identifier: MIT
"""The rows of bench.sh beside the medh5 package; each checks what it reads.

    bench_medh5.py make|windows|draws|index|pairs --data DIR [--mnt MNT]...

The files are those of "medh5 bench", written by the package: 192x256x256 of
int16 noise, eight boxes that overlap, as layers, with an index. Windows are
new in each call, both sides read the same ones, and the median counts; of the
loaders it is the fastest epoch. Floors are what the crossings of the kernel
cost alone: items of the same size that are one cached unit each, whose files
the kernel does not have yet.
"""

import argparse
import glob
import json
import os
import shutil
import statistics
import time

import h5py
import medh5
import numpy as np
from bench_common import clock, load, process_cpu, row, say
from medh5.sample import open_sample
from medh5.sampling import PatchSampler

SHAPE = (192, 256, 256)
UNITS = 12  # of each floor
CALLS = 23  # the first three warm up, as in the package's bench


def make(a):
    from medh5.bench import synthetic_sample

    part = a.data + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    case = synthetic_sample(part, shape=SHAPE, name="case0.medh5")
    for i in range(1, a.cases):
        shutil.copyfile(case, "%s/case%d.medh5" % (part, i))
    synthetic_sample(part, shape=(128,) * 3, name="n128.medh5")
    if a.large:
        synthetic_sample(part, shape=(512,) * 3, name="n512.medh5")
    rng = np.random.default_rng(7)
    with h5py.File(part + "/floor.h5", "w") as f:
        for n in (64, 96):
            shape = (UNITS, n, n, n)
            f.create_dataset("u%d" % n, data=rng.integers(
                0, 1500, shape, "i2"), chunks=(1,) + shape[1:])
    os.rename(part, a.data)


def same(got, want, what):
    if not np.array_equal(got, want):
        raise SystemExit("%s: values differ from the package's" % what)


def median(calls):
    return 1000 * statistics.median([t for t, _ in calls][3:])


def turns(items, ours, theirs):
    """Median ms of both, in turns over the same items."""
    calls = []
    for item in items:
        (x, got), (y, want) = clock(ours, item), clock(theirs, item)
        same(got, want, item)
        calls.append((x, y))
    return [1000 * statistics.median(c) for c in zip(*calls[3:])]


def corner(rng, n):
    return tuple(int(rng.integers(0, s - n + 1)) for s in SHAPE)


def box(at, n):
    return tuple(slice(s, s + n) for s in at)


def floor_files(a, n):
    """Paths without end, each of a file that is new and of a cached unit."""
    base = "%s/floor/u%d/" % (a.mnt, n)
    for i in range(UNITS):
        load("%sslices/%06d.npy" % (base, i))
    seed = os.getpid() * 1000
    while True:
        seed += 1
        for i in range(32):
            yield "%srandom+size-1x%dx%dx%d+seed-%d/%06d.npy" % (
                base, n, n, n, seed, i)


def floor(a, n, read=load):
    files = floor_files(a, n)
    return median([clock(read, next(files)) for _ in range(2 * CALLS)])


def against(name, ours, theirs, target, least, note=""):
    """A row in the package's times, with the floor of the crossings."""
    say(name + "_ms", ours, "ms")
    say(name + "_medh5_ms", theirs, "ms")
    row(name, ours / theirs, "x medh5", "<=", target,
        "%.3f ms, medh5 %.3f; crossings alone %.3f, of which it is %.2f x%s" % (
            ours, theirs, least, ours / least, note))


def windows(a):
    rng = np.random.default_rng(11)
    cases = ["case%d" % i for i in range(a.cases)]
    for path in glob.glob(a.data + "/*.medh5"):
        with open(path, "rb") as f:  # pages are warm in all of it
            while f.read(1 << 20):
                pass

    def ours(item):
        case, at = item
        return load("%s/%s/images/CT/crops+size-64x64x64/%d_%d_%d.npy" % (
            a.mnt, case, *at))

    def labels(item):
        case, at = item
        return load("%s/%s/annotations/organs/labels/crops+size-64x64x64/"
                    "%d_%d_%d.npy" % (a.mnt, case, *at))

    def opened(item):
        case, at = item
        with open_sample("%s/%s.medh5" % (a.data, case)) as sample:
            return sample.images["CT"].read(box(at, 64), physical=False)

    items = [(c, corner(rng, 64)) for c in cases]
    with open_sample(a.data + "/n128.medh5") as sample:
        sample.images["CT"].read(box((0, 0, 0), 64), physical=False)
    load(a.mnt + "/n128/images/CT/crops+size-64x64x64/0_0_0.npy")
    calls = [(clock(ours, i), clock(opened, i)) for i in items]
    for (_, x), (_, y) in calls:
        same(x, y, "first patch")
    least = floor(a, 64)
    first = [1000 * statistics.median(c[k][0] for c in calls) for k in (0, 1)]
    against("medh5_open_to_first_patch", *first, 1, least,
            "; files that the mount has not seen")

    samples = {c: open_sample("%s/%s.medh5" % (a.data, c)) for c in cases}

    def theirs(item):
        return samples[item[0]].images["CT"].read(box(item[1], 64),
                                                  physical=False)

    def labelmap(item):
        return np.asarray(samples[item[0]].annotations["organs"].labelmap(
            roi=box(item[1], 64)))

    for state in ("cold", "cached"):
        if state == "cached":
            for c in cases:
                load("%s/%s/images/CT/array.npy" % (a.mnt, c))
                load("%s/%s/annotations/organs/labels/array.npy" % (a.mnt, c))
        for name, us, they in (("image", ours, theirs),
                               ("labels", labels, labelmap)):
            items = [(cases[i % len(cases)], corner(rng, 64))
                     for i in range(CALLS)]
            against("medh5_%s_64_%s" % (name, state), *turns(items, us, they),
                    1, floor(a, 64), "; blocks " + state)


def read_json(path):
    fd = os.open(path, os.O_RDONLY)
    data = os.read(fd, 65536)
    os.close(fd)
    return json.loads(data)


RULE = "foreground+size-64x64x64+rule-medh5.2"


def draws(a):
    cases = ["case0", "n128"]
    cases += ["n512"] * os.path.exists(a.data + "/n512.medh5")
    sampler = PatchSampler(64, strategy="foreground")
    took = {(c, k): [] for c in cases for k in ("stored", "exact", "medh5")}
    at = a.mnt + "/%s/annotations/organs/labels/"
    view = os.path.basename(os.path.realpath(at % "case0" + RULE))
    views = {"stored": view, "exact": "foreground+size-64x64x64+index-exact"}
    samples = {c: open_sample("%s/%s.medh5" % (a.data, c)) for c in cases}
    crossing = []
    for i in [10 ** 6] + list(range(200)):  # the first builds the exact index
        for c in cases:
            got = {}
            for k, name in views.items():
                path = "%s/%s/%06d.json" % (at % c, name, i)
                t, got[k] = clock(read_json, path)
                took[c, k].append((t, None))
            t, want = clock(sampler.draw, samples[c], "organs", (0, 0, i))
            took[c, "medh5"].append((t, None))
            got, want = got["stored"], want.to_json()
            if any(got[k] != want[k] for k in ("start", "center")) or (
                    got["class"] != want["class_id"]):
                raise SystemExit("%s: draw %d differs" % (c, i))
        crossing.append(clock(
            read_json, "%s/case0/images/CT/crops+size-64x64x64/%d_%d_%d.json" %
            (a.mnt, i % 1000 // 100, i % 100, i % 128)))
    took = {k: median(v) for k, v in took.items()}
    against("medh5_draw_json", took["case0", "stored"], took["case0", "medh5"],
            1.5, median(crossing), "; the crossings: N.json of a crop")
    for k in views:
        say("medh5_draw_%s_128_ms" % k, took["n128", k], "ms")
        if "n512" in cases:
            row("medh5_draw_%s_512" % k, took["n512", k] / took["n128", k],
                "x of 128^3", "<=", 1.2, "%.3f ms; medh5 %.3f and %.3f" % (
                    took["n512", k], took["n128", "medh5"],
                    took["n512", "medh5"]))


def index(a):
    """Seconds of the exact index, not made yet, the file open."""
    load(a.mnt + "/case0/annotations/organs/labels/crops+size-1x1x1/0_0_0.npy")
    t, _ = clock(read_json, a.mnt + "/case0/annotations/organs/labels/"
                 "foreground+size-64x64x64+index-exact/000000.json")
    with h5py.File(a.data + "/case0.medh5") as f:
        counts = f["index/organs/voxel_counts"][()].tolist()
    with open(a.mnt + "/case0/annotations/organs/labels/classes.json") as f:
        got = json.load(f)
    same(got["index"], "exact", "index")
    same([c["count"] for c in got["classes"]], counts, "counts")
    with open_sample(a.data + "/case0.medh5") as sample:
        organs = sample.annotations["organs"]
        stored = clock(organs.read_layer, 0)[0] + clock(
            organs.read_layer, 1)[0]
        print(t, stored, clock(organs.labelmap)[0], clock(organs.dense)[0])


def pairs(a):
    import torch
    from torch.utils.data import DataLoader, Dataset
    from medh5.torch import PatchDataset, collate, worker_init_fn

    torch.set_num_threads(1)
    each, many = a.draws, a.cases * a.draws
    view = "foreground+size-96x96x96+fraction-0.5+rule-medh5.2+epoch-7"
    view = os.path.basename(os.path.realpath(
        a.mnt + "/case0/images/CT/" + view)).replace("epoch-7", "epoch-%d")

    class Files(Dataset):
        """Items are numbered epoch * many + i."""

        def __init__(self, wide=False):
            self.wide = wide

        def __getitem__(self, item):
            epoch, i = divmod(item, many)
            at = "%s/case%d/%%s/%s/%06d.npy" % (
                a.mnt, i // each, view % epoch, i)
            image = load(at % "images/CT")
            label = load(at % "annotations/organs/labels")
            if self.wide:
                return (torch.from_numpy(image.astype("f4")),
                        torch.from_numpy(label.astype("i8")))
            return (torch.from_numpy(image),
                    torch.from_numpy(label.view("i2")))

    class Floor(Dataset):
        def __init__(self):
            self.files = None

        def __getitem__(self, item):
            self.files = self.files or floor_files(a, 96)
            return tuple(torch.from_numpy(load(next(self.files)))
                         for _ in range(2))

    class Package(PatchDataset):
        def __init__(self, **kw):
            super().__init__(
                ["%s/case%d.medh5" % (a.data, i) for i in range(a.cases)],
                PatchSampler(96, strategy="balanced"), samples_per_volume=each,
                annotations={"organs": []}, label_format="labelmap", **kw)

        def __getitem__(self, item):
            epoch, i = divmod(item, many)
            self.set_epoch(epoch)
            return super().__getitem__(i)

    class Order(list):  # a sampler: changed between epochs
        pass

    def together(items):
        x = collate(items)
        return x["images"]["CT"], x["label"]["organs"]

    sets = {"ours": Files(), "medh5": Package(physical=False, dtype="int16"),
            "floor": Floor()}
    if not a.workers:
        sets.update(ours_wide=Files(True), medh5_wide=Package())
    order = Order()
    loaders = {k: DataLoader(
        d, batch_size=2, sampler=order, num_workers=a.workers,
        persistent_workers=a.workers > 0, worker_init_fn=worker_init_fn,
        collate_fn=together if "medh5" in k else None)
        for k, d in sets.items()}

    def cpu(loader):
        workers = getattr(loader._iterator, "_workers", ())
        return sum(map(process_cpu, [a.pid, os.getpid()] + [
            w.pid for w in workers]))

    def epoch(kind, number, n=many):
        """Items a second, CPU ms an item, sums."""
        order[:] = [number * many + int(i) for i in np.random.default_rng(
            number).permutation(many)[:n]]
        loader, out = loaders[kind], []
        begin, t = cpu(loader), time.perf_counter()
        for image, label in loader:
            out += [image[:, ::8, ::8].double().sum().item(),
                    label[:, ::8, ::8].double().sum().item()]
        t = time.perf_counter() - t
        return len(order) / t, 1000 * (cpu(loader) - begin) / len(order), out

    def best(kinds, epochs):
        """The fastest epoch of each, in turns over the same items."""
        rates, want = {k: [] for k in kinds}, {}
        for e in epochs:
            for k in kinds:
                *rate, out = epoch(k, e)
                rates[k].append(rate)
                if k != "floor" and out != want.setdefault(e, out):
                    raise SystemExit("pairs of %s: values differ" % k)
        return {k: max(v) for k, v in rates.items()}

    # Workers start, in the files of an epoch that is not measured.
    for kind in loaders:
        if a.workers:
            order[:] = [10 ** 4 * many] * 2 * a.workers
            for _ in loaders[kind]:
                pass
    tag = "_%d_workers" % a.workers

    def told(state, got, target, ours="ours", medh5="medh5"):
        shown = [("", ours), ("_medh5", medh5), ("_floor", "floor")]
        shown = [(name, *got[k]) for name, k in shown if k in got]
        for name, rate, ms in shown:
            say("medh5_pairs_%s%s%s" % (state, tag, name), rate, "pairs/s")
            say("medh5_pairs_%s%s%s_cpu" % (state, tag, name), ms, "ms")
        (_, x, cx), (_, y, cy) = shown[:2]
        note = "%.0f pairs/s, medh5 %.0f; CPU ms a pair %.1f and %.1f" % (
            x, y, cx, cy)
        if len(shown) > 2:
            _, z, cz = shown[2]
            note += "; crossings alone %.0f/s, %.1f ms: %.2f x" % (z, cz, z / x)
        if target:
            row("medh5_pairs_%s%s" % (state, tag), x / y, "x medh5", ">=",
                target, note)
        else:
            say("medh5_pairs_%s%s" % (state, tag), x / y, "x medh5")

    cold = best(["ours", "medh5"], [0])
    for i in range(a.cases):
        for name in ("images/CT", "annotations/organs/labels"):
            load("%s/case%d/%s/array.npy" % (a.mnt, i, name))
    cached = best(["ours", "medh5", "floor"], [1, 2, 3])
    cold["floor"] = cached["floor"]
    told("cold", cold, 2)
    told("cached", cached, 3)
    again = best(["ours"], [1, 2, 3])
    told("before", dict(again, medh5=cached["medh5"]), 0 if a.workers else 5)
    if not a.workers:  # with what the package converts
        wide = best(["ours_wide", "medh5_wide"], [4, 5, 6])
        told("same_types", wide, 0, "ours_wide", "medh5_wide")
        for i in range(0, many, 3):
            for x, y in zip(sets["ours_wide"][4 * many + i],
                            together([sets["medh5_wide"][4 * many + i]])):
                same(x, y[0], "pair %d" % i)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("row")
    for name in ("data", "mnt"):
        p.add_argument("--" + name)
    for name, value in (("cases", 8), ("draws", 4), ("workers", 0), ("pid", 0)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--large", action="store_true")
    a = p.parse_args()
    if a.row == "about":
        print("# medh5 %s, NumPy %s; %d files, %d draws each" % (
            medh5.__version__, np.__version__, a.cases, a.draws))
        return
    globals()[a.row](a)


if __name__ == "__main__":
    main()
