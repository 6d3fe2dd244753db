#!/bin/bash
# SPDX-License-Identifier: MIT
# Each chunk is decoded once while there is room: four processes, shuffled
# small reads of 6.5 MiB slices, overlapping patches, slices across cubes.
. "$srcdir/tests/lib.sh"
make_data big

readers() {
python - "$tmp/src/big.h5" "$mnt/big" <<'END' || fail "see above"
import multiprocessing, os, random, sys
import h5py, numpy as np
src, mnt = sys.argv[1:3]
with h5py.File(src) as f:
    sino, cube = f["sino"][()], f["cube"][()]

def reader(seed):
    rng = random.Random(seed)
    for i in rng.sample(range(4), 4):
        want = sino[i].tobytes()
        fd = os.open("%s/sino/slices/%06d.npy" % (mnt, i), os.O_RDONLY)
        for off in rng.sample(range(0, len(want), 65536), 40):
            assert os.pread(fd, 5000, off + 128) == want[off:off + 5000]
        os.close(fd)
    view = mnt + "/cube/patches+size-48x48x48+stride-16x16x16"
    for i in rng.sample(range(216), 30):
        z, y, x = [16 * k for k in np.unravel_index(i, (6, 6, 6))]
        got = np.load("%s/%06d.npy" % (view, i))
        assert (got == cube[z:z+48, y:y+48, x:x+48]).all()
    for axis in range(3):
        name = "slices" + ("+axis-%d" % axis if axis else "")
        for i in rng.sample(range(128), 20):
            got = np.load("%s/cube/%s/%06d.npy" % (mnt, name, i))
            assert (got == cube.take(i, axis)).all()
    return True

with multiprocessing.Pool(4) as pool:
    assert all(pool.map(reader, range(4)))
END
}

# With the kernel's page cache before ours, and without.
once() { # OPTION...
	mount_volume --cache-size=512M "$@" "$tmp/src"
	readers
	n=$(stat_value units_decoded)
	test "$n" -eq $((4 + 64)) || fail "$* $n units decoded for 68 chunks"
	umount_volume || fail "umount"
}
once
once --direct-io

# Other names of the file show the same: what one has decoded, all have; what
# is said of it is said of the name that was asked.
mkdir "$tmp/src/sub"
ln "$tmp/src/big.h5" "$tmp/src/sub/hard.h5"
ln -s ../big.h5 "$tmp/src/sub/soft.h5"
head -c 40000 "$tmp/src/big.h5" >"$tmp/src/cut.h5"
ln "$tmp/src/cut.h5" "$tmp/src/sub/shorn.h5"
expect_log '(cut|sub/shorn)\.h5: '
mount_volume --direct-io "$tmp/src"
python - "$mnt" <<'END2' || fail "see above"
import json, sys
import numpy as np
mnt = sys.argv[1]
names = ["big", "sub/hard", "sub/soft"]
views = ["sino/slices/%06d" % i for i in range(4)]
views += ["cube/slices+axis-1/%06d" % i for i in range(0, 128, 16)]
for view in views:
    a, b, c = (np.load("%s/%s/%s.npy" % (mnt, n, view)) for n in names)
    assert (a == b).all() and (a == c).all(), view
for n in names:
    with open("%s/%s/info.json" % (mnt, n)) as f:
        assert json.load(f)["source"] == n + ".h5", n
# Whoever is asked first, both say why not.
for n in "cut", "sub/shorn":
    with open("%s/%s/info.json" % (mnt, n)) as f:
        info = json.load(f)
    assert info["source"] == n + ".h5" and info["format"] is None, info
    assert info["problems"], info
END2
n=$(stat_value units_decoded)
test "$n" -eq $((4 + 64)) || fail "three names: $n units decoded for 68 chunks"
test "$(stat_value scans_tree)" -eq 2 || fail "a file was scanned twice"
test "$(stat_value sources_open)" -eq 2 || fail "a file is held open twice"
for n in cut.h5 sub/shorn.h5; do
	grep -q "^$n: " "$mnt/.patchfs/problems" || fail "$n is no problem"
done
# Replaced under one name: the old file goes on under both.
cp "$tmp/src/cut.h5" "$tmp/src/new"
mv "$tmp/src/new" "$tmp/src/big.h5"
python - "$mnt" <<'END2' || fail "see above"
import sys
import numpy as np
for n in "big", "sub/hard":
    np.load("%s/%s/sino/crops+size-1x5x5/3_3_3.npy" % (sys.argv[1], n))
END2
test "$(stat_value units_decoded)" -eq $((4 + 64)) || fail "decoded again"
