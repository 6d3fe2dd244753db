#!/bin/bash
# SPDX-License-Identifier: MIT
# The staged containers of a CT project, mounted as a tree and one by one.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/bytes.sh"
make_data staged
mv "$tmp/src" "$tmp/all"
mv "$tmp/all/staged" "$tmp/src"
# A Blosc array is listed and refused by name; that is told in the log.
expect_log noise
mount_volume "$tmp/src"
for f in "$tmp"/src/*; do
	cmp "$f" "$mnt/${f##*/}" || fail "pass-through"
done
if test -e "$tmp/src/noise.h5"; then
	! cat "$mnt/noise/sino/array.npy" >/dev/null 2>&1 || fail "Blosc is read"
	grep -q 'blosc' "$mnt/.patchfs/problems" || fail "problems: no blosc"
	grep -q '32001' "$mnt/.patchfs/problems" || fail "problems: no 32001"
	grep -q 'sino' "$mnt/.patchfs/problems" || fail "problems: no sino"
	grep -q '"arrays"' "$mnt/noise/info.json" || fail "noise/info.json"
	rm "$tmp/src/noise.h5"
fi
compare_all
umount_volume || fail "umount"

# One container shows its inside at the mount point.
mount_volume "$tmp/src/train_truth.h5"
python "$srcdir/tests/e2e/compare.py" "$tmp/src/train_truth.h5" "$mnt"
