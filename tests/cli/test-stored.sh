#!/bin/bash
# SPDX-License-Identifier: MIT
# Sampling indices that medh5 files carry: of the package's own files, and of
# such files edited in each place that could be wrong.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

python "$srcdir/tests/cli/stored.py" "$srcdir/tests/data/medh5" "$tmp" \
	"$builddir/run" "$builddir/tests/cli/stored_answers" || fail "see above"

# What is drawn does not depend on the size of the cache: one too small for the
# coordinates is an error that says so, and no other draw.
python - "$tmp/large.medh5" <<'END'
import hashlib, sys
import h5py, numpy as np
digest = "sha256:" + 64 * "0"
line = ("data\t%s\n" % digest).encode()
data, n = np.ones((100, 100, 100), "u1"), 800000
with h5py.File(sys.argv[1], "w") as f:
    f.attrs["medh5_version"] = "1.0"
    f["meta"] = "{}"
    grid = f.create_group("grids/g")
    grid.attrs["shape"] = data.shape
    grid.attrs["axis_kinds"] = ["spatial"] * 3
    a = f.create_group("annotations/x")
    a.attrs["kind"], a.attrs["grid"] = "labelmap", "g"
    a.attrs["class_ids"] = np.array([1], "u2")
    d = a.create_dataset("data", data=data, chunks=(20, 100, 100),
                         compression="gzip")
    d.attrs["digest"] = digest
    x = f.create_group("index/x")
    x.attrs["source_digest"] = "sha256:" + hashlib.sha256(line).hexdigest()
    x.attrs["max_coords"] = n
    x["class_ids"] = np.array([1], "u2")
    x["voxel_counts"] = np.array([data.size], "i8")
    x["class_bboxes"] = np.array([[[-0.5, 99.5]] * 3], "f4")
    rows = np.argwhere(data)[:n].astype("i4")
    x.create_dataset("fg_coords/1", data=rows, chunks=rows.shape,
                     compression="gzip", compression_opts=1)
END
draw=annotations/x/labels/foreground+size-1x1x1/5.json
patchfs cat --cache-size=64M "$tmp/large.medh5" $draw >"$tmp/draw"
grep -q '"used_index": true' "$tmp/draw" || fail "$(<"$tmp/draw")"
rc=0
patchfs cat --cache-size=16M "$tmp/large.medh5" $draw \
	>"$tmp/draw" 2>"$tmp/err" || rc=$?
test $rc -ne 0 || fail "another draw: $(<"$tmp/draw")"
grep -q -- '--cache-size=' "$tmp/err" || fail "$(<"$tmp/err")"
! grep -q W905 "$tmp/err" || fail "$(<"$tmp/err")"
