#!/bin/bash
# SPDX-License-Identifier: MIT
# How many requests the kernel sends: exact, and the same on every machine.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
mkdir "$tmp/src"
python - "$tmp/src/a.h5" <<'END'
import h5py, sys
import numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("x", data=np.arange(400 * 128 * 128, dtype="<u4").reshape(
        400, 128, 128), chunks=(1, 128, 128), compression=1)
    f.create_dataset("many", data=np.zeros((3000, 2), "u1"), chunks=(1000, 2))
END
mount_volume "$tmp/src"
python - "$mnt" <<'END' || fail "see above"
import os, sys
import numpy as np
mnt = sys.argv[1]
NAMES = ("lookup", "read", "getattr", "readdir", "readdirplus", "readlink",
         "statfs", "other")

def stats():
    with open(mnt + "/.patchfs/stats", "rb", buffering=0) as f:
        lines = dict(l.split() for l in f.read().decode().split("\n")
                     if l.strip())
    return {n: int(lines["requests_" + n]) for n in NAMES}

stats()
before, after = stats(), stats()
own = {n: after[n] - before[n] for n in NAMES} # what asking costs

def count(what, work, **want):
    a = stats()
    work()
    b = stats()
    got = {n: b[n] - a[n] - own[n] for n in NAMES}
    ioctl = want.pop("ioctl", 0) # old Pythons ask whether a file is a terminal
    other = got.pop("other")
    got = {n: v for n, v in got.items() if v}
    print(what, got, "other", other)
    assert got == want, (what, got, want)
    assert other <= ioctl, (what, other, ioctl)

d = mnt + "/a/x/slices/"
os.stat(d)
os.stat(mnt + "/a/many/slices/")
np.load(d + "000399.npy") # once a mount: open, flush, xattr are refused
list(os.scandir(mnt))

def load(i):
    a = np.load(d + "%06d.npy" % i)
    assert a[0, 0] == i * 128 * 128 and a.shape == (128, 128)

def load_raw(i):
    with open(d + "%06d.npy" % i, "rb", buffering=0) as f:
        b = f.read()
    assert len(b) == 128 + 65536

def loads(n, step=1):
    return lambda: [load(i) for i in range(0, n, step)]

count("cold np.load", loads(20), lookup=20, read=20, ioctl=20)
count("warm np.load", loads(20), ioctl=20)
count("cold read", lambda: [load_raw(i) for i in range(20, 40)],
      lookup=20, read=20)
count("warm read", lambda: [load_raw(i) for i in range(20, 40)])
count("mmap, cold", lambda: np.load(d + "000050.npy", mmap_mode="r").sum(),
      lookup=1, read=1, ioctl=3)
count("stat, cold", lambda: [os.stat(d + "%06d.npy" % i)
                             for i in range(100, 110)], lookup=10)
count("stat, warm", lambda: [os.stat(d + "%06d.npy" % i)
                             for i in range(100, 110)])
count("missing", lambda: [os.path.exists(d + "x%d" % i) for i in range(5)],
      lookup=5)
count("missing, again", lambda: [os.path.exists(d + "x%d" % i)
                                 for i in range(5)])
count("statvfs", lambda: os.statvfs(mnt), statfs=1)
# Another spelling: a name and a link for each, once.
count("unpadded", lambda: os.stat(d + "7.npy"), lookup=1)
count("unpadded, again", lambda: os.stat(d + "7.npy"))
link = mnt + "/a/x/slices+axis-0"
count("a link", lambda: os.stat(link + "/000000.npy"), lookup=1, readlink=1)
count("a link, again", lambda: os.stat(link + "/000000.npy"))

# Listings. The number of pieces depends on the kernel; the second time none.
big = mnt + "/a/many/slices"
a = stats()
names = os.listdir(big)
b = stats()
assert len(names) == 3000, len(names)
pieces = sum(b[n] - a[n] - own[n] for n in ("readdir", "readdirplus"))
print("listdir of 3000:", pieces)
assert 1 <= pieces <= 60, pieces
assert b["lookup"] - a["lookup"] == own["lookup"]
count("listdir, again", lambda: os.listdir(big))
# Attributes come with the names.
a = stats()
for e in os.scandir(mnt + "/a/x/slices"):
    e.stat()
b = stats()
print("scandir and stat of 400:", b["lookup"] - a["lookup"] - own["lookup"])
assert b["lookup"] - a["lookup"] - own["lookup"] <= 2
assert b["getattr"] - a["getattr"] - own["getattr"] <= 2
# So what was listed with attributes needs no lookup any more.
count("np.load of what is listed", lambda: [load(i) for i in range(300, 320)],
      read=20, ioctl=20)
# A large buffer for a large directory, where the kernel takes it.
huge = mnt + "/a/x/random+size-2x2+count-200000"
os.stat(huge)
a = stats()
names = os.listdir(huge)
b = stats()
assert len(names) == 200000
pieces = sum(b[n] - a[n] - own[n] for n in ("readdir", "readdirplus"))
print("listdir of 200000:", pieces)
kernel = tuple(int(v) for v in os.uname().release.split("-")[0].split(".")[:2])
assert 1 <= pieces <= (20 if kernel >= (6, 18) else 2100), pieces
assert b["lookup"] - a["lookup"] == own["lookup"]
count("listdir, again", lambda: os.listdir(huge))
END
