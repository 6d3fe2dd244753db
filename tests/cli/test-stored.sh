#!/bin/bash
# SPDX-License-Identifier: MIT
# Sampling indices that medh5 files carry: of the package's own files, and of
# such files edited in each place that could be wrong.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

python "$srcdir/tests/cli/stored.py" "$srcdir/tests/data/medh5" "$tmp" \
	"$builddir/run" "$builddir/tests/cli/stored_answers" || fail "see above"
