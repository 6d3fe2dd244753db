#!/bin/bash
# SPDX-License-Identifier: MIT
# Files that make a careless scanner run for ever: each is served, or fails by
# itself within its limit; neighbours are right; nothing is left behind.
. "$srcdir/tests/lib.sh"
make_data limits pairs
# libhdf5 runs out of stack in a cycle; a sanitizer in the scanner says so too.
expect_log 'bomb|sparse|cycle|DEADLYSIGNAL|stack-overflow'
mount_volume "$tmp/src"
timeout $((120 * slow)) "$PYTHON" - "$mnt" <<'END' || fail "see above"
import errno, os, sys
import numpy as np
mnt = sys.argv[1]
assert np.load(mnt + "/pairs/plain/array.npy").shape == (6, 5, 4)
assert os.path.getsize(mnt + "/bomb/info.json") > 0
if os.path.isdir(mnt + "/bomb/a"):
    assert (np.load(mnt + "/bomb" + "/a/b" * 20 + "/x/array.npy").ravel()
            == range(6)).all()
    assert sorted(os.listdir(mnt + "/bomb" + "/b" * 39)) == ["a", "b"]
# Two of 10^12 chunks are stored; items this far have no name, bytes have.
fd = os.open(mnt + "/sparse/x/array.raw", os.O_RDONLY)
for z, y, want in ((5, 6, [-1, 57, -1]), (999999, 999997, [-1, -1, 99]),
                   (500000, 1, [-1, -1, -1])):
    a = np.frombuffer(os.pread(fd, 12, 4 * (z * 10**6 + y)), "<i4")
    assert a.tolist() == want, (z, y, a)
os.close(fd)
assert np.load(mnt + "/sparse/x/crops+size-3x3/4_6.npy").max() == 57
assert (np.load(mnt + "/cycle/good/array.npy").ravel() == range(6)).all()
try:
    a = np.load(mnt + "/cycle/x/slices/000000.npy")
except OSError as e:
    assert e.errno in (errno.EIO, errno.EBADMSG), e
else:
    raise AssertionError("chunks under a broken index are read: %r" % a)
assert np.load(mnt + "/pairs/mask/array.npy").shape == (12, 13, 14)
END
no_scanner_is_left
