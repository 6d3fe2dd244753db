#!/bin/bash
# SPDX-License-Identifier: MIT
# What cannot be computed is an error that names the array at fault, once; all
# else of the annotation stays readable.
. "$srcdir/tests/lib.sh"
requires_py h5py numpy
layers=$srcdir/tests/data/medh5/layers_training

python - "$layers.medh5" "$tmp/bad.medh5" <<'END' >"$tmp/keys"
import shutil, sys
import h5py
shutil.copyfile(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    a = f["annotations/organs"]
    plane = {int(c): l for l, row in enumerate(a["layer_class_ids"][...])
             for c in row if c}
    d = a["data"].id
    chunk = next(c for c in map(d.get_chunk_info, range(d.get_num_chunks()))
                 if c.chunk_offset[0] == 0 and c.size > 200)
    f["annotations/over"].attrs["ignore_id"] = min(plane)
keys = {1: "body", 2: "part", 3: "spot", 7: "tube"}
print("damaged=%s" % next(keys[c] for c in plane if plane[c] == 0))
print("sound=%s" % next(keys[c] for c in plane if plane[c] != 0))
with open(sys.argv[2], "r+b") as f:
    f.seek(chunk.byte_offset + 40)
    data = f.read(chunk.size - 40)
    f.seek(chunk.byte_offset + 40)
    f.write(bytes(b ^ 0x5a for b in data))
END
. "$tmp/keys"

# An array, what is said of it, and that it is said once.
refused() {
	local rc=0
	patchfs cat "$tmp/bad.medh5" "$1" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq 3 || fail "$1: status $rc"
	test "$(grep -c "error: bad.medh5: /annotations/$2" "$tmp/err")" -eq 1 ||
		fail "$1: $(cat "$tmp/err")"
}
# shellcheck disable=SC2154  # sourced
{
	refused annotations/organs/labels/array.npy "organs/data: chunk (0,"
	refused "annotations/organs/classes/$damaged/array.npy" \
		"organs/data: chunk (0,"
	for f in "$tmp/bad.medh5" "$layers.medh5"; do
		patchfs cat "$f" "annotations/organs/classes/$sound/array.npy" \
			>"$tmp/${f##*/}.npy" || fail "$f: $sound"
	done
}
cmp "$tmp/bad.medh5.npy" "$tmp/layers_training.medh5.npy" ||
	fail "a class of a sound layer differs"
refused annotations/over/labels/array.npy "over/labels: .*ignore_id"
patchfs cat "$tmp/bad.medh5" annotations/over/data/array.npy >/dev/null ||
	fail "the data of a broken annotation"
