#!/bin/bash
# SPDX-License-Identifier: MIT
# Indices of labels in an HDF5 file against NumPy: all types, both byte orders,
# layouts and filters, masks, thresholds, bits, layers, closure; and of objects
# of many classes.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
python "$srcdir/tests/cli/label.py" "$tmp/label.h5" "$tmp/lines" \
	"$tmp/numpy" "$seed"
for threads in 1 3; do
	"$builddir/run" "$builddir/tests/cli/label_answers" "$tmp/label.h5" \
		$threads <"$tmp/lines" >"$tmp/ours" || fail "no answers"
	diff "$tmp/numpy" "$tmp/ours" >"$tmp/diff" ||
		fail "NumPy (<) and we (>) differ: $(head -20 "$tmp/diff")"
done
test "$(grep -c index "$tmp/ours")" -gt 30 || fail "too few indices"
python "$srcdir/tests/cli/objects.py" \
	"$srcdir/tests/data/medh5/instances_portable.medh5" \
	"$tmp/objects.medh5" "$seed" "$builddir/run" "$builddir/patchfs" ||
	fail "objects of many classes"
