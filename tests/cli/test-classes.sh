#!/bin/bash
# SPDX-License-Identifier: MIT
# classes.json of label arrays and .patchfs/classes.csv: counts and boxes as
# NumPy finds them and as the medh5 package has stored them, and which index
# they are from.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

mkdir "$tmp/src"
cp "$srcdir"/tests/data/medh5/{labelmap_balanced,noindex_portable}.medh5 \
	"$tmp/src"
cp "$srcdir"/tests/data/medh5/{layers,stale}_training.medh5 "$tmp/src"
python - "$tmp/src" <<'END'
import sys
import h5py, numpy as np
r = np.random.default_rng(5)
label = r.choice([0, 0, 0, -7, 3, 200], (11, 12, 13)).astype("i2")
label[:2] = label[:, :, 5:] = 0
with h5py.File(sys.argv[1] + '/a "b".h5', "w") as f:
    f["seg"] = label
    f["image"] = np.zeros(label.shape, "f4")
    f["flags"] = label == 3
END
# Words of bits, whose values are no ids of the label table.
python - "$tmp/src/bits.medh5" <<'END'
import json, sys
import h5py, numpy as np
shape, keys = (4, 5, 6), ("one", "two", "three")
table = [{"id": i + 1, "key": k} for i, k in enumerate(keys)]
with h5py.File(sys.argv[1], "w") as f:
    f.attrs["medh5_version"] = "1.0"
    f["meta"] = json.dumps({"label_set": {"form": "inline", "classes": table}})
    grid = f.create_group("grids/g")
    grid.attrs["shape"] = shape
    grid.attrs["axis_kinds"] = ["spatial"] * 3
    for kind, name in (("bitmask", "bits"), ("layers", "rows")):
        a = f.create_group("annotations/" + name)
        a.attrs["kind"], a.attrs["grid"] = kind, "g"
        a.attrs["class_ids"] = np.array([1, 2, 3], "u2")
        data = np.zeros((1,) + shape, "u8" if name == "bits" else "u1")
        data[0, :3] = np.array([1, 3, 2])[:, None, None]
        a["data"] = data
    f["annotations/bits/bit_class_ids"] = np.array([1, 2, 3], "u2")
    f["annotations/rows/layer_class_ids"] = np.array([[1, 2, 3]], "u2")
END
text() { patchfs cat "$tmp/src" "$@" 2>>"$tmp/err"; }

# Of none that was indexed; of no label there is no such file.
text 'a "b"/seg/classes.json' noindex_portable/annotations/organs/labels/classes.json \
	stale_training/annotations/organs/labels/classes.json >"$tmp/none"
test "$(grep -c '"index": null' "$tmp/none")" -eq 3 || fail "$(<"$tmp/none")"
test "$(grep -c '"classes": null' "$tmp/none")" -eq 3 || fail "$(<"$tmp/none")"
rc=0
text 'a "b"/image/classes.json' >"$tmp/none" || rc=$?
test $rc -eq 1 || fail "classes of floats: status $rc"
out=$(patchfs ls "$tmp/src" 'a "b"/seg')
test "$(echo "$out" | sort | xargs)" = "array.npy info.json slices" ||
	fail "listed: $out"

# A draw makes the index; then it is said, in one process.
text 'a "b"/image/foreground+size-1x1x1/0.json' 'a "b"/seg/classes.json' \
	'a "b"/flags/foreground+size-1x1x1+labels-flags/0.json' \
	'a "b"/flags/classes.json' >"$tmp/exact"
