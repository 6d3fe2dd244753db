#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of bench.sh that Python measures; each checks what it reads."""

import argparse
import glob
import multiprocessing
import os
import statistics
import subprocess
import time

import h5py
import numpy as np

try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None


def say(name, value, unit):
    print(name, "%.3g" % value if value < 100 else "%.0f" % value, unit,
          flush=True)


def clock(call, *args):
    t = time.perf_counter()
    out = call(*args)
    return time.perf_counter() - t, out


def load(path):
    """np.load of a .npy, without stdio."""
    with open(path, "rb", buffering=0) as f:
        data = f.readall()
    n = 10 + int.from_bytes(data[8:10], "little")
    head = eval(data[10:n].decode("latin1"), {"__builtins__": {}})
    return np.frombuffer(data, head["descr"], offset=n).reshape(head["shape"])


def stats(mnt):
    with open(mnt + "/.patchfs/stats") as f:
        return {k: int(v) for k, v in (line.split() for line in f)}


def sums(read, items):
    return [float(read(i).ravel()[::97].sum(dtype="f8")) for i in items]


def agree(a, b, what):
    if a != b:
        raise SystemExit("%s: values differ" % what)


def readable(d):
    try:
        d[(0,) * d.ndim]
        return True
    except OSError:
        return False


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


def warm(a):
    names = sorted(os.listdir(a.data + "/plain"))
    ours = ["%s/items/x/slices/%s" % (a.mnt, n) for n in names]
    plain = ["%s/plain/%s" % (a.data, n) for n in names]
    for f in ours + plain:
        np.load(f)
    best = {}
    for _ in range(7):
        for key, files in (("np_load", ours), ("np_load_disk", plain)):
            t, s = clock(sums, np.load, files)
            best.setdefault(key, []).append(t)
            best["sums"] = best.get("sums", s)
            agree(s, best["sums"], "warm")
    x, y = (min(best[k]) / len(names) for k in ("np_load", "np_load_disk"))
    say("warm_np_load", x * 1e6, "us")
    say("warm_np_load_disk", y * 1e6, "us")
    say("warm_np_load_ratio", x / y, "x_of_disk")


def cold(a):
    n = 500
    one, two = stats(a.mnt), stats(a.mnt)
    for i in range(n):
        np.load("%s/items/x/slices/%06d.npy" % (a.mnt, i))
    three = stats(a.mnt)
    for key in ("lookup", "read", "getattr", "other"):
        k = "requests_" + key
        say("cold_np_load_" + key,
            (three[k] - two[k] - (two[k] - one[k])) / n, "requests")


def epochs(a):
    path = "%s/slices/%s/slices/%%06d.npy" % (a.mnt, a.name)
    rng = np.random.default_rng(0)
    with h5py.File(a.data + "/slices.h5") as f:
        d = f[a.name]
        order = [rng.permutation(len(d)) for _ in range(4)]
        h5 = readable(d)
        for which, name in ((0, "first"), (1, "later")):
            picks = order[:1] if which == 0 else order[1:]
            t, s = clock(lambda: [sums(lambda i: load(path % i), p)
                                  for p in picks])
            n = sum(map(len, picks))
            say("%s_epoch_%s" % (name, a.name), n / t, "items/s")
            if which == 0:
                say("first_epoch_%s_of_ceiling" % a.name, n / t / a.ceiling,
                    "x")
            if h5:
                th, sh = clock(lambda: [sums(lambda i: d[i], p)
                                        for p in picks])
                agree(s, sh, a.name)
                say("%s_epoch_%s_h5py" % (name, a.name), n / th, "items/s")
                say("%s_epoch_%s_ratio" % (name, a.name), th / t, "x_of_h5py")


