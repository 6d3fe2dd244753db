#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/sorted_pairs.py MNT/train_sinograms/sino MNT/train_truth/image
# Needs NumPy (Debian: python3-numpy).
"""Pair input and target slices by sorted order, as RED-CNN's loaders do.

Item names are zero-padded, so lexicographic order is numeric order.
"""

import glob
import sys

import numpy as np

if len(sys.argv) != 3:
    sys.exit("usage: sorted_pairs.py MNT/INPUT/ARRAY MNT/TARGET/ARRAY")
inputs = sorted(glob.glob(sys.argv[1] + "/slices/*.npy"))
targets = sorted(glob.glob(sys.argv[2] + "/slices/*.npy"))
assert len(inputs) == len(targets) > 0, (len(inputs), len(targets))
for a, b in zip(inputs, targets):
    assert a.rsplit("/", 1)[1] == b.rsplit("/", 1)[1]
pairs = [(np.load(a), np.load(b)) for a, b in zip(inputs, targets)]
print(len(pairs), pairs[0][0].shape, pairs[0][1].shape)
