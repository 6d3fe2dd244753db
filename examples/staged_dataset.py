#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/staged_dataset.py MNT train
# Needs NumPy and PyTorch (Debian: python3-numpy, python3-torch).
"""The cluster guide's staged dataset as plain files, in a DataLoader.

Pairs of (sinogram, image), a fresh random patch of the image in every epoch;
no h5py, no handles to open in each worker, nothing to tune.
"""

import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def load(path):
    """np.load without stdio: the fewest requests to the server."""
    with open(path, "rb", buffering=0) as f:
        data = f.readall()
    n = 10 + int.from_bytes(data[8:10], "little")
    head = eval(data[10:n].decode("latin1"), {"__builtins__": {}})
    a = np.frombuffer(bytearray(data[n:]), head["descr"])
    return torch.from_numpy(a.reshape(head["shape"]))


class StagedFiles(Dataset):
    """Slice i of both arrays, and draw epoch * n + i of the image's patches."""

    def __init__(self, mnt, split, patch="16x16"):
        self.sino = "%s/%s_sinograms/sino" % (mnt, split)
        self.image = "%s/%s_truth/image" % (mnt, split)
        self.patch = "%s/random+size-%s" % (self.image, patch)
        index = np.load(self.image + "/array.npy", mmap_mode="r")
        self.n, self.epoch = len(index), 0

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return (
            i,
            load("%s/slices/%06d.npy" % (self.sino, i)),
            load("%s/slices/%06d.npy" % (self.image, i)),
            load("%s/%06d.npy" % (self.patch, self.epoch * self.n + i)),
        )


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: staged_dataset.py MNT SPLIT")
    data = StagedFiles(sys.argv[1], sys.argv[2])
    for epoch in range(2):
        data.epoch = epoch
        loader = DataLoader(data, batch_size=4, shuffle=True, num_workers=4)
        total, seen = 0.0, set()
        for i, sino, image, patch in loader:
            assert sino.shape[0] == image.shape[0] == patch.shape[0]
            total += float(image.double().sum())
            seen.update(i.tolist())
        assert seen == set(range(len(data)))
        print("epoch %d: %d items, sum %.6f" % (epoch, len(seen), total))


if __name__ == "__main__":
    main()
