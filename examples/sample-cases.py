#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/sample-cases.py SRC MNT VIEW ARRAY    with SRC mounted on MNT
# Needs NumPy (Debian: python3-numpy), and patchfs in the PATH; not installed:
# build/run python3 examples/sample-cases.py SRC MNT VIEW ARRAY
"""A sampler over cases in ten lines: two patches of each case, three epochs."""
import subprocess
import sys

import numpy as np

if len(sys.argv) != 5:
    sys.exit("usage: sample-cases.py SRC MNT VIEW ARRAY")
src, mnt, view, array = sys.argv[1:]
for epoch in range(3):
    paths = subprocess.check_output(
        ["patchfs", "list", "--view=" + view, "--array=" + array,
         "--per-case=2", "--epoch=%d" % epoch, src]).decode().splitlines()
    for path in paths:
        print(path, np.load(mnt + "/" + path).shape)
