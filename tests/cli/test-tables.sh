#!/bin/bash
# SPDX-License-Identifier: MIT
# Tables of classes of medh5 files that are compressed as libhdf5 alone cannot
# read them: of the package's own file, and as other writers may store them.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

python "$srcdir/tests/cli/tables.py" "$srcdir/tests/data/medh5" "$tmp" \
	"$builddir/run" "$builddir/patchfs" || fail "see above"