def workers(a):
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Files(Dataset):
        def __init__(self, path, n):
            self.path, self.n = path, n

        def __len__(self):
            return self.n

        def __getitem__(self, i):
            return torch.from_numpy(np.load(self.path % i))

    class H5(Dataset):
        def __init__(self, path, name, n):
            self.path, self.name, self.n, self.d = path, name, n, None

        def __len__(self):
            return self.n

        def __getitem__(self, i):
            if self.d is None:
                self.d = h5py.File(self.path, libver="latest",
                                   swmr=True)[self.name]
            return torch.from_numpy(self.d[i])

    with h5py.File(a.data + "/slices.h5") as f:
        n, h5 = len(f[a.name]), readable(f[a.name])
    ours = a.mnt + "/slices/" + a.name + "/slices/%06d.npy"
    raw = a.data + "/raw"
    os.makedirs(raw, exist_ok=True)
    for i in range(n):
        np.save("%s/%06d.npy" % (raw, i), np.load(
            a.mnt + "/slices/shuffle_gzip/slices/%06d.npy" % i))

    def run(data):
        t, out = time.perf_counter(), 0.0
        loader = DataLoader(data, batch_size=8, shuffle=True,
                            num_workers=a.workers, persistent_workers=True)
        times = []
        for _ in range(3):
            t, out = time.perf_counter(), 0.0
            for batch in loader:
                out += float(batch[:, ::16, ::16].double().sum())
            times.append(n / (time.perf_counter() - t))
        return times[0], max(times[1:]), out

    tag = "%s_%d_workers" % (a.name, a.workers)
    x = run(Files(ours, n))
    y = run(Files(raw + "/%06d.npy", n))
    say("first_epoch_" + tag, x[0], "items/s")
    say("later_epoch_" + tag, x[1], "items/s")
    say("later_epoch_%s_raw_files" % tag, y[1], "items/s")
    say("later_epoch_%s_ratio" % tag, x[1] / y[1], "x_of_raw_files")
    if h5:
        z = run(H5(a.data + "/slices.h5", a.name, n))
        say("first_epoch_%s_h5py" % tag, z[0], "items/s")
        say("first_epoch_%s_ratio" % tag, x[0] / z[0], "x_of_h5py")
        if not abs(z[2] - x[2]) <= 1e-6 * abs(x[2]):
            raise SystemExit("workers: sums differ")
    if not abs(y[2] - x[2]) <= 1e-6 * abs(x[2]):
        raise SystemExit("workers: sums differ")
    subprocess.run(["rm", "-rf", raw], check=True)


def planes(a):
    for name, what, n in (("gzip", "larger", 32), ("small", "fitting", 96)):
        with h5py.File(a.data + "/cubes.h5") as f:
            d = f[name]
            th, sh = clock(sums, lambda i: d[i], range(n))
        path = "%s/cubes/%s/slices/%%06d.npy" % (a.mnt, name)
        t, s = clock(sums, lambda i: load(path % i), range(n))
        agree(s, sh, "planes")
        say("planes_%s_than_cache" % what if what == "larger"
            else "planes_fitting_cache", n / t, "planes/s")
        say("planes_%s_h5py" % what, n / th, "planes/s")
        say("planes_%s_ratio" % what, th / t, "x_of_h5py")


def crops(a):
    path = "%s/cubes/%s/crops+size-96x96x96/%%d_%%d_%%d.npy" % (a.mnt, a.name)
    rng = np.random.default_rng(1)
    with h5py.File(a.data + "/cubes.h5") as f:
        d = f[a.name]
        for z in range(0, d.shape[0], 64): # into the cache
            np.load("%s/cubes/%s/slices/%06d.npy" % (a.mnt, a.name, z))
        at = [tuple(int(rng.integers(0, n - 95)) for n in d.shape)
              for _ in range(200)]
        t, s = clock(sums, lambda c: load(path % c), at)
        say("crops_96_%s" % a.name, len(at) / t, "crops/s")
        if readable(d):
            some = at[:40]
            th, sh = clock(sums, lambda c: d[tuple(
                slice(i, i + 96) for i in c)], some)
            agree(s[:40], sh, "crops")
            say("crops_96_%s_h5py" % a.name, len(some) / th, "crops/s")
            say("crops_96_%s_ratio" % a.name,
                len(at) / t * th / len(some), "x_of_h5py")


def process_cpu(pid):
    with open("/proc/%d/stat" % pid) as f:
        v = f.read().rsplit(")", 1)[1].split()
    return (int(v[11]) + int(v[12])) / os.sysconf("SC_CLK_TCK")


