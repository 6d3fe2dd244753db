#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs index: indices of a whole tree are kept in a directory, found there
# again by later runs and by other commands, and nothing wrong is trusted.
# shellcheck source=tests/lib.sh disable=SC2154
. "$srcdir/tests/lib.sh"
requires_py h5py numpy

src=$tmp/src dir=$tmp/indices
mkdir "$src" "$src/sub"
python - "$src" <<'EOF'
import sys
import h5py, numpy as np
for i, name in enumerate(("a", "b", "sub/c")):
    with h5py.File("%s/%s.h5" % (sys.argv[1], name), "w") as f:
        label = np.zeros((9, 20, 21), "u1")
        label[2 + i, 3:7, 5:6] = 4
        f.create_dataset("label", data=label, chunks=(3, 20, 21))
        f["image"] = np.zeros(label.shape, "f4")
        f["other/count"] = np.arange(6, dtype="i2").reshape(2, 3)
EOF

# index STATUS [OPTION]...: to $tmp/out and $tmp/err.
index() {
	local want=$1 rc=0
	shift
	patchfs index "$@" "$src" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq "$want" ||
		fail "index $*: status $rc, not $want: $(<"$tmp/err")"
}
says() { # LINE...
	diff <(printf '%s\n' "$@") "$tmp/out" >"$tmp/diff" ||
		fail "it says $(<"$tmp/diff")"
}
files() { find "$dir" -type f | wc -l; }

# An interrupted run left one; the next does the others.
index 0 --index-dir="$dir" --array=label --threads=2
test "$(stat -c %a "$dir")" = 700 || fail "mode $(stat -c %a "$dir")"
says 'a/label: indexed' 'b/label: indexed' 'sub/c/label: indexed'
test "$(files)" -eq 3 || fail "$(files) files"
find "$dir" -type f | sort | tail -n 2 | xargs rm
index 0 --index-dir="$dir"
test "$(grep -c ': indexed$' "$tmp/out")" -eq 2 || fail "$(<"$tmp/out")"
test "$(grep -c ': was there$' "$tmp/out")" -eq 1 || fail "$(<"$tmp/out")"
index 0 --index-dir="$dir"
says 'a/label: was there' 'b/label: was there' 'sub/c/label: was there'
index 0 --index-dir="$dir" --array='other/*'
test "$(files)" -eq 6 || fail "--array: $(files) files"

# Others read what is there: the draws are the same, and no label is read.
draw=a/image/foreground+size-1x4x4/000007.json
patchfs cat "$src" $draw >"$tmp/without"
patchfs cat --index-dir="$dir" --index-size=1M "$src" $draw >"$tmp/with"
cmp "$tmp/without" "$tmp/with" || fail "other draws with an index at hand"
grep -q '"class": 4' "$tmp/with" || fail "$(<"$tmp/with")"
test "$(files)" -eq 6 || fail "cat wrote another"
# One that is not there is built and kept by them too.
rm "$dir"/*
patchfs cat --index-dir="$dir" "$src" $draw >"$tmp/with"
cmp "$tmp/without" "$tmp/with" || fail "other draws"
test "$(files)" -eq 1 || fail "cat kept $(files)"

# Damage and change: made anew.
index 0 --index-dir="$dir"
for f in "$dir"/*; do
	printf 'x' | dd of="$f" bs=1 seek=150 conv=notrunc status=none
done
index 0 --index-dir="$dir"
says 'a/label: indexed' 'b/label: indexed' 'sub/c/label: indexed'
touch -d 2001-01-01 "$src/a.h5"
index 0 --index-dir="$dir"
says 'a/label: indexed' 'b/label: was there' 'sub/c/label: was there'

# What a file calls a digest and is none, two files may have.
mkdir "$tmp/alike"
python - "$tmp/alike" <<'EOF'
import sys
import h5py, numpy as np
for name, z in ("a", 0), ("b", 3):
    with h5py.File("%s/%s.medh5" % (sys.argv[1], name), "w") as f:
        f.attrs["medh5_version"] = "1.0"
        f["meta"] = "{}"
        grid = f.create_group("grids/g")
        grid.attrs["shape"] = (4, 5, 6)
        grid.attrs["axis_kinds"] = ["spatial"] * 3
        x = f.create_group("annotations/x")
        x.attrs["kind"], x.attrs["grid"] = "labelmap", "g"
        x.attrs["class_ids"] = np.array([1], "u2")
        data = np.zeros((4, 5, 6), "u1")
        data[z] = 1
        x["data"] = data
        x["data"].attrs["digest"] = "sha256:to be computed"
EOF
for name in a b; do
	patchfs cat --index-dir="$dir" "$tmp/alike" \
		$name/annotations/x/labels/foreground+size-1x1x1/0.npy |
		tail -c 2 | od -An -tu2 >"$tmp/value"
	test "$(xargs <"$tmp/value")" = 1 ||
		fail "a draw of $name has the value $(<"$tmp/value")"
done
find "$dir" -type f -newer "$tmp/alike" -delete

# What cannot be indexed is a line, and the others are indexed.
echo text >"$src/text.h5"
index 3 --index-dir="$dir"
test "$(wc -l <"$tmp/out")" -eq 3 || fail "$(<"$tmp/out")"
test "$(wc -l <"$tmp/err")" -eq 1 || fail "$(<"$tmp/err")"
rm "$src/text.h5"
index 3 --index-dir="$dir" --array='[il]*'
test "$(wc -l <"$tmp/out")" -eq 3 || fail "$(<"$tmp/out")"
test "$(grep -c '/image: no array of integers or bools' "$tmp/err")" -eq 3 ||
	fail "$(<"$tmp/err")"

# Arguments: one line.
refuses() { # STATUS WORDS ARGUMENT...
	local want=$1 words=$2
	shift 2
	index "$want" "$@"
	test ! -s "$tmp/out" || fail "$*: $(<"$tmp/out")"
	test "$(wc -l <"$tmp/err")" -eq 1 || fail "$*: $(<"$tmp/err")"
	grep -qF -- "$words" "$tmp/err" || fail "$*: $(<"$tmp/err")"
}
refuses 2 'which --index-dir?'
refuses 2 --threads --index-dir="$dir" --threads=0
refuses 2 --index-size --index-dir="$dir" --index-size=1
refuses 1 'no label array' --index-dir="$dir" --array=nothing
mkdir "$tmp/open"
chmod 777 "$tmp/open"
refuses 2 "$tmp/open: cannot keep" --index-dir="$tmp/open"
