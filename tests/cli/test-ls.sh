#!/bin/bash
# SPDX-License-Identifier: MIT
# patchfs ls: names without a mount.
. "$srcdir/tests/lib.sh"
make_data pairs staged

out=$(patchfs ls "$tmp/src/pairs.h5")
test "$(echo "$out" | sort | head -n 3 | tr '\n' ' ')" = \
	"answers axis_last channels " || fail "ls FILE: $out"
echo "$out" | grep -qx 'info.json' || fail "ls FILE: no info.json"
out=$(patchfs ls "$tmp/src" pairs/stack)
test "$(echo "$out" | sort | tr '\n' ' ')" = "array.npy info.json slices " ||
	fail "ls of an array: $out"
n=$(patchfs ls "$tmp/src" pairs/stack/slices | wc -l)
test "$n" -eq 9 || fail "slices: $n"
n=$(patchfs ls "$tmp/src" pairs/mask/patches+size-4x4x4 | wc -l)
test "$n" -eq $((3 * 4 * 4)) || fail "patches: $n"
out=$(patchfs ls "$tmp/src" pairs/mask/random+size-4x4x4+count-12 | tail -n 1)
test "$out" = 000011.npy || fail "random: $out"
out=$(patchfs ls -l "$tmp/src" pairs/stack/slices | head -n 1)
echo "$out" | grep -q ' 752 .*000000.npy' || fail "ls -l: $out"
out=$(patchfs ls "$tmp/src" pairs/stack/array.npy)
test "$out" = pairs/stack/array.npy || test "$out" = array.npy ||
	fail "ls of a file: $out"
patchfs ls -R "$tmp/src" >"$tmp/all"
grep -qx 'staged/train_truth/image/slices/000011.npy' "$tmp/all" || fail "ls -R"
grep -qx 'staged/train_truth/image/' "$tmp/all" || fail "ls -R: directories"
test "$(sort "$tmp/all" | uniq -d | wc -l)" -eq 0 || fail "ls -R: twice"

# Exit statuses: 1 no such item, 2 usage or system, 3 unreadable data.
status() {
	local want=$1 rc=0
	shift
	patchfs "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq "$want" || fail "$*: status $rc, not $want"
	test ! -s "$tmp/out" || fail "$*: wrote to stdout"
	test "$(wc -l <"$tmp/err")" -ge 1 || fail "$*: no word on stderr"
}
status 1 ls "$tmp/src" pairs/nothing

# What is missing, where, and what is there instead.
misses() { # PATH WORDS
	local cmd
	for cmd in ls cat info; do
		status 1 $cmd "$tmp/src" "$1"
		grep -qF -- "$2" "$tmp/err" ||
			fail "$cmd $1: not '$2': $(<"$tmp/err")"
	done
}
misses nothing/at/all '/: no nothing: there are pairs, staged'
misses pairs/nothing/info.json 'pairs: no nothing: there are '
misses pairs/stakc 'pairs: no stakc: there are stack, '
misses pairs/stack/array.np 'no array.np: np is no format: these are npy, raw'
misses pairs/stack/none 'pairs/stack: no none: there are slices, and views by'
misses pairs/stack/slices/9.npy \
	'pairs/stack/slices: no 9.npy: there are 000000.npy to 000008.npy'
misses pairs/stack/slices/000099.json ': there are 000000.json to 000008.json'
misses pairs/stack/slices/000001.nii.gz \
	'no 000001.nii.gz: nii.gz is no format: these are npy, raw and json'
misses pairs/mask/patches+size-4x4x4/x.npy ': there are 000000.npy to 000047.npy'
# The corners of 12 x 13 x 14 are those where 4 x 5 more fit.
for corner in 12_0_0 0_10_0 0_0_10 1_1 1_1_1_1; do
	misses pairs/mask/crops+size-4x5/$corner.npy \
		"no $corner.npy: there are 0_0_0.npy to 11_9_9.npy, a number for each of 3 axes"
done
patchfs ls "$tmp/src" pairs/mask/crops+size-4x5/11_9_9.npy >"$tmp/out" ||
	fail "the last corner"
misses pairs/mask/random+size-4x4/68719476736.npy \
	': there are 000000.npy to 68719476735.npy'
# Kinds of views, the nearest first, where one is near.
misses pairs/mask/foregrund+size-4x4 \
	'views begin with foreground, slices, patches, crops or random'
misses pairs/mask/patchs 'views begin with patches, slices, crops, random or foreground'
misses pairs/mask/grid+size-4x4 \
	'views begin with slices, patches, crops, random or foreground'
