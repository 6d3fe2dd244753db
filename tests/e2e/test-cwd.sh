#!/bin/bash
# SPDX-License-Identifier: MIT
# A directory has one name: whoever sits in a view is not moved when others
# come by other spellings, hard-linked groups and unpadded item names; and
# what was looked up once is not asked for again.
. "$srcdir/tests/lib.sh"
make_data links pairs
mount_volume "$tmp/src"

python - "$mnt" <<'END' || fail "see above"
import os, sys
mnt = sys.argv[1]
a = mnt + "/pairs/mask"
here = a + "/patches+size-4x4x4+stride-2x2x2"
os.chdir(here)
ino = os.stat(".").st_ino

def stats():
    with open(mnt + "/.patchfs/stats") as f:
        return dict(line.split() for line in f)

def spellings():
    yield a + "/patches+stride-2x2x2+size-4x4x4"
    yield a + "/patches+size-4x4x4+stride-2x2x2+border-snap"
    yield a + "/patches+size-04x4x4+stride-2x2x02"
    yield a + "/patches+border-snap+size-4x4x4+stride-2x2x2"
    yield mnt + "/pairs.h5.d/mask/patches+stride-2x2x2+size-4x4x4"

def round_():
    for p in spellings():
        assert os.path.islink(p) or "pairs.h5.d" in p, p
        assert os.path.samefile(p, here), p
        for item in ("3.npy", "0003.npy", "000003.npy", "0000000003.npy"):
            with open(p + "/" + item, "rb") as f:
                assert f.read(6) == b"\x93NUMPY"
        assert os.getcwd() == here, os.getcwd()
        assert os.path.exists("000001.npy")
        assert os.stat(".").st_ino == ino
    assert os.readlink(a + "/slices+axis-0") in ("slices", "./slices")
    assert os.path.samefile(a + "/slices+axis--3", a + "/slices")
    h = mnt + "/links/links"
    for p in ("a", "hard_group", "a/b/../../a", "hard_group/b/.."):
        with open("%s/%s/data/slices/1.npy" % (h, p), "rb") as f:
            assert f.read(6) == b"\x93NUMPY"
    # Hard links are distinct directories over one object.
    assert not os.path.samefile(h + "/a", h + "/hard_group")

round_()
first, second = stats(), stats()
round_()
third = stats()
def grew(a, b):
    return int(b["requests_lookup"]) - int(a["requests_lookup"])
assert grew(second, third) == grew(first, second), (
    "lookups in the second round: %d" % (grew(second, third)
                                         - grew(first, second)))
END
