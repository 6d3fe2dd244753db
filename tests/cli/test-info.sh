#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs info: what it is, what a view costs, and what is slow about it.
. "$srcdir/tests/lib.sh"
make_data pairs staged attributes

patchfs info "$tmp/src/pairs.h5" >"$tmp/out"
for w in stack mask channels '<f4' '|u1'; do
	grep -Fq -- "$w" "$tmp/out" || fail "info FILE: no $w"
done
patchfs info "$tmp/src/staged" axis_last/sino >"$tmp/out"
grep -q 'deflate\|gzip' "$tmp/out" || fail "info ARRAY: no filter"
# What one may ask next: containers of a directory, views of an array.
patchfs info "$tmp/src" >"$tmp/out"
grep -qx '  pairs' "$tmp/out" || fail "info DIRECTORY: $(<"$tmp/out")"
patchfs info "$tmp/src" pairs/stack >"$tmp/out"
grep -q '^  patches+size-12x13  *9 items of 12x13, .*decodes up to 624 B$' \
	"$tmp/out" || fail "info ARRAY: no patches: $(<"$tmp/out")"
grep -q '^  random+size-12x13  *draws of 12x13, ' "$tmp/out" ||
	fail "info ARRAY: no draws: $(<"$tmp/out")"
patchfs info "$tmp/src" pairs/mask/patches+size-4x4x4 >"$tmp/out"
test "$(grep -c ' of 4x4x4, ' "$tmp/out")" -eq 1 || fail "info VIEW"
! grep -q 'by name' "$tmp/out" || fail "info VIEW: others"
# Views that need labels are shown where there are some, and name them; the
# chunks of Blosc2 are not what an item decodes.
patchfs info "$srcdir/tests/data/medh5" blocks_archive/images/CT >"$tmp/out"
grep -A1 '^  foreground+size-64x64x64  *draws of 64x64x64, ' "$tmp/out" |
	grep -q 'classes of ../annotations/organs/labels$' ||
	fail "info of an image: $(<"$tmp/out")"
! grep -q ' slow ' "$tmp/out" || fail "blocks are slow: $(<"$tmp/out")"
patchfs info "$srcdir/tests/data/medh5" \
	blocks_archive/images/CT/foreground+size-9x9x9 >"$tmp/out"
grep -q '^  foreground+size-9x9x9  *draws of ' "$tmp/out" ||
	fail "info of draws: $(<"$tmp/out")"
! grep -q foreground < <(patchfs info "$tmp/src" staged/axis_last/sino) ||
	fail "info of an array without labels shows foreground"
patchfs info --json "$tmp/src" pairs/mask | python -m json.tool >/dev/null ||
	fail "info --json is no JSON"
patchfs info --json "$tmp/src/pairs.h5" >"$tmp/json"
patchfs cat "$tmp/src/pairs.h5" info.json >"$tmp/cat"
python - "$tmp/json" "$tmp/cat" <<'END' || fail "info --json and info.json"
import json, sys
a, b = (json.load(open(p)) for p in sys.argv[1:])
for key in ("format", "arrays", "problems"):
    assert a[key] == b[key], key
END

# Every member of the JSON that the design promises.
python - "$tmp/src" "$builddir" <<'END' || fail "see above"
import json, subprocess, sys
src, builddir = sys.argv[1:]
def cat(path):
    out = subprocess.run([builddir + "/run", builddir + "/patchfs", "cat", src,
                          path], stdout=subprocess.PIPE, check=True).stdout
    def refuse(c):
        raise ValueError(c)
    return json.loads(out, parse_constant=refuse)
c = cat("pairs/info.json")
assert {"format", "source", "size", "mtime", "arrays", "values", "attributes",
        "problems"} <= set(c), c.keys()
assert c["source"] == "pairs.h5", c["source"]
assert {"path": "stack", "shape": [9, 12, 13], "dtype": "<f4"} in c["arrays"]
a = cat("pairs/stack/info.json")
assert {"path", "shape", "dtype", "order", "layout", "chunks", "filters",
        "fill", "attributes", "views", "problems"} <= set(a), a.keys()
assert a["shape"] == [9, 12, 13] and a["chunks"] == [1, 12, 13]
assert [f["id"] for f in a["filters"]] == [2, 1], a["filters"]
s = [v for v in a["views"] if v["name"] == "slices"][0]
assert s["items"] == 9 and s["item_shape"] == [12, 13], s
assert s["item_bytes"] == 4 * 12 * 13 and s["decode_bytes"] == 4 * 12 * 13, s
plain = cat("pairs/plain/info.json")
assert plain["chunks"] is None and plain["filters"] == []
n = cat("pairs/stack/chunks.json")
assert "stored" in json.dumps(n), n
k = cat("staged/interrupted/image/chunks.json")
assert "2" in json.dumps(k), k
for tag in ("default", "latest"):
    at = cat("attributes-%s/info.json" % tag)
    values, attrs = at["values"], at["attributes"]
    assert values["text"] == "a scalar string", values
    assert values["scalar"] == 3 and values["texts"] == ["one", "two", "three"]
    assert attrs["int"] == -5 and attrs["float"] == 0.1, attrs
    assert attrs["big"] == str(2**64 - 1), attrs["big"]
    assert isinstance(attrs["nan"], str) and isinstance(attrs["inf"], str)
    assert attrs["text"] == "caf\u00e9" and attrs["bytes"] == "fixed"
    assert attrs["not_utf8"] == "\\xff\\xfe", attrs["not_utf8"]
    assert attrs["vector"] == [0, 1, 2] and attrs["texts"] == ["a", "bb"]
    assert attrs["matrix"] == [[0, 1, 2], [3, 4, 5]], attrs["matrix"]
    d = cat("attributes-%s/x/info.json" % tag)
    assert d["attributes"]["int"] == -5
    t = cat("attributes-%s/texts/array.json" % tag)
    assert "three" in json.dumps(t), t
END

# What would take minutes to count is refused by name.
mkdir "$tmp/many"
python - "$tmp/many/many.h5" <<'END'
import sys
import h5py
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("x", shape=[2 ** 40], dtype="i4", chunks=(8,))
END
rc=0
patchfs cat "$tmp/many" many/x/chunks.json >"$tmp/out" 2>"$tmp/err" || rc=$?
test $rc -eq 3 || fail "chunks.json of 2^37 chunks: $rc"
grep -q 'x: more than 2^28 chunks are not counted' "$tmp/err" ||
	fail "chunks.json: $(<"$tmp/err")"
