#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/cohort.py SRC MNT       with SRC mounted on MNT
# Needs NumPy and PyTorch (Debian: python3-numpy, python3-torch), and patchfs in
# the PATH; not installed: build/run python3 examples/cohort.py SRC MNT
"""Train from a whole cohort in two processes, as DistributedDataParallel does.

`patchfs list` says which patches of which cases each process reads in an epoch:
cases shuffled, shares equally long, so that nobody waits for the other at the
end. Patches are centred on labels; image and label show the same place.
"""

import multiprocessing
import subprocess
import sys

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

VIEW = "foreground+size-8x16x16"


def items(src, epoch, rank, world):
    """Paths of the images of one process in one epoch."""
    command = ["patchfs", "list", "--view=" + VIEW, "--array=image",
               "--per-case=3", "--epoch=%d" % epoch,
               "--shard=%d/%d" % (rank, world), src]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return out.stdout.decode().splitlines()


class Pairs(Dataset):
    """Image and label: the same item of two arrays beside each other."""

    def __init__(self, mnt, paths):
        self.mnt, self.paths = mnt, paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        case, view, item = self.paths[i].rsplit("/", 2)
        label = case[:-len("image")] + "label"
        image, label = (torch.from_numpy(np.load("/".join(
            (self.mnt, array, view, item)))) for array in (case, label))
        return self.paths[i], image, label


def train(rank, world, src, mnt, step, one):
    for epoch in range(2):
        data = Pairs(mnt, items(src, epoch, rank, world))
        for paths, image, label in DataLoader(data, num_workers=1):
            # The step of a model; where gradients would be exchanged:
            step.wait(timeout=60)
            with one:
                print(rank, epoch, paths[0], float(image.double().sum()),
                      int(label.long().sum()), flush=True)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: cohort.py SRC MNT")
    world = 2
    step, one = multiprocessing.Barrier(world), multiprocessing.Lock()
    ranks = [multiprocessing.Process(target=train,
                                     args=(r, world, *sys.argv[1:], step, one))
             for r in range(world)]
    for r in ranks:
        r.start()
    for r in ranks:
        r.join()
    sys.exit(max(abs(r.exitcode) for r in ranks))


if __name__ == "__main__":
    main()
