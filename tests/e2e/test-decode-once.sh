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
