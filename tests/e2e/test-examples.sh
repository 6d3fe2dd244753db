#!/bin/bash
# SPDX-License-Identifier: MIT
# Every example runs, and says the same about the same data.
. "$srcdir/tests/lib.sh"
make_data staged
rm -f "$tmp/src/staged/noise.h5"
mount_volume "$tmp/src/staged"
ex=$srcdir/examples
image=$mnt/train_truth/image

python "$ex/numpy-five-lines.py" "$image" >"$tmp/out"
test "$(wc -l <"$tmp/out")" -eq 4 || fail "numpy-five-lines.py"
python "$ex/sorted_pairs.py" "$mnt/train_sinograms/sino" "$image" >"$tmp/out"
grep -Fqx '12 (16, 40) (32, 32)' "$tmp/out" || fail "sorted_pairs.py"
sh "$ex/look-around.sh" "$image" >"$tmp/out"
grep -q 'info.json' "$tmp/out" || fail "look-around.sh"

# Without arguments: one line that says which.
for e in numpy-five-lines.py sorted_pairs.py look-around.sh make-demo.py \
	compare-speed.py; do
	run=python
	test "${e%.sh}" = "$e" || run="sh"
	! $run "$ex/$e" >"$tmp/out" 2>"$tmp/err" || fail "$e without arguments"
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "$e: $(<"$tmp/err")"
	grep -qE 'usage|needed' "$tmp/err" || fail "$e: $(<"$tmp/err")"
done

if command -v cc >/dev/null; then
	cc -D_GNU_SOURCE -O2 -o "$tmp/read_slice" "$ex/read_slice.c"
	out=$("$tmp/read_slice" "$image/slices/000003.npy")
	python - "$image/slices/000003.npy" "$out" <<'END' || fail "read_slice"
import sys
import numpy as np
want = np.load(sys.argv[1]).sum(dtype="f8")
assert abs(float(sys.argv[2].split()[-1]) - want) < 1e-5, sys.argv[2]
END
fi

requires_py torch hdf5plugin
timeout 120 "$PYTHON" "$ex/staged_dataset.py" "$mnt" train >"$tmp/files"
timeout 120 "$PYTHON" "$ex/staged_h5_passthrough.py" "$mnt" train >"$tmp/h5"
# The same sum over all images by both.
a=$(sed -n 's/^epoch 1: 12 items, sum //p' "$tmp/files")
b=$(sed -n 's/^12 items, sum //p' "$tmp/h5")
test -n "$a" || fail "staged_dataset.py: $(cat "$tmp/files")"
test "$a" = "$b" || fail "sums differ: $a, $b"
