#!/bin/bash
# SPDX-License-Identifier: MIT
# Memory: in a cgroup of cache + 96 MiB, 16 readers of 32 MiB chunks, many
# random items of cached units, many view directories out of 100 parameter
# sets. PATCHFS_FULL=1: 10^6 items, 10^5 directories, and set 65 537.
. "$srcdir/tests/lib.sh"
! has_sanitizer || skip_here "a sanitizer's memory is its own"
test -z "${PATCHFS_VALGRIND:-}" || skip_here "valgrind's memory is its own"
requires_py h5py numpy
mkdir "$tmp/src"
python - "$tmp/src" <<'END'
import sys
import h5py, numpy as np
with h5py.File(sys.argv[1] + "/wide.h5", "w") as f:
    d = f.create_dataset("x", (16, 2048, 4096), "<f4", chunks=(1, 2048, 4096),
                         compression="gzip", compression_opts=1, shuffle=True)
    ramp = np.arange(2048 * 4096, dtype="<f4").reshape(2048, 4096)
    for i in range(16):
        d[i] = ramp + i
with h5py.File(sys.argv[1] + "/small.h5", "w") as f:
    for i in range(1000):
        f["g/d%03d" % i] = np.zeros((3, 4), "<i2")
    z, y, x = np.ogrid[0:64, 0:64, 0:64]
    f.create_dataset("cube", data=(z * 4096 + y * 64 + x).astype("<i4"),
                     chunks=(16,) * 3, compression="gzip")
END

cgroup=
cleanup() { test -z "$cgroup" || { umount_volume; rmdir "$cgroup"; }; }
limit=$(((256 + 96) << 20))
for d in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	test -e "$d/memory.limit_in_bytes" || test -e "$d/memory.pressure" ||
		grep -qs memory "$d/cgroup.subtree_control" || continue
	mkdir "$d/patchfs-test-$$" 2>/dev/null || continue
	cgroup=$d/patchfs-test-$$
	echo $limit 2>/dev/null >"$cgroup/memory.limit_in_bytes" ||
		echo $limit 2>/dev/null >"$cgroup/memory.max" ||
		{ rmdir "$cgroup"; cgroup=; continue; }
	break
done
test -n "$cgroup" || echo "no cgroup can be made here: only the RSS is looked at"

mount_volume --cache-size=256M "$tmp/src"
test -z "$cgroup" || echo "$daemon" >"$cgroup/cgroup.procs"

# rss WHAT DIRECTORIES: rule 3 of the design, from what the kernel counts.
rss() {
	local kb most
	kb=$(awk '/^RssAnon:/ { print $2 }' "/proc/$daemon/status")
	most=$(((256 + 32) * 1024 + $2 * 150 / 1024))
	echo "$1: $kb kB of $most"
	test "$kb" -le "$most" || fail "$1: RSS $kb kB, may be $most"
}

python - "$mnt" "${PATCHFS_FULL:+1000000}" <<'END' || fail "see above"
import multiprocessing, os, random, sys
import numpy as np
mnt, items = sys.argv[1], int(sys.argv[2] or 60000)
ramp = np.arange(2048 * 4096, dtype="<f4").reshape(2048, 4096)

def wide(k):
    rng = random.Random(k)
    for i in rng.sample(range(16), 3):
        a = np.load("%s/wide/x/slices/%06d.npy" % (mnt, i))
        assert (a == ramp + i).all(), i

def cube(k):
    rng = random.Random(k)
    fd = os.open(mnt + "/small/cube/crops+size-4x4x4", os.O_RDONLY)
    for _ in range(items // 4):
        z, y, x = (rng.randrange(61) for _ in range(3))
        f = os.open("%d_%d_%d.raw" % (z, y, x), os.O_RDONLY, dir_fd=fd)
        data = os.read(f, 4096)
        os.close(f)
        assert int.from_bytes(data[:4], "little") == z * 4096 + y * 64 + x
        assert len(data) == 256

with multiprocessing.Pool(16) as pool:
    pool.map(wide, range(16), 1)
with multiprocessing.Pool(4) as pool:
    pool.map(cube, range(4), 1)
END
rss "16 readers of 32 MiB chunks, random items" 20

python - "$mnt" "${PATCHFS_FULL:-}" <<'END' || fail "see above"
import errno, os, sys
mnt, full = sys.argv[1:3]
for s in range(100):
    for i in range(1000 if full else 40):
        os.stat("%s/small/g/d%03d/random+size-2x2+seed-%d" % (mnt, i, s))
n = 100
for s in range(100, 70000 if full else 0):
    try:
        os.stat("%s/small/cube/random+size-2x2+seed-%d" % (mnt, s))
        n += 1
    except OSError as e:
        assert e.errno == errno.ENOSPC, (s, e)
        break
print(n, "parameter sets")
assert not full or 65000 < n <= 65536, n
# What exists goes on, and so does everything without new parameters.
os.stat(mnt + "/small/g/d000/random+size-2x2+seed-99/000001.npy")
os.stat(mnt + "/wide/x/slices/000001.npy")
END
rss "view directories" "$(stat_value tree_directories)"
kill -0 "$daemon" || fail "the server is gone"
expect_log 'no more views'
