#!/bin/bash
# SPDX-License-Identifier: MIT
# A source with 2 ms a read, as on NFS: a version-1 B-tree of many chunks and
# many datasets are both served. PATCHFS_FULL=1: 10^6 chunks, 2x10^5 datasets.
. "$srcdir/tests/lib.sh"
requires_faults
if test -n "${PATCHFS_FULL:-}"; then
	g=1000 m=200000
else
	g=200 m=10000
fi
make_data grid=$g many=$m
export PATCHFS_FAULT=$tmp/fault
echo '*.h5 delay 2' >"$tmp/fault"
# --core: its descriptors can be counted by any user.
mount_volume --core "$tmp/src"
python - "$srcdir" "$mnt" $g $m <<'END' || fail "see above"
import os, random, sys, time
sys.path.insert(0, sys.argv[1] + "/tests/data")
import numpy as np
from voxels import voxels
mnt, g, m = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
t = time.monotonic()
os.stat(mnt + "/grid/x/slices/000000.npy")
print("tree of the grid: %.2f s" % (time.monotonic() - t))
t = time.monotonic()
a = np.load(mnt + "/grid/x/crops+size-1x2/%d_0.npy" % (g // 2))
print("first byte of %d chunks: %.2f s" % (g * g, time.monotonic() - t))
assert (a == voxels((1, 2), "<u2", (g // 2, 0))).all()
for i in random.sample(range(g), 3):
    y = random.randrange(2 * g - 8)
    a = np.load(mnt + "/grid/x/crops+size-1x8/%d_%d.npy" % (i, y))
    assert (a == voxels((1, 8), "<u2", (i, y))).all()
t = time.monotonic()
n = len(os.listdir(mnt + "/many")) - 1
print("tree of %d datasets: %.2f s" % (m, time.monotonic() - t))
assert n == (m + 999) // 1000, n
a = np.load(mnt + "/many/g%06d/d%06d/array.npy" % (m - 1000, m - 1))
assert a.shape == (2, 3) and not a.any()
END
no_scanner_is_left
! ps -eo ppid,stat,comm | awk -v p="$daemon" '$1 == p && $2 ~ /^Z/' |
	grep . || fail "a zombie is left"
n=$(find "/proc/$daemon/fd" -type l | wc -l)
test "$n" -lt 64 || fail "$n descriptors are open"
