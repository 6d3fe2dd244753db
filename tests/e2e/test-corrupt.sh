#!/bin/bash
# SPDX-License-Identifier: MIT
# One bad chunk of each codec: reads across it are errors, all others are
# right, and the problem names path, array and chunk, once.
. "$srcdir/tests/lib.sh"
make_data corrupt pairs
expect_log 'corrupt'
mount_volume "$tmp/src"
python - "$srcdir" "$mnt" <<'END' || fail "see above"
import errno, sys
sys.path.insert(0, sys.argv[1] + "/tests/data")
import numpy as np
from voxels import voxels
mnt = sys.argv[2]
want = voxels((4, 6, 5), "<i4")
for again in range(3):
    for name in ("gzip", "lz4", "zstd", "shuffle_gzip", "fletcher",
                 "blosc2"):
        a = "%s/corrupt/%s/" % (mnt, name)
        for i in range(4):
            try:
                got = np.load(a + "slices/%06d.npy" % i)
            except OSError as e:
                assert i >= 2 and e.errno == errno.EIO, (name, i, e)
            else:
                assert i < 2, (name, i)
                assert (got == want[i]).all(), (name, i)
        for view in ("array", "slices+axis-1/000000"):
            try:
                np.load(a + view + ".npy")
            except OSError as e:
                assert e.errno == errno.EIO, (name, view, e)
            else:
                raise AssertionError(name + ": " + view)
assert np.load(mnt + "/pairs/mask/array.npy").shape == (12, 13, 14)
END
for name in gzip lz4 zstd shuffle_gzip fletcher blosc2; do
	grep 'corrupt' "$mnt/.patchfs/problems" | grep -q "[/ :]${name}[ /:]" ||
		fail "$name is not in the problems"
	n=$(grep -c "[/ :]${name}[ /:]" "$tmp/log" || :)
	test "$n" -le 4 || fail "$name: $n log lines for two bad chunks"
done
