#!/bin/bash
# SPDX-License-Identifier: MIT
# Draws of medh5's rule against the medh5 package itself, with a seed made up
# here. The table in tests/data does for machines that do not have the package.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
check=$builddir/tests/unit/check_medh5
test -x "$check" || skip "needs a build with Check"
"$PYTHON" -c 'import h5py, numpy, medh5; assert medh5.__version__[:2] == "2."' \
	2>/dev/null || skip_here "needs the Python module medh5, version 2"

seed=${PATCHFS_SEED:-$RANDOM}
echo "seed $seed"
python "$srcdir/tests/data/medh5_draws.py" --seed "$seed" --draws 20 \
	>"$tmp/table"
export PATCHFS_MEDH5_DRAWS=$tmp/table
"$builddir/run" "$check" >"$tmp/answers" || { cat "$tmp/answers"; exit 1; }