def process_rss(pid, key="RssAnon"):
    with open("/proc/%d/status" % pid) as f:
        return int([x for x in f if x.startswith(key)][0].split()[1]) / 1024


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
    for name, reader in (("", file_reader), ("_h5py", h5_reader)):
        before = os.times(), process_cpu(a.pid)
        out = fork.Queue()
        procs = [fork.Process(target=reader, args=(n, out)) for _ in range(4)]
        for p in procs:
            p.start()
        rss = sum(out.get() for _ in procs)
        for p in procs:
            p.join()
        after = os.times(), process_cpu(a.pid)
        used = (after[0].children_user + after[0].children_system
                - before[0].children_user - before[0].children_system)
        if not name:
            used += after[1] - before[1]
            rss += process_rss(a.pid)
        say("cpu_an_item" + name, 1000 * used / (8 * n), "ms")
        say("memory_4_workers" + name, rss, "MiB")


def stuck(a):
    np.load(a.mnt + "/items/x/slices/000000.npy")
    with open(a.fault + "-t", "w") as f:
        f.write("*/items.h5 block\n")
    os.rename(a.fault + "-t", a.fault)
    before = stats(a.mnt)["requests_read"]
    readers = [subprocess.Popen(
        ["cat", "%s/items/x/slices/%06d.npy" % (a.mnt, i + 1)],
        stdout=subprocess.DEVNULL) for i in range(48)]
    while stats(a.mnt)["requests_read"] < before + 48:
        time.sleep(0.01)
    tests = {
        "lookup": lambda i: os.stat("%s/items/x/slices/%06d.npy" % (
            a.mnt, 500 + i)),
        "ls": lambda i: os.listdir(a.mnt + "/items/x/slices"),
        "other_container": lambda i: np.load(
            "%s/cubes/small/slices/%06d.npy" % (a.mnt, i)),
        "statfs": lambda i: os.statvfs(a.mnt),
    }
    for name, call in tests.items():
        t = [clock(call, i)[0] for i in range(5)]
        say("stuck_%s_median" % name, 1000 * statistics.median(t), "ms")
        say("stuck_%s_worst" % name, 1000 * max(t), "ms")
    os.truncate(a.fault, 0)
    for p in readers:
        if p.wait():
            raise SystemExit("a stuck reader failed afterwards")


def entries(a):
    view = "%s/items/x/random+size-4x4+count-%d" % (a.mnt, a.count)
    for name, call in (
        ("ls", lambda d: len(subprocess.run(
            ["ls", "-f", d], stdout=subprocess.PIPE).stdout.split())),
        ("glob", lambda d: len(glob.glob(d + "/*.npy"))),
    ):
        out = {}
        for key, d in (("ours", view), ("disk", a.dir)):
            t, n = clock(call, d)
            if n not in (a.count, a.count + 2):
                raise SystemExit("%s lists %d names" % (d, n))
            out[key] = t
        say("entries_" + name, out["ours"], "s")
        say("entries_%s_disk" % name, out["disk"], "s")
        say("entries_%s_ratio" % name, out["ours"] / out["disk"], "x_of_disk")


def memory(a):
    for i in range(1000):
        load("%s/items/x/slices/%06d.npy" % (a.mnt, i))
    fd = os.open(a.mnt + "/items/x/crops+size-4x4", os.O_RDONLY)
    rng = np.random.default_rng(2)
    t = time.perf_counter()
    for at in range(0, a.reads, 10000):
        pick = zip(*(rng.integers(0, k, min(10000, a.reads - at))
                     for k in (1000, 125, 125)))
        for c in pick:
            f = os.open("%d_%d_%d.raw" % tuple(c), os.O_RDONLY, dir_fd=fd)
            if len(os.read(f, 100)) != 64:
                raise SystemExit("a short item")
            os.close(f)
    t = time.perf_counter() - t
    say("random_items_of_64_bytes", a.reads / t, "items/s")
    say("rss_after_%d_reads" % a.reads, process_rss(a.pid), "MiB")
    say("rss_allowed", 256 + 32, "MiB")
    if process_rss(a.pid) > 256 + 32:
        raise SystemExit("more memory than rule 3 allows")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("row")
    for name in ("data", "mnt", "file", "name", "fault", "dir"):
        p.add_argument("--" + name)
    for name in ("workers", "pid", "count", "reads"):
        p.add_argument("--" + name, type=int)
    p.add_argument("--ceiling", type=float)
    a = p.parse_args()
    globals()[a.row](a)


if __name__ == "__main__":
    main()
