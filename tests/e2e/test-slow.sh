#!/bin/bash
# SPDX-License-Identifier: MIT
# A source that hangs: 64 reads of one container are stuck, and everything
# else answers at once; a killed reader is gone; all is well afterwards.
. "$srcdir/tests/lib.sh"
requires_faults
make_data pairs stack
mkdir "$tmp/src/stuck"
cp "$tmp/src/stack-default.h5" "$tmp/src/stuck/stuck.h5"
export PATCHFS_FAULT=$tmp/fault
: >"$tmp/fault"
expect_log 'stuck'
mount_volume "$tmp/src"

python - "$mnt" "$tmp/fault" $((100 * slow)) <<'END' || fail "see above"
import ctypes, os, signal, subprocess, sys, time
mnt, fault, limit = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000
stuck = mnt + "/stuck/stuck/image/slices/"

def stats():
    with open(mnt + "/.patchfs/stats") as f:
        return {k: int(v) for k, v in (l.split() for l in f)}

def until(what, test):
    end = time.monotonic() + 60
    while not test():
        assert time.monotonic() < end, "waited in vain for " + what
        time.sleep(0.01)

# One read, so that the index is there; then every read of the file blocks.
open(stuck + "000000.npy", "rb").read()
with open(fault + "-t", "w") as f:
    f.write("*/stuck.h5 block\n")
os.rename(fault + "-t", fault)
before = stats()
readers = [subprocess.Popen(["cat", "%s%06d.npy" % (stuck, 100 * i + 7)],
                            stdout=subprocess.PIPE) for i in range(64)]
until("64 reads", lambda: stats()["requests_read"]
      >= before["requests_read"] + 64 + 1)

libc = ctypes.CDLL(None, use_errno=True)
def first_entries(path):
    with os.scandir(path) as it:
        return next(it).name
worst = {}
k = 1000
def timed(name, call):
    t = time.monotonic()
    call()
    worst.setdefault(name, []).append(time.monotonic() - t)
for i in range(5):
    k += 1
    timed("lookup in the stuck container",
          lambda: os.stat("%s%06d.npy" % (stuck, k)))
    timed("a view of the stuck container", lambda: os.stat(
        "%s/stuck/stuck/image/random+size-2x2+seed-%d" % (mnt, i)))
    timed("first reply of a long listing", lambda: first_entries(
        mnt + "/stuck/stuck/image/random+size-%dx3+count-100000" % (i % 4 + 1)))
    timed("statfs", lambda: os.statvfs(mnt))
    timed("read of another container", lambda: open(
        mnt + "/pairs/stack/random+size-5x5+seed-%d/000000.npy" % i,
        "rb").read())
    timed("stats", stats)
for name, t in worst.items():
    print("%-32s %.1f ms" % (name, 1000 * min(t)))
    assert min(t) < limit, "%s: %.0f ms at best" % (name, 1000 * min(t))

# A killed reader is gone.
for p in readers[:8]:
    p.send_signal(signal.SIGKILL)
t = time.monotonic()
for p in readers[:8]:
    p.wait(timeout=10)
took = time.monotonic() - t
print("8 killed readers: %.1f ms" % (1000 * took))
assert took < 10 * limit, took

# The source comes back; nobody has lost anything.
with open(fault + "-t", "w"):
    pass
os.rename(fault + "-t", fault)
for p in readers[8:]:
    out, _ = p.communicate(timeout=60)
    assert p.returncode == 0 and out[:6] == b"\x93NUMPY" and len(out) == 160
END
