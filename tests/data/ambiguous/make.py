#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the files of this directory:  make.py plain.h5 | boxes.h5

plain.h5 is by hdf5plugin 5.0.0, whose c-blosc2 2.15.1 stores the blocks of such
chunks as they lie in the chunk; boxes.h5 by 7.1.0, which stores boxes. Nothing
else in the files tells. values.py says what they hold.
"""

import hashlib
import sys

import h5py
import hdf5plugin

from values import ARRAYS, values

WRITER = {"plain.h5": "5.0.0", "boxes.h5": "7.1.0"}


def digest(path, v):
    h = hashlib.sha256()
    dims = ",".join(map(str, v.shape))
    h.update(b"\0".join([path.encode(), v.dtype.str.encode(), dims.encode(),
                         v.tobytes()]))
    return "sha256:" + h.hexdigest()


def main():
    name = sys.argv[1]
    assert hdf5plugin.version == WRITER[name], hdf5plugin.version
    with h5py.File(name, "w", libver="v110") as f:
        for path, (shape, chunk, kind, signed) in ARRAYS.items():
            v = values(shape)
            how = {"default": ("blosclz", 5, 1), "archive": ("zstd", 9, 2)}
            d = f.create_dataset(path, data=v, chunks=chunk,
                                 **hdf5plugin.Blosc2(*how[kind]))
            if signed:
                d.attrs["digest"] = digest(signed, v)
        f.attrs["medh5_kind"] = "collection"


main()
