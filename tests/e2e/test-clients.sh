#!/bin/bash
# SPDX-License-Identifier: MIT
# Real clients: h5py on the container in the mount, forked NumPy readers, maps.
. "$srcdir/tests/lib.sh"
make_data staged pairs
mount_volume "$tmp/src"

python - "$tmp/src" "$mnt" <<'END' || fail "see above"
import multiprocessing, os, sys
import h5py, numpy as np
try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None
src, mnt = sys.argv[1:3]

# The file itself, by h5py.
with h5py.File(src + "/pairs.h5") as a, h5py.File(mnt + "/pairs.h5") as b:
    assert list(a) == list(b)
    for name in a:
        assert (a[name][()] == b[name][()]).all()
    stack = a["stack"][()]

# Eight readers that forked after the directory was used.
view = mnt + "/pairs/stack/slices"
names = sorted(os.listdir(view))
assert names == ["%06d.npy" % i for i in range(len(stack))]
def reader(seed):
    order = np.random.default_rng(seed).permutation(len(stack))
    return all((np.load("%s/%s" % (view, names[i])) == stack[i]).all()
               for i in order for _ in range(20))
with multiprocessing.get_context("fork").Pool(8) as pool:
    assert all(pool.map(reader, range(8)))

# Maps, and the ways of reading that people use.
p = view + "/000003.npy"
m = np.load(p, mmap_mode="r")
assert (m == stack[3]).all() and (m[2:5] == stack[3][2:5]).all()
assert (np.fromfile(p, "<f4", offset=128).reshape(12, 13) == stack[3]).all()
assert (np.memmap(p[:-3] + "raw", "<f4", "r", shape=(12, 13)) == stack[3]).all()
with open(p, "rb", buffering=0) as f:
    assert f.read()[128:] == stack[3].tobytes()
whole = np.load(mnt + "/pairs/stack/array.npy", mmap_mode="r")
assert (whole[::2, 3] == stack[::2, 3]).all()

# Everything is read-only.
for call in (lambda: open(p, "ab"), lambda: os.unlink(p),
             lambda: os.mkdir(view + "/x"), lambda: os.truncate(p, 0),
             lambda: os.rename(p, p + "x"), lambda: os.chmod(p, 0o600),
             lambda: os.symlink("a", view + "/b"),
             lambda: os.utime(p), lambda: open(view + "/new", "w")):
    try:
        call()
    except OSError as e:
        assert e.errno in (30, 1, 13), e
    else:
        raise AssertionError("a mutating call went through")
END
