#!/bin/bash
# SPDX-License-Identifier: MIT
# foreground views of medh5 files: image, labels and masks of the classes show
# one box; draws against the manual's program over the masks, which other tests
# compare with the package; and rule-medh5.2 against the package itself.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
mkdir "$tmp/src"
cp "$srcdir"/tests/data/medh5/*.medh5* "$tmp/src"
sed -n '/^=head2 Foreground draws/,/^=head1 COST/p' \
	"$srcdir/man/patchfs-views.pod" |
	sed -n '/^    import numpy/,/^[^ ]/s/^    //p' >"$tmp/manual.py"
export PYTHONPATH=$tmp
expect_log 'no view|W9|medh5_version|no sampling index|"rle"|cannot be read'
expect_log 'not known|left out|is no medh5'
mount_volume "$tmp/src"
python "$srcdir/tests/e2e/medh5_foreground.py" "$srcdir/tests/data/medh5" \
	"$mnt" "$seed" || fail "see above"
# An id that neither the label table nor the annotation has is a mistake.
view=foreground+size-4x4x4+labels-organs
organs=$mnt/labelmap_balanced/images/CT/$view
test -e "$organs+class-1/0.npy" || fail "class 1"
test ! -e "$organs+class-999/0.npy" || fail "class 999 can be drawn"
grep -q 'no class "999"; there are ' "$tmp/log" || fail "999 is not refused"
grep -q 'stale_training.medh5: .*W905.*medh5 index build' "$tmp/log" ||
	fail "nothing is said of the stale index"
