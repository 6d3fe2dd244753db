#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of bench.sh about a mount as such: requests, names, trouble."""

import argparse
import glob
import os
import statistics
import subprocess
import time

import numpy as np

from bench_common import (agree, clock, load, process_rss, row, say, stats,
                          sums)

ITEM = "items of 64 KiB"


def warm(a):
    names = sorted(os.listdir(a.data + "/plain"))
    ours = ["%s/items/x/slices/%s" % (a.mnt, n) for n in names]
    plain = ["%s/plain/%s" % (a.data, n) for n in names]
    for f in ours + plain:
        np.load(f)
    best, want = {}, None
    for _ in range(a.rounds):
        for key, files in (("ours", ours), ("disk", plain)):
            t, s = clock(sums, np.load, files)
            best[key] = min(t, best.get(key, t))
            want = want or s
            agree(s, want, "warm")
    x, y = (best[k] / len(names) * 1e6 for k in ("ours", "disk"))
    row("warm_np_load", x / y, "x its time", "<=", 1.3,
        ITEM + ", %.0f and %.0f us" % (x, y))


def cold(a):
    n = 500
    one, two = stats(a.mnt), stats(a.mnt)
    for i in range(n):
        np.load("%s/items/x/slices/%06d.npy" % (a.mnt, i))
    three = stats(a.mnt)
    got = {key: (three[k] - two[k] - (two[k] - one[k])) / n
           for key, k in ((k, "requests_" + k) for k in (
               "lookup", "read", "getattr", "other"))}
    row("cold_np_load", got["lookup"] + got["read"] + got["getattr"],
        "requests", "<=", 2.02, ITEM + "; lookup %.2f read %.2f getattr %.2f"
        ", and the ioctl of this Python %.2f" % (
            got["lookup"], got["read"], got["getattr"], got["other"]))


def stuck(a):
    np.load(a.mnt + "/items/x/slices/000000.npy")
    np.load(a.mnt + "/cubes/small0/slices/000095.npy")
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
        "ls": lambda i: os.listdir("%s/items/x/slices+axis-%d" % (
            a.mnt, 1 + i % 2)),
        "other_container": lambda i: np.load(
            "%s/cubes/small0/slices/%06d.npy" % (a.mnt, i)),
        "statfs": lambda i: os.statvfs(a.mnt),
    }
    for name, call in tests.items():
        t = [1000 * clock(call, i)[0] for i in range(9)]
        row("stuck_" + name, statistics.median(t), "ms", "<=", 100,
            "48 readers of a source that blocks; worst %.3g" % max(t))
    os.truncate(a.fault, 0)
    for p in readers:
        if p.wait():
            raise SystemExit("a stuck reader failed afterwards")


def entries(a):
    def ls(d):
        return len(subprocess.run(["ls", "-f", d],
                                  stdout=subprocess.PIPE).stdout.split())

    def names(d):
        return len(glob.glob(d + "/*.npy"))

    seed = 0
    for name, call in (("ls", ls), ("glob", names)):
        best = {}
        for _ in range(a.rounds):
            seed += 1  # a directory that the kernel has not listed yet
            view = "%s/items/x/random+size-4x4+seed-%d+count-%d" % (
                a.mnt, seed, a.count)
            for key, d in (("ours", view), ("disk", a.dir)):
                t, n = clock(call, d)
                if n not in (a.count, a.count + 2):
                    raise SystemExit("%s lists %d names" % (d, n))
                best[key] = min(t, best.get(key, t))
        row("entries_" + name, best["ours"] / best["disk"], "x its time",
            "<=", 2, "%d names, first listing: %.2f and %.2f s" % (
                a.count, best["ours"], best["disk"]))


def reads(a, seed, count):
    fd = os.open(a.mnt + "/items/x/crops+size-4x4", os.O_RDONLY)
    rng = np.random.default_rng(seed)
    for at in range(0, count, 10000):
        pick = zip(*(rng.integers(0, k, min(10000, count - at))
                     for k in (1000, 125, 125)))
        for c in pick:
            f = os.open("%d_%d_%d.raw" % tuple(c), os.O_RDONLY, dir_fd=fd)
            if len(os.read(f, 100)) != 64:
                raise SystemExit("a short item")
            os.close(f)


def memory(a):
    for i in range(1000):
        load("%s/items/x/slices/%06d.npy" % (a.mnt, i))
    t = time.perf_counter()
    for seed in (0, 1):
        if os.fork() == 0:
            reads(a, seed, a.reads // 2)
            os._exit(0)
    for _ in (0, 1):
        if os.wait()[1]:
            raise SystemExit("a reader failed")
    t = time.perf_counter() - t
    say("random_items_of_64_bytes", a.reads / t, "items/s")
    row("memory_after_reads", process_rss(a.pid), "MiB", "<=", 256 + 32,
        "%d random items, cache 256M" % a.reads)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("row")
    for name in ("data", "mnt", "fault", "dir"):
        p.add_argument("--" + name)
    for name in ("pid", "count", "reads"):
        p.add_argument("--" + name, type=int)
    p.add_argument("--rounds", type=int, default=5)
    a = p.parse_args()
    globals()[a.row](a)


if __name__ == "__main__":
    main()
