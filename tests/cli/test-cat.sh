#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs cat: the very bytes of the mount, without one.
. "$srcdir/tests/lib.sh"
make_data pairs staged corrupt

python "$srcdir/tests/e2e/compare.py" --items 2 --only mask \
	--cat "$builddir/run $builddir/patchfs cat" "$tmp/src/pairs.h5" "" ||
	fail "pairs"
for f in train_truth.h5 manifest.json; do
	patchfs cat "$tmp/src/staged" $f | cmp - "$tmp/src/staged/$f" ||
		fail "pass-through of $f"
done
patchfs cat "$tmp/src" pairs/info.json | python -m json.tool >"$tmp/json" ||
	fail "info.json is no JSON"
grep -q '"path": "stack"' "$tmp/json" || fail "info.json: no stack"
patchfs cat "$tmp/src" pairs/mask/random+size-4x4x4+seed-3/7.json |
	python -m json.tool >"$tmp/json" || fail "an item's .json is no JSON"
# By another spelling, and through links.
patchfs cat "$tmp/src" pairs/stack/slices+axis-0/3.npy >"$tmp/a"
patchfs cat "$tmp/src" pairs.h5.d//stack/../stack/slices/000003.npy >"$tmp/b"
cmp "$tmp/a" "$tmp/b" || fail "spellings differ"
# Known answers: the first corners of the design.
for at in 0:4,4,5 1:1,0,6 2:3,2,5; do
	out=$(patchfs cat "$tmp/src" \
		pairs/answers/random+size-4x5+seed-3/${at%:*}.json |
		python -c 'import json, sys
print(*json.load(sys.stdin)["start"], sep=",")')
	test "$out" = "${at#*:}" || fail "draw ${at%:*} starts at $out"
done

status() {
	local want=$1 rc=0
	shift
	patchfs "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq "$want" || fail "$*: status $rc, not $want"
	test "$(wc -l <"$tmp/err")" -ge 1 || fail "$*: no word on stderr"
}
status 1 cat "$tmp/src" pairs/mask/slices/000099.npy
status 2 cat
status 2 cat "$tmp/nothing" x
status 3 cat "$tmp/src" corrupt/gzip/slices/000002.npy
status 3 cat "$tmp/src" corrupt/lz4/array.npy
test -s "$tmp/err" || fail "no reason given"
