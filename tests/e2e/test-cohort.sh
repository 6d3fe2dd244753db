#!/bin/bash
# SPDX-License-Identifier: MIT
# The examples that sample over cases: two processes read an epoch between them,
# pairs of image and label show one place, and hold what h5py reads there.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
ex=$srcdir/examples

mkdir -p "$tmp/src/more/deep" "$tmp/bin"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$builddir/run" \
	"$builddir/patchfs" >"$tmp/bin/patchfs"
chmod +x "$tmp/bin/patchfs"
PATH=$tmp/bin:$PATH
cp "$srcdir/tests/data/medh5/labelmap_balanced.medh5" "$tmp/src"
python - "$tmp/src" <<'END'
import sys
import h5py, numpy as np
for n, name in enumerate(("a", "b", "more/c", "more/deep/d", "e")):
    r = np.random.default_rng(n)
    label = r.choice([0, 0, 0, 0, 1, 2], (10 + n, 20, 24)).astype("u1")
    image = label * 100.0 + r.integers(0, 50, label.shape)
    with h5py.File("%s/%s.h5" % (sys.argv[1], name), "w") as f:
        f.create_dataset("label", data=label, chunks=(4, 20, 24))
        f.create_dataset("image", data=image.astype("f4"),
                         chunks=(2, 10, 24), compression=1)
END
mount_volume "$tmp/src"

view=foreground+size-4x8x8
python "$ex/sample-cases.py" "$tmp/src" "$mnt" $view image >"$tmp/python"
sh "$ex/sample-cases.sh" "$tmp/src" "$mnt" $view image >"$tmp/shell"
test "$(wc -l <"$tmp/python")" -eq $((5 * 2 * 3)) || fail "$(<"$tmp/python")"
diff <(cut -d' ' -f1 "$tmp/python") <(cut -d' ' -f1 "$tmp/shell") ||
	fail "Python (<) and shell (>) differ"
test "$(cut -d' ' -f2 "$tmp/shell" | sort -u)" = $((128 + 4 * 4 * 8 * 8)) ||
	fail "$(<"$tmp/shell")"
test "$(sort "$tmp/python" | uniq -d | wc -l)" -eq 0 || fail "one came twice"
for e in sample-cases.py cohort.py segment.py; do
	! python "$ex/$e" >"$tmp/out" 2>"$tmp/err" || fail "$e without arguments"
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "$e: $(<"$tmp/err")"
done

requires_py torch
timeout $((120 * slow)) "$PYTHON" "$ex/cohort.py" "$tmp/src" "$mnt" >"$tmp/out" ||
	fail "cohort.py: $(<"$tmp/out")"
python - "$tmp/src" "$mnt" "$tmp/out" <<'END' || fail "see above"
import collections, json, sys
import h5py
src, mnt, out = sys.argv[1:]
count, seen = collections.Counter(), collections.defaultdict(set)
for line in open(out):
    assert len(line.split()) == 5, line
    rank, epoch, path, image, label = line.split()
    count[rank, epoch] += 1
    seen[epoch].add(path)
    case = path.split("/image/")[0]
    with open(mnt + "/" + path.replace(".npy", ".json")) as f:
        item = json.load(f)
    box = tuple(slice(*b) for b in zip(item["start"], item["stop"]))
    centre = tuple(item["center"])
    with h5py.File("%s/%s.h5" % (src, case)) as f:
        assert f["image"][box].sum(dtype="f8") == float(image), line
        assert f["label"][box].sum(dtype="i8") == int(label), line
        assert f["label"][centre] == item["class"] > 0, (line, item)
# 15 items an epoch: 8 for each, one of them twice.
assert set(count.values()) == {8} and len(count) == 4, count
assert all(len(s) == 15 for s in seen.values()), seen
assert not seen["0"] & seen["1"]
END

requires_py hdf5plugin
# One mask a class beside the image: their voxels are what h5py reads there, and
# none of a class that the annotation does not have.
case=$mnt/labelmap_balanced
for path in "$case"/images/*; do image=images/${path##*/}; done
timeout $((120 * slow)) "$PYTHON" "$ex/segment.py" "$case" "$image" \
	annotations/organs >"$tmp/out" || fail "segment.py: $(<"$tmp/out")"
test "$(wc -l <"$tmp/out")" -eq 20 || fail "segment.py: $(<"$tmp/out")"
python - "$tmp/src/labelmap_balanced.medh5" "$case" "$tmp/out" <<'END' || fail "see above"
import json, sys
import h5py, hdf5plugin
file, case, out = sys.argv[1:]
loss = []
with h5py.File(file) as f:
    a = f["annotations/organs"]
    data = a["data"][()]
    with open(case + "/info.json") as g:
        table = json.load(g)["labels"]
    for line in open(out):
        words = line.split()
        loss.append(float(words[2]))
        with open("%s/annotations/organs/labels/foreground+size-16x16x16"
                  "+labels-organs/%s.json" % (case, words[0])) as g:
            item = json.load(g)
        box = tuple(slice(*b) for b in zip(item["start"], item["stop"]))
        got = dict(w.split("=") for w in words[4:])
        assert ",".join(got) == "body,part,spot,tube,rim,far,last", line
        ids = {c["key"]: c["id"] for c in table}
        for key, n in got.items():
            assert (data[box] == ids[key]).sum() == int(n), (line, key, item)
        assert sum(map(int, got.values())) > 0, line
assert sum(loss[-5:]) < sum(loss[:5]), loss
END
