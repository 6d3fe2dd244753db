# SPDX-License-Identifier: MIT
"""What the rows of bench.sh share: clocks, readers, rows with a target."""

import glob
import os
import time

import numpy as np

BLOCK = 2


def say(name, value, unit):
    print(name, "%.3g" % value if abs(value) < 100 else "%.0f" % value, unit,
          flush=True)


def row(name, value, unit, op, target, note):
    """A row of the design's table, for the summary at the end."""
    met = value >= target if op == ">=" else value <= target
    say(name, value, unit)
    with open(os.environ["BENCH_ROWS"], "a") as f:
        f.write("%s\t%.3g\t%s\t%s %g\t%s\t%s\t%s\n" % (
            name, value, unit, op, target, "met" if met else "MISSED",
            os.environ.get("BENCH_ROW", ""), note))


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


def fastest(times):
    """Mean of the fastest quarter: other load of the machine counts little."""
    times = sorted(times)[:(len(times) + 3) // 4]
    return sum(times) / len(times)


def race(readers, items, block=BLOCK, pid=0):
    """Items a second of each reader, in turns on the same blocks of items,
    and CPU ms an item, with that of process pid.

    All must give the same sums; a reader of None takes no part.
    """
    times, cpu = [[] for _ in readers], [0.0] * len(readers)
    for at in range(0, len(items), block):
        some, want = items[at:at + block], None
        for k, read in enumerate(readers):
            if not read:
                continue
            begin = time.process_time() + process_cpu(pid)
            took, got = clock(sums, read, some)
            cpu[k] += time.process_time() + process_cpu(pid) - begin
            want = want or got
            agree(got, want, "items %s" % some)
            if len(some) == block:
                times[k].append(took)
    return ([block / fastest(t) if t else None for t in times],
            [1000 * c / len(items) for c in cpu])


def readable(d):
    """Has this h5py the filters?"""
    try:
        d[(0,) * d.ndim]
        return True
    except OSError:
        return False


def process_cpu(pid):
    """Seconds, of all its threads; 0: of none."""
    total = 0
    if not pid:
        return 0
    for name in glob.glob("/proc/%d/task/*/schedstat" % pid):
        with open(name) as f:
            total += int(f.read().split()[0])
    return total / 1e9


def process_rss(pid, key="RssAnon"):
    with open("/proc/%d/status" % pid) as f:
        return int([x for x in f if x.startswith(key)][0].split()[1]) / 1024
