#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/staged_h5_passthrough.py MNT train
# Needs PyTorch (Debian: python3-torch), h5py and, for LZ4, hdf5plugin; after
# ./quickstart: venv/bin/python3 examples/staged_h5_passthrough.py MNT train
"""The cluster guide's StagedH5 dataset as it is, on the mount.

Container files appear in the mount under their own names, byte for byte, so a
loader that opens them with h5py needs no change; only the root differs.
"""

import json
import os
import sys

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    import hdf5plugin  # noqa: F401  before the first read, for LZ4
except ImportError:
    pass


class StagedH5Dataset(Dataset):
    """Item i is (sino[i], image[i]); files are opened in each worker."""

    def __init__(self, root, split):
        with open(os.path.join(root, "manifest.json")) as f:
            self.manifest = json.load(f)
        self.paths = [os.path.join(root, "%s_%s.h5" % (split, kind))
                      for kind in ("sinograms", "truth")]
        self.n = self.manifest["splits"][split]
        self.sets = None

    def open(self):
        self.sets = []
        for path, key in zip(self.paths, ("sino", "image")):
            f = h5py.File(path, "r", libver="latest", swmr=True)
            self.sets.append(f[key] if key in f else f[list(f)[0]])

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if self.sets is None:
            self.open()
        return tuple(torch.from_numpy(np.asarray(d[i], "f4"))
                     for d in self.sets)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: staged_h5_passthrough.py MNT SPLIT")
    data = StagedH5Dataset(sys.argv[1], sys.argv[2])
    total, n = 0.0, 0
    for sino, image in DataLoader(data, batch_size=4, num_workers=4):
        total += float(image.double().sum())
        n += len(sino)
    assert n == len(data)
    print("%d items, sum %.6f" % (n, total))


if __name__ == "__main__":
    main()
