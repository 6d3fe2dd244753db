#!/bin/bash
# SPDX-License-Identifier: MIT
# Files of two writers of Blosc2 that nothing in them tells apart, one of which
# stored blocks in another order than it says: both are read right where a
# digest or a chunk beyond the edge proves which it was, and what stays open is
# told. tests/data/ambiguous has the files, and how they were made.
. "$srcdir/tests/lib.sh"
requires_py numpy
data=$srcdir/tests/data/ambiguous
mkdir "$tmp/src"
cp "$data/plain.h5" "$data/boxes.h5" "$tmp/src"
expect_log 'was written by c-blosc2|is ambiguous|agrees with neither order'
mount_volume "$tmp/src"

# Four readers at once of an array that nobody has looked into yet.
PYTHONPATH=$data PYTHONDONTWRITEBYTECODE=1 python - "$mnt" <<'END_PY' ||
import multiprocessing, sys
import numpy as np
from values import ARRAYS, values
mnt = sys.argv[1]

def read(job):
    file, path, reader = job
    want = values(ARRAYS[path][0])
    base = "%s/%s/%s/" % (mnt, file, path)
    for z in range(reader, len(want), 17):
        got = np.load(base + "slices/%06d.npy" % z)
        assert (got == want[z]).all(), (job, z)
    got = np.load(base + "crops+size-40x20x33/9_30_%d.npy" % reader)
    assert (got == want[9:49, 30:50, reader:reader + 33]).all(), job

jobs = [(f, p, r) for f in ("plain", "boxes") for p in ARRAYS for r in range(4)
        if (f, p) != ("plain", "none")]
with multiprocessing.Pool(8) as pool:
    pool.map(read, jobs, 1)
END_PY
	fail "see above"

problems() { grep -c "$1" "$mnt/.patchfs/problems"; }
test "$(problems 'plain.h5: .*: was written by c-blosc2 2.15.0')" -eq 3 ||
	fail "not told of plain.h5"
test "$(problems 'boxes.h5: /none: is ambiguous')" -eq 1 || fail "not told"
# Nobody can know of this one: it is believed, and told.
np_sum() { python -c 'import numpy, sys; print(numpy.load(sys.argv[1]).sum())' "$1"; }
np_sum "$mnt/plain/none/array.npy" >"$tmp/sum" || fail "cannot be read"
test "$(problems 'plain.h5: /none: is ambiguous')" -eq 1 || fail "not told"
test "$(wc -l <"$mnt/.patchfs/problems")" -eq 5 || fail "more problems"
umount_volume || fail "umount"

# Whatever the cache, and from the command line.
for size in 8M 2G; do
	"$builddir/patchfs" cat --cache-size=$size "$tmp/src/plain.h5" \
		signed/array.npy >"$tmp/signed.npy" 2>"$tmp/err" ||
		fail "$(cat "$tmp/err")"
	PYTHONPATH=$data PYTHONDONTWRITEBYTECODE=1 python - "$tmp/signed.npy" <<'END_PY' || fail "see above"
import sys
import numpy as np
from values import ARRAYS, values
assert (np.load(sys.argv[1]) == values(ARRAYS["signed"][0])).all()
END_PY
done

# Neither order agrees with the digest.
python - "$tmp/src/plain.h5" "$tmp/src/bad.h5" <<'END_PY' || fail "see above"
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.find(b"sha256:")
assert at > 0
while at > 0:
    data[at + 7] = ord("0") if data[at + 7] != ord("0") else ord("1")
    at = data.find(b"sha256:", at + 1)
open(sys.argv[2], "wb").write(data)
END_PY
mount_volume "$tmp/src/bad.h5"
if cat "$mnt/signed/array.npy" >"$tmp/out" 2>"$tmp/err"; then
	fail "read though its digest is wrong"
fi
grep -qi "input/output error" "$tmp/err" || fail "$(cat "$tmp/err")"
grep -q "/signed: its digest agrees with neither order" \
	"$mnt/.patchfs/problems" || fail "no reason"
cmp "$mnt/edge/slices/000001.npy" <("$builddir/patchfs" cat \
	"$tmp/src/plain.h5" edge/slices/000001.npy 2>/dev/null) ||
	fail "another array is not read"
