#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ./examples/segment.py MNT/case images/CT annotations/organs
# Needs NumPy and PyTorch (Debian: python3-numpy, python3-torch).
"""A segmentation loop over a medh5 file: the masks of its classes, one plane of
the target each, beside the image. Only files are read; what they are made of
(codecs, encodings of labels, the draw) is the mount's business.

The planes are those of the file's label table, so that they are the same in
every case. A case shows masks of the classes that its annotation declares; the
others are zeros, and count in the loss only where they were looked for.
"""

import json
import os
import sys

import numpy as np
import torch

VIEW = "foreground+size-16x16x16+labels-%s"


def load(*parts):
    return torch.from_numpy(np.load("/".join(parts)).astype("f4"))


def info(*parts):
    with open("/".join(parts + ("info.json",)), encoding="utf-8") as f:
        return json.load(f)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: segment.py MNT/case images/ID annotations/ID")
    case, image, annotation = sys.argv[1:]
    view = VIEW % annotation.rsplit("/", 1)[-1]
    table = info(case)["labels"]
    classes = [row["key"] or str(row["id"]) for row in table]
    shown = os.listdir("/".join((case, annotation, "classes")))
    sought = info(case, annotation, "labels")["annotated"]
    known = torch.tensor([float(row["id"] in sought) for row in table])
    torch.manual_seed(0)
    model = torch.nn.Conv3d(1, len(classes), 3, padding=1)
    steps = torch.optim.Adam(model.parameters(), lr=0.05)
    for draw in range(20):
        item = "%06d.npy" % draw
        x = load(case, image, view, item)[None, None]
        y = torch.stack([load(case, annotation, "classes", c, view, item)
                         if c in shown else torch.zeros(x.shape[2:])
                         for c in classes])[None]
        x = (x - x.mean()) / (x.std() + 1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            model(x), y, known.view(1, -1, 1, 1, 1))
        steps.zero_grad()
        loss.backward()
        steps.step()
        print("%d loss %.4f voxels %s" % (draw, loss, " ".join(
            "%s=%d" % (c, n) for c, n in zip(classes, y.sum((0, 2, 3, 4))))))


if __name__ == "__main__":
    main()
