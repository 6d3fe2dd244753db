#!/bin/bash
# SPDX-License-Identifier: MIT
# What is in a file: arrays, types, attributes, links.
set -eu # without the library nothing below is safe
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
export TMPDIR=$tmp
python "$srcdir/tests/cli/scan_tree.py"
python "$srcdir/tests/cli/scan_links.py"
