# SPDX-License-Identifier: MIT
"""What the arrays of plain.h5 and boxes.h5 hold: each is the same."""

import numpy as np

CUBE = (64, 64, 64)

# path: shape, chunks, codec, the path that is in its digest
ARRAYS = {
    "edge": ((100, 64, 64), CUBE, "default", None),
    "none": (CUBE, CUBE, "default", None),
    "signed": (CUBE, CUBE, "default", "signed"),
    "samples/a.b/images/ct": ((128,) * 3, (128,) * 3, "archive", "images/ct"),
}


def values(shape):
    z, y, x = np.ogrid[tuple(slice(0, n) for n in shape)]
    return (1 + z // 4 * 100 + y // 8 + x // 32 * 7000).astype("<i2")
