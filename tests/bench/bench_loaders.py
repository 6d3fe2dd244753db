#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of bench.sh that compare loaders; each checks what it reads."""

import argparse
import glob
import multiprocessing
import os
import time

import h5py
import numpy as np

from bench_common import (agree, clock, load, process_cpu, process_rss, race,
                          readable, row, say, stats, sums)

try:
    import hdf5plugin  # noqa: F401
except ImportError:
    pass

PLANE = "planes of 1 MiB, cache %s"


def about(a):
    print("# h5py %s, HDF5 %s, NumPy %s" % (
        h5py.__version__, h5py.version.hdf5_version, np.__version__))
    for path in sorted(glob.glob(a.data + "/*.h5")):
        with h5py.File(path) as f:
            cache = f.id.get_access_plist().get_cache()[2]
            for name, d in f.items():
                print("# %s/%s %s %s chunks %s, %.0f MB stored, plane %.0f"
                      " KiB, chunk cache %.0f KiB" % (
                          os.path.basename(path), name, d.shape, d.dtype.str,
                          d.chunks, d.id.get_storage_size() / 1e6,
                          d[0].nbytes / 1024 if readable(d) else 0,
                          cache / 1024))


def chunks(a):
    with h5py.File("%s/%s.h5" % (a.data, a.file)) as f:
        d = f[a.name].id
        for i in range(d.get_num_chunks()):
            c = d.get_chunk_info(i)
            print(c.byte_offset, c.size)


FIRST = {"gzip": 1.6, "shuffle_gzip": 2, "shuffle_lz4": 2.5}
LATER = {"gzip": 12, "shuffle_gzip": 12, "shuffle_lz4": 7}


def epochs(a):
    base = "%s/slices/%s/" % (a.mnt, a.name)
    note = PLANE % a.cache
    rng = np.random.default_rng(0)
    with h5py.File(a.data + "/slices.h5") as f:
        d = f[a.name]
        n, h5 = len(d), readable(d)
        load(base + "slices/000000.npy")  # scans
        order = (rng.permutation(n - 1) + 1).tolist()

        def ours(i):
            return load(base + "slices/%06d.npy" % i)

        def theirs(i):
            return d[i]

        (x, y), cpu = race([ours, theirs if h5 else None], order, 2, a.pid)
        (u, v), _ = race([ours, theirs if h5 else None], 3 * order)
    say("first_epoch_%s_rate" % a.name, x, "items/s")
    say("later_epoch_%s_rate" % a.name, u, "items/s")
    # One reader waits for its decoding and then for its copies.
    floor = 1 / (1 / a.ceiling + 1 / a.copies)
    note += ("; CPU ms an item: ours %.2f, h5py %.2f, decoding alone %.2f;"
             " %.2f of decoding and copying one after the other" % (
                 *cpu, a.cpu, x / floor))
    if a.name == "gzip":
        row("first_epoch_gzip_of_ceiling", x / a.ceiling, "x", ">=", 0.8, note)
    else:
        say("first_epoch_%s_of_ceiling" % a.name, x / a.ceiling, "x")
    if h5:
        say("h5py_%s_rate" % a.name, y, "items/s")
        row("first_epoch_%s" % a.name, x / y, "x h5py", ">=", FIRST[a.name],
            note)
        row("later_epochs_%s" % a.name, u / v, "x h5py", ">=", LATER[a.name],
            PLANE % a.cache)


def copies(a):
    """What FUSE, kernel and reader take: files of units that are cached, and
    that the kernel has not yet."""
    base = "%s/slices/%s/" % (a.mnt, a.name)
    items = range(1, 25)
    for i in items:
        load(base + "slices/%06d.npy" % i)
    before = stats(a.mnt)["units_decoded"]
    (rate,), cpu = race(
        [lambda i: load(base + "crops+size-1x512x512/%d_0_0.npy" % i)], items,
        2, a.pid)
    if stats(a.mnt)["units_decoded"] != before:
        raise SystemExit("copies: not of the cache")
    print("%.0f %.2f" % (rate, *cpu))


