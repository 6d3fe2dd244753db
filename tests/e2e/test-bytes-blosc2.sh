#!/bin/bash
# SPDX-License-Identifier: MIT
# Bytes of every view against NumPy: Blosc2.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/e2e/bytes.sh"
compare_kinds blosc2
