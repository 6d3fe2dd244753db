#!/bin/bash
# SPDX-License-Identifier: MIT
# While the labels of one file hang, and its sampling index with them: those who
# draw from it wait and no one else does; it is built once, whoever wanted it;
# and a mount that ends in the middle of a build does not wait for it.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_faults
requires_py h5py numpy
mkdir "$tmp/src"
python - "$tmp/src" <<'END'
import sys
import h5py, numpy as np
r = np.random.default_rng(4)
for name in "stuck", "well", "other", "slow":
    with h5py.File("%s/%s.h5" % (sys.argv[1], name), "w") as f:
        label = r.choice([0, 0, 3, 5], (40, 30, 20)).astype("u1")
        if name == "slow":
            label = label.repeat(15, axis=0).repeat(200, axis=2)
        f.create_dataset("label", data=label, compression=1,
                         chunks=(1,) + label.shape[1:])
        f.create_dataset("image", label.shape, "u1")
END
export PATCHFS_FAULT=$tmp/fault
: >"$tmp/fault"
expect_log 'no sampling index|stuck|slow'
mount_volume "$tmp/src"

cat >"$tmp/ask.py" <<'END'
import json, os, signal, subprocess, sys, time
import h5py
src, mnt, fault = sys.argv[1:4]
VIEW = "/image/foreground+size-3x5x5/%d"

def stats():
    with open(mnt + "/.patchfs/stats") as f:
        return {k: int(v) for k, v in (line.split() for line in f)}

def until(what, test):
    end = time.monotonic() + 60
    while not test():
        assert time.monotonic() < end, "waited in vain for " + what
        time.sleep(0.01)

def faults(text):
    with open(fault + "-t", "w") as f:
        f.write(text)
    os.rename(fault + "-t", fault)

def check(name, n, text):
    d = json.loads(text)
    with h5py.File("%s/%s.h5" % (src, name)) as f:
        at = tuple(d["center"])
        assert d["class"] and f["label"][at] == d["class"], d
        return d["start"]

def draw(name, n, fmt=".json"):
    with open(mnt + "/" + name + VIEW % n + fmt, "rb") as f:
        return f.read()

def reader(path):
    return subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
END
cat >"$tmp/stuck.py" <<'END'
from ask import *

# So much is known that nothing but the labels has to be read.
os.stat(mnt + "/stuck" + VIEW % 0 + ".json")
open(mnt + "/stuck/image/slices/000003.npy", "rb").read()
open(mnt + "/stuck/label/slices/000000.npy", "rb").read()
faults("*/stuck.h5 block\n")
before = stats()
paths = [mnt + "/stuck" + VIEW % n + ".json" for n in range(12)]
paths += [p.replace("/image/", "/label/") for p in paths[:4]]
paths += [p.replace("size-3x5x5", "size-3x5x5+class-3+border-inside")
          for p in paths[:4]]
readers = [reader(p) for p in paths]
until("the readers", lambda: stats()["requests_read"]
      >= before["requests_read"] + len(readers))
# Others are served, indices of theirs built.
for n in range(20):
    for name in "well", "other":
        check(name, n, draw(name, n))
        assert draw(name, n, ".npy")[:6] == b"\x93NUMPY"
assert stats()["indices_built"] == before["indices_built"] + 2
assert "slices" in os.listdir(mnt + "/stuck/image")
open(mnt + "/stuck/image/random+size-2x2x2/5.json").read()
assert all(p.poll() is None for p in readers), "one did not wait"
# A reader who is killed is gone, and takes nobody with it.
for p in readers[:3]:
    p.send_signal(signal.SIGKILL)
    p.wait(timeout=30)
faults("")
for n, p in enumerate(readers[3:], 3):
    out, _ = p.communicate(timeout=60)
    assert p.returncode == 0, (n, p.returncode)
    check("stuck", n, out)
assert stats()["indices_built"] == before["indices_built"] + 3
# Right as if nothing had been.
for n in range(12, 20):
    check("stuck", n, draw("stuck", n))
END
cat >"$tmp/error.py" <<'END'
from ask import *

# What cannot be read is an error to all who wait, and is built later.

os.stat(mnt + "/slow" + VIEW % 0 + ".json")
faults("*/slow.h5 error EIO\n")
before = stats()
readers = [reader(mnt + "/slow" + VIEW % n + ".json") for n in range(8)]
for p in readers:
    out, _ = p.communicate(timeout=60)
    assert p.returncode != 0 and not out, out
assert stats()["indices_built"] == before["indices_built"]
faults("")
until("the file", lambda: os.path.exists(mnt + "/slow/label/info.json"))

def comes_back():
    try:
        check("slow", 0, draw("slow", 0))
        return True
    except OSError:
        return False
until("the index", comes_back)
assert stats()["indices_built"] == before["indices_built"] + 1
END
export PYTHONPATH=$tmp
for part in stuck error; do
	python "$tmp/$part.py" "$tmp/src" "$mnt" "$tmp/fault" ||
		fail "$part: see above"
done
umount_volume || fail "umount"

# 600 chunks, each of which takes its time: the mount ends all the same.
mount_volume "$tmp/src"
stat "$mnt/slow/image/foreground+size-3x5x5/000000.json" >"$tmp/stat"
before=$(stat_value store_reads)
echo '*/slow.h5 delay 100' >"$tmp/fault"
cat "$mnt/slow/image/foreground+size-3x5x5/000000.json" >"$tmp/out" \
	2>"$tmp/err" &
reader=$!
for ((i = 0; i < 600 * slow; i++)); do
	test "$(stat_value store_reads)" -le $((before + 4)) || break
	sleep 0.1
done
test "$(stat_value store_reads)" -gt $((before + 4)) || fail "nothing is built"
kill "$reader"
wait "$reader" || :
test "$(stat_value indices_built)" -eq 0 || fail "it was too fast"
umount_volume || fail "a build keeps the mount"
