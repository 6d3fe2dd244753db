#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/numpy-five-lines.py MNT/train_truth/image
# Needs NumPy (Debian: python3-numpy).
"""NumPy in five lines: a slice, a patch, a random patch, a map."""
import sys

import numpy as np

if len(sys.argv) != 2:
    sys.exit("usage: numpy-five-lines.py MNT/CONTAINER/ARRAY")
array = sys.argv[1]
print(np.load(array + "/slices/000003.npy").mean())
print(np.load(array + "/patches+size-16x16/000001.npy").shape)
print(np.load(array + "/random+size-16x16+seed-1/000000.npy").max())
print(np.load(array + "/array.npy", mmap_mode="r")[2, 5, 7])
