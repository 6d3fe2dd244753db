#!/bin/bash
# SPDX-License-Identifier: MIT
# Chunks of Blosc2 are decoded block by block: a patch decodes the blocks that
# it covers, and each block once, however many read it.
. "$srcdir/tests/lib.sh"
requires_py h5py hdf5plugin numpy
mkdir "$tmp/src"
python - "$tmp/src/b.h5" <<'END_PY' || fail "see above"
import sys
import h5py, hdf5plugin, numpy as np
z, y, x = np.ogrid[0:160, 0:160, 0:160]
v = (z * 7 + y * 160 + x * x).astype("<i2")
with h5py.File(sys.argv[1], "w") as f:
    # 4 MiB, which the codec cuts into blocks of 32 x 32 x 32: 64 KiB.
    for name, order in ("x", "<i2"), ("big", ">i2"):
        f.create_dataset(name, data=v.astype(order), chunks=(128, 128, 128),
                         **hdf5plugin.Blosc2("lz4", 1))
    # Chunks of one number: most of a label volume.
    f.create_dataset("zeros", data=np.zeros((160, 160, 160), "u1"),
                     chunks=(64, 64, 64), **hdf5plugin.Blosc2("zstd", 3))
END_PY
mount_volume "$tmp/src"
cat "$mnt/b/x/info.json" >"$tmp/info"

units=0 bytes=0
decoded() { # BLOCKS: so many since the last time
	local u b
	u=$(stat_value units_decoded) b=$(stat_value bytes_decoded)
	test $((u - units)) -eq "$1" || fail "$((u - units)) blocks for $1"
	test $((b - bytes)) -eq $(($1 * 65536)) || fail "$((b - bytes)) bytes"
	units=$u bytes=$b
}

patch() { # ARRAY SIZE Z Y X
	python - "$tmp/src/b.h5" "$mnt/b" "$@" <<'END_PY' || fail "see above"
import sys
import h5py, hdf5plugin, numpy as np
src, mnt, name, size = sys.argv[1:5]
at = [int(a) for a in sys.argv[5:]]
got = np.load("%s/%s/crops+size-%sx%sx%s/%d_%d_%d.npy"
              % (mnt, name, size, size, size, *at))
with h5py.File(src) as f:
    want = f[name][tuple(slice(a, a + int(size)) for a in at)]
assert got.shape == want.shape and (got == want).all()
END_PY
}

patch x 32 32 64 96
decoded 1
patch x 32 40 70 80
decoded 7 # of 8, one is there
patch x 32 112 112 112
decoded 8 # across 8 chunks
patch big 32 1 1 1
decoded 8
patch x 32 40 70 80
decoded 0

patch zeros 96 1 2 60
decoded 0

# What it may cost is known before, and stays as it was.
cmp "$tmp/info" <(cat "$mnt/b/x/info.json") || fail "info.json has changed"
umount_volume || fail "umount"

# Four processes: 64 blocks in the first chunk, of the others what is stored.
mount_volume --direct-io "$tmp/src"
python - "$tmp/src/b.h5" "$mnt/b/x" <<'END_PY' || fail "see above"
import multiprocessing, random, sys
import h5py, hdf5plugin, numpy as np
with h5py.File(sys.argv[1]) as f:
    want = f["x"][()]

def reader(seed):
    rng = random.Random(seed)
    for _ in range(40):
        z, y, x = (rng.randrange(160 - 48 + 1) for _ in range(3))
        got = np.load("%s/crops+size-48x48x48/%d_%d_%d.npy"
                      % (sys.argv[2], z, y, x))
        assert (got == want[z:z+48, y:y+48, x:x+48]).all()
    for axis in range(3):
        name = "slices" + ("+axis-%d" % axis if axis else "")
        for i in rng.sample(range(160), 8):
            got = np.load("%s/%s/%06d.npy" % (sys.argv[2], name, i))
            assert (got == want.take(i, axis)).all()
    return (np.load(sys.argv[2] + "/array.npy") == want).all()

with multiprocessing.Pool(4) as pool:
    assert all(pool.map(reader, range(4)))
END_PY
units=0 bytes=0
# 5 x 5 x 5 blocks have something of the array.
decoded 125
