#!/bin/bash
# SPDX-License-Identifier: MIT
# Files that are refused, damaged or cannot be read; the sandbox.
set -eu # without the library nothing below is safe
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
export TMPDIR=$tmp
python "$srcdir/tests/cli/scan_refuse.py"