test "$(wc -l <"$tmp/err")" -eq 1 || fail "said twice: $(<"$tmp/err")"
misses pairs/stack/patches+siz-4x4 \
	'patches have no key "siz", but size, stride, border, pad, priority, format'
misses pairs/stack/patches+size-4,4 'size-4,4: not a good value (extents'
misses pairs/stack/patches+size-4x4+border-padd 'pad fills; default snap)'
misses pairs/stack/random 'no size: it is random+size-S, with S as 96x96x96'
status 1 ls "$tmp/src" pairs/mask/patches+size-100x100x100
status 2 ls
status 2 ls --no-such-option "$tmp/src"
status 2 ls "$tmp/nothing"
PATCHFS_LIBEXECDIR=$tmp status 3 ls "$tmp/src" pairs
grep -q '^patchfs ls: pairs: ' "$tmp/err" || fail "no name: $(cat "$tmp/err")"
head -c 3000 "$tmp/src/pairs.h5" >"$tmp/cut.h5"
status 3 ls "$tmp/cut.h5"
# Of a directory: the others are listed; why is said once, and what to do.
mkdir "$tmp/some"
cp "$tmp/src/pairs.h5" "$tmp/cut.h5" "$tmp/some"
: >"$tmp/some/empty.h5"
why="it should have $(stat -c %s "$tmp/src/pairs.h5") bytes and has 3000"
unreadable() { # ERRORS ARGUMENT...
	local errors=$1 rc=0
	shift
	patchfs "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	test $rc -eq 3 || fail "$*: status $rc, not 3"
	test "$(grep -c "cut.h5: truncated: $why; copy it again" "$tmp/err")" \
		-eq 1 || fail "$*: $(<"$tmp/err")"
	test "$(wc -l <"$tmp/err")" -eq "$errors" || fail "$*: $(<"$tmp/err")"
	! grep -q "$why\|Bad message" "$tmp/out" || fail "$*: $(<"$tmp/out")"
	! grep -q 'Bad message' "$tmp/err" || fail "$*: $(<"$tmp/err")"
}
unreadable 2 ls -R "$tmp/some"
grep -qx 'pairs/stack/array.npy' "$tmp/out" || fail "ls -R: not the others"
grep -q 'empty.h5: empty; copy it again$' "$tmp/err" || fail "$(<"$tmp/err")"
unreadable 1 ls "$tmp/some" cut
test "$(<"$tmp/out")" = info.json || fail "ls of what is cut: $(<"$tmp/out")"
unreadable 2 ls "$tmp/some" cut/stack
unreadable 2 info "$tmp/some" cut
grep -qx 'file      cut.h5' "$tmp/out" || fail "info: $(<"$tmp/out")"
unreadable 2 info "$tmp/some" cut/stack
unreadable 2 cat "$tmp/some" cut/stack/array.npy
patchfs ls "$tmp/some" >"$tmp/out" || fail "ls of a directory: status $?"

# What stdout does not take shows in the status, whatever had to be printed.
lost() {
	local rc=0
	"$@" 2>"$tmp/err" || rc=$?
	test $rc -eq 2 || fail "stdout took nothing: $*: status $rc"
	grep -q 'stdout: ' "$tmp/err" || fail "$*: $(cat "$tmp/err")"
}
volume=("$tmp/src" pairs/stack/array.npy)
lost patchfs cat "${volume[@]}" >/dev/full
lost patchfs cat "${volume[@]}" >&-
lost patchfs ls "$tmp/src" >&-
for option in --help --version; do
	lost patchfs $option >/dev/full
done

# A time for which there is no date, where a file system keeps one.
shm=$(mktemp -d /dev/shm/patchfs-test.XXXXXX 2>/dev/null) || shm=
if test -n "$shm"; then
	python -c 'import os, sys
with open(sys.argv[1], "w"):
    os.utime(sys.argv[1], (0, 2**61))' "$shm/note"
	at=$(stat -c %Y "$shm/note")
	out=$(patchfs ls -l "$shm")
	rm -r "$shm"
	test "$at" != $((1 << 61)) ||
		test "${out#*@}" = "$at note" || fail "ls -l: $out"
fi

# A reader that leaves ends a walk that would take for ever: 2^36 names.
python - "$tmp/endless.h5" <<'EOF'
import sys
import h5py
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("a", (2**36, 2), "u1", chunks=(1024, 2))
EOF
for flag in -R -lR; do
	set +o pipefail
	timeout $((60 * slow)) "$builddir/run" "$builddir/patchfs" \
		ls $flag "$tmp/endless.h5" | head -n 1 >/dev/null
	rc=${PIPESTATUS[0]}
	set -o pipefail
	test "$rc" -eq 0 || fail "ls $flag into head: status $rc"
done
