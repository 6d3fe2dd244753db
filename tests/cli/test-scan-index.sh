#!/bin/bash
# SPDX-License-Identifier: MIT
# Where the chunks of an array are, for every kind of index.
set -eu # without the library nothing below is safe
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
export TMPDIR=$tmp
python "$srcdir/tests/cli/scan_index.py"
