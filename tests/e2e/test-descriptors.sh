#!/bin/bash
# SPDX-License-Identifier: MIT
# More containers than there may be open files: those that were opened go on,
# all else works, and one line says what to do.
. "$srcdir/tests/lib.sh"
test -z "${PATCHFS_VALGRIND:-}" || skip_here "valgrind takes descriptors"
requires_py h5py numpy
mkdir "$tmp/src"
python - "$tmp/src/c000.h5" <<'END2'
import sys
import h5py, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("x", data=np.arange(60, dtype="<i2").reshape(3, 4, 5),
                     chunks=(1, 4, 5), compression="gzip")
END2
for ((i = 1; i < 120; i++)); do
	n=$(printf %03d $i)
	cp "$tmp/src/c000.h5" "$tmp/src/c$n.h5"
	echo "$n" >"$tmp/src/t$n.txt"
done
expect_log 'cannot be opened, nor can further containers'
ulimit -n 128
mount_volume --direct-io "$tmp/src"
python - "$mnt" <<'END2' || fail "see above"
import errno, os, sys
import numpy as np
mnt = sys.argv[1]
want = np.arange(60, dtype="<i2").reshape(3, 4, 5)
good = []
for i in range(120):
    try:
        a = np.load("%s/c%03d/x/slices/000001.npy" % (mnt, i))
    except OSError as e:
        assert e.errno == errno.ENFILE, (i, e)
        continue
    assert (a == want[1]).all(), i
    good.append(i)
print(len(good), "containers of 120")
assert 40 <= len(good) < 100 and good == list(range(len(good))), good
# All that is open goes on: its chunks, its scans; so do files and listings.
for i in good:
    a = np.load("%s/c%03d/x/slices+axis-1/000002.npy" % (mnt, i))
    assert (a == want[:, 2]).all(), i
for i in range(1, 120):
    with open("%s/t%03d.txt" % (mnt, i)) as f:
        assert f.read() == "%03d\n" % i
assert len([n for n in os.listdir(mnt) if n.endswith(".h5")]) == 120
with open(mnt + "/c119.h5", "rb") as f:
    assert f.read(4) == b"\x89HDF"
END2
test "$(grep -c 'open files' "$tmp/log")" -eq 1 || fail "not one line"
grep -q 'limit of 128 open files.*ulimit -Hn.*LimitNOFILE' "$tmp/log" ||
	fail "the line does not say what to do"
grep -q 'limit of 128' "$mnt/.patchfs/problems" || fail "it is no problem"
umount_volume || fail "umount"

# Too few to begin with: one line, whatever it is that would have failed.
for n in 8 10 12 14 20 63; do
	rc=0
	(ulimit -n $n && PATCHFS_LIBEXECDIR=$builddir exec "$builddir/patchfs" \
		mount "$tmp/src" "$mnt") 2>"$tmp/err" || rc=$?
	test $rc -eq 2 || fail "$n files: status $rc"
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "$n files: $(cat "$tmp/err")"
	grep -q "64 open files are needed, the limit is $n" "$tmp/err" ||
		fail "$n files: $(cat "$tmp/err")"
	! is_mounted "$mnt" || fail "$n files: mounted"
done