def workers(a):
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Files(Dataset):
        def __init__(self, path):
            self.path = path

        def __len__(self):
            return n

        def __getitem__(self, i):
            return torch.from_numpy(np.load(self.path % i))

    class H5(Dataset):
        def __init__(self, path):
            self.path, self.d = path, None

        def __len__(self):
            return n

        def __getitem__(self, i):
            if self.d is None:
                self.d = h5py.File(self.path)[a.name]
            return torch.from_numpy(self.d[i])

    class Order(list):  # a sampler: changed between epochs
        pass

    with h5py.File(a.data + "/slices.h5") as f:
        n, h5 = len(f[a.name]), readable(f[a.name])
    raw = a.data + "/raw"
    if not os.path.exists(raw):
        os.mkdir(raw)
        for i in range(n):
            np.save("%s/%06d.npy" % (raw, i), np.load(
                a.mnt + "/slices/shuffle_gzip/slices/%06d.npy" % i))
    sets = {"ours": Files(a.mnt + "/slices/" + a.name + "/slices/%06d.npy"),
            "raw": Files(raw + "/%06d.npy")}
    if h5:
        sets["h5py"] = H5(a.data + "/slices.h5")
    order = Order(range(2 * a.workers))
    loaders = {k: DataLoader(d, batch_size=4, sampler=order,
                             num_workers=a.workers, persistent_workers=True)
               for k, d in sets.items()}

    def epoch(loader):
        t, out = time.perf_counter(), 0.0
        for batch in loader:
            out += float(batch[:, ::16, ::16].double().sum())
        return time.perf_counter() - t, out

    for loader in loaders.values():  # have the workers started
        epoch(loader)
    order[:] = [2 * a.workers + i for i in np.random.default_rng(
        1).permutation(n - 2 * a.workers).tolist()]
    rate, first, want = {}, {}, None
    for again in range(4):
        for k, loader in loaders.items():
            if again and k == "h5py":
                continue
            t, out = epoch(loader)
            want = want or out
            if abs(out - want) > 1e-6 * abs(want):
                raise SystemExit("workers: sums differ")
            first.setdefault(k, len(order) / t)
            if again:
                rate[k] = max(rate.get(k, 0), len(order) / t)
    tag = "%s_%d_workers" % (a.name, a.workers)
    note = PLANE % a.cache + "; ours %.0f then %.0f/s, raw files %.0f" % (
        first["ours"], rate["ours"], rate["raw"])
    if h5:
        row("first_epoch_" + tag, first["ours"] / first["h5py"], "x h5py",
            ">=", 1.5, note + ", h5py %.0f" % first["h5py"])
    row("later_epochs_" + tag, rate["ours"] / rate["raw"], "x raw files",
        ">=", 0.9, note)


def planes(a):
    def ours(name, i):
        return load("%s/cubes/%s/slices/%06d.npy" % (a.mnt, name, i))

    def swept(sweeps):
        """Seconds a plane: of each place in a sweep the best of several.

        Decoding happens at the first plane of a layer of cubes, so that no
        plane may be left out.
        """
        times, values = [], []
        for read, items in sweeps:
            got = [clock(sums, read, [i]) for i in items]
            times.append([t for t, _ in got])
            values.append([v for _, v in got])
        return sum(map(min, zip(*times))) / len(times[0]), values

    with h5py.File(a.data + "/cubes.h5") as f:
        d = f["gzip"]
        t, s = swept([(lambda i: ours("gzip", i), range(z, z + 64))
                      for z in range(0, len(d), 64)])
        h, sh = swept([(lambda i: d[i], range(0, 64, 16))])
        agree(s[0][::16], sh[0], "planes")
        say("planes_larger_rate", 1 / t, "planes/s")
        say("planes_larger_h5py", 1 / h, "planes/s")
        row("planes_larger_than_cache", h / t, "x h5py", ">=", 20,
            "planes of %d KiB, cubes under each: 32 MiB" % (d[0].nbytes >> 10))
        small = sorted(k for k in f if k.startswith("small"))
        for k in small:  # the index, which is read once a mount, no chunks
            with open("%s/cubes/%s/chunks.json" % (a.mnt, k)) as g:
                g.read()
        t, s = swept([(lambda i, k=k: ours(k, i), range(96)) for k in small])
        h, sh = swept([(f[k].__getitem__, range(96)) for k in small])
        agree(s, sh, "planes")
        say("planes_fitting_rate", 1 / t, "planes/s")
        say("planes_fitting_h5py", 1 / h, "planes/s")
        row("planes_fitting_cache", h / t, "x h5py", ">=", 1.5,
            "planes of 18 KiB, cubes under each: 576 KiB")


