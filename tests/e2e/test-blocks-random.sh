#!/bin/bash
# SPDX-License-Identifier: MIT
# Random arrays that hdf5plugin compressed with Blosc2, random boxes of them,
# against h5py's source. PATCHFS_SEED repeats a run, PATCHFS_CASES is how many
# arrays (40).
. "$srcdir/tests/lib.sh"
requires_py h5py hdf5plugin numpy
# Of shapes that a writer's bug makes ambiguous the digest tells.
expect_log 'was written by c-blosc2'
mkdir "$tmp/src"
export PATCHFS_SEED=${PATCHFS_SEED:-$RANDOM$RANDOM}
echo "PATCHFS_SEED=$PATCHFS_SEED"
cat >"$tmp/arrays.py" <<'END_PY'
import hashlib, os, random
import numpy as np

seed = int(os.environ["PATCHFS_SEED"])
cases = int(os.environ.get("PATCHFS_CASES") or 40)
TYPES = "|i1 |u1 <i2 >u2 <i4 >i4 <i8 <f2 <f4 >f4 <f8 >f8 |b1".split()

def array(i):
    """A source of choices, the values, and the shape of chunks."""
    rng = random.Random(seed + i)
    rank = rng.choice([1, 2, 3, 3, 3, 4, 4, 5])
    most = {1: 200000, 2: 500, 3: 96, 4: 24, 5: 12}[rank]
    shape = tuple(rng.randrange(1, most + 1) for _ in range(rank))
    chunks = tuple(rng.choice([n, rng.randrange(1, n + 1), -(-n // 2),
                               min(n, 32), min(n, 64)]) for n in shape)
    at = np.indices(shape, dtype="<i8")
    v = sum(a * rng.choice([0, 1, 3, 100]) for a in at)
    if rng.random() < .3:
        v = v + np.random.default_rng(seed + i).integers(0, 9, shape)
    if rng.random() < .4:
        v[tuple(slice(0, n // 2) for n in shape)] = rng.choice([0, 7])
    with np.errstate(all="ignore"):
        v = v.astype(rng.choice(TYPES))
    return rng, v, chunks

def digest(path, v):
    v = v.astype(v.dtype.newbyteorder("<"))
    dims = ",".join(map(str, v.shape))
    return "sha256:" + hashlib.sha256(b"\0".join(
        [path.encode(), v.dtype.str.encode(), dims.encode(),
         v.tobytes()])).hexdigest()
END_PY
PYTHONPATH=$tmp python - "$tmp/src/r.h5" <<'END_PY' || fail "see above"
import sys
import h5py, hdf5plugin
from arrays import array, cases, digest
with h5py.File(sys.argv[1], "w") as f:
    for i in range(cases):
        rng, v, chunks = array(i)
        how = hdf5plugin.Blosc2(
            rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"]),
            rng.choice([0, 1, 3, 5, 9]), rng.choice([0, 1, 2]))
        d = f.create_dataset("a%d" % i, data=v, chunks=chunks, **how)
        d.attrs["digest"] = digest("a%d" % i, v)
END_PY
# A cache that holds all, and one that holds a part.
for size in 512M 4M; do
	mount_volume --cache-size=$size "$tmp/src"
	PYTHONPATH=$tmp python - "$mnt/r" <<'END_PY' || fail "see above"
import sys
import numpy as np
from arrays import array, cases
for i in range(cases):
    rng, v, chunks = array(i)
    base = "%s/a%d/" % (sys.argv[1], i)
    for _ in range(6):
        size = [rng.choice([1, rng.randrange(1, n + 1), n]) for n in v.shape]
        at = [rng.randrange(n - p + 1) for n, p in zip(v.shape, size)]
        got = np.load("%scrops+size-%s/%s.npy"
                      % (base, "x".join(map(str, size)),
                         "_".join(map(str, at))))
        want = v[tuple(slice(a, a + p) for a, p in zip(at, size))]
        assert got.shape == want.shape, (i, at, size)
        assert got.tobytes() == want.astype(got.dtype).tobytes(), \
            (i, v.dtype, v.shape, chunks, at, size)
    got = np.load(base + "array.npy")
    assert got.tobytes() == v.astype(got.dtype).tobytes(), i
END_PY
	umount_volume || fail "umount"
done
