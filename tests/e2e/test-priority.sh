#!/bin/bash
# SPDX-License-Identifier: MIT
# The key priority of views of dense labels: what wins where classes overlap,
# painted here from the masks that the package gave, in every encoding and kind
# of view; which names are links, and which are none.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
mkdir "$tmp/src"
cp "$srcdir"/tests/data/medh5/*.medh5* "$tmp/src"
expect_log 'no view slices.priority-|no view [a-z]+.size-[0-9x]+.priority-'
expect_log 'medh5_version|W905|"rle"'
mount_volume "$tmp/src"
python "$srcdir/tests/e2e/priority.py" "$srcdir/tests/data/medh5" "$mnt" \
	"$builddir/run $builddir/patchfs cat" || fail "see above"
# One line says why, however often it is asked.
for why in \
	'labels: no view slices.priority-nothing: no class "nothing"; there' \
	'labels: no view slices.priority-999: no class "999"' \
	'labels: no view slices.priority-body.priority-1: .*"1" is given twice' \
	'data: no view slices.priority-body: priority is of the labels'; do
	test "$(grep -c "layers_training.medh5: /annotations/organs/$why" \
		"$tmp/log")" -eq 1 || fail "not one line of: $why"
done
umount_volume || fail "umount"

# Listed where it is one.
mount_volume --view=patches+size-8x8x8+priority-body "$tmp/src"
at=$mnt/layers_training/annotations/organs
test -d "$at/labels/patches+size-8x8x8+priority-body" || fail "not there"
ls "$at/labels" "$at/data" >"$tmp/names"
test "$(grep -c priority-body "$tmp/names")" -eq 1 || fail "not listed once"
