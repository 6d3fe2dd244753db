# SPDX-License-Identifier: MIT
"""Tables of classes that libhdf5 alone cannot read, as other writers store
them: tables.py FIXTURES TMP RUN PATCHFS.

The labels of a file that the medh5 package wrote stay what they are, however
its table is stored; where it is damaged the reason is told, and the arrays are
there all the same.
"""

import hashlib
import io
import json
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

FIXTURES, TMP = map(pathlib.Path, sys.argv[1:3])
PATCHFS = sys.argv[3:]
sys.path.insert(0, str(FIXTURES.parent))
from fixtures_arrays import blosc2_step  # noqa: E402
from h5low import (  # noqa: E402
    BLOSC2, FLETCHER, GZIP, LZ4, SHUFFLE, ZSTD, dataset)

SOURCE = FIXTURES / "wide_balanced.medh5"
TABLE = "layer_class_ids"
LABELS = "annotations/organs/labels/array.npy"
faults = 0


def run(*args):
    r = subprocess.run([*PATCHFS, *args], capture_output=True, check=False)
    return r.returncode, r.stdout, r.stderr.decode()


def check(ok, *what):
    global faults
    if not ok:
        faults += 1
        print("DIFFERENCE:", *what)


def stored_as(name, dtype="<u2", columns=None, chunks=(46, 93), filters=(),
              change=lambda d: None, **how):
    """The file with its table stored so."""
    path = TMP / (name + ".medh5")
    shutil.copyfile(SOURCE, path)
    with h5py.File(path, "r+") as f:
        g = f["annotations/organs"]
        wide = ids
        if columns:
            wide = np.zeros((len(ids), columns), ids.dtype)
            wide[:, :ids.shape[1]] = ids
        del g[TABLE]
        d = dataset(g, TABLE, wide.shape, dtype, chunks, filters, data=wide,
                    **how)
        change(d)
    return path


def same(name, **how):
    code, out, err = run("cat", str(stored_as(name, **how)), LABELS)
    check(code == 0 and out == labels, name, code, err)


def refused(name, text, **how):
    path = str(stored_as(name, **how))
    code, out, err = run("cat", path, LABELS)
    check(code == 3 and not out and text in err, name, code, err)
    code, out, err = run("cat", path, "annotations/organs/data/array.npy")
    check(code == 0 and out == data, name, "data", code, err)


def cut(d):
    """The last chunk is half of what it was."""
    last = d.id.get_chunk_info(d.id.get_num_chunks() - 1)
    _, raw = d.id.read_direct_chunk(last.chunk_offset)
    d.id.write_direct_chunk(last.chunk_offset, raw[:len(raw) // 2])


def flip(d):
    """Bytes in the middle of the first chunk."""
    _, raw = d.id.read_direct_chunk((0, 0))
    raw = bytearray(raw)
    for i in range(len(raw) // 2, len(raw) // 2 + 40):
        raw[i] ^= 0x5a
    d.id.write_direct_chunk((0, 0), bytes(raw))


want = json.load(open(SOURCE.with_suffix(".expect.json"), encoding="utf-8"))
want = want["samples"][""]["annotations"]["organs"]
with h5py.File(SOURCE) as f:
    plist = f["annotations/organs"][TABLE].id.get_create_plist()
    assert plist.get_filter(0)[0] == BLOSC2
code, labels, err = run("cat", str(SOURCE), LABELS)
check(code == 0 and hashlib.sha256(np.load(io.BytesIO(labels)).tobytes())
      .hexdigest() == want["dense_sha256"], "labels", code, err)
_, data, _ = run("cat", str(SOURCE), "annotations/organs/data/array.npy")
# What the table says, which h5py without a plugin cannot read.
layers = [np.unique(plane[plane > 0]) for plane in np.load(io.BytesIO(data))]
ids = np.zeros((len(layers), max(map(len, layers))), "<u2")
for row, layer in zip(ids, layers):
    row[:len(layer)] = layer

step = blosc2_step
for codec in 0, 1, 4, 5:
    same("codec%d" % codec, filters=[step("<u2", (46, 93), codec, 1)])
same("rows", chunks=(1, 185), filters=[step("<u2", (1, 185), 1, 2)])
same("columns", chunks=(184, 7), filters=[step("<u2", (184, 7), 4, 0)])
same("whole", chunks=(184, 185), filters=[step("<u2", (184, 185), 4, 1)])
same("big", dtype=">u4", filters=[step(">u4", (46, 93), 4, 1)])
same("summed", filters=[step("<u2", (46, 93), 4, 1), (FLETCHER, ())])
same("masked", filters=[step("<u2", (46, 93), 4, 1)],
     masks={(0, 0): 1, (3, 1): 1})
same("lz4", filters=[(SHUFFLE, ()), (LZ4, (1 << 20,))])
same("zstd", filters=[(SHUFFLE, ()), (ZSTD, (3,))])
same("wide", columns=10000, chunks=(46, 2000),
     filters=[step("<u2", (46, 2000), 4, 1)])
# Over what a message of the scanner holds, with what libhdf5 has itself.
same("wide_gzip", columns=4000, chunks=(46, 2000), filters=[(GZIP, (1,))])
same("wide_plain", columns=4000, chunks=(46, 2000))
same("small_gzip", filters=[(GZIP, (1,))])

one = [step("<u2", (46, 93), 4, 1)]
refused("cut", "its layer_class_ids cannot be read: it is damaged",
        filters=one, change=cut)
refused("flip", "its layer_class_ids cannot be read: it is damaged",
        filters=one, change=flip)
refused("missing", "its layer_class_ids cannot be read", filters=one,
        skip={(2, 1)})
refused("large", "its layer_class_ids cannot be read: it is over 4 MiB",
        columns=12000, chunks=(46, 2000),
        filters=[step("<u2", (46, 2000), 4, 1)])
refused("chunks", "its layer_class_ids cannot be read", chunks=(2, 2),
        filters=[step("<u2", (2, 2), 4, 1)])
ids[1, 0] = ids[0, 0]
refused("twice", "has class %d twice" % ids[0, 0], filters=one)
sys.exit(faults > 0)
