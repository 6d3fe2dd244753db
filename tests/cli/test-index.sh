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
(cd "$tmp" && index 0 --index-dir="${dir#"$tmp/"}")
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
# What is kept has the counts, in tables too; what is not is not indexed.
patchfs cat --index-dir="$dir" "$src" sub/c/label/classes.json >"$tmp/c.json"
patchfs cat --index-dir="$dir" "$src" {a,b}/label/info.json \
	.patchfs/classes.csv | sed -n '/^array,/,$p' >"$tmp/c.csv"
python - "$tmp/c.json" "$tmp/c.csv" <<'EOF' || fail "see above"
import csv, json, sys
c = json.load(open(sys.argv[1]))
assert c["index"] == "exact", c
assert c["classes"] == [{"id": 4, "name": None, "count": 4,
                         "start": [4, 3, 5], "stop": [5, 7, 6]}], c
rows = {r["array"]: r for r in csv.DictReader(open(sys.argv[2]))}
for i, name in enumerate(("a/label", "b/label")):
    r = rows[name]
    assert (r["class"], r["count"], r["index"]) == ("4", "4", "exact"), r
    assert r["box"] == "%d:%d 3:7 5:6" % (2 + i, 3 + i), r
EOF
# A file that cannot be used is no reason to index by a mere look.
cp -r "$dir" "$tmp/hurt"
for f in "$tmp/hurt"/*; do truncate -s -1 "$f"; done
cksum "$tmp/hurt"/* >"$tmp/before"
patchfs cat --index-dir="$tmp/hurt" "$src" {a,b}/label/classes.json \
	>"$tmp/c.json" 2>"$tmp/err"
test "$(grep -c '"index": null' "$tmp/c.json")" -eq 2 || fail "$(<"$tmp/c.json")"
cksum "$tmp/hurt"/* | cmp - "$tmp/before" || fail "a look has written an index"
test ! -s "$tmp/err" || fail "a look told $(<"$tmp/err")"
mkdir "$tmp/empty"
patchfs cat --index-dir="$tmp/empty" "$src" a/label/classes.json >"$tmp/c.json"
grep -q '"index": null' "$tmp/c.json" || fail "indexed: $(<"$tmp/c.json")"
test -z "$(ls "$tmp/empty")" || fail "a look has built an index"
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

# Whatever lies there in place of a file: the draw is right, and all are kept
# anew.
rm -r "$dir"
index 0 --index-dir="$dir"
patchfs cat "$src" $draw >"$tmp/without"
mkdir "$tmp/own"
cp "$dir"/* "$tmp/own"
(cd "$tmp/own" && sha256sum -- *) >"$tmp/sums"
mapfile -t names < <(ls "$tmp/own")
lay() {
	local i own other f
	rm -f "$dir"/*
	for i in 0 1 2; do
		own=$tmp/own/${names[i]} f=$dir/${names[i]}
		other=$tmp/own/${names[(i + 1) % 3]}
		case $1 in
		cut) head -c 333 "$own" >"$f" ;;
		empty) : >"$f" ;;
		longer) { cat "$own" && echo; } >"$f" ;;
		others) cp "$other" "$f" ;;
		link) ln -s "$own" "$f" ;;
		fifo) mkfifo "$f" ;;
		esac
	done
}
for what in cut empty longer others link fifo; do
	lay $what
	patchfs cat --index-dir="$dir" "$src" $draw >"$tmp/with" 2>"$tmp/err" ||
		fail "$what: $(<"$tmp/err")"
	cmp "$tmp/without" "$tmp/with" || fail "$what: other draws"
	test ! -s "$tmp/err" || fail "$what: $(<"$tmp/err")"
	lay $what
	index 0 --index-dir="$dir"
	says 'a/label: indexed' 'b/label: indexed' 'sub/c/label: indexed'
	(cd "$dir" && sha256sum -c --quiet "$tmp/sums") || fail "$what: is kept"
	test "$(find "$dir" -mindepth 1 -type f | wc -l)" -eq 3 ||
		fail "$what: $(ls -l "$dir")"
done
(cd "$tmp/own" && sha256sum -c --quiet "$tmp/sums") || fail "links followed"

# Where nothing can be written all works, and that is a line.
closed=/sys/kernel
if test "$(id -u)" -ne 0; then
	closed=$tmp/closed
	mkdir "$closed"
	chmod 500 "$closed"
fi
if test -O "$closed"; then
	patchfs cat --index-dir="$closed" "$src" $draw >"$tmp/with" \
		2>"$tmp/err" || fail "$(<"$tmp/err")"
	cmp "$tmp/without" "$tmp/with" || fail "other draws"
	test "$(grep -c 'cannot be kept' "$tmp/err")" -eq 1 ||
		fail "$(<"$tmp/err")"
	index 2 --index-dir="$closed"
	grep -q "$closed: ended: .* a/label" "$tmp/err" || fail "$(<"$tmp/err")"
fi

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
# Several patterns: each array once.
index 0 --index-dir="$dir" --array=nothing --array=label --array='l*'
test "$(wc -l <"$tmp/out")" -eq 3 || fail "two patterns: $(<"$tmp/out")"

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
# A directory of others, or that others may write to, is refused by all.
mkdir "$tmp/open" "$tmp/theirs" "$tmp/mnt"
chmod 777 "$tmp/open"
theirs=/
test "$(id -u)" -ne 0 || { theirs=$tmp/theirs && chown 1 "$theirs"; }
commands=(cat)
test ! -w /dev/fuse || commands+=(mount)
for d in "$tmp/open" "$theirs"; do
	refuses 2 "$d: cannot keep" --index-dir="$d"
	for c in "${commands[@]}"; do
		rc=0
		patchfs "$c" --index-dir="$d" "$src" "$tmp/mnt" \
			>"$tmp/out" 2>"$tmp/err" || rc=$?
		test $rc -ne 0 || fail "$c with $d"
		test "$(wc -l <"$tmp/err")" -eq 1 || fail "$c: $(<"$tmp/err")"
		grep -qF "$d: cannot keep" "$tmp/err" || fail "$c: $(<"$tmp/err")"
	done
	test -z "$(ls "$tmp/open")" || fail "something was written"
done
