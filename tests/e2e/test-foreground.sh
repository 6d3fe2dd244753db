#!/bin/bash
# SPDX-License-Identifier: MIT
# foreground views: boxes against what the manual alone says, names and links,
# labels elsewhere, what is refused, what is damaged; the same path is the same
# bytes in two mounts and without one.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
mkdir -p "$tmp/src"
python "$srcdir/tests/e2e/foreground.py" make "$tmp/src" || fail "no data"
# The Python of the manual, and nothing else of ours.
sed -n '/^=head2 Foreground draws/,/^=head1 COST/p' \
	"$srcdir/man/patchfs-views.pod" |
	sed -n '/^    import numpy/,/^[^ ]/s/^    //p' >"$tmp/manual.py"
test -s "$tmp/manual.py" || fail "no Python in the manual"

expect_log 'no view|no sampling index|damaged|checksum|decod|deflate'
mount_volume "$tmp/src"
export PYTHONPATH=$tmp
python "$srcdir/tests/e2e/foreground.py" check "$tmp/src" "$mnt" "$seed" ||
	fail "see above"
for why in 'several label arrays: (label, Mask|Mask, label)' \
	'no array of integers or bools' 'more than 65536 different' \
	'no label array beside it' 'no label array "nothing"' \
	'no class "liver"; classes are numbers' \
	'extents of small are not those' 'several label arrays: g/twice' \
	'hurt.h5: /label' 'given twice, with two weights'; do
	grep -Eq "$why" "$tmp/log" || fail "the log does not say: $why"
done
test "$(grep -c 'more than 65536 different' "$tmp/log")" -eq 1 ||
	fail "told more than once"
test "$(stat_value indices_built)" -gt 0 || fail "no index was built"

# Who asks for what no voxel is finds it counted.
n=$(stat_value draws_without_class)
cat "$mnt/a/image/foreground+size-4x5x6+class-1/3.json" >"$tmp/out"
test "$(stat_value draws_without_class)" -eq "$n" || fail "class 1 is counted"
cat "$mnt/a/image/foreground+size-4x5x6+class-12345/3.json" >"$tmp/out"
grep -q '"class": null' "$tmp/out" || fail "class 12345: $(<"$tmp/out")"
test "$(stat_value draws_without_class)" -gt "$n" || fail "is not counted"

# The same bytes: of another mount with no room in its cache, and of cat.
views="image/foreground+size-4x5x6+weights-inverse
label/foreground+size-4x5x6+weights-inverse
image/foreground+size-7x8+border-pad+pad--1+seed-9+fraction-0.5
image/foreground+size-6x6x6+border-inside+class-1+class-3@2
image/foreground+size-5x5x5+rule-medh5.2+epoch-3+seed-2"
items() {
	local v i
	for v in $views; do
		for i in 0 1 2 3 4 5 6 7 68719476735; do
			cat "$1/a/$v/$i.json" "$1/a/$v/$i.npy" || return 1
		done
	done
}
items "$mnt" >"$tmp/first" || fail "cannot read"
size=$(stat -c %s "$tmp/first")
umount_volume || fail "umount"
mount_volume --cache-size=1M "$tmp/src"
items "$mnt" >"$tmp/second" || fail "cannot read with a small cache"
cat "$mnt"/big/volume/array.npy >"$tmp/big" || fail "cannot read big"
items "$mnt" >"$tmp/third" || fail "cannot read again"
for v in $views; do
	for i in 0 1 2 3 4 5 6 7 68719476735; do
		patchfs cat "$tmp/src" "a/$v/$i.json"
		patchfs cat "$tmp/src" "a/$v/$i.npy"
	done
done >"$tmp/fourth"
for f in second third fourth; do
	cmp "$tmp/first" "$tmp/$f" || fail "$f: other bytes ($size)"
done
umount_volume || fail "umount"

# A listing of what --view gives, where there is a label array.
mount_volume --view foreground+count-3+size-4x4x4 "$tmp/src"
test "$(cd "$mnt/a/image" && echo foreground*/*)" = \
	"foreground+size-4x4x4+count-3/000000.npy foreground+size-4x4x4+count-3/000001.npy foreground+size-4x4x4+count-3/000002.npy" ||
	fail "not listed: $(ls "$mnt/a/image")"
for f in "$mnt"/a/g/other/foreground*; do
	test ! -e "$f" || fail "listed without labels"
done
