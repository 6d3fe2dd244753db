# SPDX-License-Identifier: MIT
"""What is told of Blosc2 chunks that have to be decoded as a whole, for another
filter beside it, or for delta: blosc2_whole.py TMP RUN PATCHFS.
"""

import io
import pathlib
import struct
import subprocess
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))
import frames  # noqa: E402
from voxels import fletcher32, shuffled, voxels  # noqa: E402

PATH = pathlib.Path(sys.argv[1]) / "whole.h5"
CHUNK = (8, 8, 16)
# Boxes of the one lie one after the other, of the other not; nothing pads them.
SURE, AMBIGUOUS = (1, 4, 16), (4, 4, 16)
AMBIGUOUS_LINE = ": is ambiguous; if c-blosc2 2.15.0 to 2.21.1 wrote it"
faults = 0


def sure(a, block=SURE, **how):
    return frames.boxes(a, block, **how)


def ambiguous(a, **how):
    return sure(a, AMBIGUOUS, **how)


def zeros(a):
    return frames.boxes(a, AMBIGUOUS,
                        lambda data, *_: frames.special(
                            frames.ZERO, len(data), 2))


def using(flag):
    """A chunk that says at byte 31 that it uses that."""
    def make(a):
        data = bytearray(ambiguous(a))
        at = struct.unpack(">i", data[11:15])[0] + 31
        data[at] |= flag
        return bytes(data)
    return make


def summed(make, **how):
    def stored(a):
        data = make(a, **how)
        return data + fletcher32(data)
    return stored, [(32026, (1, 0, 2, 2048)), (3, ())], 0


def masked(make):
    """Shuffle comes first and is left out of half of the chunks."""
    def stored(a):
        if a[0, 0, 0] & 1:
            return make(a)
        flat = np.frombuffer(shuffled(a.tobytes(), 2), "<i2")
        return make(flat.reshape(CHUNK))
    return stored, [(2, (2,)), (32026, (1, 0, 2, 2048))], 1


def delta(make):
    def stored(a):
        return make(a, filters=[frames.DELTA])
    return stored, [(32026, (1, 0, 2, 2048))], 0


# name: how it is stored; what is told of all of it; whether it is readable.
CASES = {
    "sum_sure": (summed(sure), None, True),
    "sum": (summed(ambiguous), AMBIGUOUS_LINE, True),
    "zero": (summed(zeros), None, True),
    "masked_sure": (masked(sure), None, True),
    "masked": (masked(ambiguous), AMBIGUOUS_LINE, True),
    "delta_sure": (delta(sure), None, True),
    "delta": (delta(ambiguous), AMBIGUOUS_LINE, True),
    "dictionary": (summed(using(1)), "cannot be decoded, it uses a dictionary",
                   False),
    "endian": (summed(using(2)), "cannot be decoded, it uses a Blosc2 chunk in",
               False),
}


def make(f, name, stored, filters, mask, a):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk(CHUNK)
    for number, params in filters:
        if number == 2:
            dcpl.set_shuffle()
        elif number == 3:
            dcpl.set_fletcher32()
        else:
            dcpl.set_filter(number, h5py.h5z.FLAG_OPTIONAL, params)
    d = h5py.h5d.create(f.id, name.encode(), h5py.h5t.STD_I16LE,
                        h5py.h5s.create_simple(a.shape), dcpl)
    for z in range(0, a.shape[0], CHUNK[0]):
        part = a[z:z + CHUNK[0]]
        d.write_direct_chunk((z, 0, 0), stored(part),
                             mask & int(part[0, 0, 0]))


def check(ok, *what):
    global faults
    if not ok:
        faults += 1
        print("DIFFERENCE:", *what)


values = voxels((32, 8, 16), "<i2").copy()
values[::16, 0, 0] |= 1
values[8::16, 0, 0] &= ~1
with h5py.File(PATH, "w") as f:
    for name, ((stored, filters, mask), _, _) in CASES.items():
        make(f, name, stored, filters, mask, values * (name != "zero"))
for name, (_, line, is_readable) in CASES.items():
    r = subprocess.run([*sys.argv[2:], "cat", str(PATH), name + "/array.npy"],
                       capture_output=True, check=False)
    told = [x for x in r.stderr.decode().splitlines() if PATH.name in x]
    check((r.returncode == 0) == is_readable, name, r)
    if is_readable:
        got = np.load(io.BytesIO(r.stdout))
        check(np.array_equal(got, values * (name != "zero")), name, "values")
        # Once for all four chunks.
        check(len(told) == (line is not None), name, told)
    check(line is None or all(line in x for x in told), name, told)
    check(line is None or told, name, "is not told")
sys.exit(faults > 0)