def crops(a):
    path = "%s/cubes/%s/crops+size-96x96x96/%%d_%%d_%%d.npy" % (a.mnt, a.name)
    rng = np.random.default_rng(1)
    with h5py.File(a.data + "/cubes.h5") as f:
        d = f[a.name]
        if not readable(d):
            return
        for z in range(0, d.shape[0], 64):  # into the cache
            load("%s/cubes/%s/slices/%06d.npy" % (a.mnt, a.name, z))
        at = [tuple(int(rng.integers(0, n - 95)) for n in d.shape)
              for _ in range(96)]
        (x, y), used = race([lambda c: load(path % c), lambda c: d[tuple(
            slice(i, i + 96) for i in c)]], at, 1, a.pid)
    say("crops_96_%s_rate" % a.name, x, "crops/s")
    row("crops_96_%s" % a.name, x / y, "x h5py", ">=",
        {"gzip": 10, "lz4": 2}[a.name],
        "1.7 MiB each, cubes of 512 KiB; CPU ms: ours %.2f, h5py %.2f" %
        tuple(used))


def epoch_of(read, n, out):
    for seed in range(2):
        sums(read, np.random.default_rng(seed).permutation(n))
    out.put(process_rss(os.getpid()))


def cpu(a):
    path = a.mnt + "/slices/gzip/slices/%06d.npy"

    def h5_reader(n, out):
        with h5py.File(a.data + "/slices.h5") as f:
            d = f["gzip"]
            epoch_of(lambda i: d[i], n, out)

    def file_reader(n, out):
        epoch_of(lambda i: load(path % i), n, out)

    with h5py.File(a.data + "/slices.h5") as f:
        n = len(f["gzip"])
    fork = multiprocessing.get_context("fork")
    used, rss = {}, {}
    for name, reader in (("ours", file_reader), ("h5py", h5_reader)):
        before = os.times(), process_cpu(a.pid)
        out = fork.Queue()
        procs = [fork.Process(target=reader, args=(n, out)) for _ in range(4)]
        for p in procs:
            p.start()
        rss[name] = sum(out.get() for _ in procs)
        for p in procs:
            p.join()
        after = os.times(), process_cpu(a.pid)
        used[name] = (after[0].children_user + after[0].children_system
                      - before[0].children_user - before[0].children_system)
        if name == "ours":
            used[name] += after[1] - before[1]
            rss[name] += process_rss(a.pid)
    note = "4 processes, 2 epochs, gzip, cache %s; " % a.cache
    row("cpu_an_item", used["ours"] / used["h5py"], "x h5py", "<=", 1,
        note + "%.2f and %.2f ms" % tuple(
            1000 * used[k] / (8 * n) for k in ("ours", "h5py")))
    row("memory_4_workers", rss["ours"] / rss["h5py"], "x h5py", "<=", 1,
        note + "%.0f and %.0f MiB" % (rss["ours"], rss["h5py"]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("row")
    for name in ("data", "mnt", "file", "name", "cache"):
        p.add_argument("--" + name)
    for name in ("workers", "pid"):
        p.add_argument("--" + name, type=int)
    for name in ("ceiling", "copies", "cpu"):
        p.add_argument("--" + name, type=float)
    a = p.parse_args()
    globals()[a.row](a)


if __name__ == "__main__":
    main()