m=layers_training
for a in $(python -c 'import h5py, sys
print(*h5py.File(sys.argv[1])["index"])' "$tmp/src/$m.medh5"); do
	text $m/annotations/"$a"/labels/classes.json >"$tmp/stored.$a"
	text "$m/annotations/$a/labels/foreground+size-4x4x4+labels-$a+index-exact/0.json" \
		$m/annotations/"$a"/labels/classes.json >"$tmp/exact.$a"
done
view=data/foreground+size-1x1x1+labels-data
for a in bits rows; do
	text bits/annotations/$a/$view/0.json \
		bits/annotations/$a/data/classes.json >"$tmp/raw.$a"
done
rc=0
text bits/annotations/bits/$view+class-three/0.json >"$tmp/none" || rc=$?
test $rc -eq 1 || fail "a key for words of bits: status $rc"
text bits/annotations/rows/$view+class-three/0.json >"$tmp/three"
grep -q '"class_name": "three"' "$tmp/three" || fail "$(<"$tmp/three")"
text 'a "b"/seg/foreground+size-1x1x1/0.json' \
	$m/annotations/band/labels/foreground+size-4x4x4+index-exact/0.json \
	{$m,stale_training,noindex_portable}/annotations/organs/labels/info.json \
	.patchfs/classes.csv | sed -n '/^array,/,$p' >"$tmp/classes.csv"

python - "$tmp" "$m" <<'END' || fail "see above"
import csv, glob, json, sys
import h5py, numpy as np
tmp, sample = sys.argv[1:]

def documents(path):
    text, at, out = open(path).read().strip(), 0, []
    while at < len(text):
        value, end = json.JSONDecoder().raw_decode(text, at)
        out.append(value)
        at = end
        while at < len(text) and text[at].isspace():
            at += 1
    return [d for d in out if "classes" in d]

def of(label):
    out = []
    for c in np.unique(label[label != 0]):
        at = np.argwhere(label == c)
        out.append({"id": int(c), "name": None, "count": len(at),
                    "start": at.min(0).tolist(),
                    "stop": (at.max(0) + 1).tolist()})
    return out

with h5py.File(tmp + '/src/a "b".h5') as f:
    seg, flags = f["seg"][()], f["flags"][()]
got = documents(tmp + "/exact")
assert [d["array"] for d in got] == ["seg", "flags"], got
assert [d["index"] for d in got] == ["exact", "exact"], got
assert got[0]["classes"] == of(seg), got[0]
assert got[1]["classes"] == of(flags.astype("u1")), got[1]

# Values of words are told, but not as classes of the table.
for a, names in ("bits", [None] * 3), ("rows", ["one", "two", "three"]):
    (d,) = documents("%s/raw.%s" % (tmp, a))
    assert [c["id"] for c in d["classes"]] == [1, 2, 3], d
    assert [c["name"] for c in d["classes"]] == names, d

# What the package has written into the file.
stored = {}
with h5py.File("%s/src/%s.medh5" % (tmp, sample)) as f:
    for a, index in f["index"].items():
        want = []
        rows = zip(index["class_ids"], index["voxel_counts"],
                   index["class_bboxes"])
        for i, n, box in sorted(rows, key=lambda r: r[0]):
            if n:
                edges = (box + 0.5).astype(int)
                want.append((int(i), int(n), edges[:, 0].tolist(),
                             edges[:, 1].tolist()))
        stored[a] = want
assert stored
for a, want in stored.items():
    for kind in ("stored", "exact"):
        (d,) = documents("%s/%s.%s" % (tmp, kind, a))
        assert d["index"] == kind, d
        assert [(c["id"], c["count"], c["start"], c["stop"])
                for c in d["classes"]] == want, (a, kind, d, want)
        assert all(c["name"] for c in d["classes"]), d

with open(tmp + "/classes.csv", newline="") as f:
    rows = list(csv.DictReader(f))
def row(r):
    box = [e.split(":") for e in r["box"].split()]
    return (int(r["class"]), int(r["count"]), [int(e[0]) for e in box],
            [int(e[1]) for e in box])
def part(array):
    return [row(r) for r in rows if r["array"] == array]
assert part('a "b"/seg') == [(c["id"], c["count"], c["start"], c["stop"])
                             for c in of(seg)], rows
# Both are at hand of the one, and the exact one is of all voxels too.
names = {a: sample + "/annotations/%s/labels" % a for a in ("band", "organs")}
for a, array in names.items():
    assert part(array) == stored[a], (a, rows)
assert len(rows) == len(of(seg)) + sum(len(stored[a]) for a in names), rows
assert {(r["array"], r["index"]) for r in rows} == {
    ('a "b"/seg', "exact"), (names["band"], "exact"),
    (names["organs"], "stored")}, rows
END

# What classes imply is told by their masks. A file that has something else in
# their place has no index then, rather than one of less.
cp "$srcdir/tests/data/medh5/layers_training.medh5" "$tmp/own.medh5"
python - "$tmp/own.medh5" <<'END'
import sys
import h5py
with h5py.File(sys.argv[1], "r+") as f:
    for name in ("implied", "organs"):
        f["annotations"][name].create_group("classes")
END
rc=0
patchfs cat "$tmp/own.medh5" \
	"annotations/implied/labels/foreground+size-1x1x1+labels-implied+index-exact/0.json" \
	>"$tmp/none" 2>"$tmp/why" || rc=$?
test $rc -eq 3 || fail "an index without what is implied: status $rc"
grep -q "which tell what they imply" "$tmp/why" || fail "$(<"$tmp/why")"
patchfs cat "$tmp/own.medh5" \
	"annotations/organs/labels/foreground+size-1x1x1+labels-organs+index-exact/0.json" \
	>/dev/null || fail "nothing is implied there"
