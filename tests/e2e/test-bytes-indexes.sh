#!/bin/bash
# SPDX-License-Identifier: MIT
# Bytes of every view against h5py and NumPy: indexes.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/bytes.sh"
compare_kinds indexes
