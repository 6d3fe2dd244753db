#!/bin/bash
# SPDX-License-Identifier: MIT
# What is not served is listed and says why; what it stands beside is served,
# and no file that a container names is opened.
. "$srcdir/tests/lib.sh"
make_data refused links
expect_log 'refused|links'
mount_volume "$tmp/src"
python - "$mnt" <<'END' || fail "see above"
import errno, json, os, sys
import numpy as np
mnt = sys.argv[1]
r = mnt + "/refused"
assert np.load(r + "/good/array.npy").shape == (3, 4)
table = {a["path"]: a for a in json.load(open(r + "/info.json"))["arrays"]}
def reads(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError as e:
        return e.errno
listed = set(os.listdir(r))
for name, words in (
    ("zfp", ["32013"]), ("blosc", ["32001", "blosc"]), ("lzf", ["32000", "lzf"]),
    ("external", ["external"]), ("virtual", ["virtual", "first-source.h5"]),
):
    assert name in listed, name
    problem = json.load(open("%s/%s/info.json" % (r, name)))["problems"]
    assert problem and table[name]["refused"] in problem, (name, problem)
    for w in words:
        assert any(w in p.lower() for p in problem), (name, w, problem)
    got = reads("%s/%s/array.npy" % (r, name))
    assert got in (errno.EOPNOTSUPP, errno.EIO, errno.ENOENT), (name, got)
    if name in ("zfp", "blosc", "lzf"):
        assert got == errno.EOPNOTSUPP, (name, got)
for name in ("compound", "complex", "opaque", "vlen", "reference"):
    assert name in listed, name
    a = json.load(open("%s/%s/info.json" % (r, name)))
    assert a["problems"], name

t = mnt + "/links"
inside = mnt + "/links/links"
info = json.load(open(inside + "/info.json"))
text = " ".join(info["problems"])
assert "/etc/passwd" in text and "../../etc/passwd" in text, text
assert (np.load(inside + "/inside/array.npy")
        == np.load(t + "/sub/target/entry/data/array.npy")).all()
assert not os.readlink(inside + "/inside").startswith("/")
for name in ("soft", "soft_relative", "hard"):
    assert (np.load("%s/%s/array.npy" % (inside, name))
            == np.load(inside + "/a/data/array.npy")).all(), name
for name in ("soft", "soft_relative", "soft_group", "dangling", "loop1"):
    assert os.path.islink(inside + "/" + name), name
assert not os.path.exists(inside + "/dangling")
assert not os.path.exists(inside + "/loop1")
assert not os.path.islink(inside + "/hard")
assert not os.path.exists(inside + "/type/array.npy")
for name in ("outside", "absolute"):
    assert not os.path.exists("%s/%s/array.npy" % (inside, name)), name
END
